// What is shown as a figure, of runs and of checkpoints that belong to none.
#include <QPushButton>
#include <QTest>

#include "tests/widgets_heads/heads_fixture.h"
#include "widgets/figure/attention_data.h"
#include "widgets/figure/figure_data.h"
#include "widgets/figure/figure_export.h"
#include "widgets/heads/heads_figure.h"

namespace braid::ui {
namespace {

TEST_F(HeadsWorkspaceTest, BecomesAFigure) {
    openTwo();
    state().setViewport(MapViewport{512, 100, 300, 200});
    const auto figure = figureOfHeads(workspace_->choice());
    ASSERT_TRUE(figure.has_value());
    ASSERT_EQ(figure->spec.panels.size(), 2U);
    // On the view's own colours, whatever the part that is shown holds.
    for (const FigurePanel& panel : figure->spec.panels) {
        EXPECT_EQ(panel.colour_range[0], state().scale().low);
        EXPECT_EQ(panel.colour_range[1], state().scale().high);
    }
    EXPECT_EQ(figure->spec.panels[0].metric, "attention/2.1");
    const Checked<FigureSpec> back = figure_from_json(to_json(figure->spec));
    ASSERT_TRUE(back.has_value()) << back.error().front().message();
    const Result<FigureData> data = load_figure_data(fixture_.folder().toStdString(), *back);
    ASSERT_TRUE(data.has_value()) << describe(data.error());
    ASSERT_EQ(data->panels.size(), 2U);
    const FigureAttention& map = data->panels[1].attention.at(0);
    EXPECT_EQ(map.step, 600);
    EXPECT_EQ(map.size, 1);
    EXPECT_EQ(map.first_key, 100);
    EXPECT_EQ(map.rows, 200);
    const std::vector<float> row = state().head(HeadSide::b)->row(450);
    EXPECT_NEAR(map.weights[std::size_t(150 * map.columns + 71)], row[171], 1e-6);
    for (const FigureFile file : {FigureFile::pdf, FigureFile::svg, FigureFile::png, FigureFile::csv}) {
        const FigureBytes bytes = render_figure(*back, *data, file);
        EXPECT_GT(bytes.bytes.size(), 1'000);
        EXPECT_LT(bytes.bytes.size(), file == FigureFile::pdf ? 400'000 : 20'000'000);
    }
    FigureSpec narrow = *back;
    narrow.style.text = TextAs::embedded;
    narrow.panels[0].colour_range = {0.02, 0.375};
    const QByteArray svg = render_figure(narrow, *data, FigureFile::svg).bytes;
    EXPECT_TRUE(svg.contains("0.38")) << "the legend ends where the colours do";
    EXPECT_TRUE(svg.contains("0.020"));
    state().setForm(AttentionForm::linear);
    const auto linear = figureOfHeads(workspace_->choice());
    EXPECT_FALSE(linear->spec.panels[0].colour_range[0].has_value()) << "from 0";
    EXPECT_EQ(linear->spec.panels[0].colour_range[1], state().scale().high);
    EXPECT_TRUE(figure_from_json(to_json(linear->spec)).has_value());
    state().setForm(AttentionForm::row);
    EXPECT_FALSE(figureOfHeads(workspace_->choice())->spec.panels[0].colour_range[1].has_value());
    state().setForm(AttentionForm::log);
    state().setDifference(true);
    const auto difference = figureOfHeads(workspace_->choice());
    ASSERT_EQ(difference->spec.panels.size(), 1U);
    EXPECT_EQ(difference->spec.panels[0].metric, "attention/2.1/less/2.1@200");
    const Result<FigureData> less = load_figure_data(fixture_.folder().toStdString(), difference->spec);
    ASSERT_TRUE(less.has_value()) << describe(less.error());
    EXPECT_TRUE(less->panels[0].attention.at(0).is_signed);
}

TEST_F(HeadsWorkspaceTest, ACheckpointWithoutARunBecomesAFigureToo) {
    const std::string folder = fixture_.folder().toStdString() + "/imported";
    make_capture(RunFolder(folder), "", {.tokens = 300, .step = 0});
    open();
    workspace_->choice().addFolder(QString::fromStdString(folder));
    ASSERT_TRUE(waitFor([&] { return !workspace_->choice().captures().empty(); }));
    workspace_->choice().open(workspace_->choice().captures().front().capture);
    ASSERT_TRUE(settle());
    EXPECT_TRUE(page()->figureButton()->isEnabled());
    const auto figure = figureOfHeads(workspace_->choice());
    ASSERT_TRUE(figure.has_value());
    EXPECT_EQ(figure->spec.source.checkpoint, folder);
    EXPECT_TRUE(figure->spec.source.runs.empty());
    Checked<FigureSpec> back = figure_from_json(to_json(figure->spec));
    ASSERT_TRUE(back.has_value()) << back.error().front().message();
    EXPECT_EQ(*back, figure->spec);
    // As it stands, and from the project's folder.
    for (const std::string& place : {folder, std::string("imported")}) {
        back->source.checkpoint = place;
        const Result<FigureData> data = load_figure_data(fixture_.folder().toStdString(), *back);
        ASSERT_TRUE(data.has_value()) << describe(data.error());
        ASSERT_EQ(data->panels[0].attention.size(), 1U);
        EXPECT_EQ(data->runs[0].name, "imported");
        EXPECT_EQ(data->runs[0].architecture_hash, "0123456789abcdef");
        EXPECT_TRUE(render_figure(*back, *data, FigureFile::svg).bytes.contains("imported"));
    }
    back->source.checkpoint = "nowhere";
    const Result<FigureData> none = load_figure_data(fixture_.folder().toStdString(), *back);
    ASSERT_FALSE(none.has_value());
    EXPECT_NE(none.error().message.find("nowhere: no capture"), std::string::npos) << none.error().message;
    // Curves are of runs.
    Json json = to_json(figure->spec);
    json["kind"] = "curves";
    json["panels"][0]["metric"] = "loss";
    EXPECT_FALSE(figure_from_json(json).has_value());
    json = to_json(figure->spec);
    json["source"]["runs"] = {id_.str()};
    EXPECT_FALSE(figure_from_json(json).has_value()) << "one or the other";
}

TEST(AttentionMetrics, ReadBack) {
    for (const char* text : {"attention/8.3", "attention/8.3/row", "attention/8.3/less/10.7@1200"}) {
        const auto metric = parse_attention_metric(text);
        ASSERT_TRUE(metric) << text;
        EXPECT_EQ(to_text(*metric), text);
    }
    for (const char* text : {"attention", "attention/8", "attention/8.3/", "attention/8.3/less/1.2", "loss",
                             "attention/8.3/rows", "attention/-1.3"})
        EXPECT_FALSE(parse_attention_metric(text)) << text;
}

}  // namespace
}  // namespace braid::ui
