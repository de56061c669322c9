#include "widgets/design/design_page.h"

#include <QPainter>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

#include "widgets/common/controls.h"
#include "widgets/design/banner.h"
#include "widgets/design/context_chart.h"
#include "widgets/design/cost_curves.h"
#include "widgets/design/cost_figures.h"
#include "widgets/design/difference_panel.h"
#include "widgets/design/insert_bar.h"
#include "widgets/design/pattern_field.h"
#include "widgets/design/stack_view.h"

namespace braid::ui {

namespace {

constexpr int column_width = 337;
constexpr int least_column = 290;
constexpr int least_stack = 400;
constexpr int least_two_columns = 790;

enum Tab { LayersTab, CurvesTab, DifferenceTab };

QVBoxLayout* column_layout(QWidget* widget) {
    auto* layout = new QVBoxLayout(widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    return layout;
}

}  // namespace

DesignPage::DesignPage(const MixerCatalog& catalog, QWidget* parent)
    : QWidget(parent),
      toolbar_(new PageToolbar),
      banner_(new Banner),
      pages_(new QStackedWidget),
      empty_(new EmptyState(tr("No architecture is open."), tr("New architecture..."))),
      editor_(new QWidget),
      left_(new QWidget),
      pattern_place_(new QWidget),
      strip_(new QWidget),
      stack_(new StackView),
      insert_(new InsertBar(catalog)),
      tabs_(new QTabBar),
      split_(new QSplitter(Qt::Horizontal)),
      column_(new QScrollArea),
      column_content_(new QWidget),
      figures_(new CostFigures),
      curves_(new CostCurves),
      difference_(new DifferencePanel),
      difference_line_(makeSeparator()) {
    QVBoxLayout* left = column_layout(left_);
    column_layout(pattern_place_)
        ->setContentsMargins(metrics::gap3, metrics::gap2, metrics::gap3, metrics::gap2);
    left->addWidget(pattern_place_);
    left->addWidget(makeSeparator());
    left->addWidget(stack_, 1);
    left->addWidget(insert_);
    left_->setMinimumWidth(least_stack);
    setMinimumWidth(least_stack);

    QVBoxLayout* column = column_layout(column_content_);
    column->addWidget(figures_);
    column->addWidget(curves_, 1);
    column->addWidget(difference_line_);
    column->addWidget(difference_);
    column_->setWidget(column_content_);
    column_->setWidgetResizable(true);
    column_->setFrameShape(QFrame::NoFrame);
    column_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column_->setMinimumWidth(least_column);
    column_->viewport()->setAutoFillBackground(false);  // the page's surface shows
    column_content_->setAutoFillBackground(false);

    split_->setChildrenCollapsible(false);
    split_->setHandleWidth(1);
    split_->addWidget(left_);
    split_->addWidget(column_);
    split_->setStretchFactor(0, 1);
    split_->setStretchFactor(1, 0);
    split_->setSizes({2 * column_width, column_width});

    tabs_->setObjectName(QStringLiteral("design.tabs"));
    tabs_->addTab(tr("Layers"));
    tabs_->addTab(tr("Against context"));
    tabs_->addTab(tr("Difference"));
    tabs_->setExpanding(false);
    tabs_->setDrawBase(false);
    connect(tabs_, &QTabBar::currentChanged, this, [this] { arrange(); });
    column_layout(strip_);
    QVBoxLayout* editor = column_layout(editor_);
    editor->addWidget(strip_);
    editor->addWidget(tabs_);
    editor->addWidget(split_, 1);

    pages_->addWidget(empty_);
    pages_->addWidget(editor_);
    QVBoxLayout* all = column_layout(this);
    all->addWidget(toolbar_);
    all->addWidget(makeSeparator());
    all->addWidget(banner_);
    all->addWidget(pages_, 1);

    connect(insert_, &InsertBar::chosen, stack_, &StackView::insertMixer);
    connect(difference_, &DifferencePanel::layersClicked, stack_,
            [this](const std::vector<LayerId>& layers) { stack_->selectLayers(layers); });
    arrange();
}

// The model is the view's no longer before the document that it reads goes.
DesignPage::~DesignPage() { setDocument(nullptr, {}); }

void DesignPage::setDocument(SpecDocument* document, const QString& name) {
    if (document != document_) {
        stack_->setStack(nullptr);
        delete model_;
        delete pattern_;
        model_ = nullptr;
        pattern_ = nullptr;
        document_ = document;
        figures_->setDocument(document);
        curves_->setDocument(document);
        difference_->setDocument(document);
        if (document_) {
            model_ = new StackModel(*document_, this);
            stack_->setStack(model_);
            pattern_ = new PatternField(*document_);
            pattern_place_->layout()->addWidget(pattern_);
            connect(pattern_, &PatternField::finished, stack_,
                    [this] { stack_->setFocus(Qt::TabFocusReason); });
            setTabOrder(pattern_, stack_);
        }
    }
    curves_->setName(name);
    pages_->setCurrentWidget(document_ ? editor_ : static_cast<QWidget*>(empty_));
}

void DesignPage::setCompact(bool compact) {
    asked_compact_ = compact;
    fold();
}

void DesignPage::resizeEvent(QResizeEvent*) { fold(); }

void DesignPage::fold() {
    const bool compact = asked_compact_ || width() < least_two_columns;
    if (compact == compact_) {
        return;
    }
    compact_ = compact;
    figures_->setOneRow(compact);
    curves_->setSideBySide(compact);
    stack_->setCompact(compact);
    if (compact) {
        strip_->layout()->addWidget(figures_);
    } else {
        static_cast<QVBoxLayout*>(column_content_->layout())->insertWidget(0, figures_);
    }
    arrange();
}

void DesignPage::arrange() {
    const int tab = compact_ ? tabs_->currentIndex() : -1;
    tabs_->setVisible(compact_);
    strip_->setVisible(compact_);
    left_->setVisible(!compact_ || tab == LayersTab);
    column_->setVisible(!compact_ || tab != LayersTab);
    curves_->setVisible(!compact_ || tab == CurvesTab);
    difference_line_->setVisible(!compact_);
    difference_->setVisible(!compact_ || tab == DifferenceTab);
}

void DesignPage::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), tokens().surface);
}

}  // namespace braid::ui
