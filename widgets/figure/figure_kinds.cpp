#include "widgets/figure/figure_kind.h"

namespace braid::ui {

extern const FigureKind& attention_map_figure;
extern const FigureKind& curves_figure;
extern const FigureKind& growth_figure;
extern const FigureKind& loss_by_position_figure;
extern const FigureKind& measurement_figure;
extern const FigureKind& needle_map_figure;
extern const FigureKind& pareto_figure;
extern const FigureKind& scaling_figure;
extern const FigureKind& study_map_figure;
extern const FigureKind& threshold_table_figure;

const std::vector<const FigureKind*>& figure_kinds() {
    static const std::vector<const FigureKind*> kinds{
        &attention_map_figure, &curves_figure,          &growth_figure, &loss_by_position_figure,
        &measurement_figure,   &needle_map_figure,      &pareto_figure, &scaling_figure,
        &study_map_figure,     &threshold_table_figure,
    };
    return kinds;
}

const FigureKind* find_figure_kind(std::string_view id) {
    for (const FigureKind* kind : figure_kinds()) {
        if (kind->id() == id) {
            return kind;
        }
    }
    return nullptr;
}

}  // namespace braid::ui
