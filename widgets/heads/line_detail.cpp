#include "widgets/heads/line_detail.h"

#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/heads/links_model.h"

namespace braid::ui {

namespace {

constexpr std::size_t most_rows = 32;
constexpr float least_shown = 0.0005F;

}  // namespace

LineDetail::LineDetail(HeadSide side, HeadsState& state, QWidget* parent)
    : QWidget(parent),
      side_(side),
      state_(state),
      title_(new SectionTitle({})),
      model_(new LinksModel(this)),
      table_(new DataTable(tr("Largest weights of the row"))) {
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, metrics::gap3, 0);
    all->setSpacing(metrics::gap1);
    all->addWidget(title_);
    all->addWidget(table_, 1);
    table_->setModel(model_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setSortingEnabled(false);
    QHeaderView* header = table_->horizontalHeader();
    for (const int column : {int(LinksModel::QueryColumn), int(LinksModel::KeyColumn)})
        header->setSectionResizeMode(column, QHeaderView::Stretch);
    for (const int column : {int(LinksModel::DistanceColumn), int(LinksModel::WeightColumn)}) {
        header->setSectionResizeMode(column, QHeaderView::Fixed);
        header->resizeSection(column, std::max(70, header->sectionSizeHint(column)));
    }
    const auto pick = [this](const QModelIndex& index) {
        if (!index.isValid()) return;
        const AttentionLink& link = model_->link(index.row());
        state_.lockAt({link.query, link.key}, state_.lineIsColumn() ? MapLock::column : MapLock::row);
    };
    connect(table_, &QTableView::clicked, this, pick);
    connect(table_, &QTableView::activated, this, pick);
    connect(&state_, &HeadsState::headsChanged, this, &LineDetail::follow);
    connect(&state_, &HeadsState::linesChanged, this, &LineDetail::follow);
    follow();
}

QTableView* LineDetail::table() const { return table_; }
QString LineDetail::title() const { return title_->accessibleName(); }

void LineDetail::follow() {
    const HeadPointer& head = state_.head(side_);
    const std::vector<float>& line = state_.shownLine(side_);
    const auto& cursor = state_.cursor();
    std::vector<AttentionLink> links;
    const bool column = state_.lineIsColumn();
    const std::int64_t place = !cursor ? 0 : column ? cursor->key : cursor->query;
    if (head && cursor && line.size() == std::size_t(head->tokens())) {
        for (std::int64_t i = 0; i < head->tokens(); ++i)
            if (const float weight = line[std::size_t(i)]; weight != 0)
                links.push_back({column ? i : place, column ? place : i, weight});
        const auto shown = std::ptrdiff_t(std::min(links.size(), most_rows));
        std::partial_sort(links.begin(), links.begin() + shown, links.end(),
                          [](const AttentionLink& a, const AttentionLink& b) {
                              return std::abs(a.weight) > std::abs(b.weight);
                          });
        links.resize(std::size_t(shown));
        // What would be printed as 0 says nothing; of an implied row all may be small.
        const float least = links.empty() || std::abs(links.front().weight) < least_shown ? 0 : least_shown;
        while (!links.empty() && std::abs(links.back().weight) < least) links.pop_back();
    }
    QString title, note;
    if (head && cursor) {
        const QString token = tokenText(*head->capture, place).trimmed();
        title = column ? tr("Key %1 “%2”").arg(formatCount(place), token)
                       : tr("Query %1 “%2”").arg(formatCount(place), token);
        note = column ? tr("largest weights on it") : tr("its largest weights");
    }
    title_->setTitle(title);
    title_->setNote(note);
    title_->setAccessibleName(title);
    table_->setColumnHidden(LinksModel::QueryColumn, !column);
    table_->setColumnHidden(LinksModel::KeyColumn, column);
    model_->setLinks(head ? head->capture : nullptr, std::move(links));
}

}  // namespace braid::ui
