#include "widgets/scaling/study_lines.h"

#include <algorithm>

#include "core/spec/number_text.h"

namespace braid::ui {

namespace {

std::string place(const char* list, std::size_t index) {
    std::string path = list;
    return path.append("[").append(std::to_string(index)).append("]");
}

// What stands before and behind the first '='.
std::optional<std::pair<std::string, std::string>> parted(const std::string& line) {
    const std::size_t at = line.find('=');
    if (at == std::string::npos) return std::nullopt;
    return std::pair{std::string(trimmed(line.substr(0, at))), std::string(trimmed(line.substr(at + 1)))};
}

ParameterValue value_of(std::string_view text) {
    if (text == "true") return true;
    if (text == "false") return false;
    if (const auto whole = read_integer(text)) return *whole;
    if (const auto real = read_real(text)) return *real;
    return std::string(text);
}

}  // namespace

std::vector<std::string> linesOf(const QString& text) {
    std::vector<std::string> lines;
    for (const QString& line : text.split(QLatin1Char('\n')))
        if (!line.trimmed().isEmpty()) lines.push_back(line.trimmed().toStdString());
    return lines;
}

QString textOf(const std::vector<std::string>& lines) {
    QStringList all;
    for (const std::string& line : lines) all << QString::fromStdString(line);
    return all.join(QLatin1Char('\n'));
}

QString variantLines(const std::vector<StudyVariant>& variants) {
    std::vector<std::string> lines;
    for (const StudyVariant& variant : variants) {
        std::string line = variant.label;
        line.append(" = ");
        if (variant.architecture.empty())
            line.append(variant.pattern);
        else
            line.append("@").append(variant.architecture);
        if (!variant.scale.empty()) line.append(" @ ").append(variant.scale);
        lines.push_back(std::move(line));
    }
    return textOf(lines);
}

Checked<std::vector<StudyVariant>> parseVariants(const QString& text,
                                                 const std::vector<StudyVariant>& before) {
    std::vector<StudyVariant> variants;
    Diagnostics problems;
    for (const std::string& line : linesOf(text)) {
        const auto parts = parted(line);
        if (!parts) {
            problems.push_back({place("variants", variants.size()), "must be LABEL = PATTERN", line});
            variants.emplace_back();
            continue;
        }
        StudyVariant variant;
        const auto known = std::find_if(before.begin(), before.end(),
                                        [&](const StudyVariant& one) { return one.label == parts->first; });
        if (known != before.end()) variant.overrides = known->overrides;
        variant.label = parts->first;
        std::string rest = parts->second;
        if (const std::size_t at = rest.rfind(" @ "); at != std::string::npos) {
            variant.scale = std::string(trimmed(rest.substr(at + 3)));
            rest = std::string(trimmed(rest.substr(0, at)));
        }
        if (rest.starts_with('@'))
            variant.architecture = rest.substr(1);
        else
            variant.pattern = rest;
        variants.push_back(std::move(variant));
    }
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return variants;
}

QString scaleLines(const std::vector<StudyScale>& scales) {
    std::vector<std::string> lines;
    for (const StudyScale& scale : scales) {
        std::string line = scale.name;
        if (scale.sizes) {
            line.append(" =");
            const Scale& s = *scale.sizes;
            for (const std::int64_t size :
                 {s.layers, s.d_model, s.ffn_width, s.heads, s.kv_heads, s.head_dim, s.vocab})
                line.append(" ").append(std::to_string(size));
        }
        lines.push_back(std::move(line));
    }
    return textOf(lines);
}

Checked<std::vector<StudyScale>> parseScales(const QString& text, const std::vector<StudyScale>& before) {
    std::vector<StudyScale> scales;
    Diagnostics problems;
    for (const std::string& line : linesOf(text)) {
        StudyScale scale{.name = line};
        if (const auto parts = parted(line)) {
            scale.name = parts->first;
            Scale sizes{.name = scale.name};
            std::vector<std::int64_t> numbers;
            const QStringList words =
                QString::fromStdString(parts->second).split(QLatin1Char(' '), Qt::SkipEmptyParts);
            for (const QString& word : words)
                if (const auto number = read_integer(word.toStdString())) numbers.push_back(*number);
            if (numbers.size() != 7 || words.size() != 7) {
                problems.push_back({place("scales", scales.size()),
                                    "must have 7 numbers: layers, d_model, ffn_width, heads, kv_heads, "
                                    "head_dim, vocab",
                                    parts->second});
            } else {
                sizes.layers = numbers[0], sizes.d_model = numbers[1], sizes.ffn_width = numbers[2];
                sizes.heads = numbers[3], sizes.kv_heads = numbers[4], sizes.head_dim = numbers[5];
                sizes.vocab = numbers[6];
                scale.sizes = sizes;
            }
        }
        for (const StudyScale& one : before)
            if (one.name == scale.name) scale.overrides = one.overrides;
        scales.push_back(std::move(scale));
    }
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return scales;
}

QString axisLines(const std::vector<StudyAxis>& axes) {
    std::vector<std::string> lines;
    for (const StudyAxis& axis : axes) {
        std::string line = axis.key;
        const char* joint = " = ";
        for (const ParameterValue& value : axis.values) {
            line.append(joint).append(to_text(value));
            joint = ", ";
        }
        lines.push_back(std::move(line));
    }
    return textOf(lines);
}

Checked<std::vector<StudyAxis>> parseAxes(const QString& text) {
    std::vector<StudyAxis> axes;
    Diagnostics problems;
    for (const std::string& line : linesOf(text)) {
        const auto parts = parted(line);
        if (!parts || parts->second.empty()) {
            problems.push_back({place("axes", axes.size()), "must be KEY = VALUE, VALUE, ...", line});
            axes.emplace_back();
            continue;
        }
        StudyAxis axis{.key = parts->first};
        for (const std::string_view value : comma_parts(parts->second))
            axis.values.push_back(value_of(value));
        axes.push_back(std::move(axis));
    }
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return axes;
}

QString budgetText(const std::vector<double>& budgets) {
    QStringList all;
    for (const double budget : budgets) all << QString::fromStdString(shortest(budget));
    return all.join(QStringLiteral(", "));
}

Checked<std::vector<double>> parseBudgets(const QString& text) {
    std::vector<double> budgets;
    Diagnostics problems;
    if (text.trimmed().isEmpty()) return budgets;
    const std::string plain = text.toStdString();
    for (const std::string_view part : comma_parts(plain)) {
        const auto number = read_real(part);
        if (!number)
            problems.push_back({place("budgets", budgets.size()), "must be a number of tokens per parameter",
                                std::string(part)});
        budgets.push_back(number.value_or(0));
    }
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return budgets;
}

QString seedText(const std::vector<std::uint64_t>& seeds) {
    QStringList parts;
    for (std::size_t i = 0; i < seeds.size();) {
        std::size_t end = i;
        while (end + 1 < seeds.size() && seeds[end + 1] == seeds[end] + 1) ++end;
        parts << (end > i + 1 ? QStringLiteral("%1-%2").arg(seeds[i]).arg(seeds[end])
                              : QString::number(seeds[i]));
        i = end > i + 1 ? end + 1 : i + 1;
    }
    return parts.join(QLatin1Char(','));
}

}  // namespace braid::ui
