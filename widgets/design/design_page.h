// The page of Design: pattern over stack, cost beside it; in narrow windows the cost as tabs.
#pragma once

#include <QWidget>

#include "widgets/design/spec_document.h"

class QComboBox;
class QPushButton;
class QScrollArea;
class QSplitter;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace braid::ui {

class Banner;
class CostCurves;
class CostFigures;
class DifferencePanel;
class EmptyState;
class InsertBar;
class PageToolbar;
class PatternField;
class StackModel;
class StackView;

class DesignPage : public QWidget {
    Q_OBJECT

public:
    explicit DesignPage(const MixerCatalog& catalog, QWidget* parent = nullptr);
    ~DesignPage() override;

    void setDocument(SpecDocument* document, const QString& name);  // null: the empty page
    void setCompact(bool compact);
    bool isCompact() const { return compact_; }  // asked for, or too narrow for two columns

    PageToolbar* toolbar() const { return toolbar_; }
    Banner* banner() const { return banner_; }
    PatternField* pattern() const { return pattern_; }  // null without a document
    StackView* stack() const { return stack_; }
    InsertBar* insertBar() const { return insert_; }
    CostFigures* figures() const { return figures_; }
    CostCurves* curves() const { return curves_; }
    DifferencePanel* difference() const { return difference_; }
    EmptyState* empty() const { return empty_; }
    QTabBar* tabs() const { return tabs_; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fold();
    void arrange();

    SpecDocument* document_ = nullptr;
    bool compact_ = false;
    bool asked_compact_ = false;
    PageToolbar* toolbar_;
    Banner* banner_;
    QStackedWidget* pages_;
    EmptyState* empty_;
    QWidget *editor_, *left_, *pattern_place_, *strip_;
    PatternField* pattern_ = nullptr;
    StackModel* model_ = nullptr;
    StackView* stack_;
    InsertBar* insert_;
    QTabBar* tabs_;
    QSplitter* split_;
    QScrollArea* column_;
    QWidget* column_content_;
    CostFigures* figures_;
    CostCurves* curves_;
    DifferencePanel* difference_;
    QWidget* difference_line_;
};

}  // namespace braid::ui
