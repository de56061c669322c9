#include "widgets/probe/classifiers.h"

#include <cmath>

#include "widgets/common/measured_views.h"

namespace braid::ui {

QStringList classifiersOf(const MeasurementRecord& record) {
    QStringList titles;
    const MeasuredArray* all = record.find("comparison");
    if (!all || all->axes.size() != 2 || all->axes[0].name != "classifier") return titles;
    for (const AxisTick& tick : all->axes[0].ticks) titles << tickText(tick);
    return titles;
}

std::shared_ptr<const MeasurementRecord> withClassifier(const MeasurementRecord& record,
                                                        const QString& title) {
    const qsizetype row = classifiersOf(record).indexOf(title);
    if (row < 0) return nullptr;
    const MeasuredArray& all = *record.find("comparison");
    const std::size_t layers = all.axes[1].ticks.size(), first = all.at(std::size_t(row), 0);
    const auto part = [&](const std::vector<double>& list) {
        return list.empty() ? list
                            : std::vector<double>(list.begin() + std::ptrdiff_t(first),
                                                  list.begin() + std::ptrdiff_t(first + layers));
    };
    MeasuredArray accuracy{.name = "accuracy", .unit = all.unit, .axes = {all.axes[1]}};
    accuracy.values = part(all.values);
    accuracy.low = part(all.low);
    accuracy.high = part(all.high);
    accuracy.missing = all.missing;
    accuracy.samples = all.samples.size() == 1 ? all.samples : std::vector<std::int64_t>{};
    MeasuredArray gain{.name = "gain", .unit = all.unit, .axes = {all.axes[1]}};
    gain.samples = accuracy.samples;
    double before = summaryValue(record, "chance").value_or(std::nan(""));
    for (const double value : accuracy.values) {
        gain.values.push_back(value - before);
        before = value;
    }
    auto made = std::make_shared<MeasurementRecord>(record);
    made->arrays = {std::move(accuracy), std::move(gain), all};
    return made;
}

}  // namespace braid::ui
