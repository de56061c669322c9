#include "widgets/common/value_text.h"

#include <QCoreApplication>

#include "widgets/common/format.h"

namespace braid::ui {

QString choiceText(const std::string& choice) {
    if (choice == "rope") {
        return QStringLiteral("RoPE");
    }
    if (choice == "nope") {
        return QStringLiteral("NoPE");
    }
    if (choice == "cpu" || choice == "cuda") {
        return QString::fromStdString(choice).toUpper();
    }
    QString text = QString::fromStdString(choice);
    if (!text.isEmpty()) {
        text[0] = text[0].toUpper();
    }
    return text.replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString valueText(const ParameterDescription& description, const ParameterValue& value) {
    if (const auto* flag = std::get_if<bool>(&value)) {
        return *flag ? QCoreApplication::translate("Value", "on")
                     : QCoreApplication::translate("Value", "off");
    }
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        return formatCount(*integer);
    }
    if (const auto* text = std::get_if<std::string>(&value)) {
        return description.choices.empty() ? QString::fromStdString(*text) : choiceText(*text);
    }
    return QString::fromStdString(to_text(value));
}

}  // namespace braid::ui
