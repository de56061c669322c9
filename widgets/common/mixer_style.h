// How a mixer and a run look, the same in every panel: mixer = hue + letter + texture, run = colour + dash of
// a stored index. Ids come from core/mixers; a kind without an entry in mixer_style.cpp still gets a distinct
// look.
#pragma once

#include <QColor>
#include <QPen>
#include <QRectF>
#include <QString>
#include <QVector>
#include <string_view>
#include <vector>

#include "core/spec/architecture.h"
#include "widgets/common/theme.h"

class QPainter;

namespace braid::ui {

enum class Texture { solid, diagonal, bars, dots, cross, waves, checks, vertical };

struct MixerStyle {
    QChar letter;
    QColor hue;                  // both themes
    QColor letterOnHue;          // white on F, 0F1720 on the rest
    QColor textLight, textDark;  // the letter in the pattern field
    Texture texture = Texture::solid;
    const QColor& text(const Tokens& tokens) const { return tokens.dark ? textDark : textLight; }
};

// id of a MixerKind: "full", "swa".
MixerStyle mixerStyle(std::string_view id);

// Hue and texture, edge to edge; the texture is drawn in device pixels and runs on through neighbouring cells
// (its phase is that of the painter's device).
void paintMixer(QPainter& painter, const QRectF& rect, std::string_view mixer);
// A layer: one mixer, or its head groups side by side in proportion to their heads.
void paintLayer(QPainter& painter, const QRectF& rect, const LayerSpec& layer);
// Rounded square with the letter.
void paintBadge(QPainter& painter, const QRectF& rect, std::string_view mixer);
// A whole architecture as a strip; more layers than pixels are folded (every pixel shows the layer under it).
// `gap`: between cells where they are wide enough.
void paintStrip(QPainter& painter, const QRectF& rect, const std::vector<LayerSpec>& layers, qreal gap = 1);

// Colour and dash of a run by its stored palette index; eight colours, then the same with dashes.
QColor runColour(int index, const Tokens& tokens);
QVector<qreal> runDashes(int index);                            // empty: solid
QPen runPen(int index, const Tokens& tokens, qreal width = 2);  // of a short sample, as in legends

// How a line of a plot looks.
struct LineLook {
    QColor colour;
    int dash = 0;  // which of the patterns
};
QVector<qreal> lineDashes(int dash);  // in widths of the pen; 0: solid, empty
LineLook runLook(int index, const Tokens& tokens);
// Parts of a model are no runs: "full", "swa", "full+gdn" in the colour of their mixer, "ffn" in grey, each
// with dashes of its own.
LineLook componentLook(std::string_view component, const Tokens& tokens);
QPen samplePen(const LineLook& look, qreal width = 2);

}  // namespace braid::ui
