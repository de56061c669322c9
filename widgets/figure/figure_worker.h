// Loads, draws and writes figures on a thread of its own; the newest wish wins, older ones are dropped.
#pragma once

#include <QImage>
#include <QObject>
#include <QThread>
#include <atomic>
#include <memory>
#include <optional>

#include "widgets/figure/figure_checks.h"
#include "widgets/figure/figure_export.h"

namespace braid::ui {

// A figure as it would be exported, ready to look at.
struct FigureProof {
    FigureSpec spec;
    QImage image;  // the page
    std::vector<FigureCheck> checks;
    qint64 pdf_bytes = 0;
    qint64 svg_bytes = 0;
    QString data_summary;        // "124 points"
    QString provenance_summary;  // "4 series, 20 runs"
    double fitting_height_mm = 0;
    std::vector<std::string> notes;
};

class FigureWorker : public QObject {
    Q_OBJECT

public:
    explicit FigureWorker(QString projectFolder, QObject* parent = nullptr);
    ~FigureWorker() override;

    // Answered by proved() or failed(); `pixelsPerMm` of the proof's image.
    void prove(const FigureSpec& spec, double pixelsPerMm);
    // The figure at figure_dpi / 2, answered by copied().
    void copy(const FigureSpec& spec);
    // Answered by written() or failed().
    void write(const FigureSpec& spec, const std::string& base, const std::vector<FigureFile>& files,
               const std::string& descriptionFile, const std::string& command);

Q_SIGNALS:
    void proved(std::shared_ptr<const braid::ui::FigureProof> proof);
    void copied(const QImage& image);
    void written(const QStringList& files);
    void failed(const QString& problem);

private:
    void post(std::function<void()> work);
    // On the worker's thread: the data of a description, read once as long as what it asks for stays.
    Result<const FigureData*> dataFor(const FigureSpec& spec);

    QString projectFolder_;
    QThread thread_;
    QObject* there_;  // lives on the thread
    std::atomic<std::uint64_t> newest_ = 0;
    std::optional<FigureSpec> loadedFor_;
    FigureData data_;
};

}  // namespace braid::ui
