// The Scale workspace over a project whose runs were "trained" along a known law, with recorders in place of
// the main program.
#pragma once

#include <gtest/gtest.h>

#include <QWidget>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "core/record/study_table.h"
#include "core/spec/study_points.h"
#include "tests/widgets_common/project_fixture.h"
#include "tests/widgets_train/recorder.h"
#include "widgets/scaling/fit_commands.h"
#include "widgets/scaling/point_panel.h"
#include "widgets/scaling/scaling_choice.h"
#include "widgets/scaling/scaling_page.h"
#include "widgets/scaling/scaling_plot.h"
#include "widgets/scaling/scaling_side.h"
#include "widgets/scaling/scaling_workspace.h"

namespace braid::ui {

class RecordingFits : public FitCommands {
public:
    void fit(const QString& study, const QString& metric) override {
        asked << study + QLatin1Char(' ') + metric;
        Q_EMIT progress(-1, {});
    }
    void cancel() override {
        asked << QStringLiteral("cancel");
        Q_EMIT ended({}, true);
    }
    QString unavailableReason() const override { return unavailable; }
    QStringList asked;
    QString unavailable;
};

// L(N, D) of curve `curve`: the second is 4 % worse.
inline double lawOf(std::size_t curve, double parameters, double tokens) {
    return (6.4 * std::pow(parameters, -0.09) + 210 * std::pow(tokens, -0.45)) * (curve == 1 ? 1.04 : 1.0);
}

inline StudySpec gridStudy(std::vector<std::uint64_t> seeds = {1}) {
    StudySpec spec;
    spec.name = "grid";
    spec.title = "Windows by scale";
    spec.training.context = 64;
    spec.training.batch = 8;
    spec.training.warmup_steps = 5;
    spec.variants = {{.label = "Full", .pattern = "F"}, {.label = "Window 8", .pattern = "FS[w=8]"}};
    const auto sizes = [](const char* name, std::int64_t width) {
        Scale scale = *find_scale("tiny");
        scale.name = name;
        scale.d_model = width;
        scale.ffn_width = width * 5 / 2;
        scale.head_dim = width / 2;
        return StudyScale{.name = name, .sizes = scale};
    };
    spec.scales = {sizes("A", 32), sizes("B", 64), sizes("C", 128)};
    spec.budgets = {1, 2, 4, 8};
    spec.seeds = std::move(seeds);
    spec.measure.metric = "eval/loss";
    spec.fit.metrics = {"eval/loss"};
    spec.fit.held_out = {"scale=C"};
    return spec;
}

class ScalingTest : public ::testing::Test {
protected:
    static std::vector<PlannedPoint> plannedOf(const StudySpec& spec) {
        Checked<std::vector<PlannedPoint>> planned =
            plan_study(spec, {.catalog = builtin_mixers(), .find_architecture = {}});
        EXPECT_TRUE(planned.has_value()) << (planned ? "" : describe(to_error(planned.error())));
        return planned ? *std::move(planned) : std::vector<PlannedPoint>{};
    }
    std::string studyFile(const std::string& name = "grid") const {
        return fixture_.project().document_file(DocumentKind::study, name);
    }
    void addStudy(const StudySpec& spec) {
        spec_ = spec;
        ASSERT_TRUE(write_json_atomically(studyFile(spec.name), to_json(spec)).has_value());
    }
    // The run of a point as its engine leaves it; `share` of its steps, unfinished where below 1.
    RunId train(const PlannedPoint& planned, double share = 1, RunState state = RunState::finished) {
        RunPlan plan = run_plan_of(spec_, planned);
        plan.created = "2026-03-04T05:06:00Z";
        const Result<RunFolder> folder = fixture_.project().add_run(plan);
        EXPECT_TRUE(folder.has_value()) << describe(folder.error());
        const auto writer = ProjectFixture::write(*folder);
        EXPECT_TRUE(writer->begin_attempt({}).has_value());
        const auto step = std::int64_t(double(planned.training.steps) * share);
        const double tokens = double(step * planned.training.tokens_per_step());
        const double loss =
            lawOf(planned.point.variant, double(planned.parameters), tokens) * (1 + 0.004 * noise_(random_));
        writer->append(Step(step), {{"eval/loss", loss},
                                    {"recall/far", std::min(1.0, 1 / loss)},
                                    {"tokens_per_s", 50'000},
                                    {"loss", loss * 1.01}});
        EXPECT_TRUE(writer->close(state).has_value());
        return read_plan(folder->plan_file())->id;
    }
    void trainAll(std::size_t but_last = 0) {
        const std::vector<PlannedPoint> planned = plannedOf(spec_);
        for (std::size_t i = 0; i + but_last < planned.size(); ++i) train(planned[i]);
    }
    // As `braid-engine study fit`: the record of what has finished.
    void fitStudy(const std::string& metric = "eval/loss", int resamples = 40);
    void open(int width = 852, int height = 800) {
        session_.open(fixture_.folder());
        ASSERT_TRUE(waitFor([&] { return session_.isOpen(); }));
        auto fits = std::make_unique<RecordingFits>();
        fits_ = fits.get();
        workspace_ = std::make_unique<ScalingWorkspace>(context_, std::move(fits));
        page_ = workspace_->scalingPage();
        side_ = workspace_->scalingSide();
        panel_ = workspace_->pointPanel();
        page_->resize(width, height);
        page_->show();
        side_->resize(200, height);
        side_->show();
        panel_->resize(288, height);
        panel_->show();
        workspace_->activate();
        const bool any = !session_.studies().empty();
        EXPECT_TRUE(!any || waitFor([&] { return workspace_->choice().content() != nullptr; }));
        QCoreApplication::processEvents();
    }
    ScalingChoice& choice() { return workspace_->choice(); }
    const ScalingView& view() { return choice().content()->view; }
    // The point of this curve, scale and budget.
    int pointAt(std::size_t curve, std::size_t scale, double budget, std::uint64_t seed = 1) {
        const std::vector<ScalingViewPoint>& points = view().points;
        for (std::size_t i = 0; i < points.size(); ++i)
            if (points[i].curve == curve && points[i].scale == scale && points[i].budget == budget &&
                points[i].seed == seed)
                return int(i);
        return -1;
    }

    ProjectFixture fixture_;
    StudySpec spec_;
    std::mt19937 random_{7};
    std::normal_distribution<double> noise_;
    ProjectSession session_;
    RecordingCommands commands_;
    RecordingShell shell_;
    CommandRegistry registry_;
    WorkspaceContext context_{session_, commands_, registry_, shell_};
    RecordingFits* fits_ = nullptr;  // the workspace owns it
    std::unique_ptr<ScalingWorkspace> workspace_;
    ScalingPage* page_ = nullptr;
    ScalingSide* side_ = nullptr;
    PointPanel* panel_ = nullptr;
};

}  // namespace braid::ui
