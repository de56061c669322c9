#include "widgets/figure/figure_command.h"

#include <QApplication>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "core/record/project.h"
#include "widgets/common/theme.h"
#include "widgets/figure/command_options.h"
#include "widgets/figure/figure_export.h"

namespace braid::ui {
namespace {

namespace fs = std::filesystem;

constexpr int done = 0;
constexpr int failed = 1;
constexpr int invalid = 2;

int complain(const Error& error) {
    std::fprintf(stderr, "braid figure: %s\n", describe(error).c_str());
    return error.kind == ErrorKind::invalid_input ? invalid : failed;
}

std::string quoted(const std::string& argument) {
    const bool plain = !argument.empty() && argument.find_first_not_of(
                                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                                                "UVWXYZ0123456789-_./=+:,@%") == std::string::npos;
    if (plain) {
        return argument;
    }
    std::string text = "'";
    for (const char c : argument) {
        text += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return text + "'";
}

// Where the description is and which project its runs are in.
struct Place {
    std::string file;
    std::string project;
};

Result<Place> find_place(const FigureOptions& options) {
    Place place;
    std::error_code ignored;
    const bool is_file = fs::is_regular_file(options.figure, ignored);
    if (is_file) {
        place.file = options.figure;
    }
    std::string start = options.project;
    if (start.empty() && is_file) {
        start = fs::absolute(options.figure, ignored).parent_path().string();
    }
    if (start.empty()) {
        start = fs::current_path(ignored).string();
    }
    Result<Project> project = options.project.empty() ? Project::find(start) : Project::open(start);
    if (!project && options.project.empty() && is_file) {
        project = Project::find(fs::current_path(ignored).string());
    }
    if (!project) {
        return fail(project.error());
    }
    place.project = project->folder();
    if (!is_file) {
        place.file = project->document_file(DocumentKind::figure, options.figure);
        if (!fs::is_regular_file(place.file, ignored)) {
            std::string known;
            for (const ProjectDocument& entry : project->documents(DocumentKind::figure)) {
                known += (known.empty() ? "" : ", ") + entry.name;
            }
            return fail(
                ErrorKind::invalid_input, "there is no figure \"" + options.figure + "\"", place.project,
                known.empty() ? "The project has no figures yet" : "Figures of this project: " + known);
        }
    }
    return place;
}

}  // namespace

int runFigureCommand(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + std::min(argc, 2), argv + argc);
    const Checked<FigureOptions> parsed = parse_figure_options(arguments);
    if (!parsed) {
        for (const Diagnostic& problem : parsed.error()) {
            std::fprintf(stderr, "braid figure: %s\n", problem.message().c_str());
        }
        std::fprintf(stderr, "Try: braid figure --help\n");
        return invalid;
    }
    const FigureOptions& options = *parsed;
    if (options.help) {
        std::fputs(figure_help().c_str(), stdout);
        return done;
    }
    const Result<Place> place = find_place(options);
    if (!place) {
        return complain(place.error());
    }
    Result<FigureSpec> spec = read_figure(place->file);
    if (!spec) {
        return complain(spec.error());
    }
    // The command line's own wishes, judged like the file's.
    const Checked<FigureSpec> wanted = figure_from_json(with_options(to_json(*spec), options));
    if (!wanted) {
        return complain(to_error(wanted.error()));
    }

    // What Qt remarks about a session that is not there (no XDG_RUNTIME_DIR, ...) does not concern a figure.
    qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& message) {
        if (type == QtCriticalMsg || type == QtFatalMsg) {
            std::fprintf(stderr, "%s\n", qPrintable(message));
        }
    });
    qputenv("QT_QPA_PLATFORM", "offscreen");  // a figure needs no display, and is the same with one
    int count = 1;
    QApplication application(count, argv);
    Theme::instance().install(application);

    const Result<FigureData> data = load_figure_data(place->project, *wanted);
    if (!data) {
        return complain(data.error());
    }
    for (const std::string& note : data->notes) {
        std::fprintf(stderr, "note: %s\n", note.c_str());
    }
    std::string command = "braid figure";
    for (const std::string& argument : arguments) {
        command += ' ' + quoted(argument);
    }
    std::vector<std::string> files;
    std::vector<std::string> bases;
    for (const FigureOutput& output : options.outputs) {
        std::vector<FigureFile> kinds{output.file};
        if (options.data && std::find(bases.begin(), bases.end(), output.base) == bases.end()) {
            kinds.insert(kinds.end(), {FigureFile::csv, FigureFile::provenance});
            bases.push_back(output.base);
        }
        const auto written = write_figure_files(*wanted, *data, output.base, kinds, command);
        if (!written) {
            return complain(written.error());
        }
        files.insert(files.end(), written->begin(), written->end());
    }
    if (options.json) {
        const Json json{{"files", files}, {"notes", data->notes}, {"runs", data->runs.size()}};
        std::fprintf(stdout, "%s\n", json.dump().c_str());
    } else {
        for (const std::string& file : files) {
            std::fprintf(stdout, "%s\n", file.c_str());
        }
    }
    return done;
}

}  // namespace braid::ui
