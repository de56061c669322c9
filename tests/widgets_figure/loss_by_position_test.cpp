// The figure of losses by position: scores of a project in, PDF, SVG, PNG, CSV and provenance out.
#include <gtest/gtest.h>

#include <QImage>
#include <cmath>

#include "tests/widgets_common/project_fixture.h"
#include "tests/widgets_train/score_files.h"
#include "widgets/figure/figure_checks.h"
#include "widgets/figure/figure_export.h"
#include "widgets/figure/figure_kind.h"

namespace braid::ui {
namespace {

class LossByPositionFigureTest : public ::testing::Test {
protected:
    void SetUp() override {
        for (const char* name : {"full", "hybrid"}) {
            folders_.push_back(fixture_.addFinishedRun(name));
            ids_.push_back(read_plan(folders_.back().plan_file())->id.str());
        }
        addLossScore(folders_[0], 600, 2.5);
        addLossScore(folders_[1], 400, 2.9);
        addLossScore(folders_[1], 600, 2.25, ids_[0] + "@600");
    }
    FigureSpec spec(const std::vector<std::string>& runs) const {
        FigureSpec figure{.kind = "loss-by-position"};
        figure.source.runs = runs;
        for (const char* metric : {"loss", "difference"})
            figure.panels.push_back({.metric = metric, .x_scale = AxisScale::log});
        figure.style.height_mm = 60;
        return figure;
    }
    Result<FigureData> load(const FigureSpec& figure) const {
        return load_figure_data(fixture_.folder().toStdString(), figure);
    }
    ProjectFixture fixture_;
    std::vector<RunFolder> folders_;
    std::vector<std::string> ids_;
};

TEST_F(LossByPositionFigureTest, DrawsTheLossOfBothAndTheirPairedDifference) {
    const FigureSpec figure = spec({ids_[1]});
    const auto data = load(figure);
    ASSERT_TRUE(data.has_value()) << describe(data.error());
    const FigurePanelData &loss = data->panels[0], &difference = data->panels[1];
    ASSERT_EQ(loss.series.size(), 2U) << "and that of the run it was scored against";
    EXPECT_EQ(loss.series[0].label, "hybrid, step 600");
    EXPECT_EQ(loss.series[1].label, "full, step 600");
    EXPECT_NE(loss.series[0].colour, loss.series[1].colour);
    // The tokens read, from 1: a log axis has a place for all of them.
    EXPECT_EQ(loss.series[0].mean->x(0), 1);
    EXPECT_NEAR(loss.series[0].mean->y(0), 2.25 + 1.2, 1e-12);
    EXPECT_NEAR(loss.series[0].high->y(0), 2.25 + 1.2 + 1.96 * 0.05, 1e-12);
    EXPECT_NEAR(loss.series[1].mean->y(0), 2.25 + 1.2 + 0.08, 1e-12) << "loss - difference";
    EXPECT_TRUE(loss.series[1].band.empty());
    ASSERT_EQ(difference.series.size(), 1U);
    EXPECT_NEAR(difference.series[0].low->y(11), 0.14 - 1.96 * 0.01, 1e-12);

    const FigureBytes pdf = render_figure(figure, *data, FigureFile::pdf);
    EXPECT_TRUE(pdf.bytes.startsWith("%PDF"));
    EXPECT_EQ(pdf.facts.series, 2);
    EXPECT_EQ(pdf.facts.legend_entries, 2);
    EXPECT_EQ(pdf.facts.points, 3U * 12);
    EXPECT_EQ(pdf.facts.outside + pdf.facts.missing, 0U);
    EXPECT_TRUE(pdf.facts.spread_shown);
    for (const char* text : {"hybrid, step 600", "full, step 600", "95 % interval over sequences",
                             "context (tokens)", "loss \u2212 full (nats/token)"})
        EXPECT_TRUE(pdf.facts.texts.contains(QString::fromUtf8(text))) << text;
    EXPECT_LT(pdf.bytes.size(), 200'000);
    EXPECT_TRUE(render_figure(figure, *data, FigureFile::svg).bytes.contains("context (tokens)"));
    const QImage png = QImage::fromData(render_figure(figure, *data, FigureFile::png).bytes);
    EXPECT_NEAR(png.width(), 174 / 25.4 * figure_dpi, 1);
}

TEST_F(LossByPositionFigureTest, WritesItsDataAndWhereTheyCameFrom) {
    const FigureSpec figure = spec({ids_[1]});
    const auto data = load(figure);
    ASSERT_TRUE(data.has_value()) << describe(data.error());
    const QByteArray csv = render_figure(figure, *data, FigureFile::csv).bytes;
    EXPECT_EQ(csv.count('\n'), 1 + 2 * 12);
    EXPECT_TRUE(csv.startsWith(
        "panel,metric,run,name,step,against,context_tokens,value,standard_error,value_of_against\n"));
    EXPECT_TRUE(csv.contains(
        QByteArray::fromStdString("1,loss," + ids_[1] + ",hybrid,600," + ids_[0] + "@600,1,3.45,0.05,3.53")))
        << csv.toStdString();
    const Json provenance =
        Json::parse(render_figure(figure, *data, FigureFile::provenance).bytes.toStdString());
    EXPECT_EQ(provenance["scores"].size(), 1U) << "both panels are of one score";
    EXPECT_EQ(provenance["figure"]["kind"], "loss-by-position");
}

TEST_F(LossByPositionFigureTest, TakesTheStepAndTheSettingsThatAreNamed) {
    FigureSpec figure = spec({ids_[1]});
    figure.panels.pop_back();
    EXPECT_EQ(load(figure)->panels[0].positions[0].step, 600);
    figure.panels[0].step = 400;
    EXPECT_EQ(load(figure)->panels[0].positions[0].step, 400);
    figure.panels[0].step.reset();
    // Only the score at step 400 was taken against nothing.
    figure.panels[0].score = score_settings_hash(read_scores(folders_[1]).scores[0]);
    EXPECT_EQ(load(figure)->panels[0].positions[0].step, 400);
    EXPECT_EQ(figure_from_json(to_json(figure)).value(), figure);
    figure.panels[0].score = "00000000";
    EXPECT_EQ(load(figure).error().kind, ErrorKind::not_found);
    figure.panels[0].metric = "recall/far";
    figure.panels[0].compare_crossings = true;
    const auto refused = figure_from_json(to_json(figure));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().size(), 2U);
}

TEST_F(LossByPositionFigureTest, RunsBesideEachOtherAreToldApart) {
    FigureSpec figure = spec(ids_);
    figure.panels.pop_back();
    const auto data = load(figure);
    ASSERT_TRUE(data.has_value()) << describe(data.error());
    EXPECT_EQ(data->panels[0].series.size(), 2U) << "what was scored against is there already";
    figure.panels[0].metric = "difference";
    const auto difference = load(figure);
    ASSERT_TRUE(difference.has_value());
    EXPECT_EQ(difference->panels[0].series.size(), 1U);
    EXPECT_EQ(difference->notes.size(), 1U) << "one was not scored against another";
}

}  // namespace
}  // namespace braid::ui
