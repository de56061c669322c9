// What heads look at: one map a panel and run, with its sink apart and its needle marked, all on one scale.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/analysis/number_format.h"
#include "widgets/common/attention_scale.h"
#include "widgets/common/colour_map.h"
#include "widgets/common/theme.h"
#include "widgets/figure/attention_data.h"
#include "widgets/figure/figure_kind.h"
#include "widgets/figure/found_runs.h"

namespace braid::ui {
namespace {

constexpr std::int64_t most_squares = 256;  // across a map: what print resolves, and a table holds
constexpr double widest_map_mm = 84;
constexpr int enlarged = 2;  // pixels of the picture in a square: viewers that smooth blur less

std::vector<const FigureAttention*> maps_of(const FigureData& data) {
    std::vector<const FigureAttention*> maps;
    for (const FigurePanelData& panel : data.panels)
        for (const FigureAttention& map : panel.attention) maps.push_back(&map);
    return maps;
}

QString token_text(std::int64_t token) {
    // 16K is 16,384 in this field.
    return token >= 1024 && token % 1024 == 0 ? QStringLiteral("%1K").arg(token / 1024)
                                              : QString::fromStdString(format_count(token));
}

class AttentionMapFigure final : public FigureKind {
public:
    std::string_view id() const override { return "attention-map"; }
    bool showsCurves() const override { return false; }
    bool readsCheckpoints() const override { return true; }

    void validate(const FigureSpec& spec, Diagnostics& problems) const override {
        if (spec.source.runs.empty() && spec.source.checkpoint.empty())
            problems.push_back({"source.runs", "must name runs for an attention-map", ""});
        for (std::size_t i = 0; i < spec.panels.size(); ++i)
            if (!parse_attention_metric(spec.panels[i].metric)) {
                std::string place = "panels[";
                place.append(std::to_string(i)).append("].metric");
                problems.push_back({place,
                                    "must be attention/LAYER.HEAD for an attention-map, with /row or "
                                    "/less/LAYER.HEAD@STEP behind it if wanted",
                                    spec.panels[i].metric});
            }
    }

    Result<FigureData> load(const std::string& project_folder, const FigureSpec& spec) const override {
        Result<Project> project = Project::open(project_folder);
        if (!project) return fail(project.error());
        FigureData data;
        const std::vector<std::string> folders = capture_folders(*project, spec, data);
        bool any = false;
        for (const FigurePanel& panel : spec.panels) {
            FigurePanelData drawn;
            for (std::size_t i = 0; i < folders.size(); ++i) {
                Result<FigureAttention> map =
                    load_attention(folders[i], *parse_attention_metric(panel.metric), panel, most_squares);
                if (!map) {
                    std::string note = spec.source.checkpoint.empty() ? "run " : "";
                    note.append(data.runs[i].id).append(": ").append(map.error().message);
                    data.notes.push_back(std::move(note));
                    continue;
                }
                map->run = i;
                if (data.runs[i].architecture_hash.empty())
                    data.runs[i].architecture_hash = map->architecture_hash;
                drawn.attention.push_back(std::move(*map));
                any = true;
            }
            data.panels.push_back(std::move(drawn));
        }
        if (!any)
            return nothing_to_draw(data, project_folder, "Capture a text first: braid-engine capture RUN");
        return data;
    }

    void draw(const FigureSpec& spec, const FigureData& data, FigureCanvas& canvas) const override {
        const std::vector<const FigureAttention*> maps = maps_of(data);
        canvas.facts().series = canvas.facts().legend_entries = static_cast<int>(maps.size());
        canvas.facts().fewest_seeds = 1;
        if (maps.empty()) return;
        const AttentionScale scale = scaleOf(spec, maps);
        const Layout layout(spec, maps, canvas);
        for (std::size_t i = 0; i < maps.size(); ++i)
            drawMap(spec, data, *maps[i], layout.place(i), i % layout.across == 0, scale, canvas);
        drawBar(scale, layout.bar, canvas);
    }

    std::string csv(const FigureSpec&, const FigureData& data) const override {
        std::string text = "run,name,step,layer,head,less,first_query,first_key,size,weight\n";
        for (const FigureAttention* map : maps_of(data)) {
            const FigureRun& run = data.runs[map->run];
            std::string start = csv_field(run.id);
            start.append(",").append(csv_field(run.name));
            for (const std::int64_t number : {map->step, map->layer, map->head})
                start.append(",").append(std::to_string(number));
            start.append(",").append(csv_field(map->against)).append(",");
            const auto line = [&](std::int64_t row, const std::string& key, float weight) {
                text.append(start).append(std::to_string(map->first_query + row * map->size)).append(",");
                text.append(key).append(",").append(std::to_string(map->size)).append(",");
                text.append(exact_number(double(weight))).append("\n");
            };
            for (std::int64_t r = 0; r < map->rows; ++r) {
                if (!map->sink.empty()) line(r, "sink", map->sink[std::size_t(r)]);
                for (std::int64_t c = 0; c < map->columns; ++c) {
                    if (map->first_key + c * map->size > map->first_query + r * map->size) break;
                    line(r, std::to_string(map->first_key + c * map->size),
                         map->weights[std::size_t(r * map->columns + c)]);
                }
            }
        }
        return text;
    }

    QString dataSummary(const FigureSpec&, const FigureData& data) const override {
        std::int64_t squares = 0;
        for (const FigureAttention* map : maps_of(data)) squares += map->rows * map->columns;
        return QStringLiteral("%1 squares").arg(QString::fromStdString(format_count(squares)));
    }

    double fittingHeight(const FigureSpec& spec, const FigureData& data) const override {
        const std::size_t count = std::max<std::size_t>(1, maps_of(data).size());
        const std::size_t across = acrossOf(spec, count);
        const auto down = static_cast<double>((count + across - 1) / across);
        return std::round((spec.style.width_mm - 14) / static_cast<double>(across) * down + 6);
    }

private:
    // Of each run that the figure names, or of the checkpoint.
    static std::vector<std::string> capture_folders(const Project& project, const FigureSpec& spec,
                                                    FigureData& data) {
        std::vector<std::string> folders;
        if (spec.source.checkpoint.empty()) {
            for (const FoundRun& run : find_runs(project, spec, {}, data))
                folders.push_back(run.view.folder.captures_folder());
            return folders;
        }
        const std::filesystem::path folder =
            std::filesystem::path(project.folder()) / spec.source.checkpoint;  // absolute ones stay
        const std::string name =
            folder.has_filename() ? folder.filename().string() : folder.parent_path().filename().string();
        // Whatever trained it has ended.
        data.runs.push_back(
            {.id = spec.source.checkpoint, .name = name, .series = name, .state = RunState::finished});
        data.expected_runs = 1;
        folders.push_back((folder / "captures").string());
        return folders;
    }

    static std::size_t acrossOf(const FigureSpec& spec, std::size_t maps) {
        return std::clamp<std::size_t>(std::size_t(spec.style.width_mm / 56), 1, maps);
    }

    static AttentionScale scaleOf(const FigureSpec& spec, const std::vector<const FigureAttention*>& maps) {
        std::vector<float> weights;
        bool is_signed = false;
        for (const FigureAttention* map : maps) {
            weights.insert(weights.end(), map->weights.begin(), map->weights.end());
            is_signed = is_signed || map->is_signed;
        }
        const auto metric = parse_attention_metric(spec.panels.front().metric);
        const AttentionForm form = metric && metric->row                              ? AttentionForm::row
                                   : spec.panels.front().y_scale == AxisScale::linear ? AttentionForm::linear
                                                                                      : AttentionForm::log;
        AttentionScale scale = fittingScale(form, is_signed, weights);
        const auto& [low, high] = spec.panels.front().colour_range;
        if (high) scale.high = *high;
        if (low || high) scale.low = std::min(low.value_or(scale.high / 100), scale.high / 2);
        scale.middle = light_middle;
        return scale;
    }

    struct Layout {
        std::size_t across, down;
        QRectF area, bar;
        double left, top, bottom, side;

        Layout(const FigureSpec& spec, const std::vector<const FigureAttention*>& maps, FigureCanvas& canvas)
            : across(acrossOf(spec, maps.size())), down((maps.size() + across - 1) / across) {
            const double line = canvas.textHeight();
            const bool sink = std::any_of(maps.begin(), maps.end(),
                                          [](const FigureAttention* map) { return !map->sink.empty(); });
            left = canvas.textWidth(QStringLiteral("16,384")) + line * 1.4 + (sink ? FigureCanvas::mm(4) : 0);
            top = line * 3.1;
            bottom = line * 2.7;
            const double bar_room = FigureCanvas::mm(6) + canvas.textWidth(QStringLiteral("≥ 0.005"));
            area = canvas.page().adjusted(0, 0, -bar_room, 0);
            side = std::min({area.width() / double(across) - left,
                             area.height() / double(down) - top - bottom, FigureCanvas::mm(widest_map_mm)});
            bar = QRectF((left + side) * double(across) + FigureCanvas::mm(2), top, FigureCanvas::mm(2.4),
                         side);
        }
        QRectF place(std::size_t i) const {
            return QRectF(left + (left + side) * double(i % across),
                          top + (top + side + bottom) * double(i / across), side, side);
        }
    };

    static void drawMap(const FigureSpec& spec, const FigureData& data, const FigureAttention& map,
                        const QRectF& frame, bool first, const AttentionScale& scale, FigureCanvas& canvas) {
        const double line = canvas.textHeight();
        const FigureRun& run = data.runs[map.run];
        QString title =
            QStringLiteral("%1.%2, %3, step %4")
                .arg(map.layer)
                .arg(map.head)
                .arg(QString::fromStdString(run.name), QString::fromStdString(format_count(map.step)));
        if (!map.against.empty())
            title += QStringLiteral(" less %1").arg(QString::fromStdString(map.against));
        canvas.text({frame.left(), frame.top() - line * 2.3}, title, TextAnchor::left, 600);

        // One picture, every square some pixels wide.
        const std::array<QRgb, 256> colours = attentionColours(scale);
        QImage picture(int(map.columns) * enlarged, int(map.rows) * enlarged, QImage::Format_RGB32);
        picture.fill(Qt::white);
        for (std::int64_t r = 0; r < map.rows; ++r)
            for (std::int64_t c = 0; c < map.columns; ++c) {
                if (map.first_key + c * map.size > map.first_query + r * map.size) break;
                ++canvas.facts().points;
                double share = scale.share(double(map.weights[std::size_t(r * map.columns + c)]));
                if (scale.is_signed) share = (share + 1) / 2;
                const QRgb colour = colours[std::size_t(std::lround(share * 255))];
                for (int y = 0; y < enlarged; ++y)
                    for (int x = 0; x < enlarged; ++x)
                        picture.setPixel(int(c) * enlarged + x, int(r) * enlarged + y, colour);
            }
        QPainter& painter = canvas.painter();
        painter.save();
        painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
        painter.setRenderHint(QPainter::LosslessImageRendering);
        painter.drawImage(frame, picture);
        painter.restore();
        const double sink_width = FigureCanvas::mm(2), sink_gap = FigureCanvas::mm(1);
        if (!map.sink.empty()) {
            const QRectF column(frame.left() - sink_gap - sink_width, frame.top(), sink_width,
                                frame.height());
            QImage strip(1, int(map.rows) * enlarged, QImage::Format_RGB32);
            for (int r = 0; r < strip.height(); ++r)
                strip.setPixel(0, r, scale.colour(double(map.sink[std::size_t(r / enlarged)])).rgb());
            painter.drawImage(column, strip);
            canvas.text({column.center().x(), frame.top() - line * 0.7}, QStringLiteral("sink"),
                        TextAnchor::centre);
        }
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(FigureCanvas::axisInk(), FigureCanvas::pt(0.5)));
        painter.drawRect(frame);

        const double keys = double(map.columns * map.size), queries = double(map.rows * map.size);
        const auto x = [&](double key) {
            return frame.left() + (key - double(map.first_key)) / keys * frame.width();
        };
        const auto y = [&](double query) {
            return frame.top() + (query - double(map.first_query)) / queries * frame.height();
        };
        bool named = false;
        for (const auto& [begin, end] : map.needles) {
            const double left = x(double(begin)),
                         right = std::max(x(double(end)), left + FigureCanvas::mm(0.6));
            if (right < frame.left() || left > frame.right()) continue;
            canvas.rectangle({left, frame.top() - FigureCanvas::mm(1.3), right - left, FigureCanvas::mm(1.1)},
                             lightTokens().mark);
            canvas.line({(left + right) / 2, std::clamp(y(double(begin)), frame.top(), frame.bottom())},
                        {(left + right) / 2, frame.bottom()}, Qt::white, 0.5, {2, 2});
            if (!named)
                canvas.text({(left + right) / 2, frame.top() - FigureCanvas::mm(1.6) - line * 0.6},
                            QStringLiteral("needle"), TextAnchor::centre, 600, lightTokens().mark);
            named = true;
        }
        drawAxes(spec, map, frame, first, sink_width + sink_gap, canvas, x, y);
    }

    template <class X, class Y>
    static void drawAxes(const FigureSpec& spec, const FigureAttention& map, const QRectF& frame, bool first,
                         double sink_room, FigureCanvas& canvas, const X& x, const Y& y) {
        const double line = canvas.textHeight(), tick = FigureCanvas::mm(0.8);
        const auto step_of = [](double span) {
            std::int64_t step = 1;
            while (span / double(step) > 4.5) step *= 2;
            return step;
        };
        const std::int64_t across = step_of(double(map.columns * map.size));
        for (std::int64_t key = (map.first_key + across - 1) / across * across;
             key <= map.first_key + map.columns * map.size; key += across) {
            canvas.line({x(double(key)), frame.bottom()}, {x(double(key)), frame.bottom() + tick},
                        FigureCanvas::axisInk(), 0.5);
            canvas.text({x(double(key)), frame.bottom() + tick + line * 0.6}, token_text(key),
                        TextAnchor::centre);
        }
        const FigurePanel& panel = spec.panels.front();
        canvas.text(
            {frame.center().x(), frame.bottom() + line * 2.1},
            panel.x_title.empty() ? QStringLiteral("key (token)") : QString::fromStdString(panel.x_title),
            TextAnchor::centre);
        const double edge = frame.left() - (map.sink.empty() ? 0 : sink_room);
        const std::int64_t down = step_of(double(map.rows * map.size));
        for (std::int64_t query = (map.first_query + down - 1) / down * down;
             query <= map.first_query + map.rows * map.size; query += down) {
            canvas.line({edge - tick, y(double(query))}, {edge, y(double(query))}, FigureCanvas::axisInk(),
                        0.5);
            canvas.text({edge - tick - FigureCanvas::mm(0.5), y(double(query))}, token_text(query),
                        TextAnchor::right);
        }
        if (first)
            canvas.text({line * 0.6, frame.center().y()},
                        panel.y_title.empty() ? QStringLiteral("query (token)")
                                              : QString::fromStdString(panel.y_title),
                        TextAnchor::centre, 400, FigureCanvas::ink(), true);
    }

    static void drawBar(const AttentionScale& scale, const QRectF& bar, FigureCanvas& canvas) {
        constexpr int bands = 64;
        const double height = bar.height() / bands;
        for (int i = 0; i < bands; ++i) {
            const double share = (i + 0.5) / bands;
            const QColor colour = scale.is_signed ? redBlue(2 * share - 1, scale.middle) : cividis(share);
            canvas.rectangle(
                {bar.left(), bar.bottom() - height * (i + 1), bar.width(), height * (i == 0 ? 1.0 : 1.3)},
                colour);
        }
        const std::vector<double> ticks = scale.ticks();
        for (const double tick : ticks) {
            double share = scale.share(tick);
            if (scale.is_signed) share = (share + 1) / 2;
            QString label = QString::fromStdString(format_significant(tick, 2));
            // Beyond the end there are no further colours.
            if (tick == ticks.back() && scale.form != AttentionForm::row) label.prepend(QStringLiteral("≥ "));
            canvas.text({bar.right() + FigureCanvas::mm(0.8), bar.bottom() - bar.height() * share}, label);
        }
        const char* title = scale.form == AttentionForm::row ? "share"
                            : scale.is_signed                ? "change"
                                                             : "weight";
        canvas.text({bar.left(), bar.top() - canvas.textHeight() * 0.9}, QLatin1String(title));
    }
};

const AttentionMapFigure instance;

}  // namespace

extern const FigureKind& attention_map_figure;
const FigureKind& attention_map_figure = instance;

}  // namespace braid::ui
