// The export dialog: form left, the figure at its true size right, its checks below.
#pragma once

#include <QDialog>
#include <memory>

#include "widgets/figure/figure.h"

namespace braid::ui {

// Where a figure's runs are and where its files go.
struct FigureContext {
    QString projectFolder;
    QString name;  // of the figure: "far-recall"; files are figures/NAME.*
};

class FigureDialog : public QDialog {
    Q_OBJECT

public:
    FigureDialog(const FigureSpec& spec, const FigureContext& context, QWidget* parent = nullptr);
    ~FigureDialog() override;

    FigureSpec spec() const;            // as edited
    QStringList exportedFiles() const;  // after it was accepted

private:
    class Private;
    std::unique_ptr<Private> d_;
};

}  // namespace braid::ui
