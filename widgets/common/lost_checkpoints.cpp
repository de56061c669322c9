#include "widgets/common/lost_checkpoints.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "core/record/checkpoint_list.h"

namespace braid::ui {

namespace {

constexpr std::size_t most_names = 3;

}  // namespace

std::vector<RunPointer> runsWithoutCheckpoint(const std::vector<RunPointer>& runs) {
    std::vector<RunPointer> without;
    for (const RunPointer& run : runs) {
        const Step last = run->record->status.checkpoint.value_or(Step(run->step()));
        const std::vector<Step> there = list_checkpoints(run->folder.checkpoints_folder());
        if (std::find(there.begin(), there.end(), last) == there.end()) without.push_back(run);
    }
    return without;
}

QString namesOfRuns(const std::vector<RunPointer>& runs) {
    QStringList names;
    const std::size_t shown = runs.size() == most_names + 1 ? runs.size() : std::min(runs.size(), most_names);
    for (std::size_t i = 0; i < shown; ++i) names << QStringLiteral("“%1”").arg(runs[i]->name);
    const QString text = names.join(QStringLiteral(", "));
    if (shown == runs.size()) return text;
    return QCoreApplication::translate("LostCheckpoints", "%1 and %2 more")
        .arg(text)
        .arg(runs.size() - shown);
}

}  // namespace braid::ui
