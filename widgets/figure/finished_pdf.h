// What Qt's PDF writer leaves to be desired, put right in the finished file.
#pragma once

#include <QByteArray>
#include <QSizeF>

namespace braid::ui {

// The PDF that Qt wrote for one page, with
// - a MediaBox of exactly this size: Qt rounds the page to whole points (84 mm, 238.11 pt, would become 83.96
// mm) and
//   places content from the top of its rounded page, so the box keeps that top;
// - the names of its fonts tagged as the subsets they are ("ABCDEF+Name", ISO 32000-1, 9.6.4).
// Returned unchanged if it is not such a file.
QByteArray finished_pdf(const QByteArray& pdf, const QSizeF& millimetres);

}  // namespace braid::ui
