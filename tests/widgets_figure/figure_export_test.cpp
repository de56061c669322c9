#include "widgets/figure/figure_export.h"

#include <QXmlStreamReader>
#include <regex>

#include "core/analysis/crossing.h"
#include "core/analysis/number_format.h"
#include "tests/widgets_figure/figure_fixture.h"

using namespace braid;
using namespace braid::ui;

namespace {

// Width and height in points, as pdfinfo states them.
std::pair<double, double> pageSize(const std::string& file) {
    std::smatch match;
    const std::string info = outputOf("pdfinfo '" + file + "'");
    if (!std::regex_search(info, match, std::regex("Page size: +([0-9.]+) x ([0-9.]+) pts"))) {
        ADD_FAILURE() << info;
        return {};
    }
    return {std::stod(match[1]), std::stod(match[2])};
}

class FigureExport : public FigureFolder {};

}  // namespace

TEST_F(FigureExport, pdfHasTheExactSizeEmbeddedFontsAndItsText) {
    const FigureSpec spec = recallFigure();
    const std::string file = write(spec, recallData(spec), FigureFile::pdf, "far-recall");
    const auto [width, height] = pageSize(file);
    EXPECT_NEAR(width, 84 * 72 / 25.4, 0.02);
    EXPECT_NEAR(height, 60 * 72 / 25.4, 0.02);
    const std::string fonts = outputOf("pdffonts '" + file + "'");
    std::istringstream lines(fonts);
    std::string line;
    int count = 0;
    for (int i = 0; std::getline(lines, line); ++i) {
        if (i >= 2) {
            ++count;
            EXPECT_NE(line.find("yes yes"), std::string::npos) << "embedded and subset: " << line;
            EXPECT_EQ(line.find("Type 3"), std::string::npos) << line;
        }
    }
    EXPECT_GT(count, 0) << fonts;
    const std::string text = outputOf("pdftotext -layout '" + file + "' -");
    for (const char* expected : {"Window 4", "Window 16", "Window 64, NoPE", "Window 64", "far recall",
                                 "training tokens (M)", "more, 2.0 ×", "0.9"}) {
        EXPECT_NE(text.find(expected), std::string::npos) << expected << " in\n" << text;
    }
    EXPECT_NE(outputOf("pdfinfo '" + file + "'").find("Far recall"), std::string::npos);
    EXPECT_EQ(outputOf("pdftoppm -r 20 '" + file + "' '" + path("check") + "'"), "")
        << "poppler finds nothing wrong";
    EXPECT_LT(readFile(file).size(), 60'000u);
}

TEST_F(FigureExport, pathsNeedNoFont) {
    FigureSpec spec = recallFigure();
    spec.style.text = TextAs::paths;
    const std::string file = write(spec, recallData(spec), FigureFile::pdf, "paths");
    const std::string fonts = outputOf("pdffonts '" + file + "'");
    EXPECT_EQ(std::count(fonts.begin(), fonts.end(), '\n'), 2) << fonts;
    EXPECT_EQ(outputOf("pdftotext '" + file + "' -").find("Window"), std::string::npos);
}

TEST_F(FigureExport, aMillionPointsStayUnderTwoHundredKilobytesAndKeepTheirSpike) {
    FigureSpec spec = recallFigure();
    spec.style.width_mm = 174;
    spec.panels = {{.metric = "loss", .x = "step"}};
    FigureData data;
    data.runs.push_back({.id = "r", .series = "r", .steps = 1'000'000});
    data.panels.resize(1);
    std::vector<double> x(1'000'000);
    std::vector<double> y(x.size());
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = static_cast<double>(i);
        y[i] = 3 + std::exp(-6e-6 * x[i]) + 0.2 * static_cast<double>(state >> 40) / (1 << 24);
    }
    y[700'001] = 6;
    data.panels[0].series.push_back({.label = "r", .lines = {{0, Curve::make(x, y), Curve::make(x, y)}}});
    finish_series(spec, spec.panels[0], data.panels[0].series[0]);
    const std::string pdf = write(spec, data, FigureFile::pdf, "million");
    std::printf("PDF of 10^6 noisy points: %.1f KB\n", static_cast<double>(readFile(pdf).size()) / 1000);
    EXPECT_LT(readFile(pdf).size(), 200'000u);
    const std::string svg = write(spec, data, FigureFile::svg, "million");
    EXPECT_LT(readFile(svg).size(), 600'000u);
    // The spike reaches higher than anything else: its column alone is inked in the upper third of the panel.
    const QImage image = QImage::fromData(render_figure(spec, data, FigureFile::png).bytes);
    int inked = 0;
    for (int column = image.width() / 8; column < image.width() - 20; ++column) {
        const QColor pixel = image.pixelColor(column, image.height() / 6);
        inked += pixel.saturation() > 60 ? 1 : 0;
    }
    EXPECT_GE(inked, 3);
    EXPECT_LT(inked, 60);
}

TEST_F(FigureExport, svgIsXmlOfTheExactSize) {
    const FigureSpec spec = recallFigure();
    const std::string file = write(spec, recallData(spec), FigureFile::svg, "far-recall");
    const QByteArray bytes = QByteArray::fromStdString(readFile(file));
    QXmlStreamReader xml(bytes);
    QString width;
    QString height;
    QString text;
    while (!xml.atEnd()) {
        if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == QStringLiteral("svg")) {
            width = xml.attributes().value(QStringLiteral("width")).toString();
            height = xml.attributes().value(QStringLiteral("height")).toString();
        } else if (xml.isCharacters()) {
            text += xml.text();
        }
    }
    EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
    EXPECT_EQ(width, QStringLiteral("84mm"));
    EXPECT_EQ(height, QStringLiteral("60mm"));
    for (const char* expected : {"Window 64, NoPE", "far recall"}) {
        EXPECT_TRUE(text.contains(QLatin1String(expected))) << expected;
    }
    EXPECT_FALSE(bytes.contains("nan")) << "no coordinate without a place";
}

TEST_F(FigureExport, pngHasPrintResolution) {
    FigureSpec spec = recallFigure();
    spec.style.width_mm = 174;
    spec.style.height_mm = 72;
    const std::string file = write(spec, recallData(spec), FigureFile::png, "far-recall-double");
    const QImage image(QString::fromStdString(file));
    EXPECT_EQ(image.size(), QSize(4110, 1701));
    EXPECT_NEAR(image.dotsPerMeterX(), 600 / 0.0254, 1);
}

TEST_F(FigureExport, csvEqualsTheData) {
    FigureSpec spec = recallFigure();
    spec.panels[0].smoothing = 0.5;
    const FigureData data = recallData(spec);
    std::istringstream csv(readFile(write(spec, data, FigureFile::csv, "far-recall")));
    std::string line;
    std::getline(csv, line);
    EXPECT_EQ(line, "panel,metric,series,run,seed,x_axis,x,value,shown");
    for (const FigureSeries& series : data.panels[0].series) {
        const FigureLine& one = series.lines[0];
        for (std::size_t i = 0; i < one.raw->size(); ++i) {
            ASSERT_TRUE(std::getline(csv, line));
            const std::string label =
                series.label.find(',') == std::string::npos ? series.label : '"' + series.label + '"';
            EXPECT_EQ(line, "1,recall/far," + label + "," + data.runs[one.run].id + ",1,tokens," +
                                exact_number(one.raw->x(i)) + "," + exact_number(one.raw->y(i)) + "," +
                                exact_number(one.shown->y(i)));
        }
    }
    EXPECT_FALSE(std::getline(csv, line));
}

TEST_F(FigureExport, provenanceTellsWhereEverythingCameFrom) {
    const FigureSpec spec = recallFigure();
    const std::string file = write(spec, recallData(spec, 2), FigureFile::provenance, "far-recall");
    const auto json = parse_json(readFile(file));
    ASSERT_TRUE(json);
    EXPECT_EQ((*json)["runs"].size(), 8u);
    EXPECT_EQ((*json)["runs"][0]["seed"], 1);
    EXPECT_EQ((*json)["command"], "braid figure test");
    EXPECT_EQ((*json)["transforms"][0]["metric"], "recall/far");
    const auto again = figure_from_json((*json)["figure"]);
    ASSERT_TRUE(again) << "the description inside can be drawn again";
    EXPECT_EQ(*again, spec);
}

TEST_F(FigureExport, everyLegendNamesEverySeries) {
    for (const FigureLegend legend : {FigureLegend::below, FigureLegend::inside, FigureLegend::labels}) {
        for (const double width : {84.0, 174.0}) {
            FigureSpec spec = recallFigure();
            spec.style.legend = legend;
            spec.style.width_mm = width;
            const FigureBytes pdf = render_figure(spec, recallData(spec), FigureFile::pdf);
            EXPECT_EQ(pdf.facts.legend_entries, 4);
            EXPECT_EQ(pdf.facts.series, 4);
            const std::string name =
                "legend-" + std::string(to_text(legend)) + "-" + std::to_string(static_cast<int>(width));
            const std::string text = outputOf("pdftotext -layout '" +
                                              write(spec, recallData(spec), FigureFile::pdf, name) + "' -");
            EXPECT_NE(text.find("Window 64, NoPE"), std::string::npos) << name;
        }
    }
}

TEST_F(FigureExport, seedsBecomeAMeanWithItsBand) {
    FigureSpec spec = recallFigure();
    for (const SeedSpread spread : {SeedSpread::range, SeedSpread::interval, SeedSpread::none}) {
        spec.spread = spread;
        const FigureBytes pdf = render_figure(spec, recallData(spec, 3), FigureFile::pdf);
        EXPECT_TRUE(pdf.facts.spread_shown);
        EXPECT_EQ(pdf.facts.legend_entries, 4) << "seeds are no series of their own";
        const std::string name = "seeds-" + std::string(to_text(spread));
        const std::string text =
            outputOf("pdftotext -layout '" + write(spec, recallData(spec, 3), FigureFile::pdf, name) + "' -");
        EXPECT_EQ(text.find("range of 3 seeds") != std::string::npos, spread == SeedSpread::range) << text;
        EXPECT_EQ(text.find("90 % interval") != std::string::npos, spread == SeedSpread::interval) << text;
    }
}

TEST_F(FigureExport, severalPanelsShareOneLegend) {
    FigureSpec spec = recallFigure();
    spec.style.width_mm = 174;
    spec.style.height_mm = 62;
    spec.panels.push_back({.metric = "loss", .x = "step", .y_scale = AxisScale::log});
    FigureData data = recallData(spec);
    for (FigureSeries& series : data.panels[1].series) {
        std::vector<double> x;
        std::vector<double> y;
        for (int i = 1; i <= 600; ++i) {
            x.push_back(i);
            y.push_back(1.7 + 2.6 * std::exp(-i / 90.0) + 0.1 * std::sin(i * 1.7));
        }
        series.lines[0] = {series.lines[0].run, Curve::make(x, y), Curve::make(x, y)};
        finish_series(spec, spec.panels[1], series);
    }
    const std::string text =
        outputOf("pdftotext -layout '" + write(spec, data, FigureFile::pdf, "two-panels") + "' -");
    EXPECT_NE(text.find("training loss"), std::string::npos);
    EXPECT_NE(text.find("step"), std::string::npos);
}

TEST_F(FigureExport, accidentsInTheDataAreMarkedAndCounted) {
    FigureSpec spec = recallFigure();
    spec.panels = {{.metric = "loss", .x = "step", .y_scale = AxisScale::log}};
    FigureData data;
    data.runs.push_back({.id = "r", .series = "r"});
    data.panels.resize(1);
    const double missing = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> x{0, 1, 2, 3, 4, 5, 6, 7, 8};
    const std::vector<double> y{5,  4,  std::numeric_limits<double>::infinity(), 3, missing, 2.5, missing,
                                -1, 1.5};
    data.panels[0].series.push_back({.label = "r", .lines = {{0, Curve::make(x, y), Curve::make(x, y)}}});
    finish_series(spec, spec.panels[0], data.panels[0].series[0]);
    const FigureBytes svg = render_figure(spec, data, FigureFile::svg);
    EXPECT_EQ(svg.facts.missing, 2u);
    EXPECT_EQ(svg.facts.outside, 2u);
    EXPECT_FALSE(svg.bytes.contains("nan"));
    EXPECT_FALSE(svg.bytes.contains("inf"));
    write(spec, data, FigureFile::pdf, "accidents");
}

TEST_F(FigureExport, theTableSaysWhoGotThereAndWhoDidNot) {
    const FigureSpec spec = recallTable();
    const std::string file = write(spec, recallData(spec), FigureFile::pdf, "table");
    std::string text = outputOf("pdftotext -layout '" + file + "' -");
    for (const char* expected : {"Hybrid", "Step at 0.9", "Tokens to 0.9", "Final far recall",
                                 "Window 64, NoPE", "NoPE", "0.980 ± 0.004", "49 s"}) {
        EXPECT_NE(text.find(expected), std::string::npos) << expected << " in\n" << text;
    }
    EXPECT_EQ(text.find("never"), std::string::npos);
    const FigureData never = recallData(spec, 1, 60);
    text = outputOf("pdftotext -layout '" + write(spec, never, FigureFile::pdf, "table-never") + "' -");
    EXPECT_NE(text.find("not in 600 steps"), std::string::npos) << text;
    EXPECT_NE(text.find("never"), std::string::npos);
    const std::string csv = readFile(write(spec, never, FigureFile::csv, "table-never"));
    EXPECT_NE(csv.find("Window 64,r31,1,no,0.9,tokens,,,,"), std::string::npos) << csv;
    text = outputOf("pdftotext -layout '" +
                    write(spec, recallData(spec, 3, 27), FigureFile::pdf, "table-seeds") + "' -");
    EXPECT_NE(text.find("–"), std::string::npos) << text;
}

TEST_F(FigureExport, curvesAndTableMeanTheSameCrossingOverSeeds) {
    // Seeds of the last hybrid far apart: its mean curve passes 0.9 long after the median seed.
    const FigureSpec spec = recallFigure();
    FigureData data = recallData(spec, 3);
    FigureSeries& last = data.panels[0].series[3];
    for (std::size_t seed = 0; seed < 3; ++seed) {
        std::vector<double> x;
        std::vector<double> y;
        for (int i = 1; i <= 30; ++i) {
            x.push_back(20.0 * 4096 * i);
            y.push_back(i >= (seed == 2 ? 29 : 16) ? 0.95 : 0.1);
        }
        last.lines[seed].raw = last.lines[seed].shown = Curve::make(x, y);
    }
    finish_series(spec, spec.panels[0], last);
    EXPECT_EQ(last.arrival, 20.0 * 4096 * 16);
    EXPECT_EQ(first_crossing(*last.mean, 0.9)->point.x, 20.0 * 4096 * 29);
    const FigureSpec table = recallTable();
    const std::string text =
        outputOf("pdftotext -layout '" + write(table, data, FigureFile::pdf, "median") + "' -");
    EXPECT_NE(text.find("1.31 M"), std::string::npos) << text;
    const double second = std::max({data.panels[0].series[0].arrival, data.panels[0].series[1].arrival,
                                    data.panels[0].series[2].arrival});
    const std::string ratio = format_fixed(last.arrival / second, 1) + " ×";
    EXPECT_NE(outputOf("pdftotext -layout '" + write(spec, data, FigureFile::pdf, "median-curves") + "' -")
                  .find(ratio),
              std::string::npos)
        << ratio;
    const auto provenance = parse_json(readFile(write(spec, data, FigureFile::provenance, "median-curves")));
    EXPECT_NE((*provenance)["transforms"][0]["crossing"].get<std::string>().find("median"),
              std::string::npos);
}

TEST_F(FigureExport, nothingToDrawIsHarmless) {
    for (FigureSpec spec : {recallFigure(), recallTable()}) {
        FigureData empty;
        empty.panels.resize(1);
        for (const FigureFile file :
             {FigureFile::pdf, FigureFile::svg, FigureFile::png, FigureFile::csv, FigureFile::provenance}) {
            EXPECT_FALSE(render_figure(spec, empty, file).bytes.isEmpty());
        }
        spec.style.width_mm = 20;
        spec.style.height_mm = 20;
        EXPECT_FALSE(render_figure(spec, recallData(spec), FigureFile::pdf).bytes.isEmpty());
    }
}

TEST_F(FigureExport, aFailedWriteLeavesTheOldFile) {
    const FigureSpec spec = recallFigure();
    const auto refused =
        write_figure_files(spec, recallData(spec), "/proc/no-such-folder/figure", {FigureFile::pdf}, "");
    ASSERT_FALSE(refused);
    EXPECT_FALSE(describe(refused.error()).empty());
}
