// Curves of one or more metrics, a panel each, with one legend.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/number_format.h"
#include "widgets/figure/curves_legend.h"
#include "widgets/figure/curves_panel.h"
#include "widgets/figure/figure_kind.h"

namespace braid::ui {
namespace {

constexpr double outer_mm = 1;
constexpr double panel_gap_mm = 4;
// All lines of a figure together: keeps a PDF of 10^6 points well under 200 KB, at columns finer than a line
// is wide.
constexpr double point_budget = 22'000;

class CurvesFigure final : public FigureKind {
public:
    std::string_view id() const override { return "curves"; }

    void validate(const FigureSpec& spec, Diagnostics& problems) const override {
        for (std::size_t i = 0; i < spec.panels.size(); ++i) {
            if (spec.panels[i].compare_crossings && !spec.panels[i].threshold) {
                problems.push_back(
                    {"panels[" + std::to_string(i) + "].compare_crossings", "needs a threshold", "true"});
            }
        }
    }

    void draw(const FigureSpec& spec, const FigureData& data, FigureCanvas& canvas) const override {
        const std::vector<SeriesLook> looks = collect_looks(spec, data);
        FigureFacts& facts = canvas.facts();
        facts.looks = looks;
        facts.series = static_cast<int>(looks.size());
        facts.fewest_seeds = std::numeric_limits<std::size_t>::max();
        for (const FigurePanelData& panel : data.panels) {
            for (const FigureSeries& series : panel.series) {
                facts.fewest_seeds = std::min(facts.fewest_seeds, series.lines.size());
                facts.spread_wanted = facts.spread_wanted || several_seeds(series);
            }
        }
        if (looks.empty()) {
            facts.fewest_seeds = 0;
        }

        const QRectF page = canvas.page();
        const double outer = FigureCanvas::mm(outer_mm);
        const bool below = spec.style.legend == FigureLegend::below;
        const bool labels = spec.style.legend == FigureLegend::labels;
        CurvesLegend legend(spec, data, looks, canvas, below ? page.width() - 2 * outer : 0);
        const double legend_height = below && !looks.empty() ? legend.height() + FigureCanvas::mm(1) : 0;

        const std::size_t count = spec.panels.size();
        const std::size_t across = std::min<std::size_t>(count, spec.style.width_mm >= 150   ? 3
                                                                : spec.style.width_mm >= 100 ? 2
                                                                                             : 1);
        const std::size_t down = (count + across - 1) / across;
        const double gap = FigureCanvas::mm(panel_gap_mm);
        const double width =
            (page.width() - gap * static_cast<double>(across - 1)) / static_cast<double>(across);
        const double height = (page.height() - legend_height - outer - gap * static_cast<double>(down - 1)) /
                              static_cast<double>(down);

        std::size_t drawn_lines = 0;
        for (const FigurePanelData& panel : data.panels) {
            for (const FigureSeries& series : panel.series) {
                drawn_lines += separate_seeds(spec, series) ? series.lines.size() : 1;
            }
        }
        const double most = point_budget / (4.0 * static_cast<double>(std::max<std::size_t>(1, drawn_lines)));
        const int columns =
            static_cast<int>(std::clamp(std::min(width / FigureCanvas::mm(0.1), most), 60.0, 4000.0));

        std::vector<CurvesPanel> panels;
        for (std::size_t i = 0; i < count; ++i) {
            panels.emplace_back(spec, spec.panels[i], data.panels[i], canvas);
            panels.back().prepare(width, height);
        }
        for (std::size_t i = 0; i < count; ++i) {
            // One column, one left edge: the widest labels decide.
            double left_room = 0;
            for (std::size_t other = i % across; other < count; other += across) {
                left_room = std::max(left_room, panels[other].leftRoom());
            }
            const double left = static_cast<double>(i % across) * (width + gap);
            const double top = static_cast<double>(i / across) * (height + gap) + FigureCanvas::mm(1.5);
            const QRectF cell(left, top, width, height - FigureCanvas::mm(1.5));
            const QRectF area =
                cell.adjusted(left_room, 0, -panels[i].rightRoom(labels, looks), -panels[i].bottomRoom());
            const QString letter = count > 1 ? QString(QChar(static_cast<char16_t>(u'a' + i))) : QString();
            panels[i].draw(area.normalized(), looks, columns, letter);
            if (labels) {
                panels[i].drawLabels(looks);
            }
        }
        if (below && !looks.empty()) {
            legend.draw({outer, page.height() - legend.height() - outer * 0.6, page.width() - 2 * outer,
                         legend.height()},
                        true);
        } else if (spec.style.legend == FigureLegend::inside && !looks.empty()) {
            const QRectF box = panels[0].emptiestPlace({legend.width(), legend.height()});
            const double pad = FigureCanvas::mm(0.6);
            canvas.rectangle(box.adjusted(-pad, -pad, pad, pad), QColor(255, 255, 255, 225));
            legend.draw(box, false);
        }
    }

    std::string csv(const FigureSpec& spec, const FigureData& data) const override {
        std::string text = "panel,metric,series,run,seed,x_axis,x,value,shown\n";
        for (std::size_t p = 0; p < spec.panels.size(); ++p) {
            const FigurePanel& panel = spec.panels[p];
            const double low = panel.x_range[0].value_or(-std::numeric_limits<double>::infinity());
            const double high = panel.x_range[1].value_or(std::numeric_limits<double>::infinity());
            for (const FigureSeries& series : data.panels[p].series) {
                for (const FigureLine& line : series.lines) {
                    const FigureRun& run = data.runs[line.run];
                    const std::string head = std::to_string(p + 1) + ',' + csv_field(panel.metric) + ',' +
                                             csv_field(series.label) + ',' + csv_field(run.id) + ',' +
                                             std::to_string(run.seed) + ',' + panel.x + ',';
                    for (std::size_t i = line.raw->lower_bound(low); i < line.raw->upper_bound(high); ++i) {
                        text += head + exact_number(line.raw->x(i)) + ',' + exact_number(line.raw->y(i)) +
                                ',' + exact_number(line.shown->y(i)) + '\n';
                    }
                }
            }
        }
        return text;
    }

    QString dataSummary(const FigureSpec&, const FigureData& data) const override {
        std::size_t points = 0;
        for (const FigurePanelData& panel : data.panels) {
            for (const FigureSeries& series : panel.series) {
                for (const FigureLine& line : series.lines) {
                    points += line.raw->size();
                }
            }
        }
        return QStringLiteral("%1 points")
            .arg(QString::fromStdString(format_count(static_cast<std::int64_t>(points))));
    }

    double fittingHeight(const FigureSpec& spec, const FigureData&) const override {
        const double across =
            std::min<double>(static_cast<double>(spec.panels.size()), spec.style.width_mm >= 150   ? 3
                                                                      : spec.style.width_mm >= 100 ? 2
                                                                                                   : 1);
        const double down = std::ceil(static_cast<double>(spec.panels.size()) / std::max(1.0, across));
        return std::round(std::min(spec.style.width_mm / across * 0.62, 110.0) * down + spec.style.font_pt);
    }
};

const CurvesFigure instance;

}  // namespace

extern const FigureKind& curves_figure;
const FigureKind& curves_figure = instance;

}  // namespace braid::ui
