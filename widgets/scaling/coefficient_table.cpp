#include "widgets/scaling/coefficient_table.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/file.h"
#include "widgets/common/controls.h"
#include "widgets/common/data_table.h"
#include "widgets/common/format.h"
#include "widgets/common/project_session.h"
#include "widgets/common/workspace.h"
#include "widgets/scaling/coefficient_model.h"
#include "widgets/scaling/scaling_text.h"

namespace braid::ui {

namespace {

std::string fileWord(std::string text) {
    for (char& c : text)
        if (c == '/' || c == ' ') c = '-';
    return text;
}

}  // namespace

CoefficientTable::CoefficientTable(ProjectSession& session, Shell& shell, QWidget* parent)
    : QWidget(parent),
      session_(session),
      shell_(shell),
      title_(new SectionTitle(tr("Coefficients"))),
      model_(new CoefficientModel(this)),
      table_(new DataTable(tr("Coefficients of the fitted curves"))),
      latex_(makeButton(tr("LaTeX"), QStringLiteral("copy"))),
      csv_(makeButton(tr("CSV"), QStringLiteral("export"))),
      empty_(new EmptyState(tr("Not fitted yet."), tr("Fit"))),
      note_(new TextLabel({}, TypeStep::tick, 400, 3)) {
    latex_->setToolTip(tr("Copy the tables of coefficients and efficiency as LaTeX (booktabs)"));
    latex_->setAccessibleName(tr("Copy tables as LaTeX"));
    csv_->setToolTip(tr("Write coefficients and points with their residuals to figures/"));
    csv_->setAccessibleName(tr("Export tables as CSV"));
    title_->addWidget(latex_);
    title_->addWidget(csv_);
    title_->setContentsMargins(metrics::gap3, metrics::gap1, metrics::gap2, metrics::gap1);
    table_->setModel(model_);
    table_->setSortingEnabled(false);
    table_->setFrameShape(QFrame::NoFrame);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(CoefficientModel::Identified, QHeaderView::Stretch);
    table_->horizontalHeader()->setMinimumSectionSize(34);
    note_->setContentsMargins(metrics::gap3, metrics::gap1, metrics::gap3, metrics::gap1);
    note_->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(title_);
    layout->addWidget(table_, 1);
    layout->addWidget(empty_, 1);
    layout->addWidget(note_);
    connect(latex_, &QPushButton::clicked, this, &CoefficientTable::copyLatex);
    connect(csv_, &QPushButton::clicked, this, &CoefficientTable::exportCsv);
    connect(empty_, &EmptyState::clicked, this, &CoefficientTable::fitWanted);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) {
                Q_EMIT curveChosen(now.isValid() ? int(model_->curveOf(now.row())) : -1);
            });
}

void CoefficientTable::show(const ScalingContentPtr& content) {
    content_ = content;
    model_->show(content);
    table_->setColumnHidden(CoefficientModel::E, !model_->hasIrreducible());
    const ScalingRecord* record = content ? content->view.record.get() : nullptr;
    table_->setVisible(record);
    empty_->setVisible(!record);
    for (QPushButton* button : {latex_, csv_})
        setDisabledReason(button, record ? QString() : tr("There is no fit yet"));
    note_->setVisible(record && !record->left_out.empty());
    if (!record) {
        title_->setNote({});
        return;
    }
    const ScalingFitOptions& options = record->report.options;
    QString note = options.form == ScalingForm::power2 ? QStringLiteral("L = a N⁻ᵅ + b D⁻ᵝ")
                                                       : QStringLiteral("L = E + a N⁻ᵅ + b D⁻ᵝ");
    if (options.resamples > 0)
        note += tr("   %1 resamples, %2 intervals")
                    .arg(formatCount(options.resamples), formatPercent(options.level));
    title_->setNote(note);
    if (!record->left_out.empty()) {
        QString text = tr("%1 points are not in the fit: %2")
                           .arg(record->left_out.size())
                           .arg(QString::fromStdString(record->left_out.front()));
        if (record->left_out.size() > 1) text += tr(", and others");
        note_->setText(text);
        QStringList all;
        for (const std::string& line : record->left_out) all << QString::fromStdString(line);
        note_->setToolTip(all.mid(0, 40).join(QLatin1Char('\n')));
    }
}

void CoefficientTable::copyLatex() {
    if (!content_ || !content_->view.record) return;
    const ScalingReport& report = content_->view.record->report;
    QGuiApplication::clipboard()->setText(
        QString::fromStdString(scaling_latex(report) + efficiency_latex(report)));
    shell_.showStatus(tr("LaTeX tables copied"));
}

void CoefficientTable::exportCsv() {
    if (!content_ || !content_->view.record) return;
    const ScalingRecord& record = *content_->view.record;
    const std::string folder = session_.folder().toStdString() + "/figures";
    const std::string stem = folder + "/" + fileWord(content_->study) + "-" + fileWord(record.metric);
    Result<void> written = make_folder(folder);
    if (written) written = write_file_atomically(stem + "-coefficients.csv", coefficients_csv(record.report));
    if (written) written = write_file_atomically(stem + "-points.csv", scaling_csv(record.report));
    shell_.showStatus(written ? tr("Wrote figures/%1-coefficients.csv and -points.csv")
                                    .arg(QString::fromStdString(stem.substr(folder.size() + 1)))
                              : QString::fromStdString(describe(written.error())));
}

}  // namespace braid::ui
