// The figure of needles by depth and length: files of a project in, PDF, SVG, PNG, CSV and provenance out.
#include <gtest/gtest.h>

#include <QImage>

#include "tests/widgets_common/project_fixture.h"
#include "tests/widgets_train/score_files.h"
#include "widgets/figure/figure_checks.h"
#include "widgets/figure/figure_export.h"
#include "widgets/figure/figure_kind.h"

namespace braid::ui {
namespace {

class NeedleMapFigureTest : public ::testing::Test {
protected:
    void SetUp() override {
        for (const char* name : {"near", "far"}) {
            const RunFolder run = fixture_.addFinishedRun(name);
            addNeedleScore(run, 400, 0.5);
            addNeedleScore(run, 600, 1);
            ids_.push_back(read_plan(run.plan_file())->id.str());
        }
    }
    FigureSpec spec(const std::vector<std::string>& runs, const char* metric = "niah/niah_single_2") const {
        FigureSpec figure{.kind = "needle-map"};
        figure.source.runs = runs;
        figure.panels.push_back({.metric = metric});
        figure.style.height_mm = 60;
        return figure;
    }
    ProjectFixture fixture_;
    std::vector<std::string> ids_;
};

TEST_F(NeedleMapFigureTest, IsReadFromTheLastScoreOrTheStepThatIsNamed) {
    FigureSpec figure = spec({ids_[0]});
    const auto last = load_figure_data(fixture_.folder().toStdString(), figure);
    ASSERT_TRUE(last.has_value()) << describe(last.error());
    ASSERT_EQ(last->panels.front().maps.size(), 1U);
    EXPECT_EQ(last->panels.front().maps[0].step, 600);
    figure.panels[0].step = 400;
    EXPECT_EQ(load_figure_data(fixture_.folder().toStdString(), figure)->panels.front().maps[0].step, 400);
    figure.panels[0].step = 500;
    EXPECT_EQ(load_figure_data(fixture_.folder().toStdString(), figure).error().kind, ErrorKind::not_found);
    EXPECT_EQ(figure_from_json(to_json(figure)).value(), figure);
    figure.panels[0].metric = "loss";
    EXPECT_FALSE(figure_from_json(to_json(figure)).has_value());
}

TEST_F(NeedleMapFigureTest, WritesEveryFile) {
    const FigureSpec figure = spec(ids_);
    const auto data = load_figure_data(fixture_.folder().toStdString(), figure);
    ASSERT_TRUE(data.has_value()) << describe(data.error());
    const FigureBytes pdf = render_figure(figure, *data, FigureFile::pdf);
    EXPECT_TRUE(pdf.bytes.startsWith("%PDF"));
    EXPECT_EQ(pdf.facts.series, 2);
    EXPECT_EQ(pdf.facts.points, 2U * 24);
    EXPECT_EQ(pdf.facts.missing, 2U * 6) << "hatched, never 0";
    EXPECT_TRUE(pdf.facts.texts.contains(QStringLiteral("16K")));
    EXPECT_TRUE(pdf.facts.texts.contains(QStringLiteral("near, niah_single_2, step 600")));
    EXPECT_LT(pdf.bytes.size(), 200'000);
    const FigureBytes svg = render_figure(figure, *data, FigureFile::svg);
    EXPECT_TRUE(svg.bytes.contains("depth of the needle"));
    const QImage png = QImage::fromData(render_figure(figure, *data, FigureFile::png).bytes);
    EXPECT_NEAR(png.width(), 174 / 25.4 * figure_dpi, 1);
    const QByteArray csv = render_figure(figure, *data, FigureFile::csv).bytes;
    EXPECT_EQ(csv.count('\n'), 1 + 2 * 30);
    EXPECT_TRUE(csv.startsWith(
        "run,name,step,kind,task,length,depth,value,unit,samples,truncated,left_out,standard_error\n"));
    EXPECT_TRUE(csv.contains(",niah_single_2,16384,0,,%,0,0,0,\n")) << "no data is empty";
    const Json provenance =
        Json::parse(render_figure(figure, *data, FigureFile::provenance).bytes.toStdString());
    EXPECT_EQ(provenance["scores"].size(), 2U);
    EXPECT_EQ(provenance["runs"].size(), 2U);
}

}  // namespace
}  // namespace braid::ui
