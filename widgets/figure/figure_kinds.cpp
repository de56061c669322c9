#include "widgets/figure/figure_kind.h"

namespace braid::ui {

extern const FigureKind& curves_figure;
extern const FigureKind& loss_by_position_figure;
extern const FigureKind& needle_map_figure;
extern const FigureKind& threshold_table_figure;

const std::vector<const FigureKind*>& figure_kinds() {
    static const std::vector<const FigureKind*> kinds{
        &curves_figure,
        &loss_by_position_figure,
        &needle_map_figure,
        &threshold_table_figure,
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

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(text);
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"') {
            quoted += '"';
        }
    }
    return quoted + '"';
}

}  // namespace braid::ui
