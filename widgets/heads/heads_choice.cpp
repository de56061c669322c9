#include "widgets/heads/heads_choice.h"

#include <QApplication>
#include <QFileInfo>
#include <QMetaObject>
#include <QPointer>
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/record/checkpoint_list.h"
#include "widgets/common/run_list_model.h"
#include "widgets/common/run_measurements.h"

namespace braid::ui {

namespace {

constexpr std::int64_t all_heads_tokens = 4'096;  // as the engine has it

}  // namespace

bool isDetailed(const CaptureHead& head, std::int64_t tokens) {
    return head.factors || head.finest == 0 || head.finest < coarsest_attention_level(tokens);
}

std::optional<HeadPlaceOf> strongestHead(const Capture& capture) {
    if (capture.heads.empty()) return {};
    const auto score = [](const CaptureHead& head) {
        // Needle masses before distances; a head without either last. Rows that a recurrence implies are no
        // attention: their magnitudes are not to be compared with it.
        return std::tuple(!head.implied, head.scores.needle.value_or(-1), head.scores.far.value_or(-1));
    };
    const auto best =
        std::max_element(capture.heads.begin(), capture.heads.end(),
                         [&](const CaptureHead& a, const CaptureHead& b) { return score(a) < score(b); });
    return HeadPlaceOf{best->layer, best->head};
}

HeadsChoice::HeadsChoice(ProjectSession& session, CaptureCommands& commands, HeadsState& state,
                         QObject* parent)
    : QObject(parent), session_(session), commands_(commands), state_(state) {
    pool_.setMaxThreadCount(1);
    wished_ = session_.chosenHead();
    connect(&session_, &ProjectSession::opened, this, [this] {
        forget();
        refresh();
    });
    connect(&session_, &ProjectSession::closed, this, &HeadsChoice::forget);
    connect(&session_, &ProjectSession::headChosen, this, &HeadsChoice::chosenElsewhere);
    connect(&session_, &ProjectSession::runChanged, this, [this](const RunPointer& changed) {
        if (changed->id == run_) listCheckpoints();
    });
    connect(&commands_, &CaptureCommands::jobChanged, this, &HeadsChoice::jobArrived);
}

HeadsChoice::~HeadsChoice() { pool_.waitForDone(); }

// Of another project nothing stays, nor does what was on its way from there.
void HeadsChoice::forget() {
    ++searches_;
    ++projects_;
    if (job_ && job_->active()) commands_.cancel(job_->id);
    job_.reset();
    jobHead_.reset();
    made_.clear();
    damaged_.clear();
    captures_.clear();
    folders_.clear();
    checkpoints_.clear();
    problem_.clear();
    wished_.reset();
    run_ = {};
    searched_ = false;
    for (const HeadSide which : {HeadSide::a, HeadSide::b}) show(which, nullptr, {});
    Q_EMIT openedChanged();
    Q_EMIT capturesChanged();
    Q_EMIT jobChanged();
}

void HeadsChoice::refresh() {
    if (!session_.isOpen()) return;
    const int search = ++searches_;
    struct Place {
        RunId run;
        QString name;
        RunFolder folder;
    };
    std::vector<Place> places;
    for (const RunPointer& run : session_.runs()->runs()) places.push_back({run->id, run->name, run->folder});
    QPointer<HeadsChoice> self(this);
    pool_.start([self, places, folders = folders_, search] {
        std::vector<CaptureEntry> found;
        QString problem;
        for (const Place& place : places) {
            CaptureList list = list_captures(place.folder.captures_folder());
            for (Capture& capture : list.captures) {
                capture.checkpoint.run = place.run.str();  // where it lies: runs can be copied
                found.push_back({place.run, place.name, std::make_shared<const Capture>(std::move(capture))});
            }
            if (!list.problems.empty() && problem.isEmpty())
                problem = QString::fromStdString(describe(list.problems.front()));
        }
        for (const QString& folder : folders) {
            CaptureList list = list_captures(folder.toStdString() + "/captures");
            for (Capture& capture : list.captures) {
                capture.checkpoint.run.clear();
                capture.checkpoint.folder = folder.toStdString();
                found.push_back({RunId(), QFileInfo(folder).fileName(),
                                 std::make_shared<const Capture>(std::move(capture))});
            }
        }
        std::stable_sort(found.begin(), found.end(), [](const CaptureEntry& a, const CaptureEntry& b) {
            // A second apart at most: the later checkpoint first.
            return std::pair(a.capture->created, a.capture->checkpoint.step) >
                   std::pair(b.capture->created, b.capture->checkpoint.step);
        });
        QMetaObject::invokeMethod(qApp, [self, found = std::move(found), problem, search] {
            if (!self || self->searches_ != search) return;
            self->captures_ = found;
            self->problem_ = problem;
            self->searched_ = true;
            self->markCaptured();
            if (const auto wish = std::exchange(self->wished_, std::nullopt))
                self->chosenElsewhere(*wish);
            else if (self->state_.isEmpty() && !self->leading() && !found.empty())
                self->open(found.front().capture);
            Q_EMIT self->capturesChanged();
        });
    });
}

const CapturePointer& HeadsChoice::leading() const {
    return sides_[1].capture ? sides_[1].capture : sides_[0].capture;
}

void HeadsChoice::addFolder(const QString& checkpoint) {
    if (folders_.contains(checkpoint)) return;
    folders_ << checkpoint;
    refresh();
}

RunPointer HeadsChoice::run() const { return session_.run(run_); }

CapturePointer HeadsChoice::find(const RunId& run, std::int64_t step, const Capture* like,
                                 const std::optional<HeadPlaceOf>& head) const {
    CapturePointer best;
    for (const CaptureEntry& entry : captures_) {
        if (entry.run != run || entry.capture->checkpoint.step.value != step) continue;
        if (like && !sameText(*entry.capture, *like)) continue;
        if (like && run.empty() && entry.capture->checkpoint.folder != like->checkpoint.folder) continue;
        if (!best) best = entry.capture;
        if (!head) break;
        const CaptureHead* mine = entry.capture->find(head->first, head->second);
        if (mine && isDetailed(*mine, std::int64_t(entry.capture->tokens.size()))) return entry.capture;
    }
    return best;
}

void HeadsChoice::open(const CapturePointer& capture, std::optional<HeadPlaceOf> head) {
    if (!capture) return;
    // Of the same model, though of another text or step.
    const CapturePointer before = leading();
    const bool same_model =
        before && before->checkpoint.run == capture->checkpoint.run &&
        (!capture->checkpoint.run.empty() || before->checkpoint.folder == capture->checkpoint.folder);
    run_ = RunId(capture->checkpoint.run);
    if (!head) {
        if (const auto& now = this->head(state_.leading());
            same_model && now && capture->find(now->first, now->second))
            head = now;
        else
            head = strongestHead(*capture);
    }
    CapturePointer earliest;
    for (const CaptureEntry& entry : captures_)
        if (entry.run == run_ && sameText(*entry.capture, *capture) && !run_.empty() &&
            entry.capture->checkpoint.step < capture->checkpoint.step &&
            (!earliest || entry.capture->checkpoint.step < earliest->checkpoint.step))
            earliest = entry.capture;
    if (earliest) {
        earliest = find(run_, earliest->checkpoint.step.value, capture.get(), head);
        show(HeadSide::a, earliest, head);
        show(HeadSide::b, capture, head);
    } else {
        show(HeadSide::b, nullptr, {});
        show(HeadSide::a, capture, head);
    }
    listCheckpoints();
    Q_EMIT openedChanged();
}

void HeadsChoice::show(HeadSide which, CapturePointer capture, std::optional<HeadPlaceOf> head) {
    Side& mine = side(which);
    mine.capture = std::move(capture);
    mine.head = mine.capture ? head : std::nullopt;
    load(which);
}

// A first look at once, then everything.
void HeadsChoice::load(HeadSide which) {
    Side& mine = side(which);
    const int generation = ++mine.generation;
    const CaptureHead* head =
        mine.capture && mine.head ? mine.capture->find(mine.head->first, mine.head->second) : nullptr;
    if (!head) {
        state_.setHead(which, nullptr);
        return;
    }
    QPointer<HeadsChoice> self(this);
    for (const bool whole : {false, true})
        pool_.start(
            [self, which, generation, capture = mine.capture, head = *head, whole] {
                Result<HeadPointer> opened = openHead(capture, head, whole);
                QMetaObject::invokeMethod(qApp, [self, which, generation, opened = std::move(opened)] {
                    if (self) self->loaded(which, generation, opened);
                });
            },
            whole ? 0 : 1);  // first looks of both sides before all of one
}

void HeadsChoice::loaded(HeadSide which, int generation, Result<HeadPointer> head) {
    if (generation != side(which).generation) return;
    if (!head) {
        damaged_[fileOf(which)] = QString::fromStdString(describe(head.error()));
        state_.setHead(which, nullptr);
        Q_EMIT openedChanged();
        return;
    }
    if ((*head)->whole) damaged_.erase(fileOf(which));
    state_.setHead(which, *head);
    Q_EMIT openedChanged();
}

std::string HeadsChoice::fileOf(HeadSide which) const {
    const Side& mine = sides_[std::size_t(which)];
    const CaptureHead* head =
        mine.capture && mine.head ? mine.capture->find(mine.head->first, mine.head->second) : nullptr;
    return head ? mine.capture->folder + "/" + head->file : std::string();
}

QString HeadsChoice::damage(HeadSide which) const {
    const auto found = damaged_.find(fileOf(which));
    return found == damaged_.end() ? QString() : found->second;
}

void HeadsChoice::captureAgain(HeadSide which) {
    const Side& mine = side(which);
    if (!mine.capture || !mine.head) return;
    CaptureRequest request = requestLike(*mine.capture);
    const auto tokens = std::int64_t(mine.capture->tokens.size());
    if (tokens > all_heads_tokens)  // of a short text the engine takes every head
        for (const CaptureHead& each : mine.capture->heads)
            if (isDetailed(each, tokens) || HeadPlaceOf(each.layer, each.head) == *mine.head)
                request.heads << headName(each);
    jobSide_ = which;
    jobIsNew_ = false;
    jobHead_ = mine.head;
    job_ = CaptureJob{.id = commands_.start(request), .request = request};
    Q_EMIT jobChanged();
}

void HeadsChoice::pickHead(std::int64_t layer, std::int64_t head, bool other) {
    const HeadPlaceOf place{layer, head};
    const auto pick = [&](HeadSide which) {
        const Side& mine = side(which);
        if (!mine.capture) return;
        CapturePointer capture = mine.capture;
        const CaptureHead* found = capture->find(layer, head);
        // Another capture of the same text may hold it in detail.
        if (found && !isDetailed(*found, std::int64_t(capture->tokens.size())))
            if (const CapturePointer better =
                    find(run_, capture->checkpoint.step.value, capture.get(), place))
                capture = better;
        show(which, capture, place);
    };
    if (other) {
        if (!sides_[1].capture) sides_[1].capture = sides_[0].capture;
        pick(HeadSide::b);
    } else {
        pick(HeadSide::a);
        pick(HeadSide::b);
    }
    Q_EMIT openedChanged();
    if (lacksDetail() && commands_.unavailableReason().isEmpty()) captureDetail();
}

bool HeadsChoice::lacksDetail() const {
    for (const Side& mine : sides_) {
        if (!mine.capture || !mine.head) continue;
        const CaptureHead* head = mine.capture->find(mine.head->first, mine.head->second);
        if (head && !isDetailed(*head, std::int64_t(mine.capture->tokens.size()))) return true;
    }
    return false;
}

void HeadsChoice::captureDetail() {
    if (job_ && job_->active()) return;
    for (const HeadSide which : {HeadSide::b, HeadSide::a}) {
        const Side& mine = side(which);
        if (!mine.capture || !mine.head) continue;
        const auto tokens = std::int64_t(mine.capture->tokens.size());
        const CaptureHead* head = mine.capture->find(mine.head->first, mine.head->second);
        if (!head || isDetailed(*head, tokens)) continue;
        CaptureRequest request = requestLike(*mine.capture);
        request.heads << headName(*head);
        for (const CaptureHead& each : mine.capture->heads)
            if (isDetailed(each, tokens)) request.heads << headName(each);
        jobSide_ = which;
        jobIsNew_ = false;
        jobHead_ = mine.head;
        job_ = CaptureJob{.id = commands_.start(request), .request = request};
        Q_EMIT jobChanged();
        return;
    }
}

CaptureRequest HeadsChoice::requestLike(const Capture& capture) const {
    CaptureRequest request{.run = RunId(capture.checkpoint.run), .step = capture.checkpoint.step.value};
    if (capture.checkpoint.run.empty()) request.folder = QString::fromStdString(capture.checkpoint.folder);
    if (const auto made = made_.find(QString::fromStdString(capture.folder)); made != made_.end()) {
        request = made->second;
        request.step = capture.checkpoint.step.value;
        request.heads.clear();
        return request;
    }
    const auto number = [&capture](const char* key) -> std::optional<double> {
        const auto at = capture.settings.find(key);
        if (at == capture.settings.end() || !at->is_number()) return {};
        return at->get<double>();
    };
    request.source = capture.source;
    if (capture.source == CaptureSource::needle) {
        request.sample = std::int64_t(number("sample").value_or(0));
        if (const auto seed = number("seed")) request.seed = std::int64_t(*seed);
        if (const auto context = number("context")) request.context = std::int64_t(*context);
        request.depth = number("depth");
    } else {
        request.source = CaptureSource::tokens;
        request.tokens = capture.tokens;
    }
    return request;
}

void HeadsChoice::pickCheckpoint(HeadSide which, std::int64_t step) {
    const CapturePointer like = leading();
    if (!like) return;
    std::optional<HeadPlaceOf> head = side(which).head ? side(which).head : this->head(state_.leading());
    if (const CapturePointer capture = find(run_, step, like.get(), head)) {
        show(which, capture, head);
        Q_EMIT openedChanged();
        return;
    }
    CaptureRequest request = requestLike(*like);
    request.step = step;
    // Of a short text the engine takes every head; of a long one this.
    if (head && std::int64_t(like->tokens.size()) > all_heads_tokens)
        request.heads = {QStringLiteral("%1.%2").arg(head->first).arg(head->second)};
    jobSide_ = which;
    jobIsNew_ = false;
    jobHead_ = head;
    job_ = CaptureJob{.id = commands_.start(request), .request = request};
    Q_EMIT jobChanged();
}

void HeadsChoice::closeB() {
    if (!sides_[1].capture || !sides_[0].capture) return;
    show(HeadSide::b, nullptr, {});
    Q_EMIT openedChanged();
}

void HeadsChoice::listCheckpoints() {
    const RunPointer mine = run();
    if (!mine) {
        checkpoints_.clear();
        Q_EMIT openedChanged();
        return;
    }
    QPointer<HeadsChoice> self(this);
    pool_.start([self, folder = mine->folder, id = mine->id] {
        const std::vector<Step> steps = list_checkpoints(folder.checkpoints_folder());
        QMetaObject::invokeMethod(qApp, [self, steps, id] {
            if (!self || self->run_ != id) return;
            const RunPointer run = self->run();
            if (!run) return;
            std::vector<CheckpointMark> marks;
            for (auto step = steps.rbegin(); step != steps.rend(); ++step)
                marks.push_back({step->value, run->tokensAt(step->value), false});
            self->checkpoints_ = std::move(marks);
            self->markCaptured();
            Q_EMIT self->openedChanged();
        });
    });
}

// Checkpoints that were captured and deleted since count, too: they can be looked at.
void HeadsChoice::markCaptured() {
    const CapturePointer like = leading();
    const RunPointer mine = run();
    if (!like) return;
    for (const CaptureEntry& entry : captures_) {
        if (entry.run != run_ || !sameText(*entry.capture, *like)) continue;
        const std::int64_t step = entry.capture->checkpoint.step.value;
        const auto at = std::lower_bound(
            checkpoints_.begin(), checkpoints_.end(), step,
            [](const CheckpointMark& mark, std::int64_t value) { return mark.step < value; });
        if (at != checkpoints_.end() && at->step == step)
            at->captured = true;
        else
            checkpoints_.insert(at, {step, mine ? mine->tokensAt(step) : double(step), true});
    }
}

std::vector<QPointF> HeadsChoice::entropyOverTokens() const {
    std::vector<QPointF> line;
    const RunPointer mine = run();
    const auto& place = head(state_.leading());
    if (!mine || !mine->measurements || !place) return line;
    const MeasurementRecord* trace = mine->measurements->latest("trace");
    const MeasuredArray* entropy = trace ? trace->find("entropy") : nullptr;
    if (!entropy || entropy->axes.size() != 3) return line;
    const std::size_t layers = entropy->axes[1].ticks.size(), heads = entropy->axes[2].ticks.size();
    const auto layer = std::size_t(place->first), of = std::size_t(place->second);
    if (layer >= layers || of >= heads) return line;
    for (std::size_t t = 0; t < entropy->axes[0].ticks.size(); ++t) {
        const double* tokens = std::get_if<double>(&entropy->axes[0].ticks[t]);
        const double value = entropy->values[(t * layers + layer) * heads + of];
        if (tokens && std::isfinite(value)) line.emplace_back(*tokens, value);
    }
    return line;
}

void HeadsChoice::start(const CaptureRequest& request) {
    jobSide_ = HeadSide::b;
    jobIsNew_ = true;
    jobHead_.reset();
    job_ = CaptureJob{.id = commands_.start(request), .request = request};
    Q_EMIT jobChanged();
}

void HeadsChoice::cancel() {
    if (job_ && job_->active()) commands_.cancel(job_->id);
}

void HeadsChoice::retry(bool allow_long) {
    if (!job_ || job_->active()) return;
    CaptureRequest request = job_->request;
    request.allow_long = allow_long;
    job_ = CaptureJob{.id = commands_.start(request), .request = request};
    Q_EMIT jobChanged();
}

void HeadsChoice::dismiss() {
    if (!job_ || job_->active()) return;
    job_.reset();
    Q_EMIT jobChanged();
}

void HeadsChoice::jobArrived(const CaptureJob& job) {
    if (!job_ || job.id != job_->id) return;
    job_ = job;
    if (job.state == CaptureJob::State::done) openFolder(job.folder);
    if (job.state == CaptureJob::State::cancelled) job_.reset();
    Q_EMIT jobChanged();
}

// What was captured joins those that are known; the view stays where the text is the same.
void HeadsChoice::openFolder(const QString& folder) {
    QPointer<HeadsChoice> self(this);
    pool_.start([self, folder, job = *job_, which = jobSide_, isNew = jobIsNew_, head = jobHead_,
                 project = projects_] {
        Result<Capture> read = read_capture(folder.toStdString());
        QMetaObject::invokeMethod(
            qApp, [self, read = std::move(read), job, which, isNew, head, project]() mutable {
                if (!self || self->projects_ != project) return;
                if (!read) {
                    self->problem_ = QString::fromStdString(describe(read.error()));
                    Q_EMIT self->capturesChanged();
                    return;
                }
                read->checkpoint.run = job.request.run.str();
                if (job.request.run.empty()) read->checkpoint.folder = job.request.folder.toStdString();
                const auto capture = std::make_shared<const Capture>(*read);
                self->made_[QString::fromStdString(capture->folder)] = job.request;
                const RunPointer run = self->session_.run(job.request.run);
                std::erase_if(self->captures_, [&](const CaptureEntry& entry) {
                    return entry.capture->folder == capture->folder;
                });
                std::erase_if(self->damaged_, [&](const auto& file) {
                    return file.first.starts_with(capture->folder + "/");
                });
                self->captures_.insert(self->captures_.begin(),
                                       {job.request.run, run ? run->name : QString(), capture});
                if (isNew || !self->leading() || !sameText(*capture, *self->leading())) {
                    self->open(capture, head);
                } else {
                    self->show(which, capture, head);
                    // The other side may show another head of what was written anew.
                    const HeadSide other = which == HeadSide::a ? HeadSide::b : HeadSide::a;
                    if (const Side& beside = self->side(other);
                        beside.capture && beside.capture->folder == capture->folder)
                        self->show(other, capture, std::optional(beside.head));
                    self->markCaptured();
                    Q_EMIT self->openedChanged();
                }
                self->refresh();
                Q_EMIT self->capturesChanged();
            });
    });
}

void HeadsChoice::chosenElsewhere(const HeadChoice& choice) {
    if (!searched_) {
        wished_ = choice;  // what is on disk is not known yet
        return;
    }
    const HeadPlaceOf place{std::int64_t(choice.layer), std::int64_t(choice.head)};
    const CapturePointer now = leading();
    const Capture* like = now && RunId(now->checkpoint.run) == choice.run ? now.get() : nullptr;
    CapturePointer capture = find(choice.run, choice.step.value, like, place);
    if (!capture) capture = find(choice.run, choice.step.value, nullptr, place);
    if (capture) {
        open(capture, place);
        if (lacksDetail() && commands_.unavailableReason().isEmpty()) captureDetail();
        return;
    }
    if (!commands_.unavailableReason().isEmpty()) return;
    CaptureRequest request{.run = choice.run, .step = choice.step.value};
    request.heads = {QStringLiteral("%1.%2").arg(choice.layer).arg(choice.head)};
    start(request);
    jobHead_ = place;
}

}  // namespace braid::ui
