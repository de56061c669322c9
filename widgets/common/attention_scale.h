// How the weight of a pair of tokens becomes a colour: the same in thumbnails, maps, strips and figures.
#pragma once

#include <QColor>
#include <QRgb>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace braid::ui {

enum class AttentionForm {
    log,     // from `low` to `high`
    linear,  // from 0 to `high`
    row,     // share of the largest weight of its query, 0 to 1
};

struct AttentionScale {
    AttentionForm form = AttentionForm::log;
    bool is_signed = false;  // of differences and implied matrices: red below 0, blue above
    double low = 0.005;      // magnitudes
    double high = 0.5;
    QColor middle = {};  // of signed ones at 0

    // 0 to 1, signed ones -1 to 1; clamped.
    double share(double weight) const;
    QColor colour(double weight) const;
    // Values with a round label, ascending, among them both ends.
    std::vector<double> ticks() const;
    bool operator==(const AttentionScale&) const = default;
};

// Shares in 256 colours, from the lowest.
std::array<QRgb, 256> attentionColours(const AttentionScale& scale);

// A scale that fits magnitudes like these: its upper end is a round number that one in 200 exceeds, at most 1
// for softmax; its lower end a hundredth of it. All zero: the standard one.
AttentionScale fittingScale(AttentionForm form, bool is_signed, std::span<const float> weights);

// 1, 2 or 5 times a power of ten, not below `value`.
double roundUp(double value);

}  // namespace braid::ui
