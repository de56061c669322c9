#include <algorithm>
#include <cmath>

#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

constexpr QColor rgb(unsigned value) {
    return QColor(int(value >> 16) & 255, int(value >> 8) & 255, int(value) & 255);
}

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& colour) {
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}

}  // namespace

const Tokens& lightTokens() {
    static const Tokens tokens{.dark = false,
                               .window = rgb(0xECEEF2),
                               .panel = rgb(0xF6F7F9),
                               .surface = rgb(0xFFFFFF),
                               .raised = rgb(0xFFFFFF),
                               .sunken = rgb(0xF1F3F6),
                               .hover = rgb(0xE9ECF1),
                               .selection = rgb(0xDDE3EC),
                               .checked = rgb(0xDDE2EA),
                               .text1 = rgb(0x171A21),
                               .text2 = rgb(0x434B59),
                               .text3 = rgb(0x566071),
                               .disabled = rgb(0x9AA2B0),
                               .border = rgb(0xDCE0E7),
                               .borderStrong = rgb(0xBFC6D1),
                               .axis = rgb(0x8A93A3),
                               .grid = rgb(0xE8EBF0),
                               .ink = rgb(0x20242D),
                               .onInk = rgb(0xFFFFFF),
                               .ok = rgb(0x14704A),
                               .warn = rgb(0x8A5600),
                               .error = rgb(0xC0282D),
                               .info = rgb(0x1A648F),
                               .okTint = rgb(0xDFF3E7),
                               .warnTint = rgb(0xFBEFD3),
                               .errorTint = rgb(0xFCE9E9),
                               .mark = rgb(0xB3206B),
                               .runs = {rgb(0x4B3FC6), rgb(0xB8500C), rgb(0x2A9A93), rgb(0x701A4E),
                                        rgb(0xB25BD0), rgb(0x9F8F1B), rgb(0x2F4A10), rgb(0x2E6E9E)}};
    return tokens;
}

const Tokens& darkTokens() {
    static const Tokens tokens{.dark = true,
                               .window = rgb(0x121418),
                               .panel = rgb(0x181B20),
                               .surface = rgb(0x1E2127),
                               .raised = rgb(0x262A31),
                               .sunken = rgb(0x15181C),
                               .hover = rgb(0x2A2F37),
                               .selection = rgb(0x2F3742),
                               .checked = rgb(0x343B46),
                               .text1 = rgb(0xE8EAEE),
                               .text2 = rgb(0xB4BBC7),
                               .text3 = rgb(0x9BA4B3),
                               .disabled = rgb(0x5C6472),
                               .border = rgb(0x2C3139),
                               .borderStrong = rgb(0x434A56),
                               .axis = rgb(0x6A7382),
                               .grid = rgb(0x2A2E36),
                               .ink = rgb(0xE4E7EC),
                               .onInk = rgb(0x15181C),
                               .ok = rgb(0x4CC38A),
                               .warn = rgb(0xE2B04A),
                               .error = rgb(0xFF7B7E),
                               .info = rgb(0x6DB7E8),
                               .okTint = rgb(0x17352A),
                               .warnTint = rgb(0x3A2F17),
                               .errorTint = rgb(0x42232A),
                               .mark = rgb(0xFF8AC4),
                               .runs = {rgb(0x8C7DFF), rgb(0xF2944A), rgb(0xA5F0E8), rgb(0xDB5B93),
                                        rgb(0xCDA6F2), rgb(0xF5E08A), rgb(0x5F9130), rgb(0x5C8FB8)}};
    return tokens;
}

double contrastRatio(const QColor& a, const QColor& b) {
    const double first = luminance(a), second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

QColor strongestOn(const QColor& background) {
    const QColor black = rgb(0x000000), white = rgb(0xFFFFFF);
    return contrastRatio(black, background) >= contrastRatio(white, background) ? black : white;
}

}  // namespace braid::ui
