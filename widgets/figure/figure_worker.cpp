#include "widgets/figure/figure_worker.h"

#include <QPainter>
#include <cmath>
#include <utility>

#include "core/base/file.h"
#include "widgets/figure/figure_kind.h"

namespace braid::ui {
namespace {

// Do the two ask for the same numbers?
bool same_data(const FigureSpec& a, const FigureSpec& b) {
    FigureSpec plain = b;
    plain.style = a.style;
    plain.title = a.title;
    return plain == a;
}

QImage page_image(const FigureSpec& spec, const FigureData& data, double pixelsPerMm) {
    QImage image(std::max(1, static_cast<int>(std::lround(spec.style.width_mm * pixelsPerMm))),
                 std::max(1, static_cast<int>(std::lround(spec.style.height_mm * pixelsPerMm))),
                 QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.scale(pixelsPerMm / FigureCanvas::per_mm, pixelsPerMm / FigureCanvas::per_mm);
    draw_figure(painter, spec, data);
    return image;
}

}  // namespace

FigureWorker::FigureWorker(QString projectFolder, QObject* parent)
    : QObject(parent), projectFolder_(std::move(projectFolder)), there_(new QObject) {
    thread_.setObjectName(QStringLiteral("figure"));
    there_->moveToThread(&thread_);
    connect(&thread_, &QThread::finished, there_, &QObject::deleteLater);
    thread_.start();
}

FigureWorker::~FigureWorker() {
    ++newest_;  // what waits is dropped
    thread_.quit();
    thread_.wait();
}

void FigureWorker::post(std::function<void()> work) {
    QMetaObject::invokeMethod(there_, std::move(work), Qt::QueuedConnection);
}

Result<const FigureData*> FigureWorker::dataFor(const FigureSpec& spec) {
    if (!loadedFor_ || !same_data(*loadedFor_, spec)) {
        loadedFor_.reset();
        Result<FigureData> loaded = load_figure_data(projectFolder_.toStdString(), spec);
        if (!loaded) {
            return fail(loaded.error());
        }
        data_ = std::move(*loaded);
        loadedFor_ = spec;
    }
    return &data_;
}

void FigureWorker::prove(const FigureSpec& spec, double pixelsPerMm) {
    const std::uint64_t mine = ++newest_;
    post([this, mine, spec, pixelsPerMm] {
        if (mine != newest_) {
            return;
        }
        const Result<const FigureData*> data = dataFor(spec);
        if (!data) {
            Q_EMIT failed(QString::fromStdString(describe(data.error())));
            return;
        }
        const FigureKind* kind = find_figure_kind(spec.kind);
        auto proof = std::make_shared<FigureProof>();
        proof->spec = spec;
        proof->image = page_image(spec, **data, pixelsPerMm);
        const FigureBytes pdf = render_figure(spec, **data, FigureFile::pdf);
        proof->pdf_bytes = pdf.bytes.size();
        proof->svg_bytes = render_figure(spec, **data, FigureFile::svg).bytes.size();
        proof->checks = check_figure(spec, **data, pdf.facts, pdf.bytes.size());
        proof->notes = (*data)->notes;
        if (kind) {
            proof->data_summary = kind->dataSummary(spec, **data);
            proof->fitting_height_mm = kind->fittingHeight(spec, **data);
        }
        proof->provenance_summary = tr("%1 series, %2 runs").arg(pdf.facts.series).arg((*data)->runs.size());
        Q_EMIT proved(proof);
    });
}

void FigureWorker::copy(const FigureSpec& spec) {
    post([this, spec] {
        if (const Result<const FigureData*> data = dataFor(spec)) {
            Q_EMIT copied(page_image(spec, **data, figure_dpi / 2 / 25.4));
        }
    });
}

void FigureWorker::write(const FigureSpec& spec, const std::string& base,
                         const std::vector<FigureFile>& files, const std::string& descriptionFile,
                         const std::string& command) {
    post([this, spec, base, files, descriptionFile, command] {
        const Result<const FigureData*> data = dataFor(spec);
        if (!data) {
            Q_EMIT failed(QString::fromStdString(describe(data.error())));
            return;
        }
        const std::string folder = descriptionFile.substr(0, descriptionFile.find_last_of('/'));
        if (const Result<void> made = make_folder(folder); !made) {
            Q_EMIT failed(QString::fromStdString(describe(made.error())));
            return;
        }
        if (const Result<void> saved = write_figure(descriptionFile, spec); !saved) {
            Q_EMIT failed(QString::fromStdString(describe(saved.error())));
            return;
        }
        const auto paths = write_figure_files(spec, **data, base, files, command);
        if (!paths) {
            Q_EMIT failed(QString::fromStdString(describe(paths.error())));
            return;
        }
        QStringList list;
        for (const std::string& path : *paths) {
            list << QString::fromStdString(path);
        }
        Q_EMIT written(list);
    });
}

}  // namespace braid::ui
