#include "widgets/figure/figure_export.h"

#include <QBuffer>
#include <QDateTime>
#include <QImage>
#include <QImageWriter>
#include <QPageLayout>
#include <QPageSize>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <cmath>

#include "core/base/file.h"
#include "widgets/figure/figure_kind.h"
#include "widgets/figure/finished_pdf.h"

namespace braid::ui {
namespace {

constexpr double units_per_inch = 25.4 * FigureCanvas::per_mm;  // 2540

struct Suffix {
    FigureFile file;
    std::string_view text;
};
constexpr Suffix suffixes[] = {{FigureFile::pdf, ".pdf"},
                               {FigureFile::svg, ".svg"},
                               {FigureFile::png, ".png"},
                               {FigureFile::csv, ".csv"},
                               {FigureFile::provenance, ".provenance.json"}};

QString title_of(const FigureSpec& spec) { return QString::fromStdString(spec.title); }

QSizeF size_mm(const FigureSpec& spec) { return {spec.style.width_mm, spec.style.height_mm}; }

FigureBytes render_pdf(const FigureSpec& spec, const FigureData& data) {
    FigureBytes result;
    QBuffer buffer(&result.bytes);
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setPdfVersion(QPagedPaintDevice::PdfVersion_1_6);
        writer.setResolution(static_cast<int>(units_per_inch));
        writer.setTitle(title_of(spec));
        writer.setCreator(QStringLiteral("Braid " BRAID_VERSION));
        writer.setPageLayout(
            QPageLayout(QPageSize(size_mm(spec), QPageSize::Millimeter, {}, QPageSize::ExactMatch),
                        QPageLayout::Portrait, QMarginsF()));
        QPainter painter(&writer);
        result.facts = draw_figure(painter, spec, data);
    }
    buffer.close();
    result.bytes = finished_pdf(result.bytes, size_mm(spec));
    return result;
}

FigureBytes render_svg(const FigureSpec& spec, const FigureData& data) {
    FigureBytes result;
    QBuffer buffer(&result.bytes);
    buffer.open(QIODevice::WriteOnly);
    const QSize units(static_cast<int>(std::lround(spec.style.width_mm * FigureCanvas::per_mm)),
                      static_cast<int>(std::lround(spec.style.height_mm * FigureCanvas::per_mm)));
    {
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setResolution(static_cast<int>(units_per_inch));
        generator.setSize(units);
        generator.setViewBox(QRect(QPoint(), units));
        generator.setTitle(title_of(spec));
        generator.setDescription(QStringLiteral("Braid " BRAID_VERSION));
        QPainter painter(&generator);
        result.facts = draw_figure(painter, spec, data);
    }
    buffer.close();
    if (spec.style.text == TextAs::embedded) {
        // A viewer without the font takes the nearest instead of its serif.
        for (const QString& family : result.facts.families) {
            result.bytes.replace(QStringLiteral("font-family=\"%1\"").arg(family).toUtf8(),
                                 QStringLiteral("font-family=\"%1, Inter, Helvetica, Arial, sans-serif\"")
                                     .arg(family)
                                     .toUtf8());
        }
    }
    return result;
}

FigureBytes render_png(const FigureSpec& spec, const FigureData& data) {
    FigureBytes result;
    const double pixels_per_mm = figure_dpi / 25.4;
    QImage image(static_cast<int>(std::lround(spec.style.width_mm * pixels_per_mm)),
                 static_cast<int>(std::lround(spec.style.height_mm * pixels_per_mm)), QImage::Format_RGB32);
    if (image.isNull()) {
        return result;
    }
    image.fill(Qt::white);
    const int dots_per_metre = static_cast<int>(std::lround(pixels_per_mm * 1000));
    image.setDotsPerMeterX(dots_per_metre);
    image.setDotsPerMeterY(dots_per_metre);
    {
        QPainter painter(&image);
        painter.scale(pixels_per_mm / FigureCanvas::per_mm, pixels_per_mm / FigureCanvas::per_mm);
        result.facts = draw_figure(painter, spec, data);
    }
    QBuffer buffer(&result.bytes);
    buffer.open(QIODevice::WriteOnly);
    QImageWriter writer(&buffer, "png");
    writer.setText(QStringLiteral("Title"), title_of(spec));
    writer.setText(QStringLiteral("Software"), QStringLiteral("Braid " BRAID_VERSION));
    writer.write(image);
    return result;
}

Json provenance(const FigureSpec& spec, const FigureData& data, const std::string& csv,
                const std::string& command) {
    Json runs = Json::array();
    for (const FigureRun& run : data.runs) {
        Json json{{"id", run.id},
                  {"name", run.name},
                  {"series", run.series},
                  {"seed", run.seed},
                  {"architecture_hash", run.architecture_hash},
                  {"plan_hash", run.plan_hash},
                  {"state", to_text(run.state)},
                  {"step", run.step},
                  {"steps", run.steps}};
        if (!run.command.empty()) {
            json["command"] = run.command;
        }
        runs.push_back(std::move(json));
    }
    const FigureKind* kind = find_figure_kind(spec.kind);
    const bool curves = !kind || kind->showsCurves();
    Json transforms = Json::array();
    for (std::size_t i = 0; i < spec.panels.size(); ++i) {
        const FigurePanel& panel = spec.panels[i];
        if (!curves) {
            transforms.push_back({{"panel", i + 1}, {"metric", panel.metric}, {"values", "as scored"}});
            continue;
        }
        Json json{{"panel", i + 1},
                  {"metric", panel.metric},
                  {"x", panel.x},
                  {"smoothing", panel.smoothing > 0 ? Json{{"kind", "debiased exponential moving average"},
                                                           {"beta", panel.smoothing}}
                                                    : Json(nullptr)},
                  {"curve", "mean over the seeds"},
                  {"seeds", to_text(spec.spread)}};
        if (panel.threshold) {
            json["threshold"] = *panel.threshold;
            json["crossing"] =
                "first recorded value at or above the threshold of each run as shown; median over the seeds, "
                "a "
                "run that never gets there counting as later than all others";
        }
        transforms.push_back(std::move(json));
    }
    return {{"schema_version", 1},
            {"scores", data.scores},
            {"figure", to_json(spec)},
            {"command", command},
            {"created", QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString()},
            {"braid", BRAID_VERSION},
            {"runs", runs},
            {"transforms", transforms},
            {"data_hash", content_hash(std::string_view(csv))},
            {"notes", data.notes}};
}

}  // namespace

std::string_view figure_suffix(FigureFile file) {
    for (const Suffix& suffix : suffixes) {
        if (suffix.file == file) {
            return suffix.text;
        }
    }
    return {};
}

FigureFacts draw_figure(QPainter& painter, const FigureSpec& spec, const FigureData& data) {
    FigureCanvas canvas(painter, spec.style);
    if (const FigureKind* kind = find_figure_kind(spec.kind);
        kind && data.panels.size() == spec.panels.size()) {
        kind->draw(spec, data, canvas);
    }
    return canvas.facts();
}

FigureBytes render_figure(const FigureSpec& spec, const FigureData& data, FigureFile file,
                          const std::string& command) {
    const FigureKind* kind = find_figure_kind(spec.kind);
    switch (file) {
        case FigureFile::pdf:
            return render_pdf(spec, data);
        case FigureFile::svg:
            return render_svg(spec, data);
        case FigureFile::png:
            return render_png(spec, data);
        case FigureFile::csv:
            return {QByteArray::fromStdString(kind ? kind->csv(spec, data) : std::string()), {}};
        case FigureFile::provenance: {
            const std::string csv = kind ? kind->csv(spec, data) : std::string();
            return {QByteArray::fromStdString(provenance(spec, data, csv, command).dump(2) + "\n"), {}};
        }
    }
    return {};
}

Result<std::vector<std::string>> write_figure_files(const FigureSpec& spec, const FigureData& data,
                                                    const std::string& base,
                                                    const std::vector<FigureFile>& files,
                                                    const std::string& command) {
    std::vector<std::string> written;
    for (const FigureFile file : files) {
        const std::string path = base + std::string(figure_suffix(file));
        const FigureBytes rendered = render_figure(spec, data, file, command);
        if (rendered.bytes.isEmpty()) {
            return fail(ErrorKind::out_of_memory, "the figure could not be rendered", path,
                        "Choose a smaller size");
        }
        const Result<void> saved = write_file_atomically(
            path,
            std::string_view(rendered.bytes.constData(), static_cast<std::size_t>(rendered.bytes.size())));
        if (!saved) {
            return fail(saved.error());
        }
        written.push_back(path);
    }
    return written;
}

}  // namespace braid::ui
