// Figures of scaling: a project's study in; PDF, CSV and provenance out.
#include <QFile>

#include "core/base/csv_table.h"
#include "tests/widgets_scaling/scaling_fixture.h"
#include "widgets/figure/figure_checks.h"
#include "widgets/figure/figure_export.h"
#include "widgets/figure/figure_kind.h"
#include "widgets/scaling/scaling_figures.h"

namespace braid::ui {
namespace {

class ScalingFigureTest : public ScalingTest {
protected:
    void SetUp() override {
        StudySpec spec = gridStudy({1, 2});
        spec.budgets = {1, 2, 4};
        spec.fit.excluded = {"scale=A, budget=1, architecture=Full: too early"};
        addStudy(spec);
        trainAll();
        fitStudy("eval/loss", 20);
        open();
    }
    // Every problem of the description is none; drawn, and written as a table.
    FigureBytes drawn(const NamedFigure& figure, CsvTable& table) {
        const Checked<FigureSpec> read = figure_from_json(to_json(figure.spec));
        EXPECT_TRUE(read.has_value()) << (read ? "" : describe(to_error(read.error())));
        const auto data = load_figure_data(fixture_.folder().toStdString(), figure.spec);
        EXPECT_TRUE(data.has_value()) << (data ? "" : describe(data.error()));
        if (!data) return {};
        EXPECT_EQ(data->runs.size(), 36u);
        FigureBytes pdf = render_figure(figure.spec, *data, FigureFile::pdf);
        EXPECT_TRUE(pdf.bytes.startsWith("%PDF"));
        EXPECT_LT(pdf.bytes.size(), 200'000);
        EXPECT_EQ(pdf.facts.legend_entries, pdf.facts.series);
        const FigureBytes csv = render_figure(figure.spec, *data, FigureFile::csv);
        const Checked<CsvTable> parsed = parse_csv(csv.bytes.toStdString());
        EXPECT_TRUE(parsed.has_value());
        if (parsed) table = *parsed;
        const FigureBytes provenance =
            render_figure(figure.spec, *data, FigureFile::provenance, "braid figure");
        EXPECT_TRUE(provenance.bytes.contains("plan_hash"));
        if (const QString folder = qEnvironmentVariable("BRAID_SCREENSHOTS"); !folder.isEmpty()) {
            QFile file(folder + QStringLiteral("/figure-") + figure.name + QStringLiteral(".pdf"));
            if (file.open(QFile::WriteOnly)) file.write(pdf.bytes);
        }
        return pdf;
    }
};

TEST_F(ScalingFigureTest, AnOverlayWithItsResiduals) {
    CsvTable table;
    const FigureBytes pdf = drawn(overlayFigure(*choice().content(), false), table);
    EXPECT_EQ(pdf.facts.series, 2);
    EXPECT_EQ(pdf.facts.points, 36u + 34u);  // excluded points have no residual
    EXPECT_EQ(table.rows.size(), 72u);       // of both panels
    EXPECT_TRUE(pdf.facts.texts.contains(QStringLiteral("held out")));
    EXPECT_TRUE(pdf.facts.texts.contains(QStringLiteral("excluded")));
    EXPECT_TRUE(pdf.facts.texts.contains(QStringLiteral("validation loss (nats/token)")));
    const std::size_t use = *table.column("use");
    EXPECT_EQ(std::count_if(table.rows.begin(), table.rows.end(),
                            [&](const CsvRow& row) { return row.cells[use] == "excluded"; }),
              4);
}

TEST_F(ScalingFigureTest, SmallMultiplesAndAPair) {
    CsvTable table;
    NamedFigure panels = panelsFigure(*choice().content(), true, false);
    ASSERT_EQ(panels.spec.panels.size(), 2u);
    panels.name += QStringLiteral("-panels");
    drawn(panels, table);
    EXPECT_EQ(table.rows.size(), 36u);
    NamedFigure pair = pairFigure(*choice().content(), false, {"Full", "Window 8"});
    drawn(pair, table);
    EXPECT_EQ(table.rows.size(), 72u);
}

TEST_F(ScalingFigureTest, AMapAndAFront) {
    CsvTable table;
    const FigureBytes map =
        drawn(mapFigure(*choice().content(), "eval/loss by budget and scale where architecture=Full"), table);
    EXPECT_EQ(table.rows.size(), 9u);
    EXPECT_EQ(table.rows.front().cells[*table.column("runs")], "2");
    EXPECT_EQ(map.facts.missing, 0u);
    const FigureBytes front = drawn(frontFigure(*choice().content(), "eval/loss against kv_bytes"), table);
    EXPECT_EQ(table.rows.size(), 6u);
    EXPECT_EQ(front.facts.points, 6u);
}

TEST_F(ScalingFigureTest, WhatCannotBeAskedForIsRefused) {
    NamedFigure figure = overlayFigure(*choice().content(), false);
    figure.spec.panels[0].metric = "eval/loss against kv_bytes";
    EXPECT_FALSE(figure_from_json(to_json(figure.spec)));
    figure.spec.kind = "pareto";
    figure.spec.panels.resize(1);
    EXPECT_TRUE(figure_from_json(to_json(figure.spec)));
    figure.spec.panels[0].metric = "eval/loss against beauty";
    EXPECT_FALSE(figure_from_json(to_json(figure.spec)));
    figure.spec.kind = "study-map";
    figure.spec.panels[0].metric = "eval/loss by scale";
    EXPECT_FALSE(figure_from_json(to_json(figure.spec)));
    figure.spec.kind = "scaling";
    figure.spec.panels[0].metric = "eval/loss";
    figure.spec.source = {.study = {}, .runs = {"abcd"}};
    EXPECT_FALSE(figure_from_json(to_json(figure.spec)));
}

}  // namespace
}  // namespace braid::ui
