#include "widgets/common/needle_grid.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <set>

#include "widgets/common/format.h"
#include "widgets/common/run_scores.h"

namespace braid::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("NeedleGrid", text); }

}  // namespace

double NeedleGrid::least() const {
    double least = 0;
    if (unit != "%")
        for (const NeedleCell& cell : cells)
            if (cell.value) least = std::min(least, *cell.value);
    return least;
}

double NeedleGrid::most() const {
    if (unit == "%") return 100;
    double most = 1;
    for (const NeedleCell& cell : cells)
        if (cell.value) most = std::max(most, *cell.value);
    return most;
}

double NeedleGrid::share(double value) const { return (value - least()) / (most() - least()); }

std::vector<std::string> needleTasks(const ScoreRecord& record) {
    std::vector<std::string> tasks;
    for (const Score& score : record.scores)
        if (score.length && score.depth && std::find(tasks.begin(), tasks.end(), score.name) == tasks.end())
            tasks.push_back(score.name);
    return tasks;
}

NeedleGrid needleGrid(const ScoreRecord& record, const std::string& task) {
    NeedleGrid grid{.task = task};
    std::set<std::int64_t> lengths;
    std::set<double> depths;
    for (const Score& score : record.scores) {
        if (score.name != task || !score.length || !score.depth) continue;
        lengths.insert(*score.length);
        depths.insert(*score.depth);
        grid.unit = score.unit;
    }
    grid.lengths.assign(lengths.begin(), lengths.end());
    grid.depths.assign(depths.begin(), depths.end());
    grid.cells.resize(grid.lengths.size() * grid.depths.size());
    for (const Score& score : record.scores) {
        if (score.name != task || !score.length || !score.depth) continue;
        const auto column =
            std::lower_bound(grid.lengths.begin(), grid.lengths.end(), *score.length) - grid.lengths.begin();
        const auto row =
            std::lower_bound(grid.depths.begin(), grid.depths.end(), *score.depth) - grid.depths.begin();
        grid.cells[std::size_t(row) * grid.lengths.size() + std::size_t(column)] = {
            .present = true,
            .value = score.value,
            .samples = score.samples,
            .truncated = score.truncated,
            .left_out = score.left_out,
            .standard_error = score.standard_error,
            .no_data = score.no_data};
    }
    return grid;
}

QString depthText(double depth) {
    const double percent = depth * 100;
    return QStringLiteral("%1 %").arg(percent == std::floor(percent) ? QString::number(percent, 'f', 0)
                                                                     : formatFixed(percent, 1));
}

QString needleText(const NeedleGrid& grid, std::size_t depth, std::size_t length) {
    const NeedleCell& cell = grid.at(depth, length);
    QString text =
        tr("length %1, depth %2: ").arg(formatCount(grid.lengths[length]), depthText(grid.depths[depth]));
    const QString unit = QString::fromStdString(grid.unit);
    if (!cell.value)
        return text + (!cell.present          ? tr("not measured")
                       : cell.no_data.empty() ? tr("no data")
                                              : tr("no data, %1").arg(QString::fromStdString(cell.no_data)));
    text += scoreText(cell.value, unit);
    if (cell.standard_error)
        text += QStringLiteral(" ± ") + formatFixed(*cell.standard_error, grid.unit == "%" ? 1 : 3);
    text += tr(", %1 samples").arg(formatCount(cell.samples));
    if (cell.truncated > 0) text += tr(", %1 truncated").arg(formatCount(cell.truncated));
    if (cell.left_out > 0) text += tr(", %1 left out").arg(formatCount(cell.left_out));
    return text;
}

}  // namespace braid::ui
