#include "app/engine/verbs/measure_text.h"

#include <cmath>

#include "app/engine/cli/output.h"
#include "core/spec/number_text.h"

namespace braid::cli {
namespace {

constexpr std::size_t most_columns = 24;
constexpr std::size_t most_rows = 40;

std::string tick_text(const AxisTick& tick) {
    const auto* text = std::get_if<std::string>(&tick);
    return text != nullptr ? *text : shortest(std::get<double>(tick));
}

std::string value_text(double value) { return std::isfinite(value) ? real_text(value, 4) : ""; }

std::string title_of(const MeasuredArray& array) {
    std::string title = array.name;
    if (!array.unit.empty()) title.append(", ").append(array.unit);
    for (const MeasuredAxis& axis : array.axes)
        title.append(&axis == &array.axes.front() ? " by " : " and ").append(axis.name);
    return title.append("\n");
}

std::string list_text(const MeasuredArray& array) {
    const bool interval = !array.low.empty();
    std::vector<Column> columns = {{array.axes[0].name, true}, {array.name, true}};
    if (interval)
        for (const char* end : {"low", "high"}) columns.push_back({end, true});
    Table table(columns);
    for (std::size_t i = 0; i < array.values.size(); ++i) {
        std::vector<std::string> cells = {tick_text(array.axes[0].ticks[i]), value_text(array.values[i])};
        if (interval)
            for (const auto* end : {&array.low, &array.high}) cells.push_back(value_text((*end)[i]));
        table.add(std::move(cells));
    }
    return table.text();
}

std::string grid_text(const MeasuredArray& array) {
    std::vector<Column> columns = {{array.axes[0].name, true}};
    for (const AxisTick& tick : array.axes[1].ticks) columns.push_back({tick_text(tick), true});
    Table table(columns);
    for (std::size_t i = 0; i < array.axes[0].ticks.size(); ++i) {
        std::vector<std::string> cells = {tick_text(array.axes[0].ticks[i])};
        for (std::size_t j = 0; j < array.axes[1].ticks.size(); ++j)
            cells.push_back(value_text(array.values[array.at(i, j)]));
        table.add(std::move(cells));
    }
    return table.text();
}

}  // namespace

std::string measurement_text(const MeasurementRecord& record) {
    std::string text;
    for (const MeasuredArray& array : record.arrays) {
        text.append(title_of(array));
        const std::size_t rows = array.axes.empty() ? 0 : array.axes[0].ticks.size();
        if (array.axes.size() == 1 && rows <= most_rows)
            text.append(list_text(array));
        else if (array.axes.size() == 2 && rows <= most_rows && array.axes[1].ticks.size() <= most_columns)
            text.append(grid_text(array));
        else
            text.append(with_commas(std::int64_t(array.values.size()))).append(" values, in the file\n");
        text.append("\n");
    }
    for (const ScoreSummary& one : record.summary)
        text.append(one.name)
            .append("  ")
            .append(one.value ? real_text(*one.value, one.unit == "%" ? 2 : 4) : "no value")
            .append(one.unit.empty() ? "" : " ")
            .append(one.unit)
            .append("\n");
    for (const std::string& note : record.notes) text.append("Note: ").append(note).append("\n");
    return text;
}

}  // namespace braid::cli
