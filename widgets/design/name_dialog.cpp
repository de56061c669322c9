#include "widgets/design/name_dialog.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/spec/shorthand.h"
#include "widgets/common/controls.h"
#include "widgets/common/field.h"
#include "widgets/common/mixer_widgets.h"
#include "widgets/design/design_documents.h"
#include "widgets/design/layer_text.h"

namespace braid::ui {

NameDialog::NameDialog(const QString& title, const QString& name, const DesignDocuments& documents,
                       QWidget* parent)
    : QDialog(parent),
      documents_(documents),
      field_(new Field(tr("Name"))),
      body_(new QVBoxLayout),
      accept_(makePrimaryButton(title.section(QLatin1Char(' '), 0, 0))) {
    setWindowTitle(title);
    setMinimumWidth(380);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(metrics::gap4, metrics::gap4, metrics::gap4, metrics::gap4);
    all->setSpacing(metrics::gap3);
    auto* line = new QHBoxLayout;
    auto* caption = new TextLabel(tr("Name"), TypeStep::control, 400, 2);
    caption->setFixedWidth(96);
    caption->setFixedHeight(metrics::control);
    line->addWidget(caption, 0, Qt::AlignTop);
    line->addWidget(field_, 1);
    all->addLayout(line);
    body_->setSpacing(metrics::gap2);
    all->addLayout(body_);
    auto* buttons = new QHBoxLayout;
    QPushButton* cancel = makeButton(tr("Cancel"));
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(accept_);
    all->addLayout(buttons);
    accept_->setDefault(true);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(accept_, &QPushButton::clicked, this, &QDialog::accept);
    connect(field_, &Field::edited, this, &NameDialog::check);
    field_->setText(name);
    field_->lineEdit()->selectAll();
    field_->lineEdit()->setFocus();
    setDisabledReason(accept_, documents_.nameProblem(name));
}

QString NameDialog::name() const { return field_->text(); }

void NameDialog::check() {
    const QString problem = documents_.nameProblem(field_->text());
    field_->setError(problem);
    setDisabledReason(accept_, problem);
}

NewArchitectureDialog::NewArchitectureDialog(const DesignDocuments& documents, const QString& name,
                                             QWidget* parent)
    : NameDialog(tr("Create Architecture"), name, documents, parent),
      documents_(documents),
      preset_(new QComboBox),
      scale_(new QComboBox),
      strip_(new PatternStrip),
      about_(new TextLabel({}, TypeStep::table, 400, 2)) {
    const auto row = [this](const QString& label, QWidget* widget) {
        auto* line = new QHBoxLayout;
        auto* caption = new TextLabel(label, TypeStep::control, 400, 2);
        caption->setFixedWidth(96);
        line->addWidget(caption);
        line->addWidget(widget, 1);
        body()->addLayout(line);
    };
    preset_->setAccessibleName(tr("Start from"));
    scale_->setAccessibleName(tr("Scale"));
    for (const Preset& preset : presets()) {
        preset_->addItem(QString::fromStdString(preset.title), QString::fromStdString(preset.name));
    }
    for (const Scale& scale : scales()) {
        scale_->addItem(tr("%1: %2 layers, width %3")
                            .arg(QString::fromStdString(scale.name))
                            .arg(scale.layers)
                            .arg(scale.d_model),
                        QString::fromStdString(scale.name));
    }
    row(tr("Start from"), preset_);
    row(tr("Scale"), scale_);
    row(QString(), strip_);
    row(QString(), about_);
    connect(preset_, &QComboBox::currentIndexChanged, this, [this] {
        const Preset* preset = find_preset(preset_->currentData().toString().toStdString());
        if (preset && !preset->scale.empty()) {
            scale_->setCurrentIndex(scale_->findData(QString::fromStdString(preset->scale)));
        }
        preview();
    });
    connect(scale_, &QComboBox::currentIndexChanged, this, &NewArchitectureDialog::preview);
    preview();
}

ArchitectureSpec NewArchitectureDialog::spec() const {
    const Preset* preset = find_preset(preset_->currentData().toString().toStdString());
    const Scale* scale = find_scale(scale_->currentData().toString().toStdString());
    const Checked<Pattern> pattern = parse_pattern(preset ? preset->pattern : "F", documents_.catalog());
    ArchitectureSpec made;
    if (pattern && scale) {
        made = instantiate(*pattern, *scale);
    }
    made.name = name().toStdString();
    return made;
}

QString NewArchitectureDialog::base() const {
    return QStringLiteral("preset:") + preset_->currentData().toString();
}

void NewArchitectureDialog::preview() {
    const ArchitectureSpec made = spec();
    strip_->setLayers(made.layers);
    if (!made.layers.empty()) {
        const ArchitectureCost price = cost(made, documents_.catalog(), 131072);
        about_->setText(tr("%1 parameters, %2 KV cache at 128k")
                            .arg(quantityText(static_cast<double>(price.paper_parameters)),
                                 byteText(static_cast<double>(price.kv_bytes))));
    }
}

}  // namespace braid::ui
