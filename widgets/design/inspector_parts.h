// Small pictures of the inspector.
#pragma once

#include <QWidget>
#include <vector>

#include "core/spec/architecture.h"

namespace braid::ui {

// The layer as in the spine: mixers side by side in proportion to their heads.
class LayerSwatch : public QWidget {
    Q_OBJECT

public:
    explicit LayerSwatch(QWidget* parent = nullptr);
    void setLayer(const LayerSpec& layer);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    LayerSpec layer_;
};

// One cell a head in its mixer's look, numbered beneath.
class HeadsStrip : public QWidget {
    Q_OBJECT

public:
    explicit HeadsStrip(QWidget* parent = nullptr);
    void setLayer(const LayerSpec& layer);
    QSize sizeHint() const override { return {200, 36}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    LayerSpec layer_;
};

}  // namespace braid::ui
