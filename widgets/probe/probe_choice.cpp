#include "widgets/probe/probe_choice.h"

#include <algorithm>
#include <set>

#include "widgets/common/run_list_model.h"
#include "widgets/probe/classifiers.h"

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

// The parameters of the kind, without what differs from run to run by itself: which weights are compared.
Json parametersOf(const MeasurementKind& kind, const MeasurementRecord& record) {
    Json all = Json::object();
    for (const ParameterDescription& parameter : kind.parameters) {
        const auto value = record.settings.find(parameter.key);
        if (value == record.settings.end()) continue;
        if (!value->is_object())
            all[parameter.key] = *value;
        else if (value->contains("step"))
            all[parameter.key] = value->at("step");
    }
    return all;
}

QString plain(const Json& value) {
    return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

std::vector<const MeasurementKind*> probeKinds() {
    std::vector<const MeasurementKind*> kinds;
    for (const MeasurementKind* kind : measurements())
        if (kind->figure != "attention_map") kinds.push_back(kind);
    return kinds;
}

QStringList ProbeChoice::classifiers() const {
    QStringList titles;
    for (const RunPointer& run : chosen_)
        if (const MeasurementRecord* found = record(run, "probe"))
            for (const QString& title : classifiersOf(*found))
                if (!titles.contains(title)) titles << title;
    return titles;
}

void ProbeChoice::setClassifier(const QString& title) {
    if (title == classifier_) return;
    classifier_ = title;
    classified_.clear();
    Q_EMIT changed();
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
    const std::vector<std::int64_t> known = steps();
    if (step_ && std::find(known.begin(), known.end(), *step_) == known.end()) step_.reset();
    findSettings();
    classified_.clear();
    if (!classifier_.isEmpty() && !classifiers().contains(classifier_)) classifier_.clear();
    Q_EMIT changed();
}

std::vector<std::int64_t> ProbeChoice::steps() const {
    std::set<std::int64_t> steps;
    for (const RunPointer& run : chosen_)
        if (run->measurements)
            for (const MeasurementRecord& record : run->measurements->records)
                steps.insert(record.checkpoint.step.value);
    return {steps.begin(), steps.end()};
}

void ProbeChoice::setStep(std::optional<std::int64_t> step) {
    if (step == step_) return;
    step_ = step;
    findSettings();
    Q_EMIT changed();
}

void ProbeChoice::setSettings(const std::string& key) {
    if (key == settingsKey()) return;
    wanted_settings_[kind_] = key;
    Q_EMIT changed();
}

std::string ProbeChoice::settingsKey() const {
    const auto wanted = wanted_settings_.find(kind_);
    return wanted == wanted_settings_.end() ? std::string() : wanted->second;
}

void ProbeChoice::findSettings() {
    settings_.clear();
    const MeasurementKind* kind = find_measurement(kind_);
    std::map<std::string, Json> found;
    for (const RunPointer& run : chosen_)
        if (run->measurements)
            for (const MeasurementRecord& record : run->measurements->records)
                if (record.kind == kind_ && (!step_ || record.checkpoint.step.value == *step_)) {
                    Json parameters = parametersOf(*kind, record);
                    std::string key = parameters.dump();
                    found.emplace(std::move(key), std::move(parameters));
                }
    for (const auto& [key, parameters] : found) {
        QStringList words;
        for (const auto& [name, value] : parameters.items()) {
            const bool same = std::all_of(found.begin(), found.end(), [&](const auto& other) {
                const auto at = other.second.find(name);
                return at != other.second.end() && *at == value;
            });
            const ParameterDescription* parameter = find_parameter(kind->parameters, name);
            if (!same && parameter)
                words << QStringLiteral("%1 %2").arg(QString::fromStdString(parameter->label).toLower(),
                                                     plain(value));
        }
        settings_.push_back({key, words.join(QStringLiteral(", "))});
    }
    const std::string wanted = settingsKey();
    if (!wanted.empty() && !found.contains(wanted)) wanted_settings_.erase(kind_);
}

std::string ProbeChoice::pinnedSettings(const std::string& kind) const {
    const auto wanted = wanted_settings_.find(kind);
    std::set<std::string> hashes;
    if (wanted != wanted_settings_.end() && !wanted->second.empty())
        for (const RunPointer& run : chosen_)
            if (const MeasurementRecord* found = record(run, kind))
                hashes.insert(measurementSettings(*found));
    std::string all;
    for (const std::string& hash : hashes) all.append(all.empty() ? "" : ",").append(hash);
    return all;
}

const MeasurementRecord* ProbeChoice::record(const RunPointer& run, const std::string& kind) const {
    if (!run->measurements) return nullptr;
    const auto wanted = wanted_settings_.find(kind);
    std::string hashes;
    if (wanted != wanted_settings_.end() && !wanted->second.empty()) {
        for (const MeasurementRecord& record : run->measurements->records)
            if (record.kind == kind && parametersOf(*find_measurement(kind), record).dump() == wanted->second)
                hashes.append(hashes.empty() ? "" : ",").append(measurementSettings(record));
        if (hashes.empty()) return nullptr;
    }
    return run->measurements->latest(kind, step_, hashes);
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
    findSettings();
    Q_EMIT changed();
}

std::vector<MeasuredRun> ProbeChoice::measured(const std::string& kind) const {
    std::vector<MeasuredRun> runs;
    for (const RunPointer& run : chosen_)
        if (const MeasurementRecord* found = record(run, kind)) {
            if (kind == "probe" && !classifier_.isEmpty()) {
                std::shared_ptr<const MeasurementRecord>& made = classified_[found];
                if (!made) made = withClassifier(*found, classifier_);
                if (!made) continue;  // it was not compared there
                found = made.get();
            }
            runs.push_back(measuredRun(*run, *found));
        }
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
