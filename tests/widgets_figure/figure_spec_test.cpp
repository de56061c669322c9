#include "widgets/figure/figure.h"

#include "tests/widgets_figure/figure_fixture.h"
#include "widgets/common/theme.h"
#include "widgets/figure/command_options.h"
#include "widgets/figure/figure_checks.h"
#include "widgets/figure/figure_kind.h"

using namespace braid;
using namespace braid::ui;

namespace {

std::string problems_of(const Json& json) {
    const auto parsed = figure_from_json(json);
    std::string text;
    if (!parsed) {
        for (const Diagnostic& problem : parsed.error()) {
            text += problem.message() + "\n";
        }
    }
    return text;
}

}  // namespace

TEST(FigureSpecJson, roundTrips) {
    FigureSpec spec = recallFigure();
    spec.colours = {{"Window 4", 3}};
    spec.spread = SeedSpread::interval;
    spec.panels[0].x_range = {std::nullopt, 1e6};
    spec.panels.push_back({.metric = "loss", .x = "time_s", .smoothing = 0.9, .y_scale = AxisScale::log});
    spec.style = {.size = FigureSize::custom,
                  .width_mm = 111,
                  .height_mm = 77,
                  .font = "Inter",
                  .font_pt = 9,
                  .line_pt = 2,
                  .legend = FigureLegend::labels,
                  .series_by = SeriesBy::dash,
                  .text = TextAs::paths};
    const auto again = figure_from_json(to_json(spec));
    ASSERT_TRUE(again) << problems_of(to_json(spec));
    EXPECT_EQ(*again, spec);
}

TEST(FigureSpecJson, theExampleProjectsFiguresAreValid) {
    const std::string folder =
        std::string(qEnvironmentVariable("BRAID_SOURCE_DIR", QStringLiteral(".")).toStdString()) +
        "/projects/laziness/figures/";
    for (const char* name : {"far-recall.json", "tokens-to-0.9.json"}) {
        const auto spec = read_figure(folder + name);
        ASSERT_TRUE(spec) << describe(spec.error());
        EXPECT_EQ(spec->source.study, "laziness");
    }
}

TEST(FigureSpecJson, everyProblemIsTold) {
    const Json json = {
        {"schema_version", 1},
        {"kind", "pie"},
        {"source", {{"study", "a"}, {"runs", {"b", 3}}}},
        {"spread", "wide"},
        {"colour", 1},
        {"colours", {{"a", -1}}},
        {"panels",
         {{{"x", "hours"}, {"smoothing", 2}, {"y_scale", "log"}, {"y_range", {-1, 0}}, {"x_range", {2, 1}}}}},
        {"style", {{"width_mm", 5}, {"font_pt", "big"}, {"legend", "above"}}}};
    const std::string text = problems_of(json);
    for (const char* expected :
         {"kind: must be one of attention-map, curves, growth, loss-by-position, measurement, "
          "needle-map, pareto, scaling, study-map, threshold-table, got \"pie\"",
          "source.runs[1]", "source: must name one of study, runs, checkpoint, growth",
          "spread: must be one of range, interval, none", "colour:", "colours.a", "panels[0].metric",
          "panels[0].x: must be one of tokens, step, flops, time_s", "panels[0].smoothing",
          "panels[0].y_range: must be positive", "panels[0].x_range: must have its lower end first",
          "style.width_mm: must be between", "style.font_pt",
          "style.legend: must be one of below, inside, labels"}) {
        EXPECT_NE(text.find(expected), std::string::npos) << expected << " in\n" << text;
    }
}

TEST(FigureSpecJson, rubbishIsRefusedWithAReason) {
    for (const char* text : {"[]", "3", "null", "{}", R"({"schema_version": 99})",
                             R"({"schema_version": 1, "kind": 5, "source": [], "panels": {}})"}) {
        EXPECT_FALSE(problems_of(*parse_json(text)).empty()) << text;
    }
    EXPECT_NE(problems_of(*parse_json(R"({"schema_version": 99})")).find("99"), std::string::npos);
}

TEST(FigureSpecJson, sizesHaveTheirWidths) {
    Json json = to_json(recallFigure());
    json["style"].erase("width_mm");
    for (const auto& [size, width] : {std::pair{"single", 84.0}, {"double", 174.0}, {"slide", 254.0}}) {
        json["style"]["size"] = size;
        EXPECT_EQ(figure_from_json(json)->style.width_mm, width);
    }
}

TEST(FigureOptionsParser, understandsTheContract) {
    const auto options =
        parse_figure_options({"far-recall", "--out", "a b/fig.pdf", "--out=fig.svg", "--project", "/p",
                              "--width", "100", "--size", "single", "--text=paths", "--json"});
    ASSERT_TRUE(options);
    EXPECT_EQ(options->figure, "far-recall");
    ASSERT_EQ(options->outputs.size(), 2u);
    EXPECT_EQ(options->outputs[0].base, "a b/fig");
    EXPECT_EQ(options->outputs[1].file, FigureFile::svg);
    const auto spec = figure_from_json(with_options(to_json(recallFigure()), *options));
    ASSERT_TRUE(spec);
    EXPECT_EQ(spec->style.width_mm, 100);
    EXPECT_EQ(spec->style.text, TextAs::paths);
}

TEST(FigureOptionsParser, everyProblemIsTold) {
    const auto options =
        parse_figure_options({"--out", "fig.gif", "--width", "wide", "--sparkle", "--project"});
    ASSERT_FALSE(options);
    EXPECT_EQ(options.error().size(), 5u);
    EXPECT_FALSE(parse_figure_options({"a", "b", "--out", "x.pdf"}));
    EXPECT_FALSE(parse_figure_options({"a"}));
    EXPECT_TRUE(parse_figure_options({"--help"}));
}

TEST(FigureChecks, speakOfWhatWasDrawn) {
    const FigureSpec spec = recallFigure();
    const FigureData data = recallData(spec);
    const FigureBytes pdf = render_figure(spec, data, FigureFile::pdf);
    const auto checks = check_figure(spec, data, pdf.facts, pdf.bytes.size());
    std::map<QString, FigureCheck> by_title;
    for (const FigureCheck& check : checks) {
        by_title[check.title] = check;
    }
    EXPECT_EQ(by_title[QStringLiteral("Legend complete")].finding, QStringLiteral("4 of 4 series"));
    EXPECT_EQ(by_title[QStringLiteral("Smallest text")].finding, QStringLiteral("7.0 pt"));
    EXPECT_TRUE(by_title[QStringLiteral("Points outside the axes")].good);
    EXPECT_TRUE(by_title[QStringLiteral("Readable in grey")].good);
    EXPECT_TRUE(by_title[QStringLiteral("Colour-blind, deuteranopia")].good);
    // Four lines in one colour: what tells them apart is said, not a distance of 0; without dashes it is a
    // fault.
    FigureFacts alike = pdf.facts;
    for (SeriesLook& look : alike.looks) look.colour = alike.looks[0].colour;
    const auto blind = [&] {
        for (const FigureCheck& check : check_figure(spec, data, alike, 1'000))
            if (check.title == QStringLiteral("Colour-blind, deuteranopia")) return check;
        return FigureCheck{};
    };
    EXPECT_TRUE(blind().good);
    EXPECT_EQ(blind().finding, QStringLiteral("hues too near, told apart by dash"));
    for (SeriesLook& look : alike.looks) look.dash = 0;
    EXPECT_FALSE(blind().good);
    EXPECT_TRUE(blind().finding.contains(QStringLiteral("ΔE 0"))) << blind().finding.toStdString();
    EXPECT_FALSE(by_title[QStringLiteral("Spread over seeds")].good) << "one seed a point";
    EXPECT_TRUE(by_title[QStringLiteral("PDF size")].good);
    EXPECT_FALSE(by_title.contains(QStringLiteral("Runs finished")));

    FigureSpec tight = spec;
    tight.panels[0].y_range = {0.0, 0.5};
    tight.style.series_by = SeriesBy::hue;
    tight.style.font_pt = 4;
    FigureData running = recallData(tight);
    running.runs[0].state = RunState::running;
    running.expected_runs = 5;
    const FigureBytes cut = render_figure(tight, running, FigureFile::pdf);
    int bad = 0;
    for (const FigureCheck& check : check_figure(tight, running, cut.facts, 500'000)) {
        bad += check.good ? 0 : 1;
    }
    EXPECT_GE(bad, 6);
}

TEST(FigureChecks, coloursOfTheFirstFourRunsStayApart) {
    const auto& runs = lightTokens().runs;
    EXPECT_GE(deuteranopia_distance({runs[0], runs[1], runs[2], runs[3]}), 0.12);
    EXPECT_NEAR(deuteranopia_distance({Qt::white, Qt::black}), 1, 1e-3);
}
