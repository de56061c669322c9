#include "widgets/train/figure_of_view.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QFutureWatcher>
#include <QUrl>
#include <QWidget>
#include <QtConcurrent>

#include "core/base/file.h"
#include "core/spec/study.h"
#include "widgets/common/project_session.h"
#include "widgets/figure/figure_export.h"

namespace braid::ui {

namespace {

// The description and every file made from it; a sentence that says where they are.
Result<QString> writeFigure(const NamedFigure& figure, const std::string& project) {
    const std::string folder = project + "/figures";
    const std::string base = folder + "/" + figure.name.toStdString();
    if (Result<void> made = make_folder(folder); !made) return fail(std::move(made.error()));
    if (Result<void> kept = write_figure(base + ".json", figure.spec); !kept)
        return fail(std::move(kept.error()));
    const Result<FigureData> data = load_figure_data(project, figure.spec);
    if (!data) return fail(data.error());
    const auto written = write_figure_files(
        figure.spec, *data, base,
        {FigureFile::pdf, FigureFile::svg, FigureFile::png, FigureFile::csv, FigureFile::provenance},
        "braid figure " + figure.name.toStdString() + " --out " + figure.name.toStdString() + ".pdf");
    if (!written) return fail(written.error());
    return QCoreApplication::translate("Figure", "Wrote figures/%1 as PDF, SVG and PNG with its data")
        .arg(figure.name);
}

}  // namespace

NamedFigure figureOfStudy(const ProjectSession& session, const QString& study) {
    for (const FigureEntry& entry : session.figures()) {
        if (!entry.problem.isEmpty()) continue;
        const Result<FigureSpec> spec = read_figure(entry.file.toStdString());
        if (spec && spec->kind == "curves" && spec->source.study == study.toStdString())
            return {.name = entry.name, .spec = *spec};
    }
    FigureSpec spec;
    spec.source.study = study.toStdString();
    FigurePanel panel{.metric = "loss"};
    if (const StudyEntry* entry = session.study(study); entry != nullptr && entry->spec) {
        panel.metric = entry->spec->measure.metric;
        panel.threshold = entry->spec->measure.threshold;
        panel.compare_crossings = true;
    }
    spec.title = panel.metric + " against tokens, " + study.toStdString();
    spec.panels.push_back(panel);
    return {.name = study + QStringLiteral("-curves"), .spec = spec};
}

NamedFigure figureOfRuns(const std::vector<RunPointer>& runs, const std::vector<std::string>& metrics,
                         const std::string& x, AxisScale y_scale, double smoothing) {
    FigureSpec spec;
    std::string names;
    for (const RunPointer& run : runs) {
        spec.source.runs.push_back(run->id.str());
        spec.colours[run->name.toStdString()] = run->paletteIndex;
        names += (names.empty() ? "" : ", ") + run->name.toStdString();
    }
    for (const std::string& metric : metrics) {
        FigurePanel panel{.metric = metric, .x = x};
        panel.y_scale = y_scale;
        panel.smoothing = smoothing;
        spec.panels.push_back(panel);
    }
    spec.title = names;
    return {.name = QString::fromStdString(slug(names)).left(40), .spec = spec};
}

void exportFigureOf(const NamedFigure& figure, const WorkspaceContext& context, QWidget* parent) {
    // Reading the runs and writing five files may take a second: not in the GUI thread.
    const QString folder = context.session.folder();
    const QString name = figure.name;
    auto* watcher = new QFutureWatcher<Result<QString>>(parent);
    Shell& shell = context.shell;
    QObject::connect(watcher, &QFutureWatcher<Result<QString>>::finished, parent, [watcher, &shell, folder] {
        watcher->deleteLater();
        const Result<QString> written = watcher->result();
        shell.notify({}, written ? *written : QString::fromStdString(describe(written.error())),
                     written ? QCoreApplication::translate("Figure", "Open folder") : QString(), [folder] {
                         QDesktopServices::openUrl(QUrl::fromLocalFile(folder + QStringLiteral("/figures")));
                     });
    });
    watcher->setFuture(QtConcurrent::run([spec = figure.spec, folder, name]() -> Result<QString> {
        return writeFigure({.name = name, .spec = spec}, folder.toStdString());
    }));
}

}  // namespace braid::ui
