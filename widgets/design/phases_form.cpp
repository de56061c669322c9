#include "widgets/design/phases_form.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/mixers/builtin.h"
#include "core/spec/paper_recipe.h"
#include "widgets/common/controls.h"
#include "widgets/common/field.h"
#include "widgets/common/format.h"
#include "widgets/common/value_text.h"

namespace braid::ui {

namespace {

// The text after its name, which stands in the title.
QString shownText(const TrainingPhase& phase) { return QString::fromStdString(to_text(phase)); }

QString keyText(const std::string& key) {
    if (const ParameterDescription* field = find_parameter(training_parameters(), key))
        return QString::fromStdString(field->label).toLower();
    const std::size_t dot = key.find('.');
    if (dot == std::string::npos) return QString::fromStdString(key);
    const std::string owner = key.substr(0, dot), name = key.substr(dot + 1);
    if (const MixerKind* kind = builtin_mixers().find(owner)) {
        const ParameterDescription* field = find_parameter(kind->description().parameters, name);
        return PhasesForm::tr("%1 of %2")
            .arg(field ? QString::fromStdString(field->label) : QString::fromStdString(name),
                 QString::fromStdString(kind->description().title).toLower());
    }
    return QString::fromStdString(name).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString shownValue(const ParameterValue& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return formatCount(*whole);
    return QString::fromStdString(to_text(value));
}

}  // namespace

QString phaseText(const TrainingPhase& phase) {
    QStringList parts;
    if (const ParameterValue* steps = phase.set.find("steps"))
        parts << PhasesForm::tr("%1 steps").arg(shownValue(*steps));
    for (const auto& [key, value] : phase.set)
        if (key != "steps") parts << keyText(key) + QLatin1Char(' ') + shownValue(value);
    return parts.join(QStringLiteral(" · "));
}

PhasesForm::PhasesForm(QWidget* parent)
    : QWidget(parent),
      list_(new QVBoxLayout),
      hint_(new TextLabel(tr("One phase: what the settings above say. A further phase goes on from its end "
                             "with a warm-up and decay of its own."),
                          TypeStep::table, 400, 3)),
      add_(makeButton(tr("Add phase"), QStringLiteral("plus"))),
      extend_(makeButton(tr("Extend to 32K"))) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(metrics::gap2);
    hint_->setWordWrap(true);
    layout->addWidget(hint_);
    list_->setSpacing(metrics::gap2);
    layout->addLayout(list_);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(metrics::gap2);
    buttons->addWidget(add_);
    buttons->addWidget(extend_);
    buttons->addStretch();
    layout->addLayout(buttons);
    extend_->setToolTip(tr("The paper's context extension: %1").arg(phaseText(paper_extension())));
    connect(add_, &QPushButton::clicked, this, [this] {
        TrainingPhase phase;
        phase.set.set("steps", std::int64_t{100});
        add(phase);
        QLineEdit* edit = rows_.back().text->lineEdit();
        edit->setFocus(Qt::TabFocusReason);
        edit->selectAll();
    });
    connect(extend_, &QPushButton::clicked, this, [this] { add(paper_extension()); });
}

Field* PhasesForm::field(int index) const {
    return index >= 0 && index < int(rows_.size()) ? rows_[std::size_t(index)].text : nullptr;
}

void PhasesForm::add(const TrainingPhase& phase) {
    phases_.push_back(phase);
    rebuild();
    Q_EMIT changed();
}

void PhasesForm::remove(int index) {
    phases_.erase(phases_.begin() + index);
    rebuild();
    Q_EMIT changed();
}

bool PhasesForm::hasBrokenText() const {
    return std::any_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.broken; });
}

void PhasesForm::rebuild() {
    for (const Row& row : rows_) {
        row.box->hide();
        row.box->deleteLater();  // its own button may have asked for it
    }
    rows_.clear();
    for (std::size_t i = 0; i < phases_.size(); ++i) {
        auto* box = new QWidget;
        auto* column = new QVBoxLayout(box);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(2);
        auto* head = new QHBoxLayout;
        auto* title = new TextLabel({}, TypeStep::table, 400, 2);
        title->setWordWrap(true);
        QToolButton* gone = makeIconButton(QStringLiteral("delete"), tr("Remove phase %1").arg(i + 2));
        head->addWidget(title, 1);
        head->addWidget(gone, 0, Qt::AlignTop);
        column->addLayout(head);
        auto* text = new Field(tr("Phase %1").arg(i + 2));
        text->setMonospaced(true);
        text->setText(shownText(phases_[i]));
        text->setPlaceholder(QStringLiteral("steps=100,context=4096"));
        column->addWidget(text);
        list_->addWidget(box);
        rows_.push_back({box, title, text});
        connect(text, &Field::edited, this, [this, i](const QString& now) { commit(int(i), now); });
        connect(gone, &QToolButton::clicked, this, [this, i] { remove(int(i)); });
    }
    hint_->setVisible(phases_.empty());
    retitle();
}

void PhasesForm::retitle() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const QString name = QString::fromStdString(phases_[i].name);
        rows_[i].title->setText(
            (name.isEmpty() ? tr("Phase %1").arg(i + 2) : tr("Phase %1, %2").arg(i + 2).arg(name)) +
            QStringLiteral(": ") + phaseText(phases_[i]));
    }
}

// As it is typed: the other fields, and what the run costs, follow.
void PhasesForm::commit(int index, const QString& text) {
    Row& row = rows_[std::size_t(index)];
    const Checked<TrainingPhase> phase = parse_phase(text.trimmed().toStdString());
    row.broken = !phase.has_value();
    if (phase) {
        phases_[std::size_t(index)] = *phase;
        row.text->setError({});
        retitle();
    } else {
        QStringList problems;
        for (const Diagnostic& problem : phase.error())
            problems << QString::fromStdString(
                Diagnostic{.path = {}, .rule = problem.rule, .found = problem.found}.message());
        row.text->setError(problems.join(QLatin1Char('\n')));
    }
    Q_EMIT changed();
}

void PhasesForm::showProblems(const Diagnostics& problems) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i].broken) continue;
        const std::string prefix = "phases[" + std::to_string(i) + "].";
        QStringList own;
        for (const Diagnostic& problem : problems)
            if (problem.path.starts_with(prefix))
                own << QString::fromStdString(Diagnostic{
                    .path = problem.path.substr(prefix.size()), .rule = problem.rule, .found = problem.found}
                                                  .message());
        rows_[i].text->setError(own.join(QLatin1Char('\n')));
    }
}

}  // namespace braid::ui
