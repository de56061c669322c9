// Why a point, or points like it, are left out of the fit: a rule of the study's file with its reason.
#pragma once

#include <QDialog>
#include <QString>
#include <vector>

#include "widgets/scaling/scaling_content.h"

class QComboBox;
class QPushButton;

namespace braid::ui {

class Field;
class TextLabel;

// Rules that hold of this point: it alone, then wider ones.
struct ExclusionChoice {
    QString text;  // "This point", "All at S1, 100N"
    std::string rule;
};
std::vector<ExclusionChoice> exclusionChoices(const ScalingContent& content, const ScalingViewPoint& point);

class ExcludeDialog : public QDialog {
    Q_OBJECT

public:
    ExcludeDialog(const ScalingContentPtr& content, const ScalingViewPoint& point, QWidget* parent = nullptr);

    std::string rule() const;  // with its reason
    QComboBox* choices() const { return choices_; }
    Field* reason() const { return reason_; }
    QPushButton* button() const { return exclude_; }

private:
    void refresh();

    ScalingContentPtr content_;
    std::vector<ExclusionChoice> rules_;
    QComboBox* choices_;
    Field* reason_;
    TextLabel* note_;
    QPushButton* exclude_;
};

}  // namespace braid::ui
