#include "core/record/study_table.h"

#include <cmath>
#include <map>
#include <set>

#include "core/record/metric_name.h"
#include "core/record/score.h"
#include "core/spec/number_text.h"

namespace braid {
namespace {

std::string cell_of(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return shortest(value);
}

// What it recorded last, and the headline numbers of scores of its last step.
std::map<std::string, double> last_values(const RunEntry& run) {
    std::map<std::string, double> values;
    for (const auto& [metric, value] : run.status.latest)
        if (metric != "tokens" && !is_head_norm(metric)) values[metric] = value;
    for (const ScoreRecord& score : read_scores(run.folder).scores) {
        if (score.checkpoint.step != run.status.step) continue;
        for (const ScoreSummary& summary : score.summary)
            if (summary.value) values[score_metric(score.kind, summary.name)] = *summary.value;
    }
    return values;
}

}  // namespace

CsvTable study_table(const StudySpec& spec, const StudyState& state) {
    CsvTable table{.titles = field_names(spec)};
    table.titles.insert(table.titles.begin(), "curve");
    for (const char* title : {"parameters", "tokens", "run", "state"}) table.titles.emplace_back(title);
    std::vector<std::map<std::string, double>> values;  // of each point, by metric
    std::set<std::string> metrics;
    for (const PointState& point : state.points) {
        values.push_back(point.run ? last_values(*point.run) : std::map<std::string, double>());
        for (const auto& [metric, value] : values.back()) metrics.insert(metric);
    }
    table.titles.insert(table.titles.end(), metrics.begin(), metrics.end());

    for (std::size_t i = 0; i < state.points.size(); ++i) {
        const PointState& point = state.points[i];
        CsvRow row{.line = i + 2};
        row.cells.push_back(curve_of(spec, point.planned.point));
        for (const auto& [field, value] : fields_of(spec, point.planned.point)) row.cells.push_back(value);
        row.cells.push_back(std::to_string(point.planned.parameters));
        const std::int64_t per_step = point.planned.training.tokens_per_step();
        row.cells.push_back(point.run ? std::to_string(point.run->status.step.value * per_step) : "");
        row.cells.push_back(point.run ? point.run->folder.name() : "");
        row.cells.emplace_back(to_text(point.state()));
        for (const std::string& metric : metrics) {
            const auto found = values[i].find(metric);
            row.cells.push_back(found == values[i].end() ? "" : cell_of(found->second));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace braid
