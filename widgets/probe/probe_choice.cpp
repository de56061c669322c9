#include "widgets/probe/probe_choice.h"

#include <algorithm>

#include "widgets/common/run_list_model.h"

namespace braid::ui {

namespace {

bool hasMeasurements(const RunPointer& run) {
    return run->measurements && !run->measurements->records.empty();
}

const RunPointer* find(const std::vector<RunPointer>& runs, const RunId& id) {
    const auto at =
        std::find_if(runs.begin(), runs.end(), [&](const RunPointer& run) { return run->id == id; });
    return at == runs.end() ? nullptr : &*at;
}

}  // namespace

std::vector<const MeasurementKind*> probeKinds() {
    std::vector<const MeasurementKind*> kinds;
    for (const MeasurementKind* kind : measurements())
        if (kind->figure != "attention_map") kinds.push_back(kind);
    return kinds;
}

ProbeChoice::ProbeChoice(ProjectSession& session, QObject* parent) : QObject(parent), session_(session) {
    connect(&session_, &ProjectSession::selectedRunsChanged, this, &ProbeChoice::refresh);
    refresh();
}

void ProbeChoice::refresh() {
    candidates_.clear();
    for (const RunPointer& run : session_.runs()->runs())
        if (run->record->status.checkpoint || hasMeasurements(run)) candidates_.push_back(run);
    const auto age = [](const RunPointer& run) {
        return std::pair(run->plan ? run->plan->created : std::string(), run->name);
    };
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [&](const RunPointer& a, const RunPointer& b) { return age(a) < age(b); });
    chosen_.clear();
    const std::vector<RunId>& selected = session_.selectedRuns();
    for (const RunPointer& run : candidates_)
        if (std::find(selected.begin(), selected.end(), run->id) != selected.end()) chosen_.push_back(run);
    if (chosen_.empty()) {
        const bool any = std::any_of(candidates_.begin(), candidates_.end(), hasMeasurements);
        for (const RunPointer& run : candidates_)
            if (chosen_.size() < most_by_itself && (!any || hasMeasurements(run))) chosen_.push_back(run);
    }
    const RunPointer* current = nullptr;
    for (const RunId& id : selected)
        if (!current) current = find(chosen_, id);
    if (!current && current_) current = find(chosen_, current_->id);
    current_ = current ? *current : chosen_.empty() ? nullptr : chosen_.front();
    Q_EMIT changed();
}

bool ProbeChoice::isChosen(const RunId& run) const { return find(chosen_, run) != nullptr; }

void ProbeChoice::store(const std::vector<RunPointer>& chosen, const RunPointer& current) {
    std::vector<RunId> ids;
    if (current) ids.push_back(current->id);
    for (const RunPointer& run : chosen)
        if (!current || run->id != current->id) ids.push_back(run->id);
    session_.setSelectedRuns(ids);
}

void ProbeChoice::setChosen(const RunId& id, bool chosen) {
    std::vector<RunPointer> runs = chosen_;
    const RunPointer* run = find(candidates_, id);
    if (!run || chosen == isChosen(id)) return;
    if (chosen)
        runs.push_back(*run);
    else
        std::erase_if(runs, [&](const RunPointer& one) { return one->id == id; });
    const RunPointer current = current_ && find(runs, current_->id) ? current_
                               : runs.empty()                       ? nullptr
                                                                    : runs.front();
    store(runs, current);
}

void ProbeChoice::setCurrent(const RunId& id) {
    const RunPointer* run = find(candidates_, id);
    if (!run || (current_ && current_->id == id)) return;
    const RunPointer wanted = *run;
    std::vector<RunPointer> runs = chosen_;
    if (!find(runs, id)) runs.push_back(wanted);
    store(runs, wanted);
}

void ProbeChoice::setKind(const std::string& kind) {
    if (kind == kind_ || !find_measurement(kind)) return;
    kind_ = kind;
    Q_EMIT changed();
}

std::vector<MeasuredRun> ProbeChoice::measured(const std::string& kind) const {
    std::vector<MeasuredRun> runs;
    for (const RunPointer& run : chosen_)
        if (const MeasurementRecord* record = run->measurements ? run->measurements->latest(kind) : nullptr)
            runs.push_back(measuredRun(*run, *record));
    return runs;
}

std::vector<MeasuredRun> ProbeChoice::measuredCurrent(const std::string& kind) const {
    std::vector<MeasuredRun> runs = measured(kind);
    std::erase_if(runs,
                  [this](const MeasuredRun& run) { return !current_ || run.run != current_->id.str(); });
    return runs;
}

bool ProbeChoice::any() const { return std::any_of(chosen_.begin(), chosen_.end(), hasMeasurements); }

QString ProbeChoice::problem() const {
    QStringList all;
    for (const RunPointer& run : chosen_)
        if (run->measurements && !run->measurements->problem.isEmpty()) all << run->measurements->problem;
    return all.join(QLatin1Char('\n'));
}

}  // namespace braid::ui
