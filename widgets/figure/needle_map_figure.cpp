// Scores by depth and length, one map a run and panel, with one scale for all of them.
#include <algorithm>
#include <cmath>

#include "core/analysis/number_format.h"
#include "widgets/common/colour_map.h"
#include "widgets/common/theme.h"
#include "widgets/figure/figure_kind.h"
#include "widgets/figure/found_runs.h"

namespace braid::ui {
namespace {

std::vector<const FigureMap*> maps_of(const FigureData& data) {
    std::vector<const FigureMap*> maps;
    for (const FigurePanelData& panel : data.panels)
        for (const FigureMap& map : panel.maps) maps.push_back(&map);
    return maps;
}

QString value_text(const NeedleGrid& grid, double value) {
    return QString::fromStdString(format_fixed(value, grid.unit == "%" ? 0 : 2));
}

QString length_text(std::int64_t length) {
    // 16K is 16,384 in this field.
    return length >= 1024 && length % 1024 == 0 ? QStringLiteral("%1K").arg(length / 1024)
                                                : QString::fromStdString(format_count(length));
}

// Diagonals, as textures of painters do not survive in every file format.
void hatch(FigureCanvas& canvas, const QRectF& cell) {
    canvas.rectangle(cell, QColor(0xf1, 0xf3, 0xf6));
    QPainter& painter = canvas.painter();
    painter.save();
    painter.setClipRect(cell);
    const double step = FigureCanvas::mm(1);
    for (double x = cell.left() - cell.height(); x < cell.right(); x += step)
        canvas.line({x, cell.bottom()}, {x + cell.height(), cell.top()}, QColor(0x9a, 0xa2, 0xb0), 0.3);
    painter.restore();
}

class NeedleMapFigure final : public FigureKind {
public:
    std::string_view id() const override { return "needle-map"; }
    bool showsCurves() const override { return false; }

    void validate(const FigureSpec& spec, Diagnostics& problems) const override {
        if (spec.source.runs.empty())
            problems.push_back({"source.runs", "must name runs for a needle-map", ""});
        for (std::size_t i = 0; i < spec.panels.size(); ++i)
            if (spec.panels[i].metric.find('/') == std::string::npos)
                problems.push_back({"panels[" + std::to_string(i) + "].metric",
                                    "must be KIND/TASK for a needle-map, such as niah/niah_single_1",
                                    spec.panels[i].metric});
    }

    Result<FigureData> load(const std::string& project_folder, const FigureSpec& spec) const override {
        Result<Project> project = Project::open(project_folder);
        if (!project) return fail(project.error());
        FigureData data;
        const std::vector<FoundRun> found = find_runs(*project, spec, {}, data);
        bool any = false;
        for (const FigurePanel& panel : spec.panels) {
            FigurePanelData drawn;
            const std::string kind = panel.metric.substr(0, panel.metric.find('/'));
            const std::string task = panel.metric.substr(std::min(panel.metric.size(), kind.size() + 1));
            for (std::size_t i = 0; i < found.size(); ++i) {
                const ScoreRecord* chosen = find_score(
                    found[i], panel, kind,
                    [&task](const ScoreRecord& record) { return !needleGrid(record, task).isEmpty(); });
                if (!chosen) {
                    data.notes.push_back(no_score(data.runs[i].id, panel));
                    continue;
                }
                drawn.maps.push_back({i, chosen->checkpoint.step.value, kind, needleGrid(*chosen, task)});
                data.scores.push_back(chosen->file.substr(chosen->file.rfind('/') + 1));
                any = true;
            }
            data.panels.push_back(std::move(drawn));
        }
        if (!any)
            return nothing_to_draw(data, project_folder,
                                   "Score a checkpoint first: braid-engine eval niah RUN");
        return data;
    }

    void draw(const FigureSpec& spec, const FigureData& data, FigureCanvas& canvas) const override {
        const std::vector<const FigureMap*> maps = maps_of(data);
        canvas.facts().series = canvas.facts().legend_entries = static_cast<int>(maps.size());
        canvas.facts().fewest_seeds = 1;
        if (maps.empty()) return;
        double least = maps.front()->grid.least(), most = maps.front()->grid.most();
        for (const FigureMap* map : maps) {
            least = std::min(least, map->grid.least());
            most = std::max(most, map->grid.most());
        }
        const Layout layout(spec, maps.size(), canvas);
        for (std::size_t i = 0; i < maps.size(); ++i)
            drawMap(spec, data, *maps[i], layout.place(i), i % layout.across == 0, least, most, canvas);
        drawBar(maps.front()->grid, layout, least, most, canvas);
    }

    std::string csv(const FigureSpec&, const FigureData& data) const override {
        std::string text =
            "run,name,step,kind,task,length,depth,value,unit,samples,truncated,left_out,standard_error\n";
        for (const FigureMap* map : maps_of(data)) {
            const FigureRun& run = data.runs[map->run];
            for (std::size_t l = 0; l < map->grid.lengths.size(); ++l)
                for (std::size_t d = 0; d < map->grid.depths.size(); ++d) {
                    const NeedleCell& cell = map->grid.at(d, l);
                    if (!cell.present) continue;
                    const std::string fields[] = {
                        csv_field(run.id),
                        csv_field(run.name),
                        std::to_string(map->step),
                        map->kind,
                        csv_field(map->grid.task),
                        std::to_string(map->grid.lengths[l]),
                        exact_number(map->grid.depths[d]),
                        cell.value ? exact_number(*cell.value) : std::string(),
                        map->grid.unit,
                        std::to_string(cell.samples),
                        std::to_string(cell.truncated),
                        std::to_string(cell.left_out),
                        cell.standard_error ? exact_number(*cell.standard_error) : std::string()};
                    std::string line;
                    for (const std::string& field : fields)
                        line.append(&field == fields ? "" : ",").append(field);
                    text.append(line).append("\n");
                }
        }
        return text;
    }

    QString dataSummary(const FigureSpec&, const FigureData& data) const override {
        std::size_t cells = 0;
        for (const FigureMap* map : maps_of(data)) cells += map->grid.cells.size();
        return QStringLiteral("%1 cells").arg(cells);
    }

    double fittingHeight(const FigureSpec& spec, const FigureData& data) const override {
        const std::size_t count = std::max<std::size_t>(1, maps_of(data).size());
        const std::size_t across = acrossOf(spec, count);
        const auto down = static_cast<double>((count + across - 1) / across);
        return std::round((spec.style.width_mm / static_cast<double>(across)) * 0.62 * down + 4);
    }

private:
    static std::string no_score(const std::string& run, const FigurePanel& panel) {
        std::string text = "run ";
        text.append(run).append(" has no score ").append(panel.metric).append(" by depth and length");
        if (panel.step) text.append(" at step ").append(std::to_string(*panel.step));
        return text;
    }

    static std::size_t acrossOf(const FigureSpec& spec, std::size_t maps) {
        return std::clamp<std::size_t>(static_cast<std::size_t>(spec.style.width_mm / 56), 1, maps);
    }

    // Cells of the page for the maps, and the colour bar at the right.
    struct Layout {
        std::size_t across, down;
        QRectF area, bar;
        double left, top, bottom, gap;

        Layout(const FigureSpec& spec, std::size_t maps, FigureCanvas& canvas)
            : across(acrossOf(spec, maps)), down((maps + across - 1) / across) {
            const double line = canvas.textHeight();
            left = canvas.textWidth(QStringLiteral("100 %")) + line * 1.9;
            top = line * 1.6;
            bottom = line * 2.9;
            gap = FigureCanvas::mm(3);
            const double bar_room =
                FigureCanvas::mm(3) + canvas.textWidth(QStringLiteral("100 %")) + FigureCanvas::mm(4);
            area = canvas.page().adjusted(0, 0, -bar_room, 0);
            bar = QRectF(area.right() + FigureCanvas::mm(2), top, FigureCanvas::mm(2.4),
                         area.height() / static_cast<double>(down) - top - bottom);
        }
        QRectF place(std::size_t i) const {
            const double width = (area.width() - left) / static_cast<double>(across);
            const double height = area.height() / static_cast<double>(down);
            const double x = left + width * static_cast<double>(i % across);
            const double y = height * static_cast<double>(i / across);
            return QRectF(x, y + top, width - (i % across + 1 < across ? gap : 0), height - top - bottom);
        }
    };

    static void drawMap(const FigureSpec& spec, const FigureData& data, const FigureMap& map,
                        const QRectF& frame, bool first, double least, double most, FigureCanvas& canvas) {
        const NeedleGrid& grid = map.grid;
        const FigureRun& run = data.runs[map.run];
        const double line = canvas.textHeight();
        canvas.text({frame.left(), frame.top() - line * 0.8},
                    QStringLiteral("%1, %2, step %3")
                        .arg(QString::fromStdString(run.name), QString::fromStdString(grid.task),
                             QString::fromStdString(format_count(map.step))),
                    TextAnchor::left, 600);
        const double width = frame.width() / static_cast<double>(grid.lengths.size());
        const double height = frame.height() / static_cast<double>(grid.depths.size());
        for (std::size_t d = 0; d < grid.depths.size(); ++d)
            for (std::size_t l = 0; l < grid.lengths.size(); ++l) {
                const NeedleCell& cell = grid.at(d, l);
                const QRectF area(frame.left() + width * static_cast<double>(l),
                                  frame.top() + height * static_cast<double>(d), width, height);
                if (!cell.value) {
                    hatch(canvas, area);
                    ++canvas.facts().missing;
                    continue;
                }
                ++canvas.facts().points;
                const QColor fill = cividis((*cell.value - least) / (most - least));
                canvas.rectangle(area, fill);
                const QString text = value_text(grid, *cell.value);
                if (canvas.textWidth(text) + FigureCanvas::mm(0.6) < width && line < height)
                    canvas.text(area.center(), text, TextAnchor::centre, 400, strongestOn(fill));
            }
        QPainter& painter = canvas.painter();
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(FigureCanvas::axisInk(), FigureCanvas::pt(0.5)));
        painter.drawRect(frame);

        double widest = 0;
        for (const std::int64_t length : grid.lengths)
            widest = std::max(widest, canvas.textWidth(length_text(length)) + FigureCanvas::mm(1));
        const auto skip = [](double need, double room) {
            return static_cast<std::size_t>(std::max(1.0, std::ceil(need / room)));
        };
        for (std::size_t l = 0; l < grid.lengths.size(); l += skip(widest, width))
            canvas.text({frame.left() + width * (static_cast<double>(l) + 0.5), frame.bottom() + line * 0.75},
                        length_text(grid.lengths[l]), TextAnchor::centre);
        const std::string& x_title = spec.panels.front().x_title;
        canvas.text(
            {frame.center().x(), frame.bottom() + line * 1.95},
            x_title.empty() ? QStringLiteral("context length (tokens)") : QString::fromStdString(x_title),
            TextAnchor::centre);
        if (!first) return;
        for (std::size_t d = 0; d < grid.depths.size(); d += skip(line, height))
            canvas.text(
                {frame.left() - FigureCanvas::mm(0.8), frame.top() + height * (static_cast<double>(d) + 0.5)},
                depthText(grid.depths[d]), TextAnchor::right);
        const std::string& y_title = spec.panels.front().y_title;
        canvas.text({line * 0.6, frame.center().y()},
                    y_title.empty() ? QStringLiteral("depth of the needle") : QString::fromStdString(y_title),
                    TextAnchor::centre, 400, FigureCanvas::ink(), true);
    }

    static void drawBar(const NeedleGrid& grid, const Layout& layout, double least, double most,
                        FigureCanvas& canvas) {
        constexpr int bands = 64;
        const QRectF& bar = layout.bar;
        for (int i = 0; i < bands; ++i) {
            const double height = bar.height() / bands;
            // Each reaches a little into the next: no light between them in any viewer.
            canvas.rectangle(
                {bar.left(), bar.bottom() - height * (i + 1), bar.width(), height * (i == 0 ? 1.0 : 1.3)},
                cividis((i + 0.5) / bands));
        }
        for (const double part : {0.0, 0.5, 1.0}) {
            QString text = value_text(grid, least + (most - least) * part);
            if (part == 1 && !grid.unit.empty()) text += QLatin1Char(' ') + QString::fromStdString(grid.unit);
            canvas.text({bar.right() + FigureCanvas::mm(0.8), bar.bottom() - bar.height() * part}, text);
        }
    }
};

const NeedleMapFigure instance;

}  // namespace

extern const FigureKind& needle_map_figure;
const FigureKind& needle_map_figure = instance;

}  // namespace braid::ui
