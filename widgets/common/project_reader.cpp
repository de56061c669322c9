#include "widgets/common/project_reader.h"

#include <unistd.h>

#include <QTimer>
#include <algorithm>
#include <chrono>

#include "core/base/log.h"
#include "core/spec/study.h"
#include "widgets/common/autosave.h"
#include "widgets/common/run_measurements.h"

namespace braid::ui {

namespace {

QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

QString messageOf(const Error& error) { return text(describe(error)); }

QString messageOf(const Diagnostics& diagnostics) {
    QStringList lines;
    for (const Diagnostic& diagnostic : diagnostics) lines << text(diagnostic.message());
    return lines.join(QLatin1Char('\n'));
}

ArchitectureEntry readArchitecture(const ProjectDocument& document) {
    ArchitectureEntry entry{
        .name = text(document.name), .file = text(document.file), .spec = {}, .autosave = {}, .problem = {}};
    const Result<Json> json = read_json(document.file);
    if (!json) {
        entry.problem = messageOf(json.error());
        return entry;
    }
    Checked<ArchitectureSpec> spec = architecture_from_json(*json);
    if (spec) {
        entry.spec = std::make_shared<const ArchitectureSpec>(std::move(*spec));
    } else {
        entry.problem = messageOf(spec.error());
    }
    return entry;
}

StudyEntry readStudy(const ProjectDocument& document) {
    StudyEntry entry;
    entry.name = entry.title = text(document.name);
    entry.file = text(document.file);
    const Result<Json> json = read_json(document.file);
    if (!json) {
        entry.problem = messageOf(json.error());
        return entry;
    }
    Checked<StudySpec> spec = study_from_json(*json);
    if (!spec) {
        entry.problem = messageOf(spec.error());
        return entry;
    }
    if (!spec->title.empty()) entry.title = text(spec->title);
    entry.spec = std::make_shared<const StudySpec>(std::move(*spec));
    return entry;
}

FigureEntry readFigure(const ProjectDocument& document) {
    FigureEntry entry;
    entry.name = entry.title = text(document.name);
    entry.file = text(document.file);
    const Result<Json> json = read_json(document.file);
    if (!json) {
        entry.problem = messageOf(json.error());
    } else if (json->is_object() && json->contains("title") && json->at("title").is_string()) {
        const QString title = text(json->at("title").get<std::string>());
        if (!title.isEmpty()) entry.title = title;
    }
    return entry;
}

}  // namespace

ProjectReader::~ProjectReader() = default;

void ProjectReader::open(const QString& folder) {
    Result<Project> project = Project::open(folder.toStdString());
    if (!project) {
        Q_EMIT openFailed(folder, project.error());
        return;
    }
    close();
    project_ = std::move(*project);
    readOnly_ = ::access(project_->folder().c_str(), W_OK) != 0;
    palette_.load(project_->folder() + "/ui.json");
    for (auto& [name, spec] : leftAutosaves(project_->folder())) autosaves_[text(name)] = spec;
    readDocuments(false);
    auto content = std::make_shared<ProjectContent>();
    content->folder = text(project_->folder());
    content->title = text(project_->title());
    content->readOnly = readOnly_;
    content->documents = documents_;
    content->runs = readRuns(nullptr);
    Q_EMIT opened(content);
    if (!timer_) {
        timer_ = new QTimer(this);
        connect(timer_, &QTimer::timeout, this, &ProjectReader::poll);
    }
    timer_->start(poll_ms);
}

void ProjectReader::close() {
    if (timer_) timer_->stop();
    project_.reset();
    runs_.clear();
    wishes_.clear();
    autosaves_.clear();
    documents_ = {};
    for (auto& list : listed_) list.clear();
}

void ProjectReader::setWishes(const RunWishes& wishes) {
    wishes_ = wishes;
    if (project_) poll();
}

void ProjectReader::setPaletteIndex(const RunId& id, int index) {
    const auto found = runs_.find(id);
    if (found == runs_.end() || !found->second.plan) return;
    const std::string key = RunPalette::keyOf(*found->second.plan);
    palette_.set(key, index);
    std::vector<RunPointer> changed;
    for (auto& [other, known] : runs_) {
        if (!known.plan || RunPalette::keyOf(*known.plan) != key) continue;
        known.paletteIndex = index;
        known.shown = makeView(other, known, known.shown->record);
        changed.push_back(known.shown);
    }
    if (!readOnly_) {
        if (Result<void> saved = palette_.save(); !saved) log_warning(describe(saved.error()));
    }
    Q_EMIT runsRead(changed);
}

void ProjectReader::forgetAutosave(const QString& name) {
    if (autosaves_.erase(name) == 0) return;
    for (ArchitectureEntry& entry : documents_.architectures) {
        if (entry.name == name) entry.autosave = nullptr;
    }
    std::erase_if(documents_.architectures,
                  [&](const ArchitectureEntry& entry) { return entry.name == name && entry.file.isEmpty(); });
    Q_EMIT architecturesRead(documents_.architectures);
}

void ProjectReader::scan() {
    if (!project_) return;
    readDocuments(true);
    std::vector<RunId> gone;
    const std::vector<RunPointer> runs = readRuns(&gone);
    if (!gone.empty()) Q_EMIT runsGone(gone);
    if (!runs.empty()) Q_EMIT runsRead(runs);
    polls_ = 0;
}

void ProjectReader::poll() {
    if (!project_) return;
    if (++polls_ >= scan_every) {
        scan();
        return;
    }
    std::vector<RunPointer> changed;
    for (auto& [id, known] : runs_) {
        if (RunPointer view = look(id, known)) changed.push_back(std::move(view));
    }
    if (!changed.empty()) Q_EMIT runsRead(changed);
}

// Rereads what is new by its time of change. True when anything was.
bool ProjectReader::readDocuments(bool report) {
    const auto refresh = [this, report](DocumentKind kind, auto& entries, auto read) {
        std::vector<ProjectDocument>& before = listed_[int(kind)];
        std::vector<ProjectDocument> now = project_->documents(kind);
        if (now == before && report) return false;
        std::remove_reference_t<decltype(entries)> fresh;
        for (const ProjectDocument& document : now) {
            const auto same = std::find(before.begin(), before.end(), document);
            const auto old = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) {
                return entry.name == text(document.name);
            });
            const bool keep = same != before.end() && old != entries.end() && !old->file.isEmpty();
            fresh.push_back(keep ? *old : read(document));
        }
        before = std::move(now);
        entries = std::move(fresh);
        return true;
    };
    bool any = false;
    if (refresh(DocumentKind::architecture, documents_.architectures, readArchitecture)) {
        any = true;
        std::map<QString, std::shared_ptr<const ArchitectureSpec>> unnamed = autosaves_;
        for (ArchitectureEntry& entry : documents_.architectures) {
            const auto found = unnamed.find(entry.name);
            entry.autosave = found == unnamed.end() ? nullptr : found->second;
            if (found != unnamed.end()) unnamed.erase(found);
        }
        // Work that was never saved under its name.
        for (auto& [name, spec] : unnamed) {
            documents_.architectures.push_back(
                {.name = name, .file = {}, .spec = nullptr, .autosave = spec, .problem = {}});
        }
        std::sort(documents_.architectures.begin(), documents_.architectures.end(),
                  [](const auto& a, const auto& b) { return a.name < b.name; });
        if (report) Q_EMIT architecturesRead(documents_.architectures);
    }
    if (refresh(DocumentKind::study, documents_.studies, readStudy)) {
        any = true;
        if (report) Q_EMIT studiesRead(documents_.studies);
    }
    if (refresh(DocumentKind::figure, documents_.figures, readFigure)) {
        any = true;
        if (report) Q_EMIT figuresRead(documents_.figures);
    }
    return any;
}

std::vector<RunPointer> ProjectReader::readRuns(std::vector<RunId>* gone) {
    std::vector<RunPointer> changed;
    std::set<RunId> present;
    bool fresh = false;
    for (RunEntry& entry : project_->runs()) {
        present.insert(entry.id);
        Known& known = runs_[entry.id];
        if (!known.shown) {
            known.folder = entry.folder;
            readPlan(known);
            fresh = true;
        }
        known.entry = std::move(entry);
        readAnswers(known);
        if (RunPointer view = look(known.entry.id, known)) changed.push_back(std::move(view));
    }
    if (gone) {
        for (const auto& [id, known] : runs_) {
            if (!present.contains(id)) gone->push_back(id);
        }
    }
    const std::size_t before = runs_.size();
    std::erase_if(runs_, [&present](const auto& item) { return !present.contains(item.first); });
    if (runs_.size() != before) {
        std::vector<std::string> keys;
        for (const auto& [id, known] : runs_)
            keys.push_back(known.plan ? RunPalette::keyOf(*known.plan) : id.str());
        palette_.keepOnly(keys);
        fresh = true;
    }
    if (fresh && !readOnly_) {
        if (Result<void> saved = palette_.save(); !saved) log_warning(describe(saved.error()));
    }
    return changed;
}

void ProjectReader::readPlan(Known& known) {
    Result<RunPlan> plan = known.folder.plan();
    if (!plan) {
        known.planProblem = messageOf(plan.error());
        known.paletteIndex = palette_.indexOf(known.folder.name());
        return;
    }
    known.plan = std::make_shared<const RunPlan>(std::move(*plan));
    known.paletteIndex = palette_.indexOf(RunPalette::keyOf(*known.plan));
    known.trainingFlopsPerToken = training_flops_per_token(*known.plan);
}

void ProjectReader::readAnswers(Known& known) {
    // A folder that has just changed may change again within one tick of its clock: it is read once more.
    constexpr std::int64_t settled = 1'000'000'000;
    const std::int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::system_clock::now().time_since_epoch())
                                 .count();
    const auto changed = [now](std::int64_t stamp, std::int64_t& before) {
        if (stamp == before) return false;
        before = stamp == 0 || now - stamp > settled ? stamp : -stamp;
        return true;
    };
    if (const std::int64_t stamp = scoresStamp(known.folder); changed(stamp, known.scoresStamp))
        known.scores = stamp == 0 ? nullptr : readRunScores(known.folder);
    if (const std::int64_t stamp = measurementsStamp(known.folder); changed(stamp, known.measurementsStamp))
        known.measurements = stamp == 0 ? nullptr : readRunMeasurements(known.folder);
}

bool ProjectReader::isHot(const RunId& id, const Known& known) const {
    const RunState state = known.reader ? known.reader->latest()->status.state : known.entry.status.state;
    return wishes_.contains(id) || state == RunState::running || state == RunState::paused;
}

// Active runs and those on screen have a reader of their own; the others are known from the list.
RunPointer ProjectReader::look(const RunId& id, Known& known) {
    if (!isHot(id, known)) {
        if (known.reader) {
            // What it last said is newer than the list.
            known.entry.status = known.reader->latest()->status;
            known.reader.reset();
            known.curves = {};
        }
        const bool same = known.shown && known.shown->record->status == known.entry.status &&
                          known.shown->scores == known.scores &&
                          known.shown->measurements == known.measurements &&
                          known.shown->record->problem.has_value() == known.entry.problem.has_value() &&
                          known.shown->curves.empty();
        if (same) return nullptr;
        auto record = std::make_shared<RunSnapshot>();
        record->status = known.entry.status;
        record->problem = known.entry.problem;
        known.shown = makeView(id, known, std::move(record));
        return known.shown;
    }
    if (!known.reader) known.reader = std::make_unique<RunReader>(known.folder);
    std::shared_ptr<const RunSnapshot> record = known.reader->poll();
    const auto wish = wishes_.find(id);
    std::set<XAxis> shownAxes;
    if (known.shown) {
        for (const auto& [key, curve] : known.shown->curves) shownAxes.insert(key.first);
    }
    const bool axesServed = wish == wishes_.end() || record->series.empty() || wish->second == shownAxes;
    if (known.shown && known.shown->record == record && known.shown->scores == known.scores &&
        known.shown->measurements == known.measurements && axesServed)
        return nullptr;
    known.shown = makeView(id, known, std::move(record));
    return known.shown;
}

RunPointer ProjectReader::makeView(const RunId& id, Known& known, std::shared_ptr<const RunSnapshot> record) {
    auto view = std::make_shared<RunView>();
    view->id = id;
    view->name = known.plan && !known.plan->name.empty() ? text(known.plan->name) : text(id.str());
    view->paletteIndex = known.paletteIndex;
    view->folder = known.folder;
    view->plan = known.plan;
    view->record = std::move(record);
    view->trainingFlopsPerToken = known.trainingFlopsPerToken;
    view->scores = known.scores;
    view->measurements = known.measurements;
    if (!known.planProblem.isEmpty()) {
        view->problem = known.planProblem;
    } else if (view->record->problem) {
        view->problem = messageOf(*view->record->problem);
    } else {
        view->problem = text(view->record->status.message);
    }
    if (known.reader) {
        if (const auto wish = wishes_.find(id); wish != wishes_.end())
            known.curves.update(*view, wish->second);
        if (view->state() == RunState::running) {
            if (const CurvePtr progress = known.curves.stepOverTime(*view)) {
                view->eta = estimate_eta(*progress, double(view->steps()));
            }
        }
    }
    return view;
}

}  // namespace braid::ui
