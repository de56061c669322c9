// The command line of `braid figure`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "widgets/figure/figure_export.h"

namespace braid::ui {

struct FigureOutput {
    std::string base;  // without its suffix
    FigureFile file = FigureFile::pdf;
};

struct FigureOptions {
    std::string figure;  // file or name
    std::string project;
    std::vector<FigureOutput> outputs;
    std::vector<std::pair<std::string, Json>> style;  // key of the description's style and its value
    bool data = true;                                 // write the CSV and the provenance
    bool json = false;
    bool help = false;
};

// Arguments after "figure"; every problem at once.
Checked<FigureOptions> parse_figure_options(const std::vector<std::string>& arguments);
// The description with the options' style put in.
Json with_options(Json figure, const FigureOptions& options);
std::string figure_help();

}  // namespace braid::ui
