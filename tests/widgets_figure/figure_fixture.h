// Figures, data and project folders for the tests of figures.
#pragma once

#include <gtest/gtest.h>

#include <QDir>
#include <QTemporaryDir>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/mixers/builtin.h"
#include "core/record/project.h"
#include "core/record/run_writer.h"
#include "core/spec/shorthand.h"
#include "widgets/figure/figure_data.h"
#include "widgets/figure/figure_export.h"

namespace braid::ui {

struct Hybrid {
    const char* label;
    const char* pattern;
    double middle;  // evaluation (of 20 steps) at which recall takes off
};
inline constexpr Hybrid hybrids[] = {{"Window 4", "FS[w=4] x2", 9.5},
                                     {"Window 16", "FS[w=16] x2", 11.4},
                                     {"Window 64, NoPE", "F[nope]S[w=64] x2", 9},
                                     {"Window 64", "FS[w=64] x2", 26}};

inline double recallAt(double evaluation, double middle) {
    return 0.03 + 0.95 / (1 + std::exp(-(evaluation - middle) / 0.8));
}

inline ArchitectureSpec tinyArchitecture(const std::string& pattern) {
    const auto parsed = parse_pattern(pattern, builtin_mixers());
    EXPECT_TRUE(parsed) << pattern;
    return parsed ? instantiate(*parsed, *find_scale("tiny")) : ArchitectureSpec{};
}

inline FigureSpec recallFigure() {
    FigureSpec spec;
    spec.title = "Far recall";
    spec.source.study = "laziness";
    spec.panels = {{.metric = "recall/far",
                    .x = "tokens",
                    .y_range = {0.0, 1.0},
                    .threshold = 0.9,
                    .compare_crossings = true}};
    spec.style = {.size = FigureSize::single, .width_mm = 84, .height_mm = 60, .font_pt = 7, .line_pt = 1};
    return spec;
}

inline FigureSpec recallTable() {
    FigureSpec spec = recallFigure();
    spec.kind = "threshold-table";
    spec.title = "Tokens to 0.9";
    spec.panels[0].compare_crossings = false;
    spec.style = {.size = FigureSize::double_column, .width_mm = 174, .height_mm = 32, .font_pt = 8};
    return spec;
}

// The four hybrids without any files; `middle` of the last one can be moved so that it never gets there.
inline FigureData recallData(const FigureSpec& spec, std::size_t seeds = 1, double last_middle = 26) {
    FigureData data;
    data.panels.resize(spec.panels.size());
    for (std::size_t h = 0; h < 4; ++h) {
        for (std::size_t p = 0; p < spec.panels.size(); ++p) {
            data.panels[p].series.push_back({.label = hybrids[h].label, .colour = static_cast<int>(h)});
        }
        for (std::size_t seed = 1; seed <= seeds; ++seed) {
            const double middle =
                (h == 3 ? last_middle : hybrids[h].middle) + 0.8 * static_cast<double>(seed - 1);
            std::vector<double> x;
            std::vector<double> y;
            for (int i = 1; i <= 30; ++i) {
                x.push_back(20.0 * 4096 * i);
                y.push_back(recallAt(i, middle));
            }
            data.runs.push_back({.id = "r" + std::to_string(h) + std::to_string(seed),
                                 .name = hybrids[h].label,
                                 .series = hybrids[h].label,
                                 .seed = seed,
                                 .architecture = tinyArchitecture(hybrids[h].pattern),
                                 .state = RunState::finished,
                                 .step = 600,
                                 .steps = 600,
                                 .tokens_per_step = 4096,
                                 .seconds = 49.0 + static_cast<double>(h),
                                 .queries = {{"recall/far", 1536}}});
            for (FigurePanelData& panel : data.panels) {
                panel.series[h].lines.push_back({data.runs.size() - 1, Curve::make(x, y), Curve::make(x, y)});
            }
        }
    }
    for (std::size_t p = 0; p < spec.panels.size(); ++p) {
        for (FigureSeries& series : data.panels[p].series) {
            finish_series(spec, spec.panels[p], series);
        }
    }
    data.expected_runs = data.runs.size();
    return data;
}

inline std::string readFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline std::string outputOf(const std::string& command) {
    std::string text;
    if (FILE* pipe = popen((command + " 2>&1").c_str(), "r")) {
        char buffer[4096];
        while (const std::size_t count = fread(buffer, 1, sizeof buffer, pipe)) {
            text.append(buffer, count);
        }
        pclose(pipe);
    }
    return text;
}

// A folder for what the tests write; BRAID_PICTURES keeps it for looking at.
class FigureFolder : public testing::Test {
protected:
    std::string path(const std::string& name) const {
        const QString kept = qEnvironmentVariable("BRAID_PICTURES");
        if (!kept.isEmpty()) {
            QDir().mkpath(kept);
            return (kept + QLatin1Char('/')).toStdString() + name;
        }
        return folder_.path().toStdString() + "/" + name;
    }
    std::string write(const FigureSpec& spec, const FigureData& data, FigureFile file,
                      const std::string& name) const {
        const auto written = write_figure_files(spec, data, path(name), {file}, "braid figure test");
        EXPECT_TRUE(written) << (written ? "" : describe(written.error()));
        return written ? written->front() : std::string();
    }
    QTemporaryDir folder_;
};

}  // namespace braid::ui
