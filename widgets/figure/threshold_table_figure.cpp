// A table: when each variant first reached the threshold, and how it ended.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/crossing.h"
#include "core/analysis/number_format.h"
#include "core/mixers/builtin.h"
#include "core/spec/mixer_kind.h"
#include "widgets/figure/figure_kind.h"
#include "widgets/figure/metric_title.h"
#include "widgets/figure/paper_strip.h"
#include "widgets/figure/series_look.h"

namespace braid::ui {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

// When one run got there and how it ended.
struct RunResult {
    const FigureRun* run = nullptr;
    std::optional<CurvePoint> crossing = {};  // on the panel's axis
    double step = nan_value;                  // of the crossing
    double final_value = nan_value;
    double standard_error = nan_value;  // binomial, where the number of queries is recorded
};

// A row: one variant over its seeds.
struct Row {
    const FigureSeries* series = nullptr;
    std::vector<RunResult> results = {};

    std::vector<double> crossings() const {
        std::vector<double> found;
        for (const RunResult& result : results) {
            if (result.crossing) {
                found.push_back(result.crossing->x);
            }
        }
        std::sort(found.begin(), found.end());
        return found;
    }
    double median() const { return series->arrival; }
};

struct Moments {
    double mean = nan_value;
    double error = nan_value;  // standard error of the mean
};

Moments final_value(const Row& row) {
    double sum = 0;
    double squares = 0;
    double count = 0;
    for (const RunResult& result : row.results) {
        if (std::isfinite(result.final_value)) {
            sum += result.final_value;
            squares += result.final_value * result.final_value;
            count += 1;
        }
    }
    if (count == 0) {
        return {};
    }
    const double mean = sum / count;
    if (count == 1) {
        return {mean, row.results.size() == 1 ? row.results[0].standard_error : nan_value};
    }
    return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean) / (count - 1))};
}

std::vector<Row> collect_rows(const FigureSpec& spec, const FigureData& data) {
    const FigurePanel& panel = spec.panels.front();
    std::vector<Row> rows;
    for (const FigureSeries& series : data.panels.front().series) {
        Row row{&series};
        for (const FigureLine& line : series.lines) {
            const FigureRun& run = data.runs[line.run];
            RunResult result{.run = &run};
            if (const auto crossing = first_crossing(*line.shown, *panel.threshold)) {
                result.crossing = crossing->point;
                const double per_step = panel.x == "tokens"  ? run.tokens_per_step
                                        : panel.x == "flops" ? run.tokens_per_step * run.flops_per_token
                                        : panel.x == "step"  ? 1
                                                             : nan_value;
                result.step = std::round(crossing->point.x / per_step);
            }
            for (std::size_t i = line.raw->size(); i-- > 0 && std::isnan(result.final_value);) {
                if (std::isfinite(line.raw->y(i))) {
                    result.final_value = line.raw->y(i);
                }
            }
            const auto queries = run.queries.find(panel.metric);
            if (queries != run.queries.end() && queries->second > 0 && result.final_value >= 0 &&
                result.final_value <= 1) {
                result.standard_error = std::sqrt(result.final_value * (1 - result.final_value) /
                                                  static_cast<double>(queries->second));
            }
            row.results.push_back(result);
        }
        rows.push_back(std::move(row));
    }
    // Quickest first; equals keep the order of the study.
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.median() < b.median(); });
    return rows;
}

// "RoPE" or "NoPE" of the layers that see everything (of all attention where there are none), "mixed" if they
// differ.
QString position_text(const ArchitectureSpec& architecture) {
    std::vector<std::string> full;
    std::vector<std::string> all;
    for (const LayerSpec& layer : architecture.layers) {
        for (const HeadGroup& group : layer.groups) {
            const MixerKind* kind = builtin_mixers().find(group.mixer);
            if (!kind || !kind->description().softmax) {
                continue;
            }
            const ParameterValue& value = group.parameters.get("position", kind->description().parameters);
            all.push_back(braid::to_text(value));
            if (group.mixer == "full") {
                full.push_back(all.back());
            }
        }
    }
    const auto& counted = full.empty() ? all : full;
    if (counted.empty()) {
        return QStringLiteral("—");
    }
    if (std::any_of(counted.begin(), counted.end(),
                    [&](const auto& text) { return text != counted.front(); })) {
        return QStringLiteral("mixed");
    }
    return counted.front() == "nope"   ? QStringLiteral("NoPE")
           : counted.front() == "rope" ? QStringLiteral("RoPE")
                                       : QString::fromStdString(counted.front());
}

// One unit for the whole column: 0.90 M, 2.29 M.
struct AmountUnit {
    double factor = 1;
    const char* name = "";
    int decimals = 0;
};

AmountUnit amount_unit(const FigurePanel& panel, const std::vector<Row>& rows) {
    double largest = 0;
    for (const Row& row : rows) {
        largest = std::isfinite(row.median()) ? std::max(largest, row.median()) : largest;
    }
    if (panel.x != "tokens" && panel.x != "flops") {
        return {};
    }
    return largest >= 1e12  ? AmountUnit{1e12, " T", 2}
           : largest >= 1e9 ? AmountUnit{1e9, " B", 2}
           : largest >= 1e6 ? AmountUnit{1e6, " M", 2}
           : largest >= 1e3 ? AmountUnit{1e3, " k", 1}
                            : AmountUnit{};
}

QString amount_text(const FigurePanel& panel, const AmountUnit& unit, double value) {
    if (!std::isfinite(value)) {
        return QStringLiteral("never");
    }
    return QString::fromStdString(panel.x == "time_s"
                                      ? format_duration(value)
                                      : format_fixed(value / unit.factor, unit.decimals) + unit.name);
}

// "220", "200–240", "not in 600 steps", "340–500, 1 of 3 never".
QString step_text(const Row& row) {
    std::vector<double> steps;
    std::int64_t longest = 0;
    for (const RunResult& result : row.results) {
        if (std::isfinite(result.step)) {
            steps.push_back(result.step);
        }
        longest = std::max(longest, result.run->step);
    }
    std::sort(steps.begin(), steps.end());
    if (row.crossings().empty()) {
        return QStringLiteral("not in %1 steps").arg(QString::fromStdString(format_count(longest)));
    }
    if (steps.empty()) {
        return QStringLiteral("—");
    }
    QString text = QString::fromStdString(format_count(std::llround(steps.front())));
    if (steps.back() > steps.front()) {
        text += QStringLiteral("–") + QString::fromStdString(format_count(std::llround(steps.back())));
    }
    const std::size_t never = row.results.size() - row.crossings().size();
    if (never > 0) {
        text += QStringLiteral(", %1 of %2 never").arg(never).arg(row.results.size());
    }
    return text;
}

QString threshold_text(double threshold) {
    QString text = QString::fromStdString(format_significant(threshold, 3));
    while (text.contains(QLatin1Char('.')) && text.endsWith(QLatin1Char('0'))) {
        text.chop(1);
    }
    return text;
}

QString time_text(const Row& row) {
    double sum = 0;
    for (const RunResult& result : row.results) {
        sum += result.run->seconds;
    }
    const double mean = sum / static_cast<double>(row.results.size());
    return std::isfinite(mean) ? QString::fromStdString(format_duration(mean)) : QStringLiteral("—");
}

class ThresholdTableFigure final : public FigureKind {
public:
    std::string_view id() const override { return "threshold-table"; }

    void validate(const FigureSpec& spec, Diagnostics& problems) const override {
        if (spec.panels.size() > 1) {
            problems.push_back(
                {"panels", "must be one panel for a threshold-table", std::to_string(spec.panels.size())});
        }
        if (!spec.panels.empty() && !spec.panels[0].threshold) {
            problems.push_back({"panels[0].threshold", "must be given for a threshold-table", ""});
        }
    }

    void draw(const FigureSpec& spec, const FigureData& data, FigureCanvas& canvas) const override {
        const std::vector<Row> rows = collect_rows(spec, data);
        const FigurePanel& panel = spec.panels.front();
        canvas.facts().looks = collect_looks(spec, data);  // the order of the curves, not of the rows
        fillFacts(rows, canvas.facts());

        const AmountUnit unit = amount_unit(panel, rows);
        const QString at = threshold_text(*panel.threshold);
        const QString metric =
            panel.y_title.empty() ? metricTitle(panel.metric) : QString::fromStdString(panel.y_title);
        const QString axis = panel.x == "tokens"  ? QStringLiteral("Tokens")
                             : panel.x == "flops" ? QStringLiteral("FLOPs")
                             : panel.x == "step"  ? QStringLiteral("Steps")
                                                  : QStringLiteral("Time");
        const bool with_step = panel.x == "tokens" || panel.x == "flops";
        const bool wide = spec.style.width_mm >= 120;

        // Widths of the columns from their texts; the bar takes what is left.
        const double pad = FigureCanvas::mm(2.2);
        double names = canvas.textWidth(QStringLiteral("Hybrid"), 600);
        double positions = canvas.textWidth(QStringLiteral("Position"), 600);
        double steps = canvas.textWidth(QStringLiteral("Step at ") + at, 600);
        const QString amount_title = axis + QStringLiteral(" to ") + at;
        double amounts = canvas.textWidth(amount_title, 600);
        const QString final_title = QStringLiteral("Final ") + metric;
        double finals = canvas.textWidth(final_title, 600);
        double times = canvas.textWidth(QStringLiteral("Time"), 600);
        double longest = 0;  // of the bars
        for (const Row& row : rows) {
            names = std::max(names, canvas.textWidth(QString::fromStdString(row.series->label), 600));
            positions =
                std::max(positions, canvas.textWidth(position_text(row.results[0].run->architecture), 600));
            steps = std::max(steps, canvas.textWidth(step_text(row)));
            amounts = std::max(amounts, canvas.textWidth(amount_text(panel, unit, row.median()), 600));
            finals = std::max(finals, canvas.textWidth(finalOf(row)));
            times = std::max(times, canvas.textWidth(time_text(row)));
            for (const FigureLine& line : row.series->lines) {
                longest = std::max(longest, line.raw->is_empty() ? 0 : line.raw->back().x);
            }
        }
        const QRectF page = canvas.page();
        const double line_height =
            std::min(page.height() / static_cast<double>(rows.size() + 1), canvas.textHeight() * 1.75);
        const double sample = FigureCanvas::mm(5);
        const double strip = FigureCanvas::mm(wide ? 9 : 6);
        double x = page.left() + pad / 2;
        const double name_x = x + sample + pad * 0.7;
        const double strip_x = name_x + names + pad;
        const double position_x = strip_x + strip + pad;
        const double step_x = position_x + positions + pad + (with_step ? steps : -pad);
        const double amount_x = step_x + pad + amounts;
        const double time_x = page.right() - pad / 2;
        const double final_x = time_x - (wide ? times + pad : 0);
        const double bar_x = amount_x + pad;
        const double bar_width = final_x - finals - pad - bar_x;

        canvas.rectangle({0, 0, page.width(), line_height}, QColor(0xf1, 0xf3, 0xf6));
        const double head = line_height / 2;
        const QColor faint = FigureCanvas::faintInk();
        canvas.text({name_x, head}, QStringLiteral("Hybrid"), TextAnchor::left, 600, faint);
        canvas.text({strip_x, head}, QStringLiteral("Layers"), TextAnchor::left, 600, faint);
        canvas.text({position_x, head}, QStringLiteral("Position"), TextAnchor::left, 600, faint);
        if (with_step) {
            canvas.text({step_x, head}, QStringLiteral("Step at ") + at, TextAnchor::right, 600, faint);
        }
        canvas.text({amount_x, head}, amount_title, TextAnchor::right, 600, faint);
        canvas.text({final_x, head}, final_title, TextAnchor::right, 600, faint);
        if (wide) {
            canvas.text({time_x, head}, QStringLiteral("Time"), TextAnchor::right, 600, faint);
        }
        const QString usual = usualPosition(rows);
        double top = line_height;
        for (const Row& row : rows) {
            const double middle = top + line_height / 2;
            canvas.line({0, top}, {page.width(), top}, QColor(0xdc, 0xe0, 0xe7), 0.4);
            const SeriesLook& look = look_of(canvas.facts().looks, *row.series);
            QPen pen(look.colour, FigureCanvas::pt(spec.style.line_pt * 1.6), Qt::SolidLine, Qt::FlatCap);
            if (const QVector<qreal> dashes = figureDashes(look.dash); !dashes.isEmpty()) {
                pen.setDashPattern(dashes);
            }
            canvas.painter().setPen(pen);
            canvas.painter().drawLine(QPointF(x, middle), QPointF(x + sample, middle));
            canvas.text({name_x, middle}, look.label, TextAnchor::left, 600);
            const ArchitectureSpec& architecture = row.results[0].run->architecture;
            const double cell = std::min(line_height * 0.5, FigureCanvas::mm(2.6));
            drawPaperStrip(canvas, {strip_x, middle - cell / 2, strip, cell}, architecture.layers);
            const QString position = position_text(architecture);
            canvas.text({position_x, middle}, position, TextAnchor::left, position == usual ? 400 : 600);
            const bool reached = !row.crossings().empty();
            if (with_step) {
                canvas.text({step_x, middle}, step_text(row), TextAnchor::right, 400,
                            reached ? FigureCanvas::ink() : faint);
            }
            canvas.text({amount_x, middle}, amount_text(panel, unit, row.median()), TextAnchor::right, 600);
            drawBar(canvas, row, look, {bar_x, middle - line_height * 0.16, bar_width, line_height * 0.32},
                    longest);
            canvas.text({final_x, middle}, finalOf(row), TextAnchor::right);
            if (wide) {
                canvas.text({time_x, middle}, time_text(row), TextAnchor::right);
            }
            top += line_height;
        }
        canvas.line({0, top}, {page.width(), top}, QColor(0xbf, 0xc6, 0xd1), 0.5);
    }

    std::string csv(const FigureSpec& spec, const FigureData& data) const override {
        const FigurePanel& panel = spec.panels.front();
        std::string text =
            "series,run,seed,reached,threshold,x_axis,x,step,value,final,standard_error,steps_done,seconds\n";
        for (const Row& row : collect_rows(spec, data)) {
            for (const RunResult& result : row.results) {
                const auto number = [](double value) {
                    return std::isnan(value) ? std::string() : exact_number(value);
                };
                text += csv_field(row.series->label) + ',' + csv_field(result.run->id) + ',' +
                        std::to_string(result.run->seed) + ',' + (result.crossing ? "yes" : "no") + ',' +
                        exact_number(*panel.threshold) + ',' + panel.x + ',' +
                        (result.crossing ? exact_number(result.crossing->x) : std::string()) + ',' +
                        number(result.step) + ',' +
                        (result.crossing ? exact_number(result.crossing->y) : std::string()) + ',' +
                        number(result.final_value) + ',' + number(result.standard_error) + ',' +
                        std::to_string(result.run->step) + ',' + number(result.run->seconds) + '\n';
            }
        }
        return text;
    }

    QString dataSummary(const FigureSpec&, const FigureData& data) const override {
        return QStringLiteral("%1 rows").arg(data.runs.size());
    }

    double fittingHeight(const FigureSpec& spec, const FigureData& data) const override {
        const double rows = data.panels.empty() ? 1 : static_cast<double>(data.panels.front().series.size());
        return std::ceil((rows + 1) * spec.style.font_pt * 25.4 / 72 * 1.2 * 1.75 + 0.5);
    }

private:
    static void fillFacts(const std::vector<Row>& rows, FigureFacts& facts) {
        facts.series = static_cast<int>(rows.size());
        facts.legend_entries = facts.series;  // every row has its name
        facts.fewest_seeds = rows.empty() ? 0 : std::numeric_limits<std::size_t>::max();
        for (const Row& row : rows) {
            facts.fewest_seeds = std::min(facts.fewest_seeds, row.results.size());
            facts.spread_wanted = facts.spread_wanted || row.results.size() > 1;
            facts.points += row.results.size();
        }
        facts.spread_shown = facts.spread_wanted;  // the range of steps stands in its column
    }
    static QString finalOf(const Row& row) {
        const Moments moments = final_value(row);
        QString text = QString::fromStdString(format_fixed(moments.mean, 3));
        if (std::isfinite(moments.error)) {
            text += QStringLiteral(" ± ") + QString::fromStdString(format_fixed(moments.error, 3));
        }
        return text;
    }
    // The position most rows have; others stand out.
    static QString usualPosition(const std::vector<Row>& rows) {
        std::map<QString, int> counts;
        for (const Row& row : rows) {
            ++counts[position_text(row.results[0].run->architecture)];
        }
        QString usual;
        int most = 0;
        for (const auto& [text, count] : counts) {
            if (count > most) {
                usual = text;
                most = count;
            }
        }
        return usual;
    }
    // Filled to the median; the seeds as ticks on it. Never: an open bar as far as the run went.
    static void drawBar(FigureCanvas& canvas, const Row& row, const SeriesLook& look, const QRectF& room,
                        double longest) {
        if (room.width() <= 0 || !(longest > 0)) {
            return;
        }
        const double median = row.median();
        const double length =
            room.width() * std::min(1.0, (std::isfinite(median) ? median : longest) / longest);
        if (std::isfinite(median)) {
            canvas.rectangle({room.left(), room.top(), length, room.height()}, look.colour);
        } else {
            const QColor pale =
                QColor::fromRgbF(1 - (1 - look.colour.redF()) * 0.2f, 1 - (1 - look.colour.greenF()) * 0.2f,
                                 1 - (1 - look.colour.blueF()) * 0.2f);
            canvas.rectangle({room.left(), room.top(), length, room.height()}, pale);
            const double y = room.center().y();
            const double tip = room.left() + length;
            canvas.line({tip - FigureCanvas::mm(1.2), y - FigureCanvas::mm(0.6)}, {tip, y}, look.colour, 0.6);
            canvas.line({tip - FigureCanvas::mm(1.2), y + FigureCanvas::mm(0.6)}, {tip, y}, look.colour, 0.6);
        }
        if (row.results.size() > 1) {
            for (const double crossing : row.crossings()) {
                const double x = room.left() + room.width() * crossing / longest;
                canvas.line({x, room.top() - FigureCanvas::mm(0.5)},
                            {x, room.bottom() + FigureCanvas::mm(0.5)}, FigureCanvas::ink(), 0.5);
            }
        }
    }
};

const ThresholdTableFigure instance;

}  // namespace

extern const FigureKind& threshold_table_figure;
const FigureKind& threshold_table_figure = instance;

}  // namespace braid::ui
