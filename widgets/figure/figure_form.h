// The left side of the export dialog: size, text, lines and colour, which files.
#pragma once

#include <QWidget>
#include <vector>

#include "widgets/figure/figure_export.h"

class QCheckBox;
class QComboBox;
class QLabel;

namespace braid::ui {

class Field;
class Segments;

class FigureForm : public QWidget {
    Q_OBJECT

public:
    explicit FigureForm(QWidget* parent = nullptr);

    void setFigureStyle(const FigureStyle& style);
    const FigureStyle& figureStyle() const { return style_; }
    std::vector<FigureFile> files() const;
    // What stands right of a file's box: "vector, 41 KB".
    void setNote(FigureFile file, const QString& note);
    void setFittingHeight(double millimetres) { fitting_ = millimetres; }

Q_SIGNALS:
    void styleChanged();
    void filesChanged();

private:
    void show();
    void setNumber(Field* field, double& value, double low, double high, const QString& text);

    FigureStyle style_;
    double fitting_ = 0;
    Segments *size_, *text_, *series_, *legend_;
    Field *width_, *height_, *points_, *line_;
    QComboBox* font_;
    struct FileBox {
        FigureFile file;
        QCheckBox* box;
        QLabel* note;
    };
    std::vector<FileBox> boxes_;
};

}  // namespace braid::ui
