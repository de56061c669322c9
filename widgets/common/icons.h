// Braid's own icons (resources/icons: SVG, 20 grid, stroke 1.5, round ends) in the colours of the theme.
// An icon is never shown without a name: give the button a text, or a tool tip and an accessible name.
#pragma once

#include <QColor>
#include <QIcon>
#include <QPixmap>
#include <QString>
#include <QStringList>

namespace braid::ui {

// `name`: file name in resources/icons without .svg: "design", "train", "play", "pause", "stop",
// "checkpoint", ... Drawn in text 2, disabled in the disabled colour, in on-ink on a primary button; follows
// the theme.
QIcon icon(const QString& name);
// The same in the colour of a status, also after a change of theme.
enum class ColourRole { text1, text3, ok, warn, error, info };
QIcon icon(const QString& name, ColourRole role);
QPixmap iconPixmap(const QString& name, int size, const QColor& colour, qreal devicePixelRatio);
QIcon applicationIcon();
QStringList iconNames();

}  // namespace braid::ui
