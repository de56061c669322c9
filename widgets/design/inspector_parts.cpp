#include "widgets/design/inspector_parts.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/common/mixer_style.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

constexpr int strip_height = 18;
constexpr std::int64_t most_heads = 4096;  // of a spec that breaks rules

std::int64_t head_count(const LayerSpec& layer) {
    std::int64_t heads = 0;
    for (const HeadGroup& group : layer.groups) {
        heads += std::clamp<std::int64_t>(group.heads, 0, most_heads);
    }
    return heads;
}

}  // namespace

LayerSwatch::LayerSwatch(QWidget* parent) : QWidget(parent) { setFixedSize(24, 36); }

void LayerSwatch::setLayer(const LayerSpec& layer) {
    layer_ = layer;
    update();
}

void LayerSwatch::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (!layer_.groups.empty()) {
        paintLayer(painter, QRectF(rect()), layer_);
    }
}

HeadsStrip::HeadsStrip(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFixedHeight(sizeHint().height());
}

void HeadsStrip::setLayer(const LayerSpec& layer) {
    layer_ = layer;
    QStringList parts;
    std::int64_t first = 0;
    for (const HeadGroup& group : layer.groups) {
        parts << tr("heads %1 to %2: %3")
                     .arg(first)
                     .arg(first + group.heads - 1)
                     .arg(QString::fromStdString(group.mixer));
        first += group.heads;
    }
    setAccessibleName(tr("Heads"));
    setAccessibleDescription(parts.join(QStringLiteral(", ")));
    update();
}

void HeadsStrip::paintEvent(QPaintEvent*) {
    const std::int64_t heads = head_count(layer_);
    if (heads <= 0) {
        return;
    }
    QPainter painter(this);
    const double cell = static_cast<double>(width()) / static_cast<double>(heads);
    const double gap = cell >= 5 ? 1 : 0;
    std::int64_t head = 0;
    for (const HeadGroup& group : layer_.groups) {
        for (std::int64_t i = 0; i < std::clamp<std::int64_t>(group.heads, 0, most_heads); ++i, ++head) {
            const double left = std::round(static_cast<double>(head) * cell);
            const double right = std::round(static_cast<double>(head + 1) * cell) - gap;
            paintMixer(painter, QRectF(left, 0, std::max(right - left, 1.0), strip_height), group.mixer);
        }
    }
    painter.setFont(Theme::instance().font(TypeStep::tick));
    painter.setPen(tokens().text2);
    const std::int64_t every = std::max<std::int64_t>(1, (heads + 3) / 4);
    for (std::int64_t number = 0; number < heads; number += every) {
        const bool last_follows = number + every >= heads && number != heads - 1;
        const double middle = (static_cast<double>(number) + 0.5) * cell;
        painter.drawText(QRectF(middle - 20, strip_height + 1, 40, 16), Qt::AlignHCenter | Qt::AlignTop,
                         QString::number(number));
        if (last_follows && static_cast<double>(heads - 1 - number) * cell > 24) {
            const double end = (static_cast<double>(heads) - 0.5) * cell;
            painter.drawText(QRectF(end - 20, strip_height + 1, 40, 16), Qt::AlignHCenter | Qt::AlignTop,
                             QString::number(heads - 1));
        }
    }
}

}  // namespace braid::ui
