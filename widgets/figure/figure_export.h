// A figure as files: PDF, SVG and PNG at print size, its data and its provenance.
#pragma once

#include <QByteArray>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "widgets/figure/figure_canvas.h"
#include "widgets/figure/figure_data.h"

namespace braid::ui {

inline constexpr int figure_dpi = 600;  // of a PNG

enum class FigureFile { pdf, svg, png, csv, provenance };

// ".pdf", ".svg", ".png", ".csv", ".provenance.json"
std::string_view figure_suffix(FigureFile file);

struct FigureBytes {
    QByteArray bytes;
    FigureFacts facts;  // of what was drawn; empty for csv and provenance
};

// Needs a QGuiApplication (any platform, offscreen too). PDF: vector, fonts embedded as subsets, exactly the
// size of the description. PNG: figure_dpi. `command` goes into the provenance.
FigureBytes render_figure(const FigureSpec& spec, const FigureData& data, FigureFile file,
                          const std::string& command = {});

// Draws onto a painter whose units are hundredths of a millimetre: the preview.
FigureFacts draw_figure(QPainter& painter, const FigureSpec& spec, const FigureData& data);

// Writes `base` + suffix for each of `files`, each atomically; the paths written. Stops at the first that
// fails.
Result<std::vector<std::string>> write_figure_files(const FigureSpec& spec, const FigureData& data,
                                                    const std::string& base,
                                                    const std::vector<FigureFile>& files,
                                                    const std::string& command);

}  // namespace braid::ui
