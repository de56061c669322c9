// study investigate: why some variants of a study look far sooner than others, from traces, head maps and
// gradient profiles of its runs.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/engine/cli/output.h"
#include "app/engine/cli/progress.h"
#include "app/engine/cli/signals.h"
#include "app/engine/study/study_file.h"
#include "app/engine/verbs/measure_answer.h"
#include "app/engine/verbs/study_verbs.h"
#include "core/record/head_formation.h"
#include "core/record/newest_record.h"

namespace braid::cli {
namespace {

constexpr const char* kinds_made[] = {"trace", "heads", "gradient"};

struct InvestigateOptions {
    std::string study, project, seeds, early, late;
    EvalTarget target;
    bool again = false;
};

struct Job {
    const PointState* point = nullptr;
    CheckpointChoice checkpoint = {};
    const MeasurementKind* kind = nullptr;
};

// The variant of that label; where none is given the first or the last one.
Result<std::size_t> find_variant(const StudySpec& spec, const std::string& label, std::size_t otherwise,
                                 const char* option) {
    if (label.empty()) return otherwise;
    std::string known;
    for (std::size_t i = 0; i < spec.variants.size(); ++i) {
        if (spec.variants[i].label == label) return i;
        known.append(known.empty() ? "\"" : ", \"").append(spec.variants[i].label).append("\"");
    }
    return fail(
        to_error({{.path = option, .rule = "must be a variant of the study: " + known, .found = label}}));
}

struct Work {
    std::vector<Job> jobs = {};
    std::vector<std::string> problems = {};  // of runs that are left out, and of files that cannot be read
};

// What is to be measured: of every finished run what it has no answer of at its end. A run that was copied
// without its checkpoints may have all its answers.
Work work_of(const StudyState& state, const std::string& project, bool again) {
    Work work;
    for (const PointState& point : state.points) {
        if (point.state() != RunState::finished) continue;
        const MeasurementList present = read_measurements(point.run->folder);
        for (const Error& problem : present.problems) work.problems.push_back(describe(problem));
        std::vector<const MeasurementKind*> missing;
        for (const char* kind : kinds_made) {
            const MeasurementRecord* latest = newest_of_kind(present.records, kind);
            if (again || latest == nullptr || latest->checkpoint.step != point.run->status.step)
                missing.push_back(find_measurement(kind));
        }
        if (missing.empty()) continue;
        const Result<CheckpointChoice> choice = find_checkpoint(point.run->folder.path(), project);
        if (!choice) {
            work.problems.push_back("cannot be measured: " + describe(choice.error()));
            continue;
        }
        for (const MeasurementKind* kind : missing)
            work.jobs.push_back({.point = &point, .checkpoint = *choice, .kind = kind});
    }
    return work;
}

struct Formed {
    const PointState* point = nullptr;
    HeadFormation formation = {};
};

std::string tokens_text(const std::optional<double>& tokens, double end) {
    return tokens ? with_commas(std::llround(*tokens)) : "not by " + with_commas(std::llround(end));
}

Json to_json(const Formed& each) {
    const HeadFormation& f = each.formation;
    return {{"variant", each.point->planned.point.label},
            {"seed", each.point->planned.point.seed},
            {"run", each.point->run->id.str()},
            {"layer", f.layer},
            {"head", f.head},
            {"mass", f.mass},
            {"entropy_start", f.entropy_start},
            {"entropy_end", f.entropy_end},
            {"tokens_formed", f.formed ? Json(*f.formed) : Json(nullptr)},
            {"tokens_not_before", f.not_before ? Json(*f.not_before) : Json(nullptr)},
            {"tokens", f.tokens},
            {"n", f.samples}};
}

Result<void> investigate(const InvestigateOptions& options) {
    Result<OpenedStudy> study = open_study(options.study, options.project, options.seeds, DataNeed::optional);
    if (!study) return fail(std::move(study.error()));
    if (options.seeds.empty()) study = with_all_seeds(*std::move(study));
    if (!study) return fail(std::move(study.error()));
    const StudySpec& spec = study->spec;
    const Result<std::size_t> early = find_variant(spec, options.early, 0, "--early");
    const Result<std::size_t> late = find_variant(spec, options.late, spec.variants.size() - 1, "--late");
    if (!early || !late) return fail(early ? late.error() : early.error());
    if (*early == *late && spec.variants.size() > 1)
        return fail(to_error({{.path = "--late",
                               .rule = "must be another variant than --early",
                               .found = spec.variants[*late].label}}));
    const StudyState state = state_of(*study);
    Work work = work_of(state, study->project.folder(), options.again);

    Progress bar(options.target.quiet);
    for (std::size_t i = 0; i < work.jobs.size(); ++i) {
        const Job& job = work.jobs[i];
        const std::string run = job.point->run->id.str();
        const Result<MeasureAnswer> made = measure_checkpoint(
            options.target, job.checkpoint, *job.kind, {}, false,
            "braid-engine measure " + job.kind->id + " " + run, [&](double fraction, const std::string&) {
                bar.update((double(i) + fraction) / double(work.jobs.size()),
                           job.kind->title + " of " + name_of(job.point->planned.point));
                return !stop_requested().load();
            });
        if (!made) return fail(made.error());
    }

    std::vector<Formed> formed;
    for (const PointState& point : state.points) {
        if (point.state() != RunState::finished) continue;
        const MeasurementList list = read_measurements(point.run->folder);
        const MeasurementRecord* trace = newest_of_kind(list.records, "trace");
        if (trace == nullptr) continue;
        const Result<HeadFormation> found = head_formation(*trace);
        if (!found) {
            work.problems.push_back(describe(found.error()));
            continue;
        }
        formed.push_back({.point = &point, .formation = *found});
    }
    if (formed.empty())
        return fail(ErrorKind::not_found,
                    work.problems.empty() ? "no run of the study has finished" : work.problems.front(),
                    study->file, "braid-engine study run " + spec.name);
    std::vector<FormationPair> pairs;
    for (const Formed& a : formed)
        for (const Formed& b : formed)
            if (a.point->planned.point.variant == *early && b.point->planned.point.variant == *late &&
                *early != *late && a.point->planned.point.seed == b.point->planned.point.seed)
                pairs.push_back(
                    {.seed = a.point->planned.point.seed, .early = a.formation, .late = b.formation});
    const std::string verdict =
        formation_text(pairs, spec.variants[*early].label, spec.variants[*late].label);

    if (options.target.json) {
        Json document = {{"study", spec.name},
                         {"early", spec.variants[*early].label},
                         {"late", spec.variants[*late].label},
                         {"formed_mass", formed_mass},
                         {"much_later", much_later},
                         {"runs", Json::array()},
                         {"seeds", Json::array()},
                         {"verdict", verdict},
                         {"problems", work.problems}};
        for (const Formed& each : formed) document["runs"].push_back(to_json(each));
        for (const FormationPair& pair : pairs)
            document["seeds"].push_back({{"seed", pair.seed},
                                         {"ratio", pair.ratio() ? Json(*pair.ratio()) : Json(nullptr)},
                                         {"lower_bound", !pair.late.formed},
                                         {"holds", pair.holds()}});
        print(document);
        return {};
    }
    Table table({{"VARIANT"},
                 {"SEED", true},
                 {"RUN"},
                 {"TOP HEAD"},
                 {"FORMED, TOKENS", true},
                 {"NEEDLE MASS", true},
                 {"ENTROPY", true},
                 {"AT START", true}});
    for (const Formed& each : formed)
        table.add({each.point->planned.point.label, std::to_string(each.point->planned.point.seed),
                   each.point->run->id.str(),
                   std::to_string(each.formation.layer) + "." + std::to_string(each.formation.head),
                   tokens_text(each.formation.formed, each.formation.tokens),
                   real_text(each.formation.mass, 3), real_text(each.formation.entropy_end, 3),
                   real_text(each.formation.entropy_start, 3)});
    for (const std::string& problem : work.problems)
        std::fputs(("braid-engine: " + problem + "\n").c_str(), stderr);
    print(table.text() + (verdict.empty() ? "" : "\n" + verdict + "\n"));
    return {};
}

}  // namespace

void add_study_investigate(CommandLine& line, CLI::App& study) {
    const auto options = std::make_shared<InvestigateOptions>();
    CLI::App& verb = line.verb(
        study,
        {.name = "investigate",
         .summary =
             "When the heads that retrieve formed in each run of a study: traces, head maps, gradients",
         .example = "braid-engine study investigate laziness --json",
         .details =
             "Measures what the finished runs have no answer of (measure trace, heads, gradient), then "
             "compares two variants seed by seed: a head has formed where half of its attention is on the "
             "needle. Train with trace_checkpoints, or there are few points to see it by."},
        [options] { return investigate(*options); });
    verb.add_option("STUDY", options->study, study_help)->required();
    verb.add_option("--seeds", options->seeds, "Only these: 1-5; without it all that were trained");
    verb.add_option("--early", options->early, "Variant that looks far early; without it the first");
    verb.add_option("--late", options->late, "Variant that looks far late; without it the last");
    verb.add_flag("--again", options->again, "Measure anew what has an answer");
    verb.add_option("--device", options->target.device, "Where to compute (auto)")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    verb.add_option("--threads", options->target.threads, "CPU threads; 0: all cores")
        ->check(CLI::Range(std::int64_t(0), std::int64_t(4096)));
    verb.add_flag("-q,--quiet", options->target.quiet, "No progress on stderr");
    add_project_option(verb, options->project);
    add_json_option(verb, options->target.json);
}

}  // namespace braid::cli
