#include "widgets/common/parameter_form.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "widgets/common/controls.h"
#include "widgets/common/field.h"
#include "widgets/common/parameter_editor.h"

namespace braid::ui {

ParameterForm::ParameterForm(std::vector<ParameterDescription> descriptions,
                             const std::vector<std::string>& keys, const QString& owner, QWidget* parent)
    : QWidget(parent), descriptions_(std::move(descriptions)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(metrics::gap2);
    std::vector<std::string> order = keys;
    if (order.empty())
        for (const ParameterDescription& description : descriptions_) order.push_back(description.key);
    for (const std::string& key : order) {
        const ParameterDescription* description = find_parameter(descriptions_, key);
        if (!description) continue;
        auto* editor = new ParameterEditor(*description, owner);
        const bool number = !std::holds_alternative<std::string>(description->default_value);
        if (editor->field() && number) editor->field()->setFieldWidth(form_field_width);
        auto* problem = new TextLabel({}, TypeStep::table, 400, 1);
        problem->setStatus(QStringLiteral("error"));
        problem->setWordWrap(true);
        problem->hide();
        auto* control = new QWidget;
        auto* column = new QVBoxLayout(control);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(2);
        column->addWidget(editor);
        column->addWidget(problem);
        QWidget* row = makeRow(QString::fromStdString(description->label), control);
        row->setToolTip(QString::fromStdString(description->help));
        layout->addWidget(row);
        rows_[key] = {row, editor, problem};
        connect(editor, &ParameterEditor::changed, this,
                [this, key](const ParameterValue& value) { Q_EMIT changed(key, value); });
        connect(editor, &ParameterEditor::refusalChanged, this, &ParameterForm::refusedChanged);
    }
}

QWidget* ParameterForm::makeRow(const QString& label, QWidget* control) {
    auto* row = new QWidget;
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(metrics::gap2);
    auto* caption = new TextLabel(label, TypeStep::control, 400, 2);
    caption->setFixedSize(form_label_width, metrics::control);
    line->addWidget(caption, 0, Qt::AlignTop);
    line->addWidget(control, 1);
    return row;
}

void ParameterForm::setValues(const ParameterValues& values) {
    for (const auto& [key, row] : rows_) {
        const ParameterDescription* description = find_parameter(descriptions_, key);
        const ParameterValue* value = values.find(key);
        const ParameterValue shown = value ? coerced(*description, *value) : description->default_value;
        if (row.editor->refusal().isEmpty() || row.editor->value() != shown) row.editor->setValue(shown);
        row.row->setVisible(is_active(*description, values, descriptions_));
    }
}

ParameterEditor* ParameterForm::editor(const std::string& key) const {
    const auto found = rows_.find(key);
    return found == rows_.end() ? nullptr : found->second.editor;
}

void ParameterForm::setProblem(const std::string& key, const QString& problem) {
    const auto found = rows_.find(key);
    if (found == rows_.end()) return;
    const Row& row = found->second;
    if (row.editor->field()) {
        const QString refusal = row.editor->refusal();
        row.editor->field()->setError(refusal.isEmpty() ? problem : refusal);
        return;
    }
    row.problem->setText(problem);
    row.problem->setVisible(!problem.isEmpty());
}

void ParameterForm::clearProblems() {
    for (const auto& [key, row] : rows_) setProblem(key, {});
}

QStringList ParameterForm::refused() const {
    QStringList lines;
    for (const ParameterDescription& each : descriptions_)
        if (const auto found = rows_.find(each.key); found != rows_.end() && !found->second.row->isHidden() &&
                                                     !found->second.editor->refusal().isEmpty())
            lines << QStringLiteral("%1: %2").arg(QString::fromStdString(each.label),
                                                  found->second.editor->refusal());
    return lines;
}

}  // namespace braid::ui
