#include "widgets/plot/curve_plot.h"

#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

#include "widgets/common/format.h"
#include "widgets/plot/curve_plot_private.h"

namespace braid::ui {
namespace {

constexpr int frame_ms = 16;
constexpr int header_height = 28;

// Extent of the values that have a place on the axis.
struct Extent {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    void add(const CurveSummary& summary, const AxisMap& map) {
        low = std::min(low, map.scale == AxisScale::log ? summary.min_positive : summary.min);
        high = std::max(high, summary.max);
    }
};

std::optional<CurvePoint> lastFinite(const Curve& curve) {
    for (std::size_t i = curve.size(); i-- > 0;) {
        if (std::isfinite(curve.y(i))) {
            return curve.at(i);
        }
    }
    return std::nullopt;
}

bool isRange(AxisRange range, const AxisMap& map) {
    return map.defined(range.lower) && map.defined(range.upper) && range.lower < range.upper;
}

}  // namespace

CurvePlot::Private::Private(CurvePlot* owner) : q(owner) {
    plot = new QCustomPlot(owner);
    plot->setNoAntialiasingOnDrag(false);
    plot->setFocusPolicy(Qt::NoFocus);
    plot->setMouseTracking(true);
    state.plot = plot;
    xTicker = QSharedPointer<AxisTicker>::create();
    yTicker = QSharedPointer<AxisTicker>::create();
    plot->xAxis->setTicker(xTicker);
    plot->yAxis->setTicker(yTicker);
    plot->axisRect()->setAutoMargins(QCP::msNone);
    plot->axisRect()->setMinimumMargins(QMargins());
    plot->plotLayout()->setRowSpacing(0);
    for (QCPAxis* axis : {plot->xAxis, plot->yAxis}) {
        axis->setTickLength(0, 4);
        axis->setSubTickLength(0, 2);
        axis->setTickLabelPadding(4);
        axis->grid()->setSubGridVisible(false);
        axis->grid()->setZeroLinePen(Qt::NoPen);
    }
    curves = new CurvesLayer(&state);
    marks = new MarksLayer(&state);
    overlay = new OverlayLayer(&state);
    plot->layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmBuffered);
    QObject::connect(plot, &QCustomPlot::beforeReplot, owner, [this] { layOut(); });
    frame.setSingleShot(true);
    QObject::connect(&frame, &QTimer::timeout, owner, [this] { repaint(); });
    QObject::connect(&Theme::instance(), &Theme::changed, owner, [this] {
        restyle();
        schedule();
    });
    restyle();
}

void CurvePlot::Private::schedule() {
    if (frame.isActive()) {
        return;
    }
    const qint64 passed = sinceRepaint.isValid() ? sinceRepaint.elapsed() : frame_ms;
    frame.start(static_cast<int>(std::clamp<qint64>(frame_ms - passed, 0, frame_ms)));
}

void CurvePlot::Private::repaint() {
    frame.stop();
    sinceRepaint.start();
    fitAxes();
    plot->replot(QCustomPlot::rpQueuedRefresh);
}

void CurvePlot::Private::restyle() {
    const Tokens& colours = state.tokens();
    const QFont font = Theme::instance().font(TypeStep::tick);
    plot->setBackground(colours.surface);
    for (QCPAxis* axis : {plot->xAxis, plot->yAxis}) {
        axis->setBasePen(QPen(colours.axis, 1));
        axis->setTickPen(QPen(colours.axis, 1));
        axis->setSubTickPen(QPen(colours.axis, 1));
        axis->setTickLabelFont(font);
        axis->setTickLabelColor(colours.text2);
        axis->setLabelFont(font);
        axis->setLabelColor(colours.text2);
        axis->grid()->setPen(QPen(colours.grid, 1));
    }
    q->update();
}

void CurvePlot::Private::refreshSeries(int index) {
    SeriesView& view = state.views[static_cast<std::size_t>(index)];
    if (view.smoother.beta() != state.smoothing) {
        view.smoother = Smoother(state.smoothing);
    }
    view.shown = view.smoother.update(state.series[index].curve);
    view.last = lastFinite(*view.shown);
}

AxisRange CurvePlot::Private::fittedX() const {
    Extent extent;
    for (const int index : state.visibleSeries()) {
        const Curve& curve = *state.series[index].curve;
        const std::size_t first = state.xMap.scale == AxisScale::log ? curve.upper_bound(0) : 0;
        if (first < curve.size()) {
            extent.low = std::min(extent.low, curve.x(first));
            extent.high = std::max(extent.high, curve.back().x);
        }
    }
    if (state.xMap.scale == AxisScale::linear && extent.low > 0 && extent.low < 0.25 * extent.high) {
        extent.low = 0;  // a run begins at 0, its first record may come later
    }
    extent.low = xLimits[0].value_or(extent.low);
    extent.high = xLimits[1].value_or(extent.high);
    return padded_range(state.xMap, extent.low, extent.high, 0);
}

AxisRange CurvePlot::Private::fittedY() const {
    Extent extent;
    const AxisRange x = state.xRange();
    for (const int index : state.visibleSeries()) {
        const Curve& curve = *state.views[static_cast<std::size_t>(index)].shown;
        for (const Curve* one : {&curve, state.series[index].low.get(), state.series[index].high.get()})
            if (one)
                extent.add(one->summarize(one->lower_bound(x.lower), one->upper_bound(x.upper)), state.yMap);
    }
    if (state.threshold && state.yMap.defined(state.threshold->value)) {
        extent.low = std::min(extent.low, state.threshold->value);
        extent.high = std::max(extent.high, state.threshold->value);
    }
    AxisRange range =
        padded_range(state.yMap, yLimits[0].value_or(extent.low), yLimits[1].value_or(extent.high));
    // A limit is where the axis ends, without margin; a line on the limit stays whole.
    if (yLimits[0]) {
        range.lower = *yLimits[0];
    }
    if (yLimits[1]) {
        range.upper =
            *yLimits[1] + (state.yMap.scale == AxisScale::linear ? 0.015 * (*yLimits[1] - range.lower) : 0);
    }
    return isRange(range, state.yMap) ? range : padded_range(state.yMap, extent.low, extent.high);
}

void CurvePlot::Private::fitAxes() {
    if (fitX) {
        const AxisRange range = fittedX();
        plot->xAxis->setRange(state.xMap.forward(range.lower), state.xMap.forward(range.upper));
    }
    if (fitY) {
        const AxisRange range = fittedY();
        plot->yAxis->setRange(state.yMap.forward(range.lower), state.yMap.forward(range.upper));
    }
}

void CurvePlot::Private::layOut() {
    xTicker->set(state.xMap, state.xTickOptions());
    yTicker->set(state.yMap, state.yTickOptions());
    const QFontMetrics metrics(plot->xAxis->tickLabelFont());
    int widest = metrics.horizontalAdvance(QStringLiteral("0.0"));
    for (const Tick& tick : yTicker->ticksOf(plot->yAxis->range()).major) {
        widest = std::max(widest, metrics.horizontalAdvance(QString::fromStdString(tick.label)));
    }
    const auto lastTick = xTicker->ticksOf(plot->xAxis->range()).major;
    int right = 12;
    if (!lastTick.empty()) {  // half of it may stand beyond the end of the axis
        right =
            std::max(right, metrics.horizontalAdvance(QString::fromStdString(lastTick.back().label)) / 2 + 4);
    }
    right = std::max(right, marks->labelWidth());
    const int top = state.cursors[0] || state.cursors[1] || cursorsEnabled ? 8 : 7;
    int bottom = metrics.height() + 10;
    if (!state.compact && !state.xTitle.isEmpty()) {
        bottom += metrics.height() + 2;
    }
    plot->axisRect()->setMargins(QMargins(widest + 20, top, right, bottom));
}

// ---------------------------------------------------------------------------------------------------------

CurvePlot::CurvePlot(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>(this)) {
    setFocusPolicy(Qt::StrongFocus);
    d_->plot->installEventFilter(this);
    setAccessibleName(tr("Curves"));
    d_->fitAxes();
    d_->placeHeader();
}

CurvePlot::~CurvePlot() {
    d_->plot->removeEventFilter(this);
    d_->plot->disconnect(this);
}

void CurvePlot::setTitle(const QString& title, const QString& subtitle) {
    d_->title = title;
    d_->subtitle = subtitle;
    setAccessibleName(subtitle.isEmpty() ? title : title + QStringLiteral(", ") + subtitle);
    d_->placeHeader();
    update();
}

void CurvePlot::setXTitle(const QString& title) {
    d_->state.xTitle = title;
    d_->schedule();
}

void CurvePlot::setTokens(const Tokens& tokens) {
    d_->state.fixedTokens = &tokens;
    d_->restyle();
    d_->schedule();
}

void CurvePlot::setCompact(bool compact) {
    d_->state.compact = compact;
    d_->schedule();
}

void CurvePlot::setLabels(PlotLabels labels) {
    d_->state.labels = labels;
    d_->schedule();
}

void CurvePlot::setCountsOnX(bool whole, bool useFactor) {
    d_->state.wholeX = whole;
    d_->state.factorX = useFactor;
    d_->schedule();
}

void CurvePlot::setCountsOnY(bool useFactor) {
    d_->state.factorY = useFactor;
    d_->schedule();
}

void CurvePlot::setSeries(const QVector<PlotSeries>& series) {
    // Views go with their ids: a new order does not smooth anything again.
    std::vector<SeriesView> old = std::move(d_->state.views);
    QHash<QString, std::size_t> places;
    for (qsizetype i = 0; i < d_->state.series.size(); ++i) {
        places.insert(d_->state.series[i].id, static_cast<std::size_t>(i));
    }
    d_->state.series = series;
    d_->state.views.clear();
    for (int i = 0; i < series.size(); ++i) {
        PlotSeries& one = d_->state.series[i];
        if (!one.curve) {
            one.curve = Curve::empty();
        }
        const auto place = places.find(one.id);
        if (place != places.end()) {
            d_->state.views.push_back(std::move(old[*place]));
            places.erase(place);
        } else {
            d_->state.views.emplace_back();
        }
        d_->refreshSeries(i);
    }
    d_->schedule();
}

void CurvePlot::setCurve(const QString& id, const CurvePtr& curve) {
    for (int i = 0; i < d_->state.series.size(); ++i) {
        PlotSeries& one = d_->state.series[i];
        if (one.id == id && one.curve != curve) {
            one.curve = curve ? curve : Curve::empty();
            d_->refreshSeries(i);
            d_->schedule();
        }
    }
}

void CurvePlot::setLive(const QString& id, bool live) {
    for (PlotSeries& one : d_->state.series) {
        if (one.id == id && one.live != live) {
            one.live = live;
            d_->schedule();
        }
    }
}

void CurvePlot::setSelected(const QString& id) {
    for (PlotSeries& one : d_->state.series) {
        one.selected = !id.isEmpty() && one.id == id;
    }
    d_->schedule();
}

const QVector<PlotSeries>& CurvePlot::series() const { return d_->state.series; }

void CurvePlot::setSmoothing(double beta) {
    const double inside = std::isfinite(beta) ? std::clamp(beta, 0.0, 0.9999) : 0;
    if (inside == d_->state.smoothing) {
        return;
    }
    d_->state.smoothing = inside;
    for (int i = 0; i < d_->state.series.size(); ++i) {
        d_->refreshSeries(i);
    }
    d_->schedule();
}

double CurvePlot::smoothing() const { return d_->state.smoothing; }

void CurvePlot::setXScale(AxisScale scale) {
    d_->state.xMap.scale = scale;
    d_->fitX = true;
    d_->schedule();
}

void CurvePlot::setYScale(AxisScale scale, double symlogLinearWidth) {
    d_->state.yMap = {scale, symlogLinearWidth > 0 ? symlogLinearWidth : 1};
    d_->fitY = true;
    d_->schedule();
}

AxisRange CurvePlot::xRange() const { return d_->state.xRange(); }
AxisRange CurvePlot::yRange() const { return d_->state.yRange(); }

void CurvePlot::setXRange(AxisRange range) {
    if (isRange(range, d_->state.xMap)) {
        d_->fitX = false;
        d_->plot->xAxis->setRange(d_->state.xMap.forward(range.lower), d_->state.xMap.forward(range.upper));
        d_->schedule();
    }
}

void CurvePlot::setYRange(AxisRange range) {
    if (isRange(range, d_->state.yMap)) {
        d_->fitY = false;
        d_->plot->yAxis->setRange(d_->state.yMap.forward(range.lower), d_->state.yMap.forward(range.upper));
        d_->schedule();
    }
}

void CurvePlot::setXLimits(std::optional<double> lower, std::optional<double> upper) {
    d_->xLimits[0] = lower;
    d_->xLimits[1] = upper;
    d_->schedule();
}

void CurvePlot::setYLimits(std::optional<double> lower, std::optional<double> upper) {
    d_->yLimits[0] = lower;
    d_->yLimits[1] = upper;
    d_->schedule();
}

void CurvePlot::fit() {
    d_->fitX = true;
    d_->fitY = true;
    d_->repaint();
    Q_EMIT xRangeChanged(xRange());
}

bool CurvePlot::isFitted() const { return d_->fitX && d_->fitY; }

void CurvePlot::setThreshold(const std::optional<PlotThreshold>& threshold) {
    d_->state.threshold = threshold;
    d_->schedule();
}

void CurvePlot::setVerticalMarks(const QVector<PlotVerticalMark>& marks) {
    d_->state.marks = marks;
    d_->schedule();
}

void CurvePlot::setCursor(PlotCursor cursor, std::optional<double> x) {
    auto& place = d_->state.cursors[cursor == PlotCursor::a ? 0 : 1];
    if (place != x) {
        place = x;
        d_->repaintOverlay();
    }
}

std::optional<double> CurvePlot::cursor(PlotCursor cursor) const {
    return d_->state.cursors[cursor == PlotCursor::a ? 0 : 1];
}

void CurvePlot::setCursorsEnabled(bool enabled) { d_->cursorsEnabled = enabled; }
void CurvePlot::setWheelScrolls(bool scrolls) { d_->wheelScrolls = scrolls; }

QVector<PlotReading> CurvePlot::readAt(double x) const {
    QVector<PlotReading> readings;
    for (const int index : d_->state.visibleSeries()) {
        readings.append(d_->state.read(index, x));
    }
    return readings;
}

void CurvePlot::setHoverX(std::optional<double> x) {
    if (d_->state.hoverX != x) {
        d_->state.hoverX = x;
        d_->repaintOverlay();
    }
}

QString CurvePlot::readoutText() const { return d_->state.readout; }

QRect CurvePlot::readoutRect() const {
    return d_->state.readoutRect.isEmpty()
               ? QRect()
               : d_->state.readoutRect.toAlignedRect().translated(d_->plot->pos()).intersected(rect());
}

QString CurvePlot::omissionsText() const {
    std::size_t missing = 0;
    std::size_t edge = 0;
    std::size_t off = 0;
    for (const int index : d_->state.visibleSeries()) {
        const Detail& drawn = d_->state.views[static_cast<std::size_t>(index)].detail;
        missing += drawn.missing;
        edge += drawn.at_edge;
        off += drawn.off_axis;
    }
    QStringList parts;
    if (missing > 0) {
        parts << (missing == 1
                      ? tr("1 value missing")
                      : tr("%1 values missing").arg(formatCount(static_cast<std::int64_t>(missing))));
    }
    if (edge > 0) {
        parts << tr("%1 at the edge").arg(formatCount(static_cast<std::int64_t>(edge)));
    }
    if (off > 0) {
        parts << tr("%1 left of the log axis").arg(formatCount(static_cast<std::int64_t>(off)));
    }
    return parts.join(QStringLiteral(", "));
}

QImage CurvePlot::toImage(QSize size, qreal scale) {
    const QSize before = this->size();
    const qreal ratio = d_->plot->bufferDevicePixelRatio();
    resize(size);
    d_->placeHeader();
    d_->plot->setBufferDevicePixelRatio(scale);
    d_->repaint();
    QImage image(size * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(d_->state.tokens().surface);
    QWidget::render(&image);
    d_->plot->setBufferDevicePixelRatio(ratio);
    resize(before);
    d_->placeHeader();
    d_->schedule();
    return image;
}

QSize CurvePlot::sizeHint() const { return d_->state.compact ? QSize(280, 150) : QSize(520, 360); }
QSize CurvePlot::minimumSizeHint() const { return d_->state.compact ? QSize(140, 90) : QSize(220, 150); }

void CurvePlot::repaintNow() { d_->repaint(); }

void CurvePlot::Private::placeHeader() {
    const int top = title.isEmpty() ? 0 : header_height;
    plot->setGeometry(0, top, q->width(), std::max(1, q->height() - top));
}

void CurvePlot::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    d_->placeHeader();
}

void CurvePlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Tokens& colours = d_->state.tokens();
    painter.fillRect(rect(), colours.surface);
    if (d_->title.isEmpty()) {
        return;
    }
    const QFont bold = Theme::instance().font(TypeStep::table, 600);
    const QFontMetrics metrics(bold);
    painter.setFont(bold);
    painter.setPen(colours.text1);
    const int left = 12;
    const QString title = metrics.elidedText(d_->title, Qt::ElideRight, std::max(0, width() - 2 * left));
    painter.drawText(QRect(left, 4, width() - 2 * left, header_height - 6), Qt::AlignLeft | Qt::AlignVCenter,
                     title);
    int x = left + metrics.horizontalAdvance(title) + 10;
    const QFont plain = Theme::instance().font(TypeStep::tick);
    painter.setFont(plain);
    const QString omissions = omissionsText();
    int right = width() - 12;
    if (!omissions.isEmpty() && !d_->state.compact) {
        const int wanted = QFontMetrics(plain).horizontalAdvance(omissions);
        if (x + wanted < right) {
            painter.setPen(colours.warn);
            painter.drawText(QRect(right - wanted, 4, wanted, header_height - 6), Qt::AlignVCenter,
                             omissions);
            right -= wanted + 10;
        }
    }
    QString note = d_->subtitle;
    const Ticks ticks = d_->yTicker->ticksOf(d_->plot->yAxis->range());
    if (!ticks.factor_name.empty()) {
        note +=
            (note.isEmpty() ? QString() : QStringLiteral(", ")) + QString::fromStdString(ticks.factor_name);
    }
    painter.setPen(colours.text3);
    painter.drawText(QRect(x, 4, std::max(0, right - x), header_height - 6), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(plain).elidedText(note, Qt::ElideRight, std::max(0, right - x)));
}

void CurvePlot::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange ||
        event->type() == QEvent::StyleChange) {
        d_->restyle();
        d_->schedule();
    }
}

}  // namespace braid::ui
