#include "widgets/heads/overview.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "widgets/common/format.h"
#include "widgets/common/theme.h"

namespace braid::ui {

Overview::Overview(HeadsState& state, TileStore& tiles, QWidget* parent)
    : QWidget(parent), state_(state), tiles_(tiles) {
    setFixedSize(sizeHint());
    setAccessibleName(tr("Overview"));
    connect(&state_, &HeadsState::headsChanged, this, &Overview::fetch);
    connect(&state_, &HeadsState::viewportChanged, this, [this] {
        const MapViewport& view = state_.viewport();
        setAccessibleDescription(tr("keys %1 to %2, queries %3 to %4")
                                     .arg(formatCount(std::int64_t(view.key)),
                                          formatCount(std::int64_t(view.key + view.span)),
                                          formatCount(std::int64_t(view.query)),
                                          formatCount(std::int64_t(view.query + view.span))));
        update();
    });
    connect(&tiles_, &TileStore::arrived, this, [this](quintptr client) {
        if (client == quintptr(this)) fetch();
    });
}

Overview::~Overview() { tiles_.want(quintptr(this), {}, {}); }

void Overview::fetch() {
    const MapSource source = state_.source(state_.leading());
    picture_ = QImage();
    if (source.good()) {
        const TilePlace whole{source.coarsest(), 0, 0};
        if (const QImage* picture = tiles_.find(source, whole))
            picture_ = *picture;
        else
            tiles_.want(quintptr(this), source, {whole});
    }
    update();
}

QRectF Overview::square() const { return QRectF(rect()).adjusted(2, 2, -2, -2); }

void Overview::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    const QRectF area = square();
    painter.fillRect(area, t.sunken);
    const HeadPointer& head = state_.lead();
    if (!picture_.isNull() && head) {
        const double squares =
            double(((head->tokens() - 1) >> state_.source(state_.leading()).coarsest()) + 1);
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        painter.drawImage(area, picture_, QRectF(0, 0, squares, squares));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    if (head) {
        const MapViewport& view = state_.viewport();
        const auto all = double(view.tokens);
        QRectF shown(
            area.left() + view.key / all * area.width(), area.top() + view.query / all * area.height(),
            std::max(4.0, view.span / all * area.width()), std::max(4.0, view.span / all * area.height()));
        painter.setPen(QPen(t.onInk, 3));
        painter.drawRect(shown);
        painter.setPen(QPen(t.ink, 1.4));
        painter.drawRect(shown);
    } else {
        painter.setPen(QPen(t.border, 1));
        painter.drawRect(area);
    }
}

void Overview::mousePressEvent(QMouseEvent* event) {
    if (!(event->buttons() & Qt::LeftButton) || state_.isEmpty()) return;
    const QRectF area = square();
    const auto all = double(state_.tokens());
    state_.setViewport(state_.viewport().centred((event->position().y() - area.top()) / area.height() * all,
                                                 (event->position().x() - area.left()) / area.width() * all));
}

void Overview::mouseMoveEvent(QMouseEvent* event) { mousePressEvent(event); }

ScaleBar::ScaleBar(HeadsState& state, QWidget* parent) : QWidget(parent), state_(state) {
    setFixedHeight(sizeHint().height());
    setAccessibleName(tr("Scale"));
    connect(&state_, &HeadsState::headsChanged, this, [this] {
        QStringList values;
        for (const double tick : state_.scale().ticks()) values << formatSignificant(tick, 2);
        setAccessibleDescription(values.join(QStringLiteral(", ")));
        update();
    });
}

void ScaleBar::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    const AttentionScale& scale = state_.scale();
    const QRectF bar(12, 4, width() - 24, 10);
    const std::array<QRgb, 256> colours = attentionColours(scale);
    QImage picture(256, 1, QImage::Format_RGB32);
    for (int i = 0; i < 256; ++i) picture.setPixel(i, 0, colours[std::size_t(i)]);
    painter.drawImage(bar, picture);
    painter.setFont(Theme::instance().font(TypeStep::tick));
    painter.setPen(t.text2);
    const std::vector<double> ticks = scale.ticks();
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const double share = scale.is_signed ? (scale.share(ticks[i]) + 1) / 2 : scale.share(ticks[i]);
        const double x = bar.left() + share * bar.width();
        const Qt::Alignment side = i == 0                  ? Qt::AlignLeft
                                   : i + 1 == ticks.size() ? Qt::AlignRight
                                                           : Qt::AlignHCenter;
        const double left = i == 0 ? x : i + 1 == ticks.size() ? x - 80 : x - 40;
        QString label = formatSignificant(ticks[i], 2);
        // Beyond the ends there are no further colours.
        if (i + 1 == ticks.size() && scale.form != AttentionForm::row) label.prepend(QStringLiteral("≥ "));
        painter.drawText(QRectF(left, bar.bottom() + 3, 80, 16), side | Qt::AlignVCenter, label);
    }
}

}  // namespace braid::ui
