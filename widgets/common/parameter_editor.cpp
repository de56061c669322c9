#include "widgets/common/parameter_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <algorithm>
#include <cmath>

#include "widgets/common/field.h"
#include "widgets/common/segments.h"
#include "widgets/common/theme.h"
#include "widgets/common/value_text.h"

namespace braid::ui {

namespace {

constexpr std::size_t most_segments = 4;
constexpr int field_width = 88;  // beside its unit

QString refusalText(const Diagnostics& problems) {
    const Diagnostic& problem = problems.front();
    return QString::fromStdString(
        Diagnostic{.path = {}, .rule = problem.rule, .found = problem.found}.message());
}

}  // namespace

ParameterEditor::ParameterEditor(const ParameterDescription& description, const QString& owner,
                                 QWidget* parent)
    : QWidget(parent), description_(description) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(metrics::gap2);
    const QString label = QString::fromStdString(description.label);
    const QString name = owner.isEmpty() ? label : owner + QStringLiteral(", ") + label;
    const QString help = QString::fromStdString(description.help);
    setObjectName(QStringLiteral("parameter.") + QString::fromStdString(description.key));
    setToolTip(help);
    setMinimumHeight(metrics::control);
    const std::vector<std::string>& choices = description.choices;
    if (std::holds_alternative<bool>(description.default_value)) {
        check_ = new QCheckBox;
        check_->setAccessibleName(name);
        check_->setAccessibleDescription(help);
        connect(check_, &QCheckBox::clicked, this, [this](bool on) {
            check_->setTristate(false);
            value_ = on;
            Q_EMIT changed(on);
        });
        layout->addWidget(check_, 1);
    } else if (choices.size() >= 2 && choices.size() <= most_segments) {
        QStringList texts;
        for (const std::string& choice : choices) {
            texts << choiceText(choice);
        }
        segments_ = new Segments(name, texts);
        segments_->setAccessibleDescription(help);
        connect(segments_, &Segments::chosen, this, [this](int index) {
            value_ = description_.choices[static_cast<std::size_t>(index)];
            Q_EMIT changed(*value_);
        });
        layout->addWidget(segments_, 1);
    } else if (!choices.empty()) {
        choices_ = new QComboBox;
        choices_->setAccessibleName(name);
        for (const std::string& choice : choices) {
            choices_->addItem(choiceText(choice));
        }
        connect(choices_, &QComboBox::activated, this, [this](int index) {
            value_ = description_.choices[static_cast<std::size_t>(index)];
            Q_EMIT changed(*value_);
        });
        layout->addWidget(choices_, 1);
    } else {
        field_ = new Field(name, QString::fromStdString(description.unit));
        if (!description.unit.empty()) {
            field_->setFieldWidth(field_width);
        }
        field_->lineEdit()->setAccessibleDescription(help);
        field_->lineEdit()->installEventFilter(this);
        connect(field_, &Field::committed, this, &ParameterEditor::commit);
        // What was refused is judged anew with every key; anything else when it is finished.
        connect(field_, &Field::edited, this, [this](const QString& text) {
            if (refusal_.isEmpty()) return field_->setError({});
            const Checked<ParameterValue> value = parse(text);
            setRefusal(value ? QString() : refusalText(value.error()));
        });
        layout->addWidget(field_, 1);
    }
}

void ParameterEditor::setUnit(const QString& unit) {
    if (field_) {
        field_->setUnit(unit);
        field_->setFieldWidth(unit.isEmpty() ? 0 : field_width);
    }
}

void ParameterEditor::setValue(const std::optional<ParameterValue>& value) {
    value_ = value;
    if (check_) {
        check_->setTristate(!value);
        check_->setCheckState(!value                   ? Qt::PartiallyChecked
                              : std::get<bool>(*value) ? Qt::Checked
                                                       : Qt::Unchecked);
        check_->setText(value ? QString() : tr("mixed"));
        return;
    }
    if (field_) {
        setRefusal({});
        field_->setText(value ? valueText(description_, *value) : QString());
        field_->setPlaceholder(value ? QString() : tr("mixed"));
        return;
    }
    int index = -1;
    if (value) {
        const auto found = std::find(description_.choices.begin(), description_.choices.end(),
                                     std::get<std::string>(*value));
        index =
            found == description_.choices.end() ? -1 : static_cast<int>(found - description_.choices.begin());
    }
    if (segments_) {
        segments_->setCurrent(index);
    } else if (choices_) {
        choices_->setCurrentIndex(index);
    }
}

QString ParameterEditor::shown() const {
    if (field_) {
        return field_->text();
    }
    if (check_) {
        return check_->checkState() == Qt::PartiallyChecked ? tr("mixed")
               : check_->isChecked()                        ? tr("on")
                                                            : tr("off");
    }
    const int index = segments_ ? segments_->current() : choices_->currentIndex();
    return index < 0 ? tr("mixed") : choiceText(description_.choices[static_cast<std::size_t>(index)]);
}

Checked<ParameterValue> ParameterEditor::parse(const QString& text) const {
    QString plain = text.trimmed();
    if (!std::holds_alternative<std::string>(description_.default_value)) {
        plain.remove(QLatin1Char(',')).remove(QLatin1Char(' ')).replace(QChar(0x2212), QLatin1Char('-'));
    }
    return parse_parameter(description_, plain.toStdString(), description_.key);
}

void ParameterEditor::setRefusal(const QString& refusal) {
    field_->setError(refusal);
    if (refusal == refusal_) return;
    refusal_ = refusal;
    Q_EMIT refusalChanged();
}

void ParameterEditor::commit(const QString& text) {
    if (text.trimmed().isEmpty() && !value_) {
        return;  // left as it was: the layers still differ
    }
    const Checked<ParameterValue> value = parse(text);
    if (!value) {
        return setRefusal(refusalText(value.error()));
    }
    setRefusal({});
    field_->setText(valueText(description_, *value));
    field_->lineEdit()->setText(field_->text());  // its own undo ends here, the document's goes on
    if (value_ != *value) {
        value_ = *value;
        Q_EMIT changed(*value);
    }
}

void ParameterEditor::step(double factor, std::int64_t by) {
    if (!value_) {
        return;
    }
    ParameterValue next = *value_;
    if (const auto* integer = std::get_if<std::int64_t>(&next)) {
        const auto scaled = static_cast<double>(*integer) * factor;
        const double wanted = std::clamp(std::floor(scaled) + static_cast<double>(by), description_.minimum,
                                         std::max(description_.minimum, description_.maximum));
        next = static_cast<std::int64_t>(wanted);
    } else if (const auto* real = std::get_if<double>(&next)) {
        const double wanted = factor != 1 ? *real * factor : *real * std::pow(10.0, static_cast<double>(by));
        next = std::clamp(wanted, description_.minimum, description_.maximum);
    }
    if (next != *value_) {
        setValue(next);
        Q_EMIT changed(next);
    }
}

bool ParameterEditor::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool undo = key->matches(QKeySequence::Undo) && !field_->lineEdit()->isUndoAvailable();
        const bool redo = key->matches(QKeySequence::Redo) && !field_->lineEdit()->isRedoAvailable();
        if (undo || redo) {
            event->ignore();  // nothing typed that is not yet in the document: the document's undo
            return true;
        }
    }
    if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->modifiers() == Qt::NoModifier || key->modifiers() == Qt::KeypadModifier) {
            switch (key->key()) {
                case Qt::Key_Up:
                    step(1, 1);
                    return true;
                case Qt::Key_Down:
                    step(1, -1);
                    return true;
                case Qt::Key_PageUp:
                    step(2, 0);
                    return true;
                case Qt::Key_PageDown:
                    step(0.5, 0);
                    return true;
                default:
                    break;
            }
        }
    } else if (event->type() == QEvent::FocusOut) {
        Q_EMIT finished();
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace braid::ui
