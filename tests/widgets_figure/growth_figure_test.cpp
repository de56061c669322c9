// The figure of speed against context and size: a file of measured speeds in, lines on logarithmic axes out.
#include <QImage>

#include "core/record/growth.h"
#include "tests/widgets_figure/figure_fixture.h"
#include "widgets/figure/figure_kind.h"

namespace braid::ui {
namespace {

GrowthRow row(const char* spec, const char* scale, std::int64_t context, double step_ms) {
    return {.spec = spec,
            .scale = scale,
            .context = context,
            .batch = 65'536 / context,
            .parameters = std::string(scale) == "S1" ? 71'400'000 : 106'700'000,
            .flops_per_token = 1e9,
            .forward_ms = step_ms / 4,
            .forward_backward_ms = step_ms - 4,
            .update_ms = 4};
}

class GrowthFigureTest : public FigureFolder {
protected:
    void SetUp() override {
        GrowthRecord record{.device = "cuda", .title = "NVIDIA H200", .rounds = 15};
        for (const char* spec : {"F", "LF"})
            for (const std::int64_t context : {4'096, 16'384, 65'536})
                record.rows.push_back(row(spec, "S1", context, 60 + double(context) / 500));
        record.rows.push_back(row("F", "S2", 16'384, 140));
        record.rows.push_back(row("LF", "S2", 16'384, 130));
        record.rows.back().problem = "not enough memory";
        ASSERT_TRUE(write_growth(project() + "/growth.json", record));
    }
    std::string project() const { return folder_.path().toStdString(); }
    static FigureSpec spec() {
        FigureSpec figure{.kind = "growth"};
        figure.source.growth = "growth.json";
        figure.panels = {{.metric = "tokens_per_s/context"}, {.metric = "step_ms/parameters"}};
        return figure;
    }
};

TEST_F(GrowthFigureTest, EachArchitectureIsALineThroughItsContexts) {
    const FigureSpec figure = spec();
    const auto data = load_figure_data(project(), figure);
    ASSERT_TRUE(data) << describe(data.error());
    ASSERT_EQ(data->panels[0].series.size(), 2U) << "S2 has one context: it is for the other axis";
    EXPECT_EQ(data->panels[0].series[1].label, "LF");
    const Curve& first = *data->panels[0].series[0].mean;
    ASSERT_EQ(first.size(), 3U);
    EXPECT_EQ(first.x(2), 65'536);
    EXPECT_DOUBLE_EQ(first.y(0), 1e3 * 65'536 / (60 + 4'096 / 500.0));
    ASSERT_EQ(data->panels[1].series.size(), 1U) << "of LF a scale is missing";
    EXPECT_EQ(data->panels[1].series[0].mean->size(), 2U);
    ASSERT_EQ(data->notes.size(), 1U);
    EXPECT_NE(data->notes[0].find("not enough memory"), std::string::npos) << data->notes[0];
}

TEST_F(GrowthFigureTest, WritesEveryFileAndNamesTheDevice) {
    const FigureSpec figure = spec();
    EXPECT_EQ(figure_from_json(to_json(figure)).value(), figure);
    const auto data = load_figure_data(project(), figure);
    ASSERT_TRUE(data) << describe(data.error());
    const FigureBytes pdf = render_figure(figure, *data, FigureFile::pdf);
    EXPECT_TRUE(pdf.bytes.startsWith("%PDF"));
    EXPECT_EQ(pdf.facts.series, 2);
    EXPECT_EQ(pdf.facts.outside, 0U);
    EXPECT_TRUE(pdf.facts.texts.contains(QStringLiteral("tokens/s, NVIDIA H200")));
    EXPECT_TRUE(pdf.facts.texts.contains(QStringLiteral("context (tokens)")));
    for (const char* measured : {"4K", "16K", "64K", "71.4 M", "107 M"})
        EXPECT_TRUE(pdf.facts.texts.contains(QString::fromUtf8(measured))) << measured;
    const QByteArray csv = render_figure(figure, *data, FigureFile::csv).bytes;
    EXPECT_EQ(csv.count('\n'), 1 + 6 + 2);
    EXPECT_TRUE(csv.contains("1,tokens_per_s/context,F,S1,4096,16,")) << csv.toStdString();
    const Json provenance =
        Json::parse(render_figure(figure, *data, FigureFile::provenance).bytes.toStdString());
    EXPECT_EQ(provenance["scores"], Json::array({"growth.json"}));
    write(figure, *data, FigureFile::png, "growth");
}

TEST_F(GrowthFigureTest, WhatCannotBeDrawnIsNamed) {
    FigureSpec figure = spec();
    figure.panels[0].metric = "tokens_per_s";
    EXPECT_FALSE(figure_from_json(to_json(figure)));
    figure = spec();
    figure.source = {.runs = {"a91"}};
    EXPECT_FALSE(figure_from_json(to_json(figure)));
    figure = recallFigure();
    figure.source = {.growth = "growth.json"};
    EXPECT_FALSE(figure_from_json(to_json(figure))) << "curves are of runs";
    figure = spec();
    figure.source.growth = "nowhere.json";
    EXPECT_EQ(load_figure_data(project(), figure).error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace braid::ui
