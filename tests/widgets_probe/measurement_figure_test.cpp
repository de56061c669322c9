// The figure of measurements: files of a project in, PDF, SVG, PNG, CSV and provenance out.
#include <gtest/gtest.h>

#include <QImage>

#include "tests/widgets_probe/probe_fixture.h"
#include "widgets/common/mixer_style.h"
#include "widgets/figure/figure_export.h"
#include "widgets/figure/figure_kind.h"
#include "widgets/probe/probe_figures.h"

namespace braid::ui {
namespace {

class MeasurementFigureTest : public ProbeTest {
protected:
    void SetUp() override {
        for (const char* name : {"near", "far"}) {
            const MeasurementFiles files(addRun(name), 600);
            files.probe();
            files.heads();
            files.gradient();
            files.trace();
            files.restrict();
            files.noise();
            files.entropy();
        }
        open();
    }
    const NamedFigure* find(const char* metric) {
        for (const NamedFigure& figure : figures_)
            if (figure.spec.panels.front().metric == metric) return &figure;
        return nullptr;
    }
    std::vector<NamedFigure> figures_;
};

TEST_F(MeasurementFigureTest, EveryViewHasAFigureThatWritesEveryFile) {
    figures_ = probeFigures(workspace_->choice());
    ASSERT_GE(figures_.size(), 7U);
    const QString keep = qEnvironmentVariable("BRAID_SCREENSHOTS");
    for (const NamedFigure& figure : figures_) {
        SCOPED_TRACE(figure.spec.panels.front().metric);
        ASSERT_TRUE(figure_from_json(to_json(figure.spec)).has_value());
        EXPECT_EQ(figure_from_json(to_json(figure.spec)).value(), figure.spec);
        const auto data = load_figure_data(fixture_.folder().toStdString(), figure.spec);
        ASSERT_TRUE(data.has_value()) << describe(data.error());
        const FigureBytes pdf = render_figure(figure.spec, *data, FigureFile::pdf);
        EXPECT_TRUE(pdf.bytes.startsWith("%PDF"));
        EXPECT_LT(pdf.bytes.size(), 200'000);
        EXPECT_GT(pdf.facts.points, 0U);
        EXPECT_TRUE(render_figure(figure.spec, *data, FigureFile::svg).bytes.contains("<svg"));
        const QByteArray png = render_figure(figure.spec, *data, FigureFile::png).bytes;
        EXPECT_FALSE(QImage::fromData(png).isNull());
        if (!keep.isEmpty())
            QImage::fromData(png).save(keep + QStringLiteral("/figure-%1.png").arg(figure.name));
        const Json provenance =
            Json::parse(render_figure(figure.spec, *data, FigureFile::provenance).bytes.toStdString());
        EXPECT_EQ(provenance["scores"].size(), figure.spec.source.runs.size())
            << "the files it was read from";
    }
}

TEST_F(MeasurementFigureTest, MapsHatchWhatWasNotMeasuredAndTheTableHasEveryValue) {
    figures_ = probeFigures(workspace_->choice());
    const NamedFigure* heads = find("heads/mass");
    ASSERT_NE(heads, nullptr);
    const auto data = load_figure_data(fixture_.folder().toStdString(), heads->spec);
    ASSERT_TRUE(data.has_value());
    const FigureBytes svg = render_figure(heads->spec, *data, FigureFile::svg);
    EXPECT_EQ(svg.facts.points, 2 * 8U) << "a map a run";
    EXPECT_EQ(svg.facts.missing, 2 * 8U) << "hatched, never 0";
    EXPECT_TRUE(svg.facts.texts.contains(QStringLiteral("Retrieval score by head, near")));
    EXPECT_TRUE(svg.facts.texts.contains(QStringLiteral("Retrieval score by head, far")));
    EXPECT_TRUE(svg.facts.texts.contains(QStringLiteral("L2.H1  0.710")))
        << svg.facts.texts.join(QLatin1Char('|')).toStdString();
    const QByteArray csv = render_figure(heads->spec, *data, FigureFile::csv).bytes;
    EXPECT_TRUE(csv.startsWith("panel,kind,array,run,name,step,axes,value,low,high,samples,unit\n"));
    EXPECT_EQ(csv.count('\n'), 1 + 2 * 16);
    EXPECT_TRUE(csv.contains(",layer=1 head=0,,,,100,\n")) << "no value is empty";
    EXPECT_TRUE(csv.contains(",layer=2 head=1,0.71,,,100,\n"));
}

TEST_F(MeasurementFigureTest, RowsByKindOfLayerHaveTheirLayersOnly) {
    figures_ = probeFigures(workspace_->choice(), true);
    const NamedFigure* probing = find("probe/accuracy/by-kind");
    ASSERT_NE(probing, nullptr);
    EXPECT_TRUE(figure_from_json(to_json(probing->spec)).has_value());
    const auto data = load_figure_data(fixture_.folder().toStdString(), probing->spec);
    ASSERT_TRUE(data.has_value());
    const FigureBytes svg = render_figure(probing->spec, *data, FigureFile::svg);
    EXPECT_EQ(svg.facts.points, 2 * 2 * 4U) << "two arrays of two runs, each layer in one row";
    EXPECT_EQ(svg.facts.missing, 0U) << "layers of other kinds are not missing";
    EXPECT_TRUE(svg.facts.texts.contains(QStringLiteral("near, full")));
}

TEST_F(MeasurementFigureTest, EntropyStandsAgainstHitRate) {
    figures_ = probeFigures(workspace_->choice());
    const NamedFigure* scatter = find("entropy/scatter");
    ASSERT_NE(scatter, nullptr);
    const auto data = load_figure_data(fixture_.folder().toStdString(), scatter->spec);
    ASSERT_TRUE(data.has_value());
    const FigureBytes svg = render_figure(scatter->spec, *data, FigureFile::svg);
    EXPECT_EQ(svg.facts.points, 2 * 8U) << "a point a head that was looked at";
    const QByteArray csv = render_figure(scatter->spec, *data, FigureFile::csv).bytes;
    EXPECT_EQ(csv.count('\n'), 1 + 2 * 2 * 16);
}

TEST_F(MeasurementFigureTest, AProfileHasItsFarLevelAndWhereItIsMet) {
    figures_ = probeFigures(workspace_->choice());
    const NamedFigure* profile = find("gradient/g");
    ASSERT_NE(profile, nullptr);
    const auto data = load_figure_data(fixture_.folder().toStdString(), profile->spec);
    ASSERT_TRUE(data.has_value());
    ASSERT_EQ(data->panels[0].series.size(), 2U);
    EXPECT_DOUBLE_EQ(data->panels[0].series[0].level, 0.0105);
    EXPECT_DOUBLE_EQ(data->panels[0].series[0].arrival, 300);
    const FigureBytes svg = render_figure(profile->spec, *data, FigureFile::svg);
    EXPECT_TRUE(svg.facts.texts.contains(QStringLiteral("far level, and where it is met")));
}

TEST_F(MeasurementFigureTest, PartsOfAModelHaveTheirOwnColours) {
    figures_ = probeFigures(workspace_->choice());
    const NamedFigure* noise = find("noise/change");
    ASSERT_NE(noise, nullptr);
    const auto data = load_figure_data(fixture_.folder().toStdString(), noise->spec);
    ASSERT_TRUE(data.has_value());
    ASSERT_EQ(data->panels[0].series.size(), 3U);
    EXPECT_EQ(data->panels[0].series[1].component, "swa");
    const FigureBytes svg = render_figure(noise->spec, *data, FigureFile::svg);
    ASSERT_EQ(svg.facts.looks.size(), 3U);
    EXPECT_EQ(svg.facts.looks[0].colour, mixerStyle("full").textLight);
    EXPECT_EQ(svg.facts.looks[1].colour, mixerStyle("swa").textLight);
    EXPECT_NE(svg.facts.looks[0].dash, svg.facts.looks[1].dash);
    for (const SeriesLook& look : svg.facts.looks)
        for (const QColor& run : lightTokens().runs) EXPECT_NE(look.colour, run);
}

TEST_F(MeasurementFigureTest, ATraceCanBeOfTheTopHeadAlone) {
    FigureSpec spec{.kind = "measurement"};
    for (const RunPointer& run : workspace_->choice().chosen()) spec.source.runs.push_back(run->id.str());
    spec.panels.push_back({.metric = "trace/mass/top"});
    ASSERT_TRUE(figure_from_json(to_json(spec)).has_value());
    const auto data = load_figure_data(fixture_.folder().toStdString(), spec);
    ASSERT_TRUE(data.has_value()) << describe(data.error());
    EXPECT_NEAR(data->panels[0].series.at(0).mean->back().y, 0.72, 1e-3) << "not the mean with 0.58";
    EXPECT_TRUE(render_figure(spec, *data, FigureFile::svg)
                    .facts.texts.join(QLatin1Char('|'))
                    .contains(QStringLiteral("top head")));
    spec.panels[0].metric = "gradient/g/top";
    EXPECT_FALSE(figure_from_json(to_json(spec)).has_value());
}

TEST_F(MeasurementFigureTest, WhatIsWrongIsNamed) {
    FigureSpec spec{.kind = "measurement"};
    spec.source.runs = {"none"};
    spec.panels.push_back({.metric = "probe"});
    EXPECT_FALSE(figure_from_json(to_json(spec)).has_value());
    spec.panels[0].metric = "guess/accuracy";
    EXPECT_FALSE(figure_from_json(to_json(spec)).has_value());
    spec.panels[0].metric = "probe/accuracy/by-size";
    EXPECT_FALSE(figure_from_json(to_json(spec)).has_value());
    spec.panels[0].metric = "probe/accuracy/by-kind";
    EXPECT_TRUE(figure_from_json(to_json(spec)).has_value());
    spec.panels[0].metric = "probe/accuracy";
    EXPECT_TRUE(figure_from_json(to_json(spec)).has_value());
    EXPECT_EQ(load_figure_data(fixture_.folder().toStdString(), spec).error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace braid::ui
