#include "core/spec/study_patterns.h"

#include "core/spec/shorthand.h"

namespace braid {

Diagnostics check_patterns(const StudySpec& spec, const MixerCatalog& catalog) {
    Diagnostics problems;
    for (std::size_t i = 0; i < spec.variants.size(); ++i) {
        const std::string& text = spec.variants[i].pattern;
        if (text.empty() || text.find('$') != std::string::npos || find_preset(text) != nullptr) continue;
        const Checked<Pattern> pattern = parse_pattern(text, catalog);
        if (pattern) continue;
        for (Diagnostic problem : pattern.error()) {
            std::string path = "variants[" + std::to_string(i) + "].pattern (";
            path.append(text.substr(0, 60)).append(")");
            if (!problem.path.empty()) path.append(", ").append(problem.path);
            problem.path = std::move(path);
            problems.push_back(std::move(problem));
        }
    }
    return problems;
}

}  // namespace braid
