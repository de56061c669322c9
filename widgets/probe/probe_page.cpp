#include "widgets/probe/probe_page.h"

#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/common/score_jobs.h"
#include "widgets/common/segments.h"
#include "widgets/probe/cell_facts.h"
#include "widgets/probe/measure_dialog.h"
#include "widgets/probe/measured_model.h"
#include "widgets/probe/probe_charts.h"
#include "widgets/probe/probe_choice.h"
#include "widgets/probe/probe_figures.h"
#include "widgets/probe/probe_sections.h"

namespace braid::ui {

namespace {

enum Page { ViewsPage, ValuesPage, EmptyPage };
const QString heads_workspace = QStringLiteral("heads");

}  // namespace

ProbePage::ProbePage(const WorkspaceContext& context, ProbeChoice& choice, CellPanel* panel, QWidget* parent)
    : QWidget(parent),
      context_(context),
      choice_(choice),
      panel_(panel),
      toolbar_(new PageToolbar(tr("Where far information enters"))),
      rows_(new Segments(tr("Rows of the maps"), {tr("By model"), tr("By layer kind")})),
      form_(new Segments(tr("Shown as"), {tr("Views"), tr("Values")})),
      classifiers_(new QComboBox),
      arrays_(new QComboBox),
      figure_(makeButton(tr("Figure"), QStringLiteral("figure"))),
      measure_(makePrimaryButton(tr("Measure..."))),
      pages_(new QStackedWidget),
      maps_(new LayerMapView),
      missing_(new QVBoxLayout),
      charts_(new ProbeCharts(choice)),
      model_(new MeasuredModel(this)),
      table_(new DataTable(tr("Values of the measurement"))),
      empty_(new EmptyState(tr("No run has a checkpoint yet."), tr("Go to Train"))),
      reading_(new TextLabel({}, TypeStep::table, 400, 2)),
      problem_(new TextLabel({}, TypeStep::table)) {
    table_->setModel(model_);
    table_->setSortingEnabled(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    makeToolbar();
    layout->addWidget(toolbar_);
    problem_->setStatus(QStringLiteral("error"));
    problem_->setWordWrap(true);
    problem_->setContentsMargins(metrics::gap3, metrics::gap1, metrics::gap3, metrics::gap1);
    layout->addWidget(problem_);
    pages_->addWidget(makeViews());
    pages_->addWidget(table_);
    pages_->addWidget(empty_);
    layout->addWidget(pages_, 1);
    layout->addWidget(makeSeparator());
    reading_->setElided(Qt::ElideRight);
    reading_->setContentsMargins(metrics::gap3, metrics::gap1, metrics::gap3, metrics::gap1);
    layout->addWidget(reading_);
    layout->addWidget(new ScoreJobs(context.session, context.commands, ScoreRequest::Verb::measure));

    connect(rows_, &Segments::chosen, this, &ProbePage::showMaps);
    connect(form_, &Segments::chosen, this, &ProbePage::applyForm);
    connect(arrays_, &QComboBox::activated, this, &ProbePage::fillTable);
    connect(maps_, &LayerMapView::readChanged, this, &ProbePage::showCell);
    const auto current = [this](const QString& run) { choice_.setCurrent(RunId(run.toStdString())); };
    connect(maps_, &LayerMapView::runChosen, this, current);
    connect(maps_, &LayerMapView::opened, this, &ProbePage::openCell);
    connect(charts_, &ProbeCharts::runChosen, this, current);
    connect(charts_, &ProbeCharts::measureWanted, this,
            [this](const QString& kind) { measure(kind.toStdString()); });
    connect(panel_, &CellPanel::runChosen, this, current);
    connect(panel_, &CellPanel::measureWanted, this,
            [this](const QString& kind) { measure(kind.toStdString()); });
    connect(panel_, &CellPanel::openRun, this, &ProbePage::openRun);
    connect(panel_, &CellPanel::openHeads, this, &ProbePage::openHeads);
    connect(empty_, &EmptyState::clicked, this, [this] {
        if (choice_.candidates().empty())
            context_.shell.showWorkspace(QStringLiteral("train"));
        else
            measure(choice_.kind());
    });
    connect(&choice_, &ProbeChoice::changed, this, &ProbePage::refresh);
    refresh();
}

void ProbePage::makeToolbar() {
    arrays_->setAccessibleName(tr("Values of"));
    form_->setCurrent(0);
    rows_->setCurrent(0);
    classifiers_->setAccessibleName(tr("Classifier of probing"));
    toolbar_->addWidget(classifiers_);
    toolbar_->addWidget(rows_);
    connect(classifiers_, &QComboBox::activated, this, [this](int index) {
        choice_.setClassifier(index <= 0 ? QString() : classifiers_->itemText(index));
    });
    toolbar_->addWidget(arrays_);
    toolbar_->addWidget(form_);
    toolbar_->addWidget(figure_);
    toolbar_->addWidget(measure_);
    figure_->setMenu(new QMenu(figure_));
    connect(figure_->menu(), &QMenu::aboutToShow, this, &ProbePage::fillFigures);
    connect(measure_, &QPushButton::clicked, this, [this] { measure(choice_.kind()); });
}

QWidget* ProbePage::makeViews() {
    auto* left = new QWidget;
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(metrics::gap3, metrics::gap2, metrics::gap1, metrics::gap2);
    column->setSpacing(metrics::gap1);
    column->addWidget(maps_, 1);
    column->addLayout(missing_);
    auto* scroll = new QScrollArea;
    scroll->setWidget(left);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* split = new QSplitter(Qt::Horizontal);
    split->addWidget(scroll);
    split->addWidget(charts_);
    split->setStretchFactor(0, 8);
    split->setStretchFactor(1, 5);
    split->setSizes({530, 340});
    split->setChildrenCollapsible(false);
    // Pictures stand on the colour of a page.
    split->setAutoFillBackground(true);
    const auto repaint = [split, left] {
        for (QWidget* widget : std::initializer_list<QWidget*>{split, left}) {
            QPalette colours = widget->palette();
            colours.setColor(QPalette::Window, tokens().surface);
            widget->setPalette(colours);
        }
    };
    connect(&Theme::instance(), &Theme::changed, split, repaint);
    repaint();
    return split;
}

void ProbePage::refresh() {
    const std::size_t count = choice_.chosen().size();
    toolbar_->setNote(count == 1 ? choice_.chosen().front()->name : tr("%1 runs").arg(count));
    problem_->setText(choice_.problem());
    problem_->setVisible(!problem_->text().isEmpty());
    setDisabledReason(measure_,
                      choice_.candidates().empty() ? tr("No run has a checkpoint yet.") : QString());
    setDisabledReason(figure_, choice_.any() ? QString() : tr("Nothing was measured of these runs."));
    setKindOfCharts();
    showMaps();
    charts_->refresh();
    panel_->showRestrictions(choice_.measured("restrict"),
                             choice_.current() ? choice_.current()->id.str() : std::string());
    fillClassifiers();
    fillArrays();
    applyForm();
}

// Where the records compare several.
void ProbePage::fillClassifiers() {
    const QStringList titles = choice_.classifiers();
    classifiers_->clear();
    classifiers_->addItems(titles);
    classifiers_->setCurrentIndex(int(std::max<qsizetype>(0, titles.indexOf(choice_.classifier()))));
    classifiers_->setVisible(titles.size() > 1);
}

// A kind that has a chart of its own brings it up once.
void ProbePage::setKindOfCharts() {
    if (charts_kind_ == choice_.kind()) return;
    charts_kind_ = choice_.kind();
    if (charts_kind_ == "noise") charts_->chooseThird(QStringLiteral("noise/change"));
    if (charts_kind_ == "entropy") charts_->chooseThird(QStringLiteral("entropy"));
    if (charts_kind_ == "trace") charts_->chooseThird(QStringLiteral("trace/d_qk"));
}

void ProbePage::showMaps() {
    maps_->show(probeSections(choice_, rows_->current() == 1),
                choice_.current() ? choice_.current()->id.str() : std::string());
    fillMissing();
}

// One sentence and one button for each standing map that is not there.
void ProbePage::fillMissing() {
    while (QLayoutItem* item = missing_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const char* kind : standingKinds()) {
        if (!choice_.measured(kind).empty()) continue;
        const QString title = measurementTitle(kind);
        auto* empty = new EmptyState(tr("%1: not measured for these runs.").arg(title), tr("Measure..."));
        empty->button()->setAccessibleName(tr("Measure %1").arg(title));
        empty->setMinimumHeight(96);
        connect(empty, &EmptyState::clicked, this, [this, kind] { measure(kind); });
        missing_->addWidget(empty);
    }
    maps_->setVisible(!maps_->sections().empty());
}

void ProbePage::fillArrays() {
    const QString before = arrays_->currentData().toString();
    arrays_->clear();
    std::vector<std::string> names;
    for (const MeasuredRun& run : choice_.measured(choice_.kind()))
        for (const MeasuredArray& array : run.record->arrays)
            if (std::find(names.begin(), names.end(), array.name) == names.end()) names.push_back(array.name);
    for (const std::string& name : names)
        arrays_->addItem(arrayTitle(choice_.kind(), name), QString::fromStdString(name));
    if (const int index = arrays_->findData(before); index >= 0) arrays_->setCurrentIndex(index);
    fillTable();
}

void ProbePage::fillTable() {
    model_->show(choice_.measured(choice_.kind()), arrays_->currentData().toString().toStdString());
    table_->resizeColumnsToContents();
}

void ProbePage::applyForm() {
    const bool values = form_->current() == 1;
    arrays_->setVisible(values && arrays_->count() > 0);
    rows_->setVisible(!values);
    const bool nobody = choice_.candidates().empty();
    const bool lacking = values && choice_.measured(choice_.kind()).empty();
    if (nobody) {
        empty_->setSentence(tr("No run has a checkpoint yet."));
        empty_->button()->setText(tr("Go to Train"));
    } else if (lacking) {
        empty_->setSentence(tr("%1: not measured for these runs.").arg(measurementTitle(choice_.kind())));
        empty_->button()->setText(tr("Measure..."));
    }
    pages_->setCurrentIndex(nobody || lacking ? EmptyPage : values ? ValuesPage : ViewsPage);
    showCell();
}

void ProbePage::showCell() {
    const auto place = maps_->read();
    if (form_->current() == 1 || !place || maps_->sections().empty()) {
        const bool values = form_->current() == 1;
        reading_->setText(
            values ? measurementTitle(choice_.kind())
                   : tr("Point at a cell to read it: value, interval, samples. Click or Return holds it."));
        panel_->showCell(nullptr);
        return;
    }
    reading_->setText(maps_->text(*place));
    const CellFacts facts = cellFacts(*maps_, *place);
    panel_->showCell(&facts);
}

MeasureDialog* ProbePage::measure(const std::string& kind) {
    const std::vector<RunPointer>& runs = choice_.chosen().empty() ? choice_.candidates() : choice_.chosen();
    if (runs.empty()) return nullptr;
    auto* dialog =
        new MeasureDialog(runs, choice_.current(), kind, context_.session.folder(), context_.commands, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
    return dialog;
}

void ProbePage::fillFigures() {
    QMenu* menu = figure_->menu();
    menu->clear();
    for (const NamedFigure& figure : probeFigures(choice_, rows_->current() == 1))
        connect(menu->addAction(QString::fromStdString(figure.spec.title)), &QAction::triggered, this,
                [this, figure] { exportFigureOf(figure, context_, this); });
}

void ProbePage::exportFigure() { figure_->showMenu(); }

void ProbePage::openRun() {
    if (const auto place = maps_->read()) {
        const RunId id(maps_->run(*place).run);
        if (!choice_.current() || choice_.current()->id != id) choice_.setCurrent(id);
    }
    if (choice_.current()) context_.session.setSelectedRuns({choice_.current()->id});
    context_.shell.showWorkspace(QStringLiteral("train"));
}

void ProbePage::openHeads() {
    const auto place = maps_->read();
    if (!place || !context_.shell.hasWorkspace(heads_workspace)) return;
    const HeadChoice head = cellFacts(*maps_, *place).head;
    context_.session.selectHead(head.run, head.step, head.layer, head.head);
    context_.shell.showWorkspace(heads_workspace);
}

// What a cell leads to: its head, else its run.
void ProbePage::openCell() {
    if (context_.shell.hasWorkspace(heads_workspace))
        openHeads();
    else
        openRun();
}

QString ProbePage::commandLine() const {
    std::vector<MeasuredRun> runs = choice_.measuredCurrent(choice_.kind());
    return runs.empty() ? QString() : QString::fromStdString(runs.front().record->command);
}

QString ProbePage::reading() const { return reading_->text(); }

}  // namespace braid::ui
