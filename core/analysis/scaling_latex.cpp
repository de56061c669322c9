// Tables of fits for papers (booktabs).
#include <array>
#include <cmath>
#include <cstdio>

#include "core/analysis/scaling_report.h"

namespace braid {
namespace {

std::string digits(double value, const char* format = "%.4g") {
    if (!std::isfinite(value)) return "--";
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return text.data();
}

std::string latex_escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\')
            out += "\\textbackslash{}";
        else if (c == '~' || c == '^')
            out.append("\\").append(1, c).append("{}");
        else if (std::string_view("&%$#_{}").find(c) != std::string_view::npos)
            out.append("\\").append(1, c);
        else
            out += c;
    }
    return out;
}

// "4.82\times 10^{2}" is for machines; 0.3478, 2085 and 1.2 x 10^7 are for readers.
std::string latex_number(double value) {
    std::string text = digits(value);
    const std::size_t e = text.find('e');
    if (e == std::string::npos) return text;
    return text.substr(0, e) + " \\times 10^{" + std::to_string(std::stoi(text.substr(e + 1))) + "}";
}

}  // namespace

std::string scaling_latex(const ScalingReport& report) {
    const ScalingFit& first = report.fits.front();
    const bool with_e = first.form == ScalingForm::chinchilla;
    std::string text = "% needs \\usepackage{booktabs}\n% ";
    text.append(formula(first.form))
        .append("; N: parameters, D: tokens, L: nats a token; ")
        .append(digits(100 * report.options.level))
        .append(" % intervals of ")
        .append(std::to_string(first.resampled.size()))
        .append(" bootstrap resamples\n\\begin{tabular}{l")
        .append(with_e ? "rrrrr" : "rrrr")
        .append("rrr}\n\\toprule\n & $a$ & $\\alpha$ & $b$ & $\\beta$")
        .append(with_e ? " & $E$" : "")
        .append(" & $n$ & $R^2$ & $R^2$ (held out) \\\\\n\\midrule\n");
    for (const ScalingFit& fit : report.fits) {
        std::string intervals;
        text += latex_escaped(fit.group.empty() ? "All" : fit.group);
        for (const ScalingEstimate& estimate : fit.estimates) {
            text += estimate.identified() ? " & $" + latex_number(estimate.value) + "$" : " & --";
            intervals += " & ";
            if (estimate.interval && estimate.identified())
                intervals += "{\\scriptsize $[" + latex_number(estimate.interval->low) + ", " +
                             latex_number(estimate.interval->high) + "]$}";
        }
        const auto r2 = [](const std::optional<double>& value) {
            return value ? "$" + digits(*value, "%.4f") + "$" : std::string("--");
        };
        text += " & " + std::to_string(fit.fitted) + " & " + r2(fit.r2_train) + " & " + r2(fit.r2_heldout) +
                " \\\\\n";
        if (!fit.resampled.empty()) text += intervals + " & & & \\\\\n";
    }
    return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string efficiency_latex(const ScalingReport& report) {
    if (report.gains.empty()) return {};
    std::string text = "% needs \\usepackage{booktabs}\n% tokens that each needs for the loss of " +
                       report.baseline + "\n\\begin{tabular}{lrrrrr}\n\\toprule\n & $N$ & $D$ of " +
                       latex_escaped(report.baseline) + " & $L$ & $D$ needed & gain \\\\\n\\midrule\n";
    for (const auto& [group, gain] : report.gains) {
        text += latex_escaped(group) + " & $" + latex_number(gain.parameters) + "$ & $" +
                latex_number(gain.baseline_tokens) + "$ & $" + digits(gain.loss, "%.4f") + "$ & ";
        text += gain.tokens ? "$" + latex_number(*gain.tokens) + "$" : std::string("never");
        text += " & ";
        text += gain.gain ? "$" + digits(*gain.gain, "%.3g") + "$" : std::string("--");
        if (gain.interval)
            text += " {\\scriptsize $[" + digits(gain.interval->low, "%.3g") + ", " +
                    digits(gain.interval->high, "%.3g") + "]$}";
        text += " \\\\\n";
    }
    return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace braid
