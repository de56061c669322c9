#include "widgets/common/project_session.h"

#include <QMetaObject>
#include <QThread>
#include <QThreadPool>
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/record/project.h"
#include "core/spec/study_points.h"
#include "widgets/common/autosave.h"
#include "widgets/common/project_reader.h"
#include "widgets/common/run_list_model.h"

namespace braid::ui {

namespace {

namespace fs = std::filesystem;

std::string trashedArchitecture(const std::string& project, const std::string& name) {
    return project + "/.trash/architectures/" + name + ".json";
}

Result<void> move(const std::string& from, const std::string& to) {
    std::error_code error;
    fs::create_directories(fs::path(to).parent_path(), error);
    if (!error) fs::rename(from, to, error);
    if (error) return fail(error_from_errno(error.value(), "cannot move it", from));
    return {};
}

template <class Entry>
const Entry* byName(const std::vector<Entry>& entries, const QString& name) {
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&name](const Entry& entry) { return entry.name == name; });
    return found == entries.end() ? nullptr : &*found;
}

}  // namespace

class ProjectSession::Private {
public:
    explicit Private(ProjectSession* session) : q(session), model(new RunListModel(session)) {
        writers.setMaxThreadCount(1);  // one after the other, in the order asked for
        writers.setExpiryTimeout(-1);
        reader->moveToThread(&thread);
        QObject::connect(&thread, &QThread::finished, reader, &QObject::deleteLater);
        QObject::connect(reader, &ProjectReader::opened, q, [this](const auto& content) { show(*content); });
        QObject::connect(reader, &ProjectReader::openFailed, q, &ProjectSession::openFailed);
        QObject::connect(reader, &ProjectReader::architecturesRead, q, [this](const auto& entries) {
            documents.architectures = entries;
            Q_EMIT q->architecturesChanged();
        });
        QObject::connect(reader, &ProjectReader::studiesRead, q, [this](const auto& entries) {
            documents.studies = entries;
            countStudies();
            Q_EMIT q->studiesChanged();
        });
        QObject::connect(reader, &ProjectReader::figuresRead, q, [this](const auto& entries) {
            documents.figures = entries;
            Q_EMIT q->figuresChanged();
        });
        QObject::connect(reader, &ProjectReader::runsRead, q, [this](const auto& runs) { take(runs); });
        QObject::connect(reader, &ProjectReader::runsGone, q, [this](const auto& ids) { drop(ids); });
        thread.setObjectName(QStringLiteral("project reader"));
        thread.start();
    }

    ~Private() {
        thread.quit();
        writers.waitForDone();  // what was saved is saved
        thread.wait();
    }

    template <class Call>
    void onReader(Call call) {
        QMetaObject::invokeMethod(reader, std::move(call), Qt::QueuedConnection);
    }

    // Work on files; `done` gets its result in the GUI thread, if the session still lives.
    template <class Work>
    void onWriter(Work work, std::function<void(const Result<void>&)> done) {
        writers.start([owner = q, work = std::move(work), done = std::move(done)] {
            const Result<void> result = work();
            QMetaObject::invokeMethod(
                owner, [done, result] { done(result); }, Qt::QueuedConnection);
        });
    }

    // The usual end of writing a document.
    void write(const QString& file, std::function<Result<void>()> work, std::function<void()> then = {}) {
        onWriter(std::move(work), [this, file, then = std::move(then)](const Result<void>& result) {
            if (!result) {
                Q_EMIT q->saveFailed(file, result.error());
                return;
            }
            if (then) then();
            onReader([r = reader] { r->scan(); });
            Q_EMIT q->saved(file);
        });
    }

    void show(const ProjectContent& content) {
        const bool before = open;
        open = true;
        folder = content.folder;
        title = content.title;
        readOnly = content.readOnly;
        documents = content.documents;
        wishes.clear();
        selectedRuns.clear();
        selectedLayers.clear();
        chosenHead.reset();
        currentArchitecture.clear();
        currentStudy.clear();
        model->reset(content.runs);
        countStudies();
        if (!documents.architectures.empty()) currentArchitecture = documents.architectures.front().name;
        if (!documents.studies.empty()) currentStudy = documents.studies.front().name;
        if (before) Q_EMIT q->closed();
        Q_EMIT q->opened();
    }

    void take(const std::vector<RunPointer>& runs) {
        if (!open) return;
        bool counts = false;
        for (const RunPointer& run : runs) {
            const int row = model->rowOf(run->id);
            const std::optional<RunState> before =
                row < 0 ? std::nullopt : std::optional(model->at(row)->state());
            model->put(run);
            if (before != run->state()) counts = true;
            Q_EMIT q->runChanged(run);
            if (before && *before != run->state()) Q_EMIT q->runStateChanged(run, *before);
        }
        if (counts) {
            countStudies();
            Q_EMIT q->studiesChanged();
        }
    }

    void drop(const std::vector<RunId>& ids) {
        for (const RunId& id : ids) {
            model->remove(id);
            Q_EMIT q->runRemoved(id);
        }
        const auto gone = [&ids](const RunId& id) {
            return std::find(ids.begin(), ids.end(), id) != ids.end();
        };
        if (std::erase_if(selectedRuns, gone) > 0) Q_EMIT q->selectedRunsChanged();
        countStudies();
        Q_EMIT q->studiesChanged();
    }

    // A point that was run twice counts once, as its newest run stands.
    void countStudies() {
        for (StudyEntry& study : documents.studies) {
            study.finished = study.active = study.failed = study.planned = 0;
            study.runs = study.spec ? int(study_points(*study.spec).size()) : 0;
            std::set<std::string> seen;
            for (const RunPointer& run : model->runs()) {
                if (run->study() != study.name || !seen.insert(run->plan->point).second) continue;
                study.runs = std::max(study.runs, int(seen.size()));  // seeds beyond those of the file
                switch (run->state()) {
                    case RunState::planned:
                        ++study.planned;
                        break;
                    case RunState::running:
                    case RunState::paused:
                        ++study.active;
                        break;
                    case RunState::finished:
                        ++study.finished;
                        break;
                    default:
                        ++study.failed;
                        break;
                }
            }
        }
    }

    void sendWishes() {
        RunWishes all;
        for (const auto& [view, wish] : wishes) {
            for (const RunId& id : wish.first) all[id].insert(wish.second.begin(), wish.second.end());
        }
        onReader([r = reader, all] { r->setWishes(all); });
    }

    std::string path() const { return folder.toStdString(); }
    QString architectureFile(const QString& name) const {
        return folder + QStringLiteral("/architectures/") + name + QStringLiteral(".json");
    }

    ProjectSession* q;
    RunListModel* model;
    QThread thread;
    ProjectReader* reader = new ProjectReader;
    QThreadPool writers;

    bool open = false, readOnly = false;
    QString folder, title;
    ProjectDocuments documents;
    std::map<const QObject*, std::pair<std::vector<RunId>, std::vector<XAxis>>> wishes;
    std::vector<RunId> selectedRuns;
    std::vector<LayerId> selectedLayers;
    std::optional<HeadChoice> chosenHead;
    QString currentArchitecture, currentStudy;
    std::map<RunId, std::string> trashedRuns;
};

ProjectSession::ProjectSession(QObject* parent) : QObject(parent), d_(std::make_unique<Private>(this)) {}
ProjectSession::~ProjectSession() = default;

void ProjectSession::open(const QString& folder) {
    d_->onReader([r = d_->reader, folder] { r->open(folder); });
}

void ProjectSession::close() {
    if (!d_->open) return;
    d_->onReader([r = d_->reader] { r->close(); });
    d_->open = false;
    d_->documents = {};
    d_->wishes.clear();
    d_->selectedRuns.clear();
    d_->selectedLayers.clear();
    d_->chosenHead.reset();
    d_->currentArchitecture.clear();
    d_->currentStudy.clear();
    d_->model->reset({});
    Q_EMIT closed();
}

bool ProjectSession::isOpen() const { return d_->open; }
QString ProjectSession::folder() const { return d_->folder; }
QString ProjectSession::name() const { return d_->title; }
bool ProjectSession::isReadOnly() const { return d_->readOnly; }

const std::vector<ArchitectureEntry>& ProjectSession::architectures() const {
    return d_->documents.architectures;
}
const std::vector<StudyEntry>& ProjectSession::studies() const { return d_->documents.studies; }
const std::vector<FigureEntry>& ProjectSession::figures() const { return d_->documents.figures; }

const ArchitectureEntry* ProjectSession::architecture(const QString& name) const {
    return byName(d_->documents.architectures, name);
}
const StudyEntry* ProjectSession::study(const QString& name) const {
    return byName(d_->documents.studies, name);
}

RunListModel* ProjectSession::runs() const { return d_->model; }

RunPointer ProjectSession::run(const RunId& id) const {
    const int row = d_->model->rowOf(id);
    return row < 0 ? nullptr : d_->model->at(row);
}

std::vector<RunPointer> ProjectSession::runsOfStudy(const QString& study) const {
    std::vector<RunPointer> result;
    for (const RunPointer& run : d_->model->runs()) {
        if (run->study() == study) result.push_back(run);
    }
    return result;
}

void ProjectSession::wantCurves(const QObject* view, const std::vector<RunId>& runs,
                                const std::vector<XAxis>& axes) {
    const bool known = d_->wishes.contains(view);
    if (!known) {
        connect(view, &QObject::destroyed, this, [this, view] {
            if (d_->wishes.erase(view) > 0) d_->sendWishes();
        });
    }
    std::pair wish{runs, axes};
    if (known && d_->wishes[view] == wish) return;
    d_->wishes[view] = std::move(wish);
    d_->sendWishes();
}

const std::vector<RunId>& ProjectSession::selectedRuns() const { return d_->selectedRuns; }

void ProjectSession::setSelectedRuns(const std::vector<RunId>& runs) {
    if (runs == d_->selectedRuns) return;
    d_->selectedRuns = runs;
    Q_EMIT selectedRunsChanged();
}

RunPointer ProjectSession::currentRun() const {
    return d_->selectedRuns.empty() ? nullptr : run(d_->selectedRuns.front());
}

QString ProjectSession::currentArchitecture() const { return d_->currentArchitecture; }

void ProjectSession::setCurrentArchitecture(const QString& name) {
    if (name == d_->currentArchitecture) return;
    d_->currentArchitecture = name;
    d_->selectedLayers.clear();
    Q_EMIT currentArchitectureChanged(name);
    Q_EMIT selectedLayersChanged();
}

QString ProjectSession::currentStudy() const { return d_->currentStudy; }

void ProjectSession::setCurrentStudy(const QString& name) {
    if (name == d_->currentStudy) return;
    d_->currentStudy = name;
    Q_EMIT currentStudyChanged(name);
}

const std::vector<LayerId>& ProjectSession::selectedLayers() const { return d_->selectedLayers; }

void ProjectSession::setSelectedLayers(const std::vector<LayerId>& layers) {
    if (layers == d_->selectedLayers) return;
    d_->selectedLayers = layers;
    Q_EMIT selectedLayersChanged();
}

const std::optional<HeadChoice>& ProjectSession::chosenHead() const { return d_->chosenHead; }

void ProjectSession::selectHead(const RunId& run, Step step, std::size_t layer, std::size_t head) {
    d_->chosenHead = HeadChoice{run, step, layer, head};
    Q_EMIT headChosen(*d_->chosenHead);
}

void ProjectSession::saveArchitecture(const QString& name, const ArchitectureSpec& spec) {
    const QString file = d_->architectureFile(name);
    d_->write(
        file,
        [file = file.toStdString(), project = d_->path(), name = name.toStdString(), spec]() -> Result<void> {
            Result<void> written = write_json_atomically(file, to_json(spec));
            if (written) removeAutosave(project, name);
            return written;
        },
        [this, name] { d_->onReader([r = d_->reader, name] { r->forgetAutosave(name); }); });
}

void ProjectSession::renameArchitecture(const QString& from, const QString& to) {
    const QString file = d_->architectureFile(to);
    d_->write(
        file,
        [old = d_->architectureFile(from).toStdString(), file = file.toStdString()]() -> Result<void> {
            std::error_code error;
            if (fs::exists(file, error)) {
                return fail(ErrorKind::already_exists, "there is an architecture of this name", file);
            }
            return move(old, file);
        },
        [this, from, to] {
            if (d_->currentArchitecture != from) return;
            d_->currentArchitecture = to;
            Q_EMIT currentArchitectureChanged(to);
        });
}

void ProjectSession::removeArchitecture(const QString& name) {
    const QString file = d_->architectureFile(name);
    d_->write(file, [file = file.toStdString(), project = d_->path(), name = name.toStdString()] {
        return move(file, trashedArchitecture(project, name));
    });
}

void ProjectSession::restoreArchitecture(const QString& name) {
    const QString file = d_->architectureFile(name);
    d_->write(
        file, [file = file.toStdString(), project = d_->path(), name = name.toStdString()]() -> Result<void> {
            std::error_code error;
            if (fs::exists(file, error)) {
                return fail(ErrorKind::already_exists, "there is a new architecture of this name", file);
            }
            return move(trashedArchitecture(project, name), file);
        });
}

void ProjectSession::autosaveArchitecture(const QString& name, const ArchitectureSpec& spec) {
    if (!d_->open || d_->readOnly) return;
    const QString file = QString::fromStdString(autosaveFile(d_->path(), name.toStdString()));
    d_->onWriter([project = d_->path(), name = name.toStdString(),
                  spec] { return writeAutosave(project, name, spec); },
                 [this, file](const Result<void>& result) {
                     if (!result) Q_EMIT saveFailed(file, result.error());
                 });
}

void ProjectSession::discardAutosave(const QString& name) {
    d_->onWriter(
        [project = d_->path(), name = name.toStdString()]() -> Result<void> {
            removeAutosave(project, name);
            return {};
        },
        [](const Result<void>&) {});
    d_->onReader([r = d_->reader, name] { r->forgetAutosave(name); });
}

QString ProjectSession::freeArchitectureName(const QString& wish) const {
    const QString base = wish.isEmpty() ? QStringLiteral("architecture") : wish;
    if (!architecture(base)) return base;
    for (int i = 2;; ++i) {
        const QString name = QStringLiteral("%1-%2").arg(base).arg(i);
        if (!architecture(name)) return name;
    }
}

void ProjectSession::saveStudy(const StudySpec& spec) {
    const QString file = d_->folder + QStringLiteral("/studies/") + QString::fromStdString(spec.name) +
                         QStringLiteral(".json");
    d_->write(file, [file = file.toStdString(), json = to_json(spec)] {
        return write_json_atomically(file, json);
    });
}

void ProjectSession::saveFigure(const QString& name, const Json& description) {
    const QString file = d_->folder + QStringLiteral("/figures/") + name + QStringLiteral(".json");
    d_->write(file,
              [file = file.toStdString(), description] { return write_json_atomically(file, description); });
}

void ProjectSession::removeRun(const RunId& id) {
    const RunPointer target = run(id);
    if (!target) return;
    const auto trashed = std::make_shared<std::string>();
    d_->write(
        QString::fromStdString(target->folder.path()),
        [project = d_->path(), folder = target->folder, trashed]() -> Result<void> {
            return Project::open(project)
                .and_then([&](const Project& p) { return p.remove_run(folder, Project::Removal::to_trash); })
                .map([&](const std::string& place) { *trashed = place; });
        },
        [this, id, trashed] { d_->trashedRuns[id] = *trashed; });
}

void ProjectSession::restoreRun(const RunId& id) {
    const auto found = d_->trashedRuns.find(id);
    if (found == d_->trashedRuns.end()) return;
    d_->write(QString::fromStdString(found->second),
              [project = d_->path(), place = found->second]() -> Result<void> {
                  return Project::open(project)
                      .and_then([&](const Project& p) { return p.restore_run(place); })
                      .map([](const RunFolder&) {});
              });
    d_->trashedRuns.erase(found);
}

void ProjectSession::setRunPaletteIndex(const RunId& id, int index) {
    d_->onReader([r = d_->reader, id, index] { r->setPaletteIndex(id, index); });
}

void ProjectSession::refresh() {
    d_->onReader([r = d_->reader] { r->scan(); });
}

}  // namespace braid::ui
