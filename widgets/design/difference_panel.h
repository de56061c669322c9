// "Difference to base FSSS": both stacks aligned, what changed where, and what that does to the cost.
#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>

#include "core/spec/diff.h"
#include "widgets/design/spec_document.h"

class QGridLayout;
class QPushButton;
class QVBoxLayout;

namespace braid::ui {

class SectionTitle;
class TextLabel;

// The two stacks above each other, equal layers pale, changed ones underlined.
class DifferenceStrips : public QWidget {
    Q_OBJECT

public:
    explicit DifferenceStrips(QWidget* parent = nullptr);
    void set(std::shared_ptr<const ArchitectureSpec> from, std::shared_ptr<const ArchitectureSpec> to,
             std::vector<LayerPair> alignment, std::vector<bool> wrong);
    QSize sizeHint() const override { return {200, 46}; }
    QSize minimumSizeHint() const override { return {80, 46}; }

Q_SIGNALS:
    void layerClicked(std::size_t layer);  // of the design

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    std::shared_ptr<const ArchitectureSpec> from_, to_;
    std::vector<LayerPair> alignment_;
    std::vector<bool> wrong_;
};

// One line of the list: where, what it was, what it is.
struct DifferenceLine {
    QString where;
    QString from;
    QString to;
    bool wrong = false;
    bool operator==(const DifferenceLine&) const = default;
};

class DifferencePanel : public QWidget {
    Q_OBJECT

public:
    explicit DifferencePanel(QWidget* parent = nullptr);

    void setDocument(SpecDocument* document);
    void setBase(const QString& name, std::shared_ptr<const ArchitectureSpec> base);  // null: nothing yet
    const std::vector<DifferenceLine>& lines() const { return lines_; }
    QString summary() const { return summary_; }  // "10 of 24 layers"
    QPushButton* compareButton() const { return compare_; }
    void flush();

Q_SIGNALS:
    void layersClicked(const std::vector<braid::LayerId>& layers);

protected:
    void changeEvent(QEvent* event) override;  // the list has the theme's colours in it

private:
    void update_();
    void showLines();
    void showCosts();

    SpecDocument* document_ = nullptr;
    QString name_, summary_;
    std::shared_ptr<const ArchitectureSpec> base_;
    std::vector<DifferenceLine> lines_;
    SectionTitle* title_;
    TextLabel* count_;
    DifferenceStrips* strips_;
    QWidget *body_, *costs_;
    QGridLayout *list_, *table_;
    TextLabel* empty_;
    QPushButton* compare_;
    QTimer soon_;
};

}  // namespace braid::ui
