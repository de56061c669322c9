#include "widgets/heads/heads_choice.h"

#include <QApplication>
#include <QMetaObject>
#include <QPointer>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/record/checkpoint_list.h"
#include "widgets/common/run_list_model.h"
#include "widgets/common/run_measurements.h"

namespace braid::ui {

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
    std::vector<CapturedRun> places;
    for (const RunPointer& run : session_.runs()->runs()) places.push_back({run->id, run->name, run->folder});
    QPointer<HeadsChoice> self(this);
    pool_.start([self, places, folders = folders_, search] {
        FoundCaptures found = findCaptures(places, folders);
        QMetaObject::invokeMethod(qApp, [self, found = std::move(found), search] {
            if (!self || self->searches_ != search) return;
            self->captures_ = found.captures;
            self->problem_ = found.problem;
            self->searched_ = true;
            self->markCaptured();
            if (const auto wish = std::exchange(self->wished_, std::nullopt))
                self->chosenElsewhere(*wish);
            else if (self->state_.isEmpty() && !self->leading() && !found.captures.empty())
                self->open(found.captures.front().capture);
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
