// A kind of figure: how its description is judged, drawn and written as a table. A new one is a file with a
// class and one line in figure_kinds.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/csv.h"
#include "widgets/figure/figure_canvas.h"
#include "widgets/figure/figure_data.h"

namespace braid::ui {

class FigureKind {
public:
    virtual ~FigureKind() = default;

    virtual std::string_view id() const = 0;  // in the JSON form
    // Rules beyond those of every figure; each broken one becomes a diagnostic.
    virtual void validate(const FigureSpec& spec, Diagnostics& problems) const = 0;
    virtual Result<FigureData> load(const std::string& project_folder, const FigureSpec& spec) const {
        return load_curves(project_folder, spec);
    }
    virtual bool showsCurves() const { return true; }
    // Also of a checkpoint that belongs to no run.
    virtual bool readsCheckpoints() const { return false; }
    // A file of measured speeds, and nothing else.
    virtual bool readsGrowth() const { return false; }
    virtual void draw(const FigureSpec& spec, const FigureData& data, FigureCanvas& canvas) const = 0;
    // The shown data with a header line; numbers read back exactly.
    virtual std::string csv(const FigureSpec& spec, const FigureData& data) const = 0;
    // What stands beside "Data, CSV": "124 points".
    virtual QString dataSummary(const FigureSpec& spec, const FigureData& data) const = 0;
    // A height in mm that suits the width.
    virtual double fittingHeight(const FigureSpec& spec, const FigureData& data) const = 0;
};

const std::vector<const FigureKind*>& figure_kinds();
const FigureKind* find_figure_kind(std::string_view id);  // null: no such kind

}  // namespace braid::ui
