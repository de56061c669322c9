#include "widgets/common/mixer_widgets.h"

#include <QPainter>
#include <algorithm>

#include "widgets/common/mixer_style.h"

namespace braid::ui {

PatternStrip::PatternStrip(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void PatternStrip::setLayers(const std::vector<LayerSpec>& layers) {
    layers_ = layers;
    QString letters;
    for (const LayerSpec& layer : layers) {
        for (const HeadGroup& group : layer.groups) letters += mixerStyle(group.mixer).letter;
    }
    setAccessibleName(tr("%1 layers: %2").arg(layers.size()).arg(letters));
    updateGeometry();
    update();
}

QSize PatternStrip::sizeHint() const { return QSize(std::clamp(int(layers_.size()) * 12, 20, 96), 12); }

void PatternStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintStrip(painter, rect(), layers_);
}

MixerBadge::MixerBadge(const QString& mixer, QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setMixer(mixer);
}

void MixerBadge::setMixer(const QString& mixer, const QString& title) {
    mixer_ = mixer;
    setAccessibleName(title.isEmpty() ? mixer : title);
    setToolTip(title);
    update();
}

QSize MixerBadge::sizeHint() const { return QSize(18, 18); }

void MixerBadge::paintEvent(QPaintEvent*) {
    if (mixer_.isEmpty()) return;
    QPainter painter(this);
    paintBadge(painter, rect(), mixer_.toStdString());
}

void paintStatePie(QPainter& painter, const QRectF& rect, RunState state, double progress, int paletteIndex) {
    const Tokens& t = tokens();
    const QColor colour = runColour(paletteIndex, t);
    const qreal side = std::min(rect.width(), rect.height());
    const QRectF box(rect.center().x() - side / 2, rect.center().y() - side / 2, side, side);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    switch (state) {
        case RunState::planned:
            painter.setPen(QPen(t.text3, 1.4));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(box.adjusted(1.2, 1.2, -1.2, -1.2));
            break;
        case RunState::running:
        case RunState::paused: {
            painter.setPen(QPen(colour, 1.4));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(box.adjusted(0.8, 0.8, -0.8, -0.8));
            painter.setPen(Qt::NoPen);
            painter.setBrush(colour);
            painter.drawPie(box.adjusted(0.8, 0.8, -0.8, -0.8), 90 * 16,
                            -int(std::clamp(progress, 0.0, 1.0) * 360 * 16));
            break;
        }
        case RunState::finished:
        case RunState::cancelled:
            painter.setPen(Qt::NoPen);
            painter.setBrush(colour);
            painter.drawEllipse(box.adjusted(1, 1, -1, -1));
            if (state == RunState::cancelled) {  // stopped: the dot is cut
                painter.fillRect(QRectF(box.left(), box.center().y() - 0.8, box.width(), 1.6), t.panel);
            }
            break;
        case RunState::failed:
        case RunState::lost: {
            const QColor status = state == RunState::failed ? t.error : t.warn;
            painter.setPen(QPen(status, 1.3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
            painter.setBrush(Qt::NoBrush);
            const QRectF b = box.adjusted(-0.5, -0.5, 0.5, 0);
            painter.drawPolygon(QPolygonF{QPointF(b.center().x(), b.top() + 1),
                                          b.bottomRight() - QPointF(0.5, 1),
                                          b.bottomLeft() + QPointF(0.5, -1)});
            painter.drawLine(QPointF(b.center().x(), b.top() + b.height() * 0.42),
                             QPointF(b.center().x(), b.top() + b.height() * 0.66));
            painter.drawPoint(QPointF(b.center().x(), b.top() + b.height() * 0.80));
            break;
        }
    }
    painter.restore();
}

StatePie::StatePie(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void StatePie::setRun(const RunPointer& run) {
    run_ = run;
    setAccessibleName(run ? runStateText(run->state()) : QString());
    update();
}

QSize StatePie::sizeHint() const { return QSize(12, 12); }

void StatePie::paintEvent(QPaintEvent*) {
    if (!run_) return;
    QPainter painter(this);
    paintStatePie(painter, QRectF(rect()).adjusted(1, 1, -1, -1), run_->state(), run_->progress(),
                  run_->paletteIndex);
}

RunProgressBar::RunProgressBar(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Progress"));
}

void RunProgressBar::setProgress(double fraction, int paletteIndex, double tick) {
    fraction_ = std::clamp(fraction, 0.0, 1.0);
    paletteIndex_ = paletteIndex;
    tick_ = tick;
    setAccessibleDescription(tr("%1 %").arg(int(fraction_ * 100)));
    update();
}

QSize RunProgressBar::sizeHint() const { return QSize(180, 12); }

void RunProgressBar::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const qreal thick = 5, middle = height() / 2.0;
    painter.setBrush(t.dark ? t.borderStrong : t.border);
    painter.drawRoundedRect(QRectF(0, middle - thick / 2, width(), thick), thick / 2, thick / 2);
    painter.setBrush(runColour(paletteIndex_, t));
    if (fraction_ > 0) {
        painter.drawRoundedRect(QRectF(0, middle - thick / 2, std::max(thick, width() * fraction_), thick),
                                thick / 2, thick / 2);
    }
    if (tick_ >= 0) painter.fillRect(QRectF(std::round(width() * tick_), middle - 5, 1, 10), t.text2);
}

}  // namespace braid::ui
