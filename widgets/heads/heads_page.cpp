#include "widgets/heads/heads_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "widgets/common/controls.h"
#include "widgets/common/format.h"
#include "widgets/common/run_list_model.h"
#include "widgets/common/segments.h"
#include "widgets/heads/capture_bar.h"
#include "widgets/heads/checkpoint_slider.h"
#include "widgets/heads/head_map.h"
#include "widgets/heads/head_pane.h"
#include "widgets/heads/heads_figure.h"
#include "widgets/heads/heads_panel.h"
#include "widgets/heads/line_detail.h"
#include "widgets/heads/map_renderer.h"
#include "widgets/heads/prompt_dialog.h"
#include "widgets/heads/token_strip.h"

namespace braid::ui {

HeadsPage::HeadsPage(const WorkspaceContext& context, HeadsChoice& choice, TileStore& tiles,
                     HeadsPanel* panel, QWidget* parent)
    : QWidget(parent),
      context_(context),
      choice_(choice),
      state_(choice.state()),
      renderer_(new MapRenderer(wantedPainter(), this)),
      toolbar_(new PageToolbar(tr("Heads"))),
      heads_(new QComboBox),
      form_(new Segments(tr("Scale"), {tr("Log"), tr("Linear"), tr("Row")})),
      view_(new Segments(tr("Comparison"), {tr("A | B"), tr("Difference")})),
      links_(makeButton(tr("Links"))),
      prompt_(makeButton(tr("Prompt..."))),
      figure_(makeButton(tr("Figure"), QStringLiteral("figure"))),
      bar_(new CaptureBar(choice)),
      pages_(new QStackedWidget),
      empty_(
          new EmptyState(tr("No attention has been captured in this project yet."), tr("Capture a text..."))),
      a_(new HeadPane(HeadSide::a, choice, tiles, *renderer_)),
      b_(new HeadPane(HeadSide::b, choice, tiles, *renderer_)),
      slider_(new CheckpointSlider) {
    makeToolbar();
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addWidget(toolbar_);
    all->addWidget(bar_);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* maps = new QHBoxLayout;
    maps->setContentsMargins(0, 0, 0, 0);
    maps->setSpacing(0);
    maps->addWidget(a_, 1);
    maps->addWidget(b_, 1);
    column->addLayout(maps, 1);
    column->addWidget(slider_);
    pages_->addWidget(content);
    pages_->addWidget(empty_);
    all->addWidget(pages_, 1);

    connect(empty_, &EmptyState::clicked, this, &HeadsPage::ask);
    connect(&choice_, &HeadsChoice::openedChanged, this, &HeadsPage::follow);
    connect(&choice_, &HeadsChoice::capturesChanged, this, &HeadsPage::follow);
    connect(&choice_, &HeadsChoice::jobChanged, this, [this] {
        const auto& job = choice_.job();
        if (job && job->state == CaptureJob::State::done)
            context_.shell.showStatus(tr("Capture ready, %1 s").arg(formatFixed(job->seconds, 1)));
    });
    connect(&state_, &HeadsState::headsChanged, this, &HeadsPage::follow);
    connect(&state_, &HeadsState::cursorChanged, this, &HeadsPage::status);
    connect(slider_, &CheckpointSlider::chosen, &choice_, &HeadsChoice::pickCheckpoint);
    connect(&choice_.commands(), &CaptureCommands::engineLost, this,
            [this](const QString& what, bool restarted) {
                bar_->say(
                    restarted
                        ? tr("The engine ended (%1) and was started again. The view is as it was.").arg(what)
                        : tr("The engine ended (%1).").arg(what));
            });
    for (const HeadPane* pane : {a_, b_})
        connect(pane->map(), &HeadMap::painted, panel,
                [panel, map = pane->map()](double took) { panel->setPaint(took, map->mapRect().width()); });
    orderTabs();
    follow();
}

HeadsPage::~HeadsPage() {
    // The maps ask the renderer: they go first.
    delete a_;
    delete b_;
}

void HeadsPage::makeToolbar() {
    form_->setCurrent(int(state_.form()));
    view_->setCurrent(0);
    links_->setCheckable(true);
    links_->setChecked(state_.linksShown());
    links_->setToolTip(tr("Rings around the largest weights of the table"));
    heads_->setAccessibleName(tr("Head"));
    heads_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    heads_->hide();
    connect(heads_, &QComboBox::activated, this, [this](int index) {
        const CaptureHead& head = listed_->heads[std::size_t(heads_->itemData(index).toInt())];
        choice_.pickHead(head.layer, head.head, false);
    });
    for (QWidget* widget : std::initializer_list<QWidget*>{heads_, form_, view_, links_, prompt_, figure_})
        toolbar_->addWidget(widget);
    connect(form_, &Segments::chosen, this, [this](int index) { state_.setForm(AttentionForm(index)); });
    connect(view_, &Segments::chosen, this, [this](int index) { state_.setDifference(index == 1); });
    connect(links_, &QPushButton::toggled, &state_, &HeadsState::setLinksShown);
    connect(prompt_, &QPushButton::clicked, this, &HeadsPage::ask);
    connect(figure_, &QPushButton::clicked, this, &HeadsPage::exportFigure);
}

// From the toolbar, left to right, to the maps and what is beneath them.
void HeadsPage::orderTabs() {
    QList<QWidget*> order{heads_};
    for (const Segments* group : {form_, view_})
        for (int i = 0; i < group->count(); ++i) order << group->button(i);
    order << links_ << prompt_ << figure_ << bar_->button();
    for (const HeadPane* pane : {a_, b_})
        order << pane->map() << pane->detail()->table() << pane->keys() << pane->queries();
    order << slider_;
    for (int i = 1; i < order.size(); ++i) setTabOrder(order[i - 1], order[i]);
}

void HeadsPage::setCompact(bool compact) {
    compact_ = compact;
    heads_->setVisible(compact_ && heads_->count() > 0);
}

void HeadsPage::fillHeads() {
    const CapturePointer& capture = choice_.leading();
    if (listed_ != capture) {
        listed_ = capture;
        heads_->clear();
        for (std::size_t i = 0; capture && i < capture->heads.size(); ++i) {
            const std::optional<double>& needle = capture->heads[i].scores.needle;
            const QString name = headName(capture->heads[i]);
            heads_->addItem(needle ? tr("%1, needle %2").arg(name, formatFixed(*needle, 2)) : name, int(i));
        }
        heads_->setVisible(compact_ && heads_->count() > 0);
    }
    const auto& shown = choice_.head(state_.leading());
    for (std::size_t i = 0; shown && capture && i < capture->heads.size(); ++i)
        if (HeadPlaceOf(capture->heads[i].layer, capture->heads[i].head) == *shown)
            heads_->setCurrentIndex(int(i));
}

bool HeadsPage::showsContent() const { return choice_.leading() != nullptr; }

QString HeadsPage::title() const { return title_; }

void HeadsPage::paintEvent(QPaintEvent*) { QPainter(this).fillRect(rect(), tokens().surface); }

void HeadsPage::follow() {
    const bool shown = showsContent();
    const bool open = choice_.session().isOpen();
    empty_->setSentence(open ? tr("No attention has been captured in this project yet.")
                             : tr("No project is open: captures are of its runs."));
    const QString closed = open ? QString() : tr("Open a project first");
    setDisabledReason(prompt_, closed);
    setDisabledReason(empty_->button(), closed);
    pages_->setCurrentIndex(open && (shown || !choice_.searched()) ? 0 : 1);
    const CapturePointer capture = choice_.leading();
    const auto& place = choice_.head(state_.leading());
    QString note;
    if (capture && place) {
        title_ = tr("Layer %1, head %2").arg(place->first).arg(place->second);
        QStringList parts;
        if (const CaptureHead* head = capture->find(place->first, place->second)) {
            QString mixer = QString::fromStdString(head->mixer).toUpper();
            if (head->window > 0) mixer += QStringLiteral("-%1").arg(head->window);
            if (head->implied) mixer += tr(" (implied)");
            if (const RunPointer run = choice_.run()) mixer += QLatin1Char(' ') + run->name;
            parts << mixer;
        }
        parts << captureTitle(*capture);
        note = parts.join(QStringLiteral(", "));
    } else {
        title_ = tr("Heads");
    }
    toolbar_->setTitle(title_);
    toolbar_->setNote(note);
    fillHeads();
    const bool two = choice_.capture(HeadSide::a) && choice_.capture(HeadSide::b);
    const bool difference = state_.difference();
    a_->setVisible(shown && !difference);
    b_->setVisible(shown && two);
    view_->setVisible(two);  // of one map there is nothing to compare
    view_->setChoiceEnabled(
        1, state_.canDiffer(),
        two ? tr("A and B show different texts") : tr("Choose a second checkpoint or head"));
    view_->setCurrent(difference ? 1 : 0);
    setDisabledReason(figure_, !open                     ? closed
                               : !figureOfHeads(choice_) ? tr("There is nothing to show yet")
                                                         : QString());
    slider_->setCheckpoints(choice_.checkpoints());
    const auto stepOf = [this](HeadSide side) -> std::optional<std::int64_t> {
        if (!choice_.capture(side)) return {};
        return choice_.capture(side)->checkpoint.step.value;
    };
    slider_->setSteps(stepOf(HeadSide::a), stepOf(HeadSide::b));
    slider_->setEntropy(choice_.entropyOverTokens());
    slider_->setVisible(shown && choice_.checkpoints().size() > 1);
    status();
}

// The keys, printed where they act.
void HeadsPage::status() {
    if (!isVisible() || !state_.cursor()) return;
    QString said;
    if (state_.lock() == MapLock::row)
        said = tr("Locked: query %1.  Esc frees it, arrow keys move it, N jumps to the needle.")
                   .arg(formatCount(state_.cursor()->query));
    else if (state_.lock() == MapLock::column)
        said = tr("Locked: key %1.  Esc frees it, arrow keys move it, C locks the row.")
                   .arg(formatCount(state_.cursor()->key));
    else
        said = tr("A click locks a row, Shift and a click a column.");
    if (said == lastStatus_) return;
    lastStatus_ = said;
    context_.shell.showStatus(said);
}

PromptDialog* HeadsPage::ask() {
    if (!choice_.session().isOpen()) return nullptr;
    auto* dialog = new PromptDialog(choice_, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
    return dialog;
}

void HeadsPage::exportFigure() {
    if (const auto figure = figureOfHeads(choice_)) exportFigureOf(*figure, context_, this);
}

}  // namespace braid::ui
