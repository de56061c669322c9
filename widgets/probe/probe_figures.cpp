#include "widgets/probe/probe_figures.h"

#include <QCoreApplication>

#include "core/spec/study.h"
#include "widgets/common/layer_kinds.h"
#include "widgets/common/project_session.h"
#include "widgets/probe/probe_choice.h"

namespace braid::ui {

namespace {

struct Wanted {
    std::string kind;
    std::vector<std::string> arrays;
    AxisScale x = AxisScale::linear, y = AxisScale::linear;
};

const std::vector<Wanted>& wantedFigures() {
    static const std::vector<Wanted> list{
        {"probe", {"accuracy", "gain"}},
        {"probe", {"comparison"}},
        {"heads", {"mass"}},
        {"heads", {"copy"}},
        {"gradient", {"g"}, AxisScale::log, AxisScale::log},
        {"trace", {"entropy", "d_qk"}},
        {"trace", {"mass", "grad_norm"}},
        {"restrict", {"change_by_kind"}},
        {"restrict", {"change_by_layer"}},
        {"entropy", {"scatter"}},
        {"entropy", {"entropy", "hit_rate"}},
        {"change", {"change"}},
        {"noise", {"change"}, AxisScale::log},
        {"ablate", {"change"}},
        {"internals", {"memory", "decay"}},
    };
    return list;
}

constexpr double row_mm = 6, head_mm = 3, title_mm = 8, scatter_mm = 56, curves_mm = 62;

}  // namespace

std::vector<NamedFigure> probeFigures(const ProbeChoice& choice, bool byKind) {
    std::vector<NamedFigure> figures;
    for (const Wanted& wanted : wantedFigures()) {
        std::vector<MeasuredRun> runs = choice.measured(wanted.kind);
        // Of noise a run has a curve for each component: one run a figure.
        if (wanted.kind == "noise" && runs.size() > 1) {
            const std::vector<MeasuredRun> current = choice.measuredCurrent(wanted.kind);
            runs = {current.empty() ? runs.front() : current.front()};
        }
        // A file has accuracy and gain of its own classifier only; the comparison has all.
        if (wanted.kind == "probe" && wanted.arrays[0] == "accuracy" && !choice.classifier().isEmpty())
            continue;
        NamedFigure figure{.name = {}, .spec = FigureSpec{.kind = "measurement"}};
        QStringList titles;
        double height = 4;
        bool curves = false;
        for (const std::string& array : wanted.arrays) {
            const bool scatter = array == "scatter";
            const MeasuredArray* found = nullptr;
            for (const MeasuredRun& run : runs)
                if (!found) found = run.record->find(scatter ? "hit_rate" : array);
            if (!found || measuredForm(*found) == MeasuredForm::values) continue;
            curves = curves || measuredForm(*found) == MeasuredForm::curves;
            FigurePanel panel{.metric = wanted.kind + "/" + array};
            panel.x_scale = wanted.x;
            panel.y_scale = wanted.y;
            panel.step = choice.step();
            panel.score = choice.pinnedSettings(wanted.kind);
            titles << (scatter ? QCoreApplication::translate("NamedFigures", "Entropy against hit rate")
                               : arrayTitle(wanted.kind, array));
            const LayerMap map = layerMap(runs, array);
            const bool heads = !map.rowName.isEmpty();
            if (byKind && !map.isEmpty() && !heads) panel.metric += "/by-kind";
            figure.spec.panels.push_back(panel);
            if (scatter)
                height += scatter_mm;
            else if (heads)
                height += double(runs.size()) * (title_mm + double(map.rows.size()) * head_mm);
            else
                height += title_mm + row_mm * double(map.isEmpty() ? 2 * runs.size()
                                                     : byKind      ? byKindOfLayer(map).rows.size()
                                                                   : map.rows.size());
        }
        if (figure.spec.panels.empty()) continue;
        for (const MeasuredRun& run : runs) {
            figure.spec.source.runs.push_back(run.run);
            figure.spec.colours[run.name.toStdString()] = run.colour;
        }
        figure.spec.title = titles.join(QStringLiteral(", ")).toStdString();
        figure.spec.style.size = figure.spec.panels.size() > 1 || wanted.arrays[0] == "scatter"
                                     ? FigureSize::double_column
                                     : FigureSize::single;
        figure.spec.style.width_mm = standard_width_mm(figure.spec.style.size, figure.spec.style.width_mm);
        figure.spec.style.height_mm = curves ? curves_mm : std::min(height, 200.0);
        figure.name = QString::fromStdString(slug(wanted.kind + " " + wanted.arrays.front())).left(40);
        figures.push_back(std::move(figure));
    }
    return figures;
}

}  // namespace braid::ui
