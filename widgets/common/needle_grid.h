// A task's scores by depth and length: what the map of needles shows on the screen and on paper.
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "core/record/score.h"

namespace braid::ui {

struct NeedleCell {
    bool present = false;  // the score has an entry for it
    std::optional<double> value = {};
    std::int64_t samples = 0;
    std::int64_t truncated = 0;
    std::int64_t left_out = 0;
    std::optional<double> standard_error = {};
    std::string no_data = {};
};

struct NeedleGrid {
    std::string task;
    std::string unit = {};
    std::vector<std::int64_t> lengths = {};  // ascending: columns
    std::vector<double> depths = {};         // ascending, 0 the beginning of the context: rows
    std::vector<NeedleCell> cells = {};      // row by row

    bool isEmpty() const { return cells.empty(); }
    const NeedleCell& at(std::size_t depth, std::size_t length) const {
        return cells[depth * lengths.size() + length];
    }
    // What the colours span: 0 to 100 for "%", 0 to 1 for shares, else the values themselves.
    double least() const;
    double most() const;
    double share(double value) const;  // of that span
};

// Names of scores that have both a length and a depth, in the order of the record.
std::vector<std::string> needleTasks(const ScoreRecord& record);
NeedleGrid needleGrid(const ScoreRecord& record, const std::string& task);

QString depthText(double depth);  // "50 %"
// "length 4,096, depth 50 %: 83.0 % ± 2.1, 200 samples, 3 truncated, 2 left out"
QString needleText(const NeedleGrid& grid, std::size_t depth, std::size_t length);

}  // namespace braid::ui
