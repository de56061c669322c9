#include "widgets/heads/head_pane.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/common/controls.h"
#include "widgets/common/format.h"
#include "widgets/heads/head_map.h"
#include "widgets/heads/heads_choice.h"
#include "widgets/heads/line_detail.h"
#include "widgets/heads/map_layout.h"
#include "widgets/heads/row_plot.h"
#include "widgets/heads/token_strip.h"

namespace braid::ui {

namespace {

// "A" or "B" in a small square.
class SideBadge : public TextLabel {
public:
    explicit SideBadge(HeadSide side)
        : TextLabel(side == HeadSide::a ? QStringLiteral("A") : QStringLiteral("B"), TypeStep::table, 600, 1),
          leads_(side == HeadSide::b) {
        setFixedSize(20, 20);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const Tokens& t = tokens();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(leads_ ? t.ink : t.checked);
        painter.drawRoundedRect(rect(), 4, 4);
        painter.setPen(leads_ ? t.onInk : t.text1);
        painter.setFont(Theme::instance().font(TypeStep::table, 600));
        painter.drawText(rect(), Qt::AlignCenter, text());
    }

private:
    bool leads_;
};

}  // namespace

HeadPane::HeadPane(HeadSide side, HeadsChoice& choice, TileStore& tiles, MapRenderer& renderer,
                   QWidget* parent)
    : QWidget(parent),
      side_(side),
      choice_(choice),
      badge_(new SideBadge(side)),
      title_(new TextLabel({}, TypeStep::control, 600, 1)),
      scores_(new TextLabel({}, TypeStep::table, 500, 2)),
      map_(new HeadMap(side, choice.state(), tiles, renderer)),
      detail_(new LineDetail(side, choice.state())),
      row_(new RowPlot(side, choice.state())),
      keys_(new TokenStrip(TokenStrip::Axis::keys, side, choice.state())),
      queries_(new TokenStrip(TokenStrip::Axis::queries, side, choice.state())) {
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(metrics::gap2, metrics::gap2, 0, 0);
    all->setSpacing(0);
    auto* header = new QHBoxLayout;
    header->setContentsMargins(metrics::gap2, 0, metrics::gap3, 0);
    header->setSpacing(metrics::gap2);
    header->addWidget(badge_);
    title_->setElided(Qt::ElideRight);
    title_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    scores_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    scores_->setElided(Qt::ElideLeft);
    scores_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    header->addWidget(title_);
    header->addWidget(scores_, 1);
    all->addLayout(header);
    auto* beside = new QHBoxLayout;
    beside->setSpacing(metrics::gap3);
    beside->addWidget(map_, 1);
    beside->addWidget(detail_);
    all->addLayout(beside);
    detail_->hide();
    all->addWidget(row_);
    all->addSpacing(metrics::gap1);
    all->addWidget(keys_);
    all->addWidget(queries_);
    all->addStretch(1);
    map_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&choice_, &HeadsChoice::openedChanged, this, &HeadPane::follow);
    connect(&choice_.state(), &HeadsState::headsChanged, this, &HeadPane::follow);
    follow();
}

QString HeadPane::title() const { return title_->text(); }
QString HeadPane::scores() const { return scores_->text(); }

void HeadPane::setRoomy(bool roomy) { queries_->setVisible(roomy); }

// The map is as wide as there is room, or as high as the plot and the strips leave it.
void HeadPane::arrange() {
    const bool roomy = height() > 470;
    queries_->setVisible(roomy);
    const int others = 20 + metrics::gap2 + row_->minimumSizeHint().height() + keys_->sizeHint().height() +
                       (roomy ? queries_->sizeHint().height() : 0) + metrics::gap2;
    const int room = height() - others;
    const int wanted = int(MapLayout::heightFor(width() - metrics::gap2));
    const int high = std::clamp(wanted, std::min(120, room), std::max(room, 80));
    map_->setFixedHeight(high);
    // A map is a square: where the height is what bounds it, the row's numbers stand beside it.
    const int width = this->width() - metrics::gap2;
    const int taken =
        int(std::ceil(high - (MapLayout::top + MapLayout::bottom) + MapLayout::left + MapLayout::right));
    const int left = width - taken - metrics::gap3;
    const bool detailed = left >= LineDetail::least_width;
    detail_->setVisible(detailed);
    detail_->setFixedSize(std::clamp(left, LineDetail::least_width, LineDetail::most_width), high);
    row_->setFixedHeight(std::clamp(room - high + row_->minimumSizeHint().height(),
                                    row_->minimumSizeHint().height(), row_->sizeHint().height()));
    row_->setMapWidth(MapLayout(QSizeF(detailed ? taken : width, high)).map.width());
}

void HeadPane::resizeEvent(QResizeEvent*) { arrange(); }

void HeadPane::follow() {
    const CapturePointer& capture = choice_.capture(side_);
    const auto& place = choice_.head(side_);
    if (!capture || !place) {
        title_->setText({});
        scores_->setText({});
        return;
    }
    const bool two = choice_.capture(HeadSide::a) && choice_.capture(HeadSide::b);
    const bool difference = choice_.state().difference();
    badge_->setVisible(two && !difference);
    QStringList parts;
    if (two && choice_.head(HeadSide::a) != choice_.head(HeadSide::b))
        parts << QStringLiteral("%1.%2").arg(place->first).arg(place->second);
    parts << tr("step %1").arg(formatCount(capture->checkpoint.step.value));
    if (capture->tokens_seen) parts << formatSi(double(*capture->tokens_seen), "tokens");
    title_->setText(parts.join(QStringLiteral("   ")));
    // Scores give way before the title does.
    title_->setMinimumWidth(title_->fontMetrics().horizontalAdvance(title_->text()) + 2);
    if (difference) {
        const CapturePointer& other = choice_.capture(HeadSide::a);
        const auto& less = choice_.head(HeadSide::a);
        const auto named = [](const HeadPlaceOf& head, const CapturePointer& of) {
            return tr("%1.%2 at step %3")
                .arg(head.first)
                .arg(head.second)
                .arg(formatCount(of->checkpoint.step.value));
        };
        if (less) title_->setText(tr("B − A: %1 less %2").arg(named(*place, capture), named(*less, other)));
    }
    QStringList scores;
    // Scores are of one head, and of a file that can be read.
    const bool told = !difference && choice_.state().head(side_) != nullptr;
    if (const CaptureHead* head = told ? capture->find(place->first, place->second) : nullptr) {
        const auto add = [&scores](const QString& name, const std::optional<double>& value) {
            if (value) scores << QStringLiteral("%1 %2").arg(name, formatFixed(*value, 2));
        };
        add(QStringLiteral("H"), head->scores.entropy);
        add(tr("needle"), head->scores.needle);
        add(tr("sink"), head->scores.sink);
    }
    scores_->setText(scores.join(QStringLiteral("   ")));
}

}  // namespace braid::ui
