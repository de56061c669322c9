#include "widgets/heads/heads_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <set>

#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/common/theme.h"
#include "widgets/heads/links_model.h"
#include "widgets/heads/overview.h"

namespace braid::ui {

namespace {

// Tells of rows that are chosen: with a click, Return, or by moving to them. What has the focus is no choice.
class LinksTable : public DataTable {
public:
    LinksTable(const QString& name, std::function<void()> chosen)
        : DataTable(name), chosen_(std::move(chosen)) {
        connect(this, &QTableView::clicked, this, [this] { chosen_(); });
    }

protected:
    void keyPressEvent(QKeyEvent* event) override {
        const int before = currentIndex().row();
        DataTable::keyPressEvent(event);
        const bool entered = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
        if (entered || currentIndex().row() != before) chosen_();
    }

private:
    std::function<void()> chosen_;
};

constexpr double zoom_step = 1.5;
constexpr std::int64_t usual_distances[] = {16, 64, 128, 512, 2048};

}  // namespace

HeadsPanel::HeadsPanel(HeadsState& state, TileStore& tiles, QWidget* parent)
    : QWidget(parent),
      state_(state),
      tiles_(tiles),
      overview_(new Overview(state, tiles)),
      zoom_(new TextLabel({}, TypeStep::table, 500, 1)),
      tile_count_(new TextLabel({}, TypeStep::table, 500, 1)),
      paint_(new TextLabel({}, TypeStep::table, 500, 1)),
      scale_note_(new TextLabel({}, TypeStep::tick, 400, 3)),
      empty_(new TextLabel({}, TypeStep::table, 400, 3)),
      scale_title_(new SectionTitle(tr("Scale"))),
      links_title_(new SectionTitle(tr("Top links"))),
      distances_(new QComboBox),
      model_(new LinksModel(this)),
      proxy_(new QSortFilterProxyModel(this)),
      table_(new LinksTable(tr("Top links"), [this] { pick(); })),
      pages_(new QStackedWidget),
      strongest_(makeButton(tr("Strongest far link"), QStringLiteral("link"))) {
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);

    auto* top = new QHBoxLayout;
    top->setContentsMargins(metrics::gap3, metrics::gap2, metrics::gap3, metrics::gap2);
    top->setSpacing(metrics::gap3);
    top->addWidget(overview_, 0, Qt::AlignTop);
    auto* facts = new QGridLayout;
    facts->setHorizontalSpacing(metrics::gap2);
    facts->setVerticalSpacing(metrics::gap1);
    int row = 0;
    for (const auto& [name, value] : {std::pair{tr("Zoom"), zoom_}, std::pair{tr("Tiles"), tile_count_},
                                      std::pair{tr("Paint"), paint_}}) {
        facts->addWidget(new TextLabel(name, TypeStep::table, 400, 2), row, 0);
        facts->addWidget(value, row++, 1);
    }
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(metrics::gap1);
    QToolButton* in = makeIconButton(QStringLiteral("plus"), tr("Zoom in (+)"));
    QToolButton* out = makeIconButton(QStringLiteral("minus"), tr("Zoom out (−)"));
    buttons->addWidget(in);
    buttons->addWidget(out);
    buttons->addWidget(new TextLabel(tr("zoom"), TypeStep::table, 400, 2));
    buttons->addStretch();
    facts->addLayout(buttons, row, 0, 1, 2);
    facts->setColumnStretch(1, 1);
    facts->setRowStretch(row + 1, 1);
    top->addLayout(facts, 1);
    all->addLayout(top);
    const auto zoom = [this](double factor) {
        state_.setViewport(state_.viewport().zoomed(factor, {0.5, 0.5}));
    };
    connect(in, &QToolButton::clicked, this, [zoom] { zoom(1 / zoom_step); });
    connect(out, &QToolButton::clicked, this, [zoom] { zoom(zoom_step); });

    all->addWidget(makeSeparator());
    scale_title_->setContentsMargins(metrics::gap3, metrics::gap1, metrics::gap3, 0);
    all->addWidget(scale_title_);
    all->addWidget(new ScaleBar(state));
    scale_note_->setContentsMargins(metrics::gap3, 0, metrics::gap3, metrics::gap2);
    scale_note_->setWordWrap(true);
    all->addWidget(scale_note_);

    all->addWidget(makeSeparator());
    links_title_->setContentsMargins(metrics::gap3, metrics::gap1, metrics::gap2, metrics::gap1);
    distances_->setAccessibleName(tr("Least distance of links"));
    distances_->setMinimumWidth(118);
    links_title_->addWidget(distances_);
    all->addWidget(links_title_);
    proxy_->setSourceModel(model_);
    proxy_->setSortRole(LinksModel::SortRole);
    table_->setModel(proxy_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->sortByColumn(LinksModel::WeightColumn, Qt::DescendingOrder);
    QHeaderView* header = table_->horizontalHeader();
    header->setSectionResizeMode(LinksModel::QueryColumn, QHeaderView::Stretch);
    header->setSectionResizeMode(LinksModel::KeyColumn, QHeaderView::Stretch);
    header->setMinimumSectionSize(48);
    for (const int column : {int(LinksModel::DistanceColumn), int(LinksModel::WeightColumn)})
        header->setSectionResizeMode(column, QHeaderView::Fixed);
    connect(header, &QHeaderView::sortIndicatorChanged, this, &HeadsPanel::fitNumbers);
    fitNumbers();
    empty_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    empty_->setWordWrap(true);
    empty_->setContentsMargins(metrics::gap3, metrics::gap2, metrics::gap3, 0);
    pages_->addWidget(table_);
    pages_->addWidget(empty_);
    all->addWidget(pages_, 1);
    all->addWidget(makeSeparator());
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(metrics::gap3, metrics::gap2, metrics::gap3, metrics::gap2);
    foot->addWidget(strongest_, 1);
    QToolButton* copy = makeIconButton(QStringLiteral("copy"), tr("Copy the table"));
    foot->addWidget(copy);
    all->addLayout(foot);

    connect(copy, &QToolButton::clicked, table_, &DataTable::copySelection);
    connect(strongest_, &QPushButton::clicked, this, [this] {
        table_->sortByColumn(LinksModel::WeightColumn, Qt::DescendingOrder);
        if (proxy_->rowCount() > 0) table_->selectRow(0);
        state_.jumpToFarLink();
    });
    connect(distances_, &QComboBox::activated, this,
            [this] { state_.setLeastDistance(distances_->currentData().toLongLong()); });
    connect(&state_, &HeadsState::headsChanged, this, [this] {
        fillDistances();
        showScale();
        showPlace();
    });
    connect(&state_, &HeadsState::viewportChanged, this, &HeadsPanel::showPlace);
    connect(&state_, &HeadsState::linksChanged, this, &HeadsPanel::showLinks);
    connect(&tiles_, &TileStore::arrived, this, &HeadsPanel::showPlace);
    fillDistances();
    showScale();
    showLinks();
    showPlace();
}

// Neither header nor value is cut, and only the sorted column pays for the mark of the order: the panel is
// narrow, and the tokens want the rest.
void HeadsPanel::fitNumbers() {
    constexpr int mark = 8;  // what the arrow takes beyond the padding
    QHeaderView* header = table_->horizontalHeader();
    const QFontMetrics letters(Theme::instance().font(TypeStep::table, 600));
    for (const int column : {int(LinksModel::DistanceColumn), int(LinksModel::WeightColumn)}) {
        const QString title = model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        const int text =
            std::max(letters.horizontalAdvance(title), letters.horizontalAdvance(QStringLiteral("0.9999")));
        header->resizeSection(
            column, text + 2 * metrics::gap2 + (header->sortIndicatorSection() == column ? mark : 0) + 2);
    }
}

QString HeadsPanel::zoomText() const { return zoom_->text(); }

void HeadsPanel::setPaint(double milliseconds, double mapWidth) {
    if (mapWidth != mapWidth_) {
        mapWidth_ = mapWidth;
        showPlace();
    }
    paint_->setText(tr("%1 ms").arg(formatFixed(milliseconds, milliseconds < 10 ? 1 : 0)));
}

// Windows of the layers first: beyond them a windowed layer cannot look.
void HeadsPanel::fillDistances() {
    std::set<std::int64_t> windows;
    if (state_.lead())
        for (const CaptureHead& head : state_.lead()->capture->heads)
            if (head.window > 0) windows.insert(head.window);
    std::set<std::int64_t> wanted(windows);
    for (const std::int64_t distance : usual_distances)
        if (distance < state_.tokens()) wanted.insert(distance);
    QStringList before, after;
    for (int i = 0; i < distances_->count(); ++i) before << distances_->itemText(i);
    after << tr("all");
    for (const std::int64_t distance : wanted) after << tr("beyond %1").arg(formatCount(distance));
    if (before == after) return;
    distances_->clear();
    distances_->addItem(after.takeFirst(), 0);
    for (const std::int64_t distance : wanted) {
        distances_->addItem(after.takeFirst(), qlonglong(distance + 1));  // the least of those beyond
        if (windows.count(distance) > 0)
            distances_->setItemData(distances_->count() - 1, tr("the window of a layer"), Qt::ToolTipRole);
    }
    // Nearby weights are large in any head: a text begins with those that are not.
    std::int64_t beyond = -1;
    for (const std::int64_t distance : wanted)
        if (distance <= std::max<std::int64_t>(state_.tokens() / 8, 16) && distance <= 128) beyond = distance;
    if (!windows.empty() && *windows.rbegin() < state_.tokens()) beyond = *windows.begin();
    distances_->setCurrentIndex(std::max(0, distances_->findData(qlonglong(beyond + 1))));
    state_.setLeastDistance(distances_->currentData().toLongLong());
}

void HeadsPanel::showScale() {
    switch (state_.scale().form) {
        case AttentionForm::log:
            scale_title_->setNote(tr("log"));
            break;
        case AttentionForm::linear:
            scale_title_->setNote(tr("linear"));
            break;
        case AttentionForm::row:
            scale_title_->setNote(tr("share of the row's largest"));
            break;
    }
    const bool exact = !state_.lead() || state_.lead()->exactRows();
    QString said = state_.difference() ? tr("B less A, of tile maxima; blue: more in B")
                   : state_.scale().is_signed
                       ? tr("Implied by the recurrence, of any sign; rows do not sum to 1")
                       : tr("Tile maximum, exact for the cursor's row");
    if (!exact && !state_.difference()) said = tr("Tile maximum; single tokens were not captured");
    scale_note_->setText(said);
}

void HeadsPanel::showPlace() {
    if (state_.isEmpty()) {
        for (TextLabel* label : {zoom_, tile_count_}) label->setText(QStringLiteral("—"));
        return;
    }
    const double perPixel = state_.viewport().span / mapWidth_;
    zoom_->setText(perPixel >= 1 ? tr("%1 tokens a px").arg(formatSignificant(perPixel, 2))
                                 : tr("%1 px a token").arg(formatSignificant(1 / perPixel, 2)));
    tile_count_->setText(
        QStringLiteral("%1, %2").arg(tiles_.count()).arg(formatBytes(double(tiles_.bytes()))));
}

void HeadsPanel::showLinks() {
    const HeadPointer& head = state_.lead();
    model_->setLinks(head ? head->capture : nullptr, state_.links());
    const bool two = state_.head(HeadSide::a) && state_.head(HeadSide::b);
    links_title_->setTitle(two ? tr("Top links in B") : tr("Top links"));
    pages_->setCurrentIndex(model_->rowCount() > 0 ? 0 : 1);
    const std::int64_t window = head ? head->description.window : 0;
    empty_->setText(!head                   ? QString()
                    : state_.linksPending() ? tr("Looking for the largest weights.")
                    : !head->whole          ? tr("The head is being read.")
                    : window > 0 && state_.leastDistance() >= window
                        ? tr("A window of %1 tokens sees no farther.").arg(formatCount(window))
                        : tr("No weight at this distance."));
    setDisabledReason(strongest_,
                      state_.links().empty() ? tr("There is no link at this distance") : QString());
}

void HeadsPanel::pick() {
    const QModelIndex index = table_->currentIndex();
    if (!index.isValid()) return;
    const AttentionLink& link = model_->link(proxy_->mapToSource(index).row());
    state_.jumpTo({link.query, link.key});
}

}  // namespace braid::ui
