// Tables that strangers hand to `braid-engine fit`: whatever is accepted can be fitted and read back.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "core/analysis/scaling_table.h"
#include "tests/fuzz/must.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto table = braid::parse_csv(text);
    if (!table) {
        must(!table.error().empty(), "a refusal says why");
        return 0;
    }
    for (const braid::CsvRow& row : table->rows)
        must(row.cells.size() == table->titles.size(), "as many cells as titles");
    const auto again = braid::parse_csv(braid::to_csv(*table));
    must(again && again->rows.size() == table->rows.size(), "what is written reads back");
    for (std::size_t i = 0; i < table->rows.size(); ++i)
        must(again->rows[i].cells.size() == table->rows[i].cells.size(), "row for row");
    // The first line is a rule as well.
    braid::ScalingTableOptions options;
    const auto rule = braid::parse_row_rule(text.substr(0, text.find('\n')), "rule");
    if (rule) options.excluded.push_back(*rule);
    const auto points = braid::scaling_table(*table, options);
    if (!points) {
        must(!points.error().empty(), "a refusal says why");
        return 0;
    }
    must(points->points.size() == table->rows.size(), "a point a row");
    for (const braid::ScalingPoint& point : points->points)
        if (point.use != braid::PointUse::excluded)
            for (const double value : {point.parameters, point.tokens, point.loss})
                must(std::isfinite(value) && value > 0, "numbers that can be fitted");
    braid::check_points(points->points, braid::ScalingForm::chinchilla, false, false);
    return 0;
}
