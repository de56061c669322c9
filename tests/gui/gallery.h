// Every icon, texture and control on one sheet: what the style draws, to be looked at.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QRadioButton>
#include <QSlider>
#include <QSpinBox>
#include <QTabBar>
#include <QVBoxLayout>

#include "widgets/common/controls.h"
#include "widgets/common/field.h"
#include "widgets/common/icons.h"
#include "widgets/common/mixer_style.h"
#include "widgets/common/mixer_widgets.h"
#include "widgets/common/segments.h"

namespace braid::ui {

class Swatches : public QWidget {
public:
    Swatches() { setFixedHeight(120); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        int x = 0;
        for (const char* id : {"full", "swa", "lightning", "mamba2", "gdn", "retnet"}) {
            paintMixer(painter, QRectF(x, 0, 56, 56), id);
            paintBadge(painter, QRectF(x, 64, 18, 18), id);
            x += 64;
        }
        painter.setRenderHint(QPainter::Antialiasing);
        for (int i = 0; i < 16; ++i) {
            painter.setPen(runPen(i, tokens(), 2));
            painter.drawLine(x + 8, 4 + i * 7, x + 150, 4 + i * 7);
        }
        x += 170;
        int index = 0;
        for (const RunState state :
             {RunState::planned, RunState::running, RunState::paused, RunState::finished, RunState::failed,
              RunState::cancelled, RunState::lost}) {
            paintStatePie(painter, QRectF(x + 24 * index, 10, 10, 10), state, 0.43, index);
            paintStatePie(painter, QRectF(x + 40 * index, 40, 28, 28), state, 0.43, index);
            ++index;
        }
    }
};

inline QWidget* makeGallery() {
    auto* sheet = new QWidget;
    auto* column = new QVBoxLayout(sheet);
    auto* icons = new QGridLayout;
    int place = 0;
    for (const QString& name : iconNames()) {
        auto* picture = new QLabel;
        picture->setPixmap(iconPixmap(name, 40, tokens().text2, 1));
        picture->setToolTip(name);
        icons->addWidget(picture, place / 16, place % 16);
        ++place;
    }
    column->addLayout(icons);
    column->addWidget(new Swatches);
    const auto row = [column](const QList<QWidget*>& widgets) {
        auto* layout = new QHBoxLayout;
        layout->setSpacing(metrics::gap3);
        for (QWidget* widget : widgets) layout->addWidget(widget);
        layout->addStretch();
        column->addLayout(layout);
    };
    auto* disabled = makeButton(QStringLiteral("Disabled"), QStringLiteral("copy"));
    setDisabledReason(disabled, QStringLiteral("nothing to copy"));
    auto* noTrain = makePrimaryButton(QStringLiteral("Train…"), QStringLiteral("play"));
    setDisabledReason(noTrain, QStringLiteral("1 problem"));
    auto* down = makeButton(QStringLiteral("Pressed"));
    down->setDown(true);
    row({makeButton(QStringLiteral("Compare…")), makeButton(QStringLiteral("Pause"), QStringLiteral("pause")),
         makeDangerButton(QStringLiteral("Stop"), QStringLiteral("stop")), disabled, down,
         makePrimaryButton(QStringLiteral("Export 4 files"), QStringLiteral("export")), noTrain,
         makeIconButton(QStringLiteral("undo"), QStringLiteral("Undo")),
         new KeyHint(QStringLiteral("Ctrl K"))});
    auto* segments = new Segments(QStringLiteral("Axis"), {QStringLiteral("Step"), QStringLiteral("Tokens"),
                                                           QStringLiteral("FLOPs"), QStringLiteral("Time")});
    auto* partly = new Segments(QStringLiteral("Scale"), {QStringLiteral("Linear"), QStringLiteral("Log")});
    partly->setChoiceEnabled(1, false, QStringLiteral("values below zero"));
    auto* combo = new QComboBox;
    combo->addItems({QStringLiteral("Presets"), QStringLiteral("S1")});
    auto* spin = new QSpinBox;
    spin->setValue(13);
    row({segments, partly, combo, spin});
    auto* field = new Field(QStringLiteral("Window"), QStringLiteral("tokens"));
    field->setText(QStringLiteral("1,024"));
    field->setFieldWidth(104);
    auto* wrong = new Field(QStringLiteral("Window"), QStringLiteral("tokens"));
    wrong->setText(QStringLiteral("0"));
    wrong->setFieldWidth(104);
    wrong->setError(QStringLiteral("must be at least 1, got 0"));
    auto* slider = new QSlider(Qt::Horizontal);
    slider->setValue(60);
    slider->setFixedWidth(120);
    auto* bar = new QProgressBar;
    bar->setValue(43);
    bar->setFixedWidth(160);
    row({field, wrong, slider, bar});
    auto* checked = new QCheckBox(QStringLiteral("PDF"));
    checked->setChecked(true);
    auto* radio = new QRadioButton(QStringLiteral("Embedded"));
    radio->setChecked(true);
    auto* off = new QCheckBox(QStringLiteral("Disabled"));
    off->setEnabled(false);
    auto* tabs = new QTabBar;
    for (const char* text : {"Layers", "Against context", "Difference"}) tabs->addTab(QLatin1String(text));
    row({checked, new QCheckBox(QStringLiteral("SVG")), radio, new QRadioButton(QStringLiteral("As paths")),
         off, tabs});
    return sheet;
}

}  // namespace braid::ui
