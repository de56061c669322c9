// Small pictures of architectures and runs.
#pragma once

#include <QWidget>
#include <vector>

#include "core/spec/architecture.h"
#include "widgets/common/run_view.h"

class QPainter;

namespace braid::ui {

// An architecture as a strip of its layers' mixers.
class PatternStrip : public QWidget {
    Q_OBJECT

public:
    explicit PatternStrip(QWidget* parent = nullptr);
    void setLayers(const std::vector<LayerSpec>& layers);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<LayerSpec> layers_;
};

// Square with the mixer's hue and letter.
class MixerBadge : public QWidget {
    Q_OBJECT

public:
    explicit MixerBadge(const QString& mixer = {}, QWidget* parent = nullptr);
    void setMixer(const QString& mixer, const QString& title = {});
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString mixer_;
};

// Dot in the run's colour: full when done, a pie of the progress while it runs, ring when queued, triangle
// when failed or lost, bars when paused.
void paintStatePie(QPainter& painter, const QRectF& rect, RunState state, double progress, int paletteIndex);

class StatePie : public QWidget {
    Q_OBJECT

public:
    explicit StatePie(QWidget* parent = nullptr);
    void setRun(const RunPointer& run);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    RunPointer run_;
};

// Thin bar in the run's colour, with an optional tick (where decay starts).
class RunProgressBar : public QWidget {
    Q_OBJECT

public:
    explicit RunProgressBar(QWidget* parent = nullptr);
    void setProgress(double fraction, int paletteIndex, double tick = -1);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double fraction_ = 0, tick_ = -1;
    int paletteIndex_ = 0;
};

}  // namespace braid::ui
