// Sizes inside the maps over layers, in device-independent pixels.
#pragma once

namespace braid::ui::map_metrics {

inline constexpr double left_room = 112, left_room_heads = 52, right_room = 66, bar_gap = 8, bar_width = 8;
inline constexpr double title_height = 26, section_gap = 10, axis_height = 46;
inline constexpr double run_row = 19, strip = 5, row_gap = 4;
inline constexpr double most_run_row = 30;
inline constexpr double least_head_row = 9, usual_head_row = 18, most_head_row = 28;
inline constexpr double least_boxed_height = 100;  // of a map beneath labels in boxes

}  // namespace braid::ui::map_metrics
