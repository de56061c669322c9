// What the tests of Design share: documents at published scales, real keys.
#pragma once

#include <time.h>

#include <QString>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "core/mixers/builtin.h"
#include "core/spec/shorthand.h"
#include "widgets/design/spec_document.h"

namespace braid::ui {

inline ArchitectureSpec spec_of(const std::string& pattern, const std::string& scale = "S1") {
    const Checked<Pattern> parsed = parse_pattern(pattern, builtin_mixers());
    if (!parsed) {
        std::fprintf(stderr, "%s\n", show_problems(pattern, parsed.error()).c_str());
        std::abort();
    }
    return instantiate(*parsed, *find_scale(scale));
}

// Of this thread alone, whatever else the machine does.
inline double thread_milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

inline std::unique_ptr<SpecDocument> document_of(const std::string& pattern,
                                                 const std::string& scale = "S1") {
    auto document = std::make_unique<SpecDocument>(builtin_mixers());
    document->open(spec_of(pattern, scale));
    return document;
}

// "FSSF": letters of the layers, head-wise ones as {FS}.
inline QString letters(const ArchitectureSpec& spec) {
    QString text;
    for (const LayerSpec& layer : spec.layers) {
        QString one;
        for (const HeadGroup& group : layer.groups) {
            one += QLatin1Char(builtin_mixers().find(group.mixer)->description().letter);
        }
        text += layer.groups.size() == 1 ? one : QLatin1Char('{') + one + QLatin1Char('}');
    }
    return text;
}

}  // namespace braid::ui
