#include "widgets/probe/run_legend.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/common/mixer_style.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

constexpr int row_height = 18, most_rows = 6;
constexpr int sample = 18, sample_gap = 6, entry_gap = 10;
constexpr double shrunk = 0.9;  // names may be cut by so little where that makes another column

}  // namespace

RunLegend::RunLegend(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Runs of the charts"));
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void RunLegend::setEntries(std::vector<Entry> entries) {
    if (entries == entries_) return;
    entries_ = std::move(entries);
    QStringList names;
    for (const Entry& entry : entries_) names << entry.name;
    setAccessibleDescription(names.join(QStringLiteral(", ")));
    setVisible(!entries_.empty());
    setFixedHeight(layoutFor(width()).height);
    update();
}

void RunLegend::resizeEvent(QResizeEvent*) { setFixedHeight(layoutFor(width()).height); }

QFont RunLegend::fontOf(const Entry& entry) const {
    return Theme::instance().font(TypeStep::tick, entry.current ? 600 : 500);
}

// Columns as wide as the longest name, so that names stand beneath each other.
RunLegend::Layout RunLegend::layoutFor(int width) const {
    Layout made;
    if (entries_.empty()) return made;
    int name = 0;
    for (const Entry& entry : entries_)
        name = std::max(name, int(std::ceil(QFontMetricsF(fontOf(entry)).horizontalAdvance(entry.name))) + 1);
    const int left = metrics::gap3, room = std::max(1, width - 2 * left);
    const int wanted = sample + sample_gap + name + entry_gap;
    const int columns = std::clamp(int((room + entry_gap) / (wanted * shrunk)), 1,
                                   int(std::min<std::size_t>(entries_.size(), 8)));
    const int cell = std::min(wanted, (room + entry_gap) / columns);
    const std::size_t most = std::size_t(most_rows * columns);
    const bool all = entries_.size() <= most;
    const std::size_t count = all ? entries_.size() : most - 1;
    const auto place = [&](std::size_t i) {
        return QRectF(left + int(i % std::size_t(columns)) * cell,
                      metrics::gap1 + int(i / std::size_t(columns)) * row_height, cell - entry_gap,
                      row_height);
    };
    for (std::size_t i = 0; i < count; ++i) made.rects.push_back(place(i));
    if (!all) made.more = place(count);
    const QRectF& last = all ? made.rects.back() : made.more;
    made.height = int(last.bottom()) + metrics::gap1;
    return made;
}

QRectF RunLegend::rectOf(std::size_t entry) const {
    const Layout made = layoutFor(width());
    return entry < made.rects.size() ? made.rects[entry] : QRectF();
}

std::size_t RunLegend::shown() const { return layoutFor(width()).rects.size(); }

void RunLegend::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    const Layout made = layoutFor(width());
    for (std::size_t i = 0; i < made.rects.size(); ++i) {
        const Entry& entry = entries_[i];
        const QRectF& rect = made.rects[i];
        LineLook look = runLook(entry.colour, t);
        look.dash += entry.dash;
        painter.setPen(samplePen(look, 2));
        painter.drawLine(QPointF(rect.left(), rect.center().y()),
                         QPointF(rect.left() + sample, rect.center().y()));
        const QFont font = fontOf(entry);
        painter.setFont(font);
        painter.setPen(t.text1);
        const QRectF text = rect.adjusted(sample + sample_gap, 0, 0, 0);
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetrics(font).elidedText(entry.name, Qt::ElideMiddle, int(text.width())));
    }
    if (made.more.isEmpty()) return;
    painter.setFont(Theme::instance().font(TypeStep::tick));
    painter.setPen(t.text2);
    painter.drawText(made.more, Qt::AlignLeft | Qt::AlignVCenter,
                     tr("and %1 more").arg(entries_.size() - made.rects.size()));
}

void RunLegend::mousePressEvent(QMouseEvent* event) {
    const Layout made = layoutFor(width());
    for (std::size_t i = 0; i < made.rects.size(); ++i)
        if (made.rects[i].contains(event->position())) Q_EMIT chosen(entries_[i].id);
}

bool RunLegend::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Layout made = layoutFor(width());
    QStringList names;
    for (std::size_t i = 0; i < made.rects.size(); ++i)
        if (made.rects[i].contains(help->pos())) names << entries_[i].name;
    if (made.more.contains(help->pos()))
        for (std::size_t i = made.rects.size(); i < entries_.size(); ++i) names << entries_[i].name;
    QToolTip::showText(help->globalPos(), names.join(QLatin1Char('\n')), this);
    return true;
}

}  // namespace braid::ui
