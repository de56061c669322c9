#include "widgets/figure/attention_data.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "core/analysis/number_format.h"
#include "core/attention/capture_file.h"
#include "core/attention/row_largest.h"

namespace braid::ui {
namespace {

constexpr std::string_view prefix = "attention/", row_word = "row", less_word = "less/";

bool take_number(std::string_view& text, std::int64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 0) return false;
    text.remove_prefix(std::size_t(end - text.data()));
    return true;
}
bool take(std::string_view& text, std::string_view word) {
    if (text.substr(0, word.size()) != word) return false;
    text.remove_prefix(word.size());
    return true;
}
bool take_head(std::string_view& text, std::int64_t& layer, std::int64_t& head) {
    return take_number(text, layer) && take(text, ".") && take_number(text, head);
}

std::string head_text(std::int64_t layer, std::int64_t head) {
    return std::to_string(layer).append(".").append(std::to_string(head));
}

// Squares of one level of a head, tiles read or computed once.
class Squares {
public:
    Squares(const CapturedHead& head, int level) : head_(head), level_(level) {}

    float at(std::int64_t row, std::int64_t column) {
        const std::int64_t side = attention_tile_side;
        const std::pair place(row / side, column / side);
        const AttentionTile* tile = head_.pyramid.tile(level_, place.first, place.second);
        if (tile == nullptr && head_.factors && level_ < head_.pyramid.finest() && column <= row) {
            auto [found, made] = computed_.try_emplace(place);
            if (made) found->second = attention_tile(*head_.factors, level_, place.first, place.second);
            tile = &found->second;
        }
        return tile == nullptr ? 0 : tile->largest[std::size_t((row % side) * side + column % side)];
    }

private:
    const CapturedHead& head_;
    int level_;
    std::map<std::pair<std::int64_t, std::int64_t>, AttentionTile> computed_;
};

std::pair<std::int64_t, std::int64_t> tokens_of(const std::array<std::optional<double>, 2>& range,
                                                std::int64_t tokens) {
    const auto first = std::int64_t(std::clamp(range[0].value_or(0), 0.0, double(tokens - 1)));
    const auto end =
        std::int64_t(std::clamp(range[1].value_or(double(tokens)), double(first + 1), double(tokens)));
    return {first, end};
}

struct Found {
    Capture capture;
    CaptureHead head;
    CapturedHead data;
};

Result<Found> find(const CaptureList& list, const std::string& folder, std::optional<std::int64_t> step,
                   const std::string& hash, std::int64_t layer, std::int64_t head) {
    const Capture* chosen = nullptr;
    const auto detail = [&](const Capture& capture) { return capture.find(layer, head)->finest; };
    for (const Capture& capture : list.captures) {
        if (step && capture.checkpoint.step.value != *step) continue;
        if (!hash.empty() && capture_settings_hash(capture) != hash) continue;
        if (capture.find(layer, head) == nullptr) continue;
        // The last step; of its captures the one that shows this head in most detail.
        if (chosen != nullptr && capture.checkpoint.step == chosen->checkpoint.step &&
            !capture.find(layer, head)->factors && detail(*chosen) <= detail(capture))
            continue;
        chosen = &capture;
    }
    if (chosen == nullptr) {
        std::string what = "no capture shows head ";
        what.append(head_text(layer, head));
        if (step) what.append(" at step ").append(std::to_string(*step));
        if (!hash.empty()) what.append(" with the settings ").append(hash);
        return fail(ErrorKind::not_found, what, folder, "Capture it first: braid-engine capture RUN@STEP");
    }
    Found found{.capture = *chosen, .head = *chosen->find(layer, head), .data = {}};
    Result<CapturedHead> data = read_captured_head(chosen->folder + "/" + found.head.file);
    if (!data) return fail(data.error());
    found.data = std::move(*data);
    return found;
}

}  // namespace

std::optional<AttentionMetric> parse_attention_metric(std::string_view text) {
    AttentionMetric metric;
    if (!take(text, prefix) || !take_head(text, metric.layer, metric.head)) return {};
    if (text.empty()) return metric;
    if (!take(text, "/")) return {};
    if (text == row_word) {
        metric.row = true;
        return metric;
    }
    AttentionMetric::Other other;
    if (!take(text, less_word) || !take_head(text, other.layer, other.head) || !take(text, "@") ||
        !take_number(text, other.step) || !text.empty())
        return {};
    metric.less = other;
    return metric;
}

std::string to_text(const AttentionMetric& metric) {
    std::string text(prefix);
    text.append(head_text(metric.layer, metric.head));
    if (metric.row) text.append("/").append(row_word);
    if (metric.less)
        text.append("/")
            .append(less_word)
            .append(head_text(metric.less->layer, metric.less->head))
            .append("@")
            .append(std::to_string(metric.less->step));
    return text;
}

std::string capture_settings_hash(const Capture& capture) {
    const std::string id = capture_id(capture);
    return id.substr(id.rfind('.') + 1);
}

Result<FigureAttention> load_attention(const std::string& captures_folder, const AttentionMetric& metric,
                                       const FigurePanel& panel, std::int64_t across) {
    const CaptureList list = list_captures(captures_folder);
    const Result<Found> found =
        find(list, captures_folder, panel.step, panel.score, metric.layer, metric.head);
    if (!found) return fail(found.error());
    std::optional<Found> other;
    if (metric.less) {
        Result<Found> less = find(list, captures_folder, metric.less->step,
                                  panel.step == metric.less->step ? panel.score : std::string(),
                                  metric.less->layer, metric.less->head);
        if (!less) return fail(less.error());
        if (less->capture.tokens != found->capture.tokens)
            return fail(ErrorKind::invalid_input, "the two captures are not of one text", captures_folder,
                        "Capture the same text at both checkpoints.");
        other = std::move(*less);
    }
    FigureAttention shown{.step = found->capture.checkpoint.step.value,
                          .layer = metric.layer,
                          .head = metric.head,
                          .mixer = found->head.mixer,
                          .architecture_hash = found->capture.checkpoint.architecture_hash,
                          .is_signed = found->head.implied || other.has_value()};
    if (other)
        shown.against = head_text(other->head.layer, other->head.head)
                            .append(", step ")
                            .append(format_count(other->capture.checkpoint.step.value));
    shown.tokens = found->data.pyramid.tokens();
    const auto [first_key, end_key] = tokens_of(panel.x_range, shown.tokens);
    const auto [first_query, end_query] = tokens_of(panel.y_range, shown.tokens);
    int level = attention_level(std::max(end_key - first_key, end_query - first_query), across);
    const auto finest = [](const CapturedHead& head) { return head.factors ? 0 : head.pyramid.finest(); };
    level = std::max(level, finest(found->data));
    if (other) level = std::max(level, finest(other->data));
    level = std::min(level, found->data.pyramid.coarsest());
    shown.size = std::int64_t{1} << level;
    const std::int64_t row = first_query >> level, column = first_key >> level;
    shown.first_query = row << level;
    shown.first_key = column << level;
    shown.rows = ((end_query - 1) >> level) - row + 1;
    shown.columns = ((end_key - 1) >> level) - column + 1;
    shown.weights.resize(std::size_t(shown.rows * shown.columns));
    Squares squares(found->data, level);
    std::optional<Squares> less;
    if (other) less.emplace(other->data, level);
    std::vector<float> largest;
    if (metric.row) largest = row_largest(found->data);
    for (std::int64_t r = 0; r < shown.rows; ++r) {
        float by = 1;
        if (metric.row) {
            float most = 0;
            for (std::int64_t q = (row + r) << level; q < std::min((row + r + 1) << level, shown.tokens); ++q)
                most = std::max(most, largest[std::size_t(q)]);
            by = most > 0 ? 1 / most : 0;
        }
        for (std::int64_t c = 0; c < shown.columns && column + c <= row + r; ++c) {
            float weight = squares.at(row + r, column + c);
            if (less) weight -= less->at(row + r, column + c);
            shown.weights[std::size_t(r * shown.columns + c)] = weight * by;
        }
    }
    if (found->data.factors && !found->data.factors->sink_T.empty() && !other && !metric.row) {
        const std::vector<float>& shares = found->data.factors->sink_T;
        for (std::int64_t r = 0; r < shown.rows; ++r) {
            float most = 0;
            for (std::int64_t q = (row + r) << level; q < std::min((row + r + 1) << level, shown.tokens); ++q)
                most = std::max(most, shares[std::size_t(q)]);
            shown.sink.push_back(most);
        }
    }
    for (const CaptureNeedle& needle : found->capture.needles)
        shown.needles.emplace_back(needle.span.begin, needle.span.end);
    return shown;
}

}  // namespace braid::ui
