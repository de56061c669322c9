// Which head an attention-map shows, and its weights from a capture on disk.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/record/capture.h"
#include "widgets/figure/figure_data.h"

namespace braid::ui {

// The metric of a panel: "attention/8.3", "attention/8.3/row", "attention/8.3/less/8.3@1200".
struct AttentionMetric {
    std::int64_t layer = 0, head = 0;
    bool row = false;  // shares of the largest weight of each row
    struct Other {
        std::int64_t layer = 0, head = 0, step = 0;
    };
    std::optional<Other> less = {};
};
std::optional<AttentionMetric> parse_attention_metric(std::string_view metric);  // absent: it is none
std::string to_text(const AttentionMetric& metric);

// The settings' part of a capture's name: "1f2e3d4c".
std::string capture_settings_hash(const Capture& capture);

// Squares of the panel's ranges, at most `across` in a row. Errors: not_found with the captures there are.
Result<FigureAttention> load_attention(const std::string& captures_folder, const AttentionMetric& metric,
                                       const FigurePanel& panel, std::int64_t across);

}  // namespace braid::ui
