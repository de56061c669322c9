// A project with the example study and real run folders, at a path with a space and an umlaut.
#pragma once

#include "core/spec/study_points.h"
#include "tests/widgets_figure/figure_fixture.h"

namespace braid::ui {

class StudyProject : public testing::Test {
protected:
    void SetUp() override {
        root_ = folder_.path().toStdString() + "/with space ü";
        const auto project = Project::create(root_, "laziness");
        ASSERT_TRUE(project) << describe(project.error());
        project_ = *project;
        StudySpec study;
        study.name = "laziness";
        study.title = "Laziness";
        for (const Hybrid& hybrid : hybrids) {
            study.variants.push_back({.label = hybrid.label, .pattern = hybrid.pattern, .scale = "tiny"});
        }
        ASSERT_TRUE(
            write_json_atomically(project->document_file(DocumentKind::study, "laziness"), to_json(study)));
        ASSERT_TRUE(write_figure(project->document_file(DocumentKind::figure, "far-recall"), recallFigure()));
        ASSERT_TRUE(write_figure(project->document_file(DocumentKind::figure, "table"), recallTable()));
        study_ = study;
    }

    // The run of a variant, trained to its end.
    void train(std::size_t variant, double middle) {
        const StudyPoint point = study_points(study_)[variant];
        RunPlan plan{.architecture = tinyArchitecture(hybrids[variant].pattern),
                     .training = training_of(study_, point),
                     .study = StudyId("laziness"),
                     .point = point.key};
        const auto folder = project_->add_run(plan);
        ASSERT_TRUE(folder) << describe(folder.error());
        auto writer = RunWriter::open(*folder);
        ASSERT_TRUE(writer) << describe(writer.error());
        ASSERT_TRUE((*writer)->begin_attempt(std::nullopt));
        (*writer)->event(Step(0), LogLevel::info, "evaluation", "asks 1,536 far queries",
                         {{"queries", {{"recall/far", 1536}}}});
        for (int step = 1; step <= 600; ++step) {
            std::vector<MetricValue> values{{"loss", 4.0 / step}, {"time_s", 0.08 * step}};
            if (step % 20 == 0) {
                values.push_back({"recall/far", recallAt(step / 20, middle)});
            }
            (*writer)->append(Step(step), values);
        }
        ASSERT_TRUE((*writer)->close(RunState::finished));
    }

    std::string out(const std::string& name) const { return folder_.path().toStdString() + "/" + name; }

    QTemporaryDir folder_;
    std::string root_;
    std::optional<Project> project_;
    StudySpec study_;
};

}  // namespace braid::ui
