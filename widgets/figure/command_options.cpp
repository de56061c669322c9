#include "widgets/figure/command_options.h"

#include <charconv>

namespace braid::ui {
namespace {

// Options that set one value of the style: one line each.
struct StyleOption {
    std::string_view option;
    const char* key;
    bool number;
    std::string_view value;
    std::string_view help;
};
constexpr StyleOption style_options[] = {
    {"--size", "size", false, "single|double|slide", "84, 174 or 254 mm wide"},
    {"--width", "width_mm", true, "MM", "width"},
    {"--height", "height_mm", true, "MM", "height"},
    {"--font", "font", false, "FAMILY", "font family (default: the program's own)"},
    {"--font-pt", "font_pt", true, "PT", "size of the text"},
    {"--line-pt", "line_pt", true, "PT", "width of the lines"},
    {"--legend", "legend", false, "below|inside|labels", "where the series are named"},
    {"--series-by", "series_by", false, "hue+dash|hue|dash", "how they differ"},
    {"--text", "text", false, "embedded|paths", "text as fonts or as outlines"},
};

constexpr std::pair<std::string_view, FigureFile> formats[] = {
    {".pdf", FigureFile::pdf}, {".svg", FigureFile::svg}, {".png", FigureFile::png}};

}  // namespace

Checked<FigureOptions> parse_figure_options(const std::vector<std::string>& arguments) {
    FigureOptions options;
    Diagnostics problems;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string argument = arguments[i];
        std::string value;
        bool has_value = false;
        if (argument.starts_with("--")) {
            if (const std::size_t equals = argument.find('='); equals != std::string::npos) {
                value = argument.substr(equals + 1);
                argument.resize(equals);
                has_value = true;
            }
        }
        const auto take = [&] {
            if (!has_value && i + 1 < arguments.size()) {
                value = arguments[++i];
                has_value = true;
            }
            if (!has_value) {
                problems.push_back({argument, "needs a value", ""});
            }
            return has_value;
        };
        if (argument == "--help" || argument == "-h") {
            options.help = true;
        } else if (argument == "--json") {
            options.json = true;
        } else if (argument == "--no-data") {
            options.data = false;
        } else if (argument == "--project") {
            if (take()) {
                options.project = value;
            }
        } else if (argument == "--out" || argument == "-o") {
            if (!take()) {
                continue;
            }
            bool known = false;
            for (const auto& [suffix, file] : formats) {
                if (value.size() > suffix.size() && value.ends_with(suffix)) {
                    options.outputs.push_back({value.substr(0, value.size() - suffix.size()), file});
                    known = true;
                }
            }
            if (!known) {
                problems.push_back({"--out", "must end in .pdf, .svg or .png", value});
            }
        } else if (argument.starts_with("-") && argument.size() > 1) {
            const StyleOption* found = nullptr;
            for (const StyleOption& option : style_options) {
                found = option.option == argument ? &option : found;
            }
            if (!found) {
                problems.push_back({argument, "is not an option of braid figure", ""});
                continue;
            }
            if (!take()) {
                continue;
            }
            if (!found->number) {
                options.style.emplace_back(found->key, value);
                continue;
            }
            double number = 0;
            const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
            if (error != std::errc() || end != value.data() + value.size()) {
                problems.push_back({argument, "must be a number", value});
            } else {
                options.style.emplace_back(found->key, number);
            }
        } else {
            names.push_back(argument);
        }
    }
    if (!options.help) {
        if (names.size() != 1) {
            problems.push_back({"FIGURE",
                                names.empty() ? "must be given: a file or the name of a figure of the project"
                                              : "must be one figure",
                                names.empty() ? "" : std::to_string(names.size())});
        } else {
            options.figure = names[0];
        }
        if (options.outputs.empty() && problems.empty()) {
            problems.push_back({"--out", "must be given: FILE.pdf, FILE.svg or FILE.png", ""});
        }
    }
    if (!problems.empty()) {
        return tl::unexpected<Diagnostics>(std::move(problems));
    }
    return options;
}

Json with_options(Json figure, const FigureOptions& options) {
    bool sized = false;
    for (const auto& [key, value] : options.style) {
        sized = sized || key == "width_mm";
    }
    for (const auto& [key, value] : options.style) {
        if (key == "size" && !sized) {
            figure["style"].erase("width_mm");  // the size's own
        }
        figure["style"][key] = value;
    }
    return figure;
}

std::string figure_help() {
    std::string text =
        "Usage: braid figure FIGURE.json|NAME --out FILE.pdf|.svg|.png [--out ...] [OPTIONS]\n\n"
        "Renders a figure of a project at its print size; no display is needed. Beside each file go its "
        "data\n"
        "(FILE.csv) and where it came from (FILE.provenance.json).\n\n"
        "  --project DIR            the project (default: found from the figure's folder, then from here)\n";
    for (const StyleOption& option : style_options) {
        std::string left = "  " + std::string(option.option) + ' ' + std::string(option.value);
        left.resize(std::max<std::size_t>(left.size() + 2, 35), ' ');
        text += left + std::string(option.help) + '\n';
    }
    text +=
        "  --no-data                only the figure itself\n"
        "  --json                   print what was written as JSON\n\n"
        "Exit code: 0 written, 1 failed, 2 the input is invalid.\n\n"
        "Example: braid figure far-recall --project ~/laziness --out far-recall.pdf --size single\n";
    return text;
}

}  // namespace braid::ui
