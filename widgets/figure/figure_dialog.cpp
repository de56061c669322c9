#include "widgets/figure/figure_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>
#include <cmath>

#include "core/analysis/number_format.h"
#include "widgets/common/controls.h"
#include "widgets/common/icons.h"
#include "widgets/figure/figure_form.h"
#include "widgets/figure/figure_preview.h"
#include "widgets/figure/figure_worker.h"

namespace braid::ui {
namespace {

constexpr int proof_delay_ms = 60;  // between a change and its proof: typing does not draw each digit

// One line of the checks: a tick or a warning, what was checked, what was found.
class CheckList : public QWidget {
public:
    explicit CheckList(QWidget* parent = nullptr) : QWidget(parent), grid_(new QGridLayout(this)) {
        grid_->setContentsMargins(0, 0, 0, 0);
        grid_->setHorizontalSpacing(metrics::gap2);
        grid_->setVerticalSpacing(5);
        grid_->setColumnStretch(1, 1);
    }
    void show(const std::vector<FigureCheck>& checks) {
        while (QLayoutItem* item = grid_->takeAt(0)) {
            delete item->widget();
            delete item;
        }
        for (int i = 0; i < static_cast<int>(checks.size()); ++i) {
            const FigureCheck& check = checks[static_cast<std::size_t>(i)];
            auto* mark = new QLabel;
            mark->setPixmap(iconPixmap(check.good ? QStringLiteral("check") : QStringLiteral("warning"), 16,
                                       check.good ? tokens().ok : tokens().warn, devicePixelRatioF()));
            mark->setAccessibleName(check.good ? QObject::tr("passed") : QObject::tr("to look at"));
            auto* found = new TextLabel(check.finding, TypeStep::table, 400, 2);
            if (!check.good) {
                found->setStatus(QStringLiteral("warn"));
            }
            found->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
            grid_->addWidget(mark, i, 0);
            grid_->addWidget(new TextLabel(check.title, TypeStep::table), i, 1);
            grid_->addWidget(found, i, 2);
        }
    }

private:
    QGridLayout* grid_;
};

// The desk the figure lies on: a shade darker than the form beside it.
class Desk : public QWidget {
public:
    using QWidget::QWidget;

protected:
    void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), tokens().window); }
};

QString kilobytes(qint64 bytes) {
    return QStringLiteral("%1 KB").arg(std::max<qint64>(1, (bytes + 500) / 1000));
}

}  // namespace

class FigureDialog::Private {
public:
    explicit Private(FigureDialog* owner) : q(owner) {}

    void build();
    void changed();  // the description: prove it soon
    void prove();
    void show(const std::shared_ptr<const FigureProof>& proof);
    void showCommand();
    void exportFiles();
    QString base() const { return context.projectFolder + QStringLiteral("/figures/") + context.name; }

    FigureDialog* q;
    FigureSpec spec;
    FigureContext context;
    FigureWorker* worker = nullptr;
    FigureForm* form = nullptr;
    FigurePreview* preview = nullptr;
    PagePreview* page = nullptr;
    SectionTitle* printTitle = nullptr;
    CheckList* checks = nullptr;
    QPlainTextEdit* command = nullptr;
    TextLabel* footNote = nullptr;
    QPushButton* exportButton = nullptr;
    QPushButton* copyButton = nullptr;
    QTimer delay;
    std::shared_ptr<const FigureProof> proof;
    QStringList files;
    bool writing = false;
};

void FigureDialog::Private::build() {
    auto* whole = new QVBoxLayout(q);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(0);

    auto* top = new QHBoxLayout;
    top->setContentsMargins(metrics::gap4, metrics::gap2, metrics::gap2, metrics::gap2);
    top->setSpacing(metrics::gap3);
    top->addWidget(new TextLabel(tr("Figure"), TypeStep::title, 600));
    auto* title = new TextLabel(QString::fromStdString(spec.title), TypeStep::control, 400, 2);
    title->setElided(Qt::ElideRight);
    top->addWidget(title, 1);
    QToolButton* close = makeIconButton(QStringLiteral("close"), tr("Close"));
    close->setAutoRaise(true);
    connect(close, &QToolButton::clicked, q, &QDialog::reject);
    top->addWidget(close);
    whole->addLayout(top);
    whole->addWidget(makeSeparator());

    form = new FigureForm;
    form->setFigureStyle(spec.style);
    auto* scroll = new QScrollArea;
    scroll->setWidget(form);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);  // its fields scroll it into view
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFixedWidth(332);

    auto* right = new Desk;
    auto* rightLayout = new QVBoxLayout(right);
    rightLayout->setContentsMargins(metrics::gap4, metrics::gap3, metrics::gap4, metrics::gap3);
    rightLayout->setSpacing(metrics::gap2);
    printTitle = new SectionTitle(tr("Print size, 100 %"));
    preview = new FigurePreview;
    rightLayout->addWidget(printTitle);
    rightLayout->addWidget(preview, 5);

    auto* lower = new QHBoxLayout;
    lower->setSpacing(metrics::gap6);
    auto* onPage = new QVBoxLayout;
    onPage->addWidget(new SectionTitle(tr("On the page"), tr("A4, two columns")));
    page = new PagePreview;
    onPage->addWidget(page, 1);
    lower->addLayout(onPage, 2);
    auto* judged = new QVBoxLayout;
    judged->setSpacing(metrics::gap2);
    judged->addWidget(new SectionTitle(tr("Checks")));
    checks = new CheckList;
    judged->addWidget(checks);
    judged->addWidget(makeSeparator());
    auto* commandTitle = new SectionTitle(tr("Command"));
    QToolButton* copyCommand = makeIconButton(QStringLiteral("copy"), tr("Copy the command"));
    connect(copyCommand, &QToolButton::clicked, q,
            [this] { QGuiApplication::clipboard()->setText(command->toPlainText()); });
    commandTitle->addWidget(copyCommand);
    judged->addWidget(commandTitle);
    command = new QPlainTextEdit;
    command->setReadOnly(true);
    command->setTabChangesFocus(true);
    command->setAccessibleName(tr("Command that makes the same figure"));
    command->setFont(Theme::instance().mono(TypeStep::table));
    command->setFixedHeight(58);
    judged->addWidget(command);
    judged->addStretch();
    lower->addLayout(judged, 3);
    rightLayout->addLayout(lower, 3);

    auto* body = new QHBoxLayout;
    body->setSpacing(0);
    body->addWidget(scroll);
    body->addWidget(makeSeparator(Qt::Vertical));
    body->addWidget(right, 1);
    whole->addLayout(body, 1);
    whole->addWidget(makeSeparator());

    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(metrics::gap4, metrics::gap3, metrics::gap4, metrics::gap3);
    foot->setSpacing(metrics::gap2);
    footNote =
        new TextLabel(tr("Light theme is used for every figure. Files go to figures/%1.*").arg(context.name),
                      TypeStep::table, 400, 2);
    footNote->setElided(Qt::ElideRight);
    foot->addWidget(footNote, 1);
    copyButton = makeButton(tr("Copy"), QStringLiteral("copy"));
    copyButton->setToolTip(tr("The figure as a picture, to paste elsewhere"));
    auto* cancel = makeButton(tr("Cancel"));
    exportButton = makePrimaryButton(tr("Export"), QStringLiteral("export"));
    exportButton->setDefault(true);
    cancel->setAutoDefault(false);
    copyButton->setAutoDefault(false);
    foot->addWidget(copyButton);
    foot->addWidget(cancel);
    foot->addWidget(exportButton);
    whole->addLayout(foot);

    connect(cancel, &QPushButton::clicked, q, &QDialog::reject);
    connect(copyButton, &QPushButton::clicked, q, [this] {
        if (proof) {
            worker->copy(spec);
        }
    });
    connect(exportButton, &QPushButton::clicked, q, [this] { exportFiles(); });
    connect(form, &FigureForm::styleChanged, q, [this] { changed(); });
    connect(form, &FigureForm::filesChanged, q, [this] { showCommand(); });
    connect(preview, &FigurePreview::resized, q, [this](const QSizeF& size) {
        FigureStyle style = form->figureStyle();
        style.width_mm = size.width();
        style.height_mm = size.height();
        style.size =
            standard_width_mm(style.size, size.width()) == size.width() ? style.size : FigureSize::custom;
        form->setFigureStyle(style);
        changed();
    });
    connect(preview, &FigurePreview::scaleChanged, q, [this](double scale) {
        printTitle->setTitle(tr("Print size, %1 %").arg(std::lround(100 * scale)));
        delay.start();
    });
    printTitle->setNote(tr("calibrated for %1 dpi").arg(q->logicalDpiX()));

    delay.setSingleShot(true);
    delay.setInterval(proof_delay_ms);
    connect(&delay, &QTimer::timeout, q, [this] { prove(); });
    worker = new FigureWorker(context.projectFolder, q);
    connect(worker, &FigureWorker::proved, q, [this](const auto& made) { show(made); });
    connect(worker, &FigureWorker::failed, q, [this](const QString& problem) {
        writing = false;
        footNote->setStatus(QStringLiteral("error"));
        footNote->setText(problem);
        if (!proof) {
            preview->setMessage(problem);
        }
        showCommand();
    });
    connect(worker, &FigureWorker::copied, q,
            [](const QImage& image) { QGuiApplication::clipboard()->setImage(image); });
    connect(worker, &FigureWorker::written, q, [this](const QStringList& written) {
        files = written;
        q->accept();
    });
    preview->setMessage(tr("Reading the runs"));
    showCommand();
    prove();
}

void FigureDialog::Private::changed() {
    spec.style = form->figureStyle();
    showCommand();
    delay.start();
}

void FigureDialog::Private::prove() {
    // As many pixels as the preview has for it, so that it is sharp at any scale.
    worker->prove(spec, preview->scaleFor({spec.style.width_mm, spec.style.height_mm}) *
                            preview->pixelsPerMm() * std::max(1.0, q->devicePixelRatioF()));
}

void FigureDialog::Private::show(const std::shared_ptr<const FigureProof>& made) {
    proof = made;
    const QSizeF size(made->spec.style.width_mm, made->spec.style.height_mm);
    preview->setPage(made->image, size);
    page->setFigure(made->image, size);
    checks->show(made->checks);
    form->setFittingHeight(made->fitting_height_mm);
    form->setNote(FigureFile::pdf, tr("vector, %1").arg(kilobytes(made->pdf_bytes)));
    form->setNote(FigureFile::svg, tr("vector, %1").arg(kilobytes(made->svg_bytes)));
    const auto pixels = [](double mm) { return std::llround(mm * figure_dpi / 25.4); };
    form->setNote(FigureFile::png, tr("%1 dpi, %2 × %3")
                                       .arg(figure_dpi)
                                       .arg(QString::fromStdString(format_count(pixels(size.width()))),
                                            QString::fromStdString(format_count(pixels(size.height())))));
    form->setNote(FigureFile::csv, made->data_summary);
    form->setNote(FigureFile::provenance, made->provenance_summary);
    showCommand();
}

void FigureDialog::Private::showCommand() {
    const std::vector<FigureFile> chosen = form->files();
    QString text = QStringLiteral("braid figure ") + context.name;
    for (const FigureFile file : chosen) {
        if (file == FigureFile::pdf || file == FigureFile::svg || file == FigureFile::png) {
            const std::string_view suffix = figure_suffix(file);
            text += QStringLiteral("\n  --out figures/%1%2")
                        .arg(context.name,
                             QString::fromUtf8(suffix.data(), static_cast<qsizetype>(suffix.size())));
        }
    }
    command->setPlainText(text);
    exportButton->setText(writing              ? tr("Writing")
                          : chosen.size() == 1 ? tr("Export 1 file")
                                               : tr("Export %1 files").arg(chosen.size()));
    setDisabledReason(exportButton, writing          ? tr("The files are being written")
                                    : chosen.empty() ? tr("No file is chosen")
                                    : !proof         ? tr("The figure is not drawn yet")
                                                     : QString());
    copyButton->setEnabled(proof != nullptr);
}

void FigureDialog::Private::exportFiles() {
    if (writing || form->files().empty()) {
        return;
    }
    writing = true;
    showCommand();
    QString line = command->toPlainText();
    line.replace(QStringLiteral("\n  "), QStringLiteral(" "));
    worker->write(spec, base().toStdString(), form->files(), (base() + QStringLiteral(".json")).toStdString(),
                  line.toStdString());
}

FigureDialog::FigureDialog(const FigureSpec& spec, const FigureContext& context, QWidget* parent)
    : QDialog(parent), d_(std::make_unique<Private>(this)) {
    d_->spec = spec;
    d_->context = context;
    setWindowTitle(tr("Figure"));
    resize(1180, 810);
    if (const QScreen* screen = QGuiApplication::primaryScreen()) {
        resize(size().boundedTo(screen->availableSize() - QSize(40, 60)));
    }
    d_->build();
}

FigureDialog::~FigureDialog() = default;

FigureSpec FigureDialog::spec() const { return d_->spec; }
QStringList FigureDialog::exportedFiles() const { return d_->files; }

}  // namespace braid::ui
