#include "widgets/train/score_picture.h"

#include <QHeaderView>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <cmath>

#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/common/segments.h"
#include "widgets/train/needle_map.h"

namespace braid::ui {

namespace {

enum Page { MapPage, PositionsPage, ValuesPage };
constexpr int linear_choice = 1;

QStandardItem* number(const QString& text) {
    auto* item = new QStandardItem(text);
    item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    item->setEditable(false);
    return item;
}

}  // namespace

ScorePicture::ScorePicture(QWidget* parent)
    : QWidget(parent),
      pages_(new QStackedWidget),
      map_(new NeedleMap),
      positions_(new PositionChart),
      values_(new QStandardItemModel(this)),
      values_view_(new DataTable(tr("Values of the score"))),
      form_(new Segments(tr("Shown as"))),
      reading_(new TextLabel({}, TypeStep::table, 400, 2)) {
    values_view_->setModel(values_);
    values_view_->setSortingEnabled(false);
    for (QWidget* page : std::initializer_list<QWidget*>{map_, positions_, values_view_})
        pages_->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(metrics::gap3, metrics::gap2, metrics::gap3, metrics::gap2);
    layout->setSpacing(metrics::gap1);
    layout->addWidget(pages_, 1);
    layout->addWidget(reading_);
    reading_->setElided(Qt::ElideRight);
    // Pictures stand on the colour of a page.
    setAutoFillBackground(true);
    const auto repaint = [this] {
        QPalette colours = palette();
        colours.setColor(QPalette::Window, tokens().surface);
        setPalette(colours);
    };
    connect(&Theme::instance(), &Theme::changed, this, repaint);
    repaint();
    connect(map_, &NeedleMap::readChanged, this, &ScorePicture::showReading);
    connect(form_, &Segments::chosen, this, &ScorePicture::applyForm);
    showNothing();
}

// What is chosen stays chosen from score to score of one kind.
void ScorePicture::setContent(Content content) {
    setVisible(content != Content::nothing);
    form_->setVisible(content != Content::nothing);
    if (content == content_) return;
    content_ = content;
    if (content == Content::nothing) return;
    form_->setChoices(content == Content::needles ? QStringList{tr("Map"), tr("Values")}
                                                  : QStringList{tr("Log"), tr("Linear"), tr("Values")});
    form_->setCurrent(0);
}

void ScorePicture::showNothing() {
    map_->show({});
    setContent(Content::nothing);
}

void ScorePicture::show(const ScoreRecord& record, const PositionLine& line,
                        const std::optional<PositionLine>& other) {
    const std::vector<std::string> tasks = needleTasks(record);
    if (!tasks.empty()) {
        showTask(record, tasks.front());
        return;
    }
    map_->show({});
    if (!record.series || record.series->position.empty()) {
        setContent(Content::nothing);
        return;
    }
    setContent(Content::positions);
    positions_->show(*record.series, line, other);
    fillPositions(*record.series);
    applyForm();
}

void ScorePicture::showTask(const ScoreRecord& record, const std::string& task) {
    setContent(Content::needles);
    map_->show(needleGrid(record, task));
    fillNeedles();
    applyForm();
}

void ScorePicture::applyForm() {
    const bool values = form_->current() == form_->count() - 1;
    if (content_ == Content::positions) positions_->setLogarithmic(form_->current() != linear_choice);
    pages_->setCurrentIndex(values ? ValuesPage : content_ == Content::positions ? PositionsPage : MapPage);
    showReading();
}

void ScorePicture::fillNeedles() {
    const NeedleGrid& grid = map_->grid();
    values_->clear();
    QStringList header{tr("Depth")};
    for (const std::int64_t length : grid.lengths) header << formatCount(length);
    values_->setHorizontalHeaderLabels(header);
    for (std::size_t d = 0; d < grid.depths.size(); ++d) {
        QList<QStandardItem*> row{number(depthText(grid.depths[d]))};
        for (std::size_t l = 0; l < grid.lengths.size(); ++l) {
            const NeedleCell& cell = grid.at(d, l);
            QStandardItem* item =
                number(cell.value ? formatFixed(*cell.value, grid.unit == "%" ? 1 : 3) : QStringLiteral("—"));
            item->setToolTip(needleText(grid, d, l));
            item->setAccessibleText(needleText(grid, d, l));
            row << item;
        }
        values_->appendRow(row);
    }
    alignNumberHeaders(*values_, 0);
}

void ScorePicture::fillPositions(const LossSeries& series) {
    values_->clear();
    QStringList header{tr("Context, tokens"), tr("Loss, nats"), tr("Standard error")};
    const bool compared = !series.difference.empty();
    if (compared) header << tr("Difference, nats") << tr("Standard error");
    values_->setHorizontalHeaderLabels(header);
    const auto text = [](const std::vector<double>& list, std::size_t i) {
        return i < list.size() && std::isfinite(list[i]) ? formatFixed(list[i], 4) : QStringLiteral("—");
    };
    for (std::size_t i = 0; i < series.position.size(); ++i) {
        const double context = series.position[i] + 1;
        QList<QStandardItem*> row{
            number(context == std::floor(context) ? formatCount(static_cast<std::int64_t>(context))
                                                  : formatFixed(context, 1)),
            number(text(series.loss, i)), number(text(series.standard_error, i))};
        if (compared) row << number(text(series.difference, i)) << number(text(series.difference_error, i));
        values_->appendRow(row);
    }
    alignNumberHeaders(*values_, 0);
    values_view_->resizeColumnsToContents();
}

void ScorePicture::showReading() {
    if (content_ == Content::positions) {
        reading_->setText(tr("Mean loss of a token by how many tokens of its text the model has read."));
        return;
    }
    const auto place = map_->read();
    if (map_->grid().isEmpty()) return;
    reading_->setText(place ? needleText(map_->grid(), place->first, place->second)
                            : tr("Point at a cell to read it; a click holds it and shows its answers."));
}

QString ScorePicture::reading() const { return reading_->text(); }

}  // namespace braid::ui
