#include "widgets/probe/cell_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QGridLayout>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/mixers/builtin.h"
#include "widgets/common/controls.h"
#include "widgets/common/mixer_widgets.h"
#include "widgets/probe/class_bars.h"
#include "widgets/probe/restriction_bars.h"

namespace braid::ui {

namespace {

constexpr std::size_t most_values = 4;

QString mixerTitle(const QString& id) {
    const MixerKind* kind = builtin_mixers().find(id.toStdString());
    return kind ? QString::fromStdString(kind->description().title) : id;
}

}  // namespace

CellPanel::CellPanel(bool withHeads, QWidget* parent)
    : QWidget(parent),
      badge_(new MixerBadge),
      title_(new TextLabel({}, TypeStep::control, 600)),
      note_(new TextLabel({}, TypeStep::table, 400, 2)),
      hint_(new TextLabel(tr("Point at a cell to read it; a click or Return holds it."), TypeStep::table, 400,
                          2)),
      cell_(new QWidget),
      classes_title_(new TextLabel(tr("By class"), TypeStep::table, 400, 2)),
      classes_(new ClassBars),
      copy_(makeIconButton(QStringLiteral("copy"), tr("Copy values"))),
      heads_(makeButton(tr("Open in Heads"))),
      open_(makeButton(tr("Show in Train"))),
      bars_title_(new SectionTitle(tr("Receptive field"))),
      bars_note_(new TextLabel({}, TypeStep::table, 400, 2)),
      bars_(new RestrictionBars),
      legend_(new QWidget),
      legend_rows_(new QVBoxLayout(legend_)),
      bars_empty_(new EmptyState(tr("Not measured for these runs."), tr("Restrict layers..."))) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(metrics::gap3, metrics::gap3, metrics::gap3, metrics::gap3);
    layout->setSpacing(metrics::gap2);
    hint_->setWordWrap(true);
    note_->setWordWrap(true);
    bars_note_->setWordWrap(true);
    title_->setElided(Qt::ElideMiddle);
    layout->addWidget(hint_);

    auto* inside = new QVBoxLayout(cell_);
    inside->setContentsMargins(0, 0, 0, 0);
    inside->setSpacing(metrics::gap2);
    auto* head = new QHBoxLayout;
    head->setSpacing(metrics::gap2);
    head->addWidget(badge_);
    head->addWidget(title_, 1);
    head->addWidget(copy_);
    inside->addLayout(head);
    inside->addWidget(note_);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(metrics::gap3);
    grid->setVerticalSpacing(metrics::gap2);
    for (std::size_t i = 0; i < most_values; ++i) {
        ValueBlock block{new QWidget, new TextLabel({}, TypeStep::table, 400, 2),
                         new TextLabel({}, TypeStep::value, 600), new TextLabel({}, TypeStep::tick, 400, 2)};
        block.interval->setWordWrap(true);
        block.name->setElided(Qt::ElideRight);
        auto* rows = new QVBoxLayout(block.box);
        rows->setContentsMargins(0, 0, 0, 0);
        rows->setSpacing(1);
        rows->addWidget(block.name);
        rows->addWidget(block.value);
        rows->addWidget(block.interval);
        rows->addStretch();
        grid->addWidget(block.box, int(i / 2), int(i % 2));
        blocks_.push_back(block);
    }
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    inside->addLayout(grid);
    inside->addWidget(classes_title_);
    inside->addWidget(classes_);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(metrics::gap2);
    buttons->addWidget(heads_, 1);
    buttons->addWidget(open_, 1);
    heads_->setVisible(withHeads);
    inside->addLayout(buttons);
    layout->addWidget(cell_);

    layout->addWidget(makeSeparator());
    layout->addWidget(bars_title_);
    layout->addWidget(bars_note_);
    layout->addWidget(bars_);
    legend_rows_->setContentsMargins(0, 0, 0, 0);
    legend_rows_->setSpacing(metrics::gap1);
    layout->addWidget(legend_);
    layout->addWidget(bars_empty_);
    layout->addStretch();

    connect(open_, &QPushButton::clicked, this, &CellPanel::openRun);
    connect(heads_, &QPushButton::clicked, this, &CellPanel::openHeads);
    connect(copy_, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(copied_); });
    connect(bars_empty_, &EmptyState::clicked, this,
            [this] { Q_EMIT measureWanted(QStringLiteral("restrict")); });
    connect(bars_, &RestrictionBars::runChosen, this, &CellPanel::runChosen);
    showCell(nullptr);
    showRestrictions({}, {});
}

void CellPanel::showCell(const CellFacts* facts) {
    hint_->setVisible(!facts);
    cell_->setVisible(facts);
    if (!facts) return;
    copied_ = facts->copied;
    badge_->setMixer(facts->mixer, mixerTitle(facts->mixer));
    badge_->setVisible(!facts->mixer.isEmpty());
    title_->setText(facts->title);
    note_->setText(facts->note);
    classes_->show(facts->classes);
    classes_title_->setVisible(!facts->classes.empty());
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const bool used = i < facts->values.size();
        blocks_[i].box->setVisible(used);
        if (!used) continue;
        blocks_[i].name->setText(facts->values[i].name);
        blocks_[i].value->setText(facts->values[i].value);
        blocks_[i].interval->setText(facts->values[i].interval);
    }
}

void CellPanel::showRestrictions(const std::vector<MeasuredRun>& runs, const std::string& current) {
    bars_->show(runs, current);
    const bool any = !bars_->bars().empty();
    bars_->setVisible(any);
    bars_note_->setVisible(any);
    legend_->setVisible(any);
    bars_empty_->setVisible(!any);
    while (QLayoutItem* item = legend_rows_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (!any) return;
    const MeasuredArray& array = *runs.front().record->find("change_by_kind");
    const QString horizon = tickText(array.axes[0].ticks.front());
    bars_note_->setText(tr("Change of the loss, %1, where layers see %2 tokens back; bars: 95 % interval")
                            .arg(QString::fromStdString(array.unit), horizon));
    QStringList seen;
    for (const MeasuredBar& bar : bars_->bars()) {
        if (seen.contains(bar.what)) continue;
        seen << bar.what;
        auto* row = new QWidget;
        auto* line = new QHBoxLayout(row);
        line->setContentsMargins(0, 0, 0, 0);
        line->setSpacing(metrics::gap2);
        auto* badge = new MixerBadge;
        badge->setMixer(bar.what, mixerTitle(bar.what));
        line->addWidget(badge);
        line->addWidget(
            new TextLabel(tr("%1 layers restricted").arg(mixerTitle(bar.what)), TypeStep::table, 400, 2));
        line->addStretch();
        legend_rows_->addWidget(row);
    }
}

QString CellPanel::title() const { return cell_->isHidden() ? QString() : title_->text(); }

QString CellPanel::valuesText() const {
    QStringList lines;
    for (const ValueBlock& block : blocks_)
        if (!block.box->isHidden())
            lines << QStringList{block.name->text(), block.value->text(), block.interval->text()}.join(
                QLatin1Char(' '));
    return cell_->isHidden() ? QString() : lines.join(QLatin1Char('\n'));
}

}  // namespace braid::ui
