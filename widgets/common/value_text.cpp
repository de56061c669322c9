#include "widgets/common/value_text.h"

#include <QCoreApplication>
#include <map>

#include "widgets/common/format.h"

namespace braid::ui {

QString choiceText(const std::string& choice) {
    // Names are written as in the literature, names of tasks as commands write them.
    static const std::map<std::string, QString> names{
        {"rope", QStringLiteral("RoPE")},   {"nope", QStringLiteral("NoPE")},
        {"yarn", QStringLiteral("YaRN")},   {"cpu", QStringLiteral("CPU")},
        {"cuda", QStringLiteral("CUDA")},   {"longce", QStringLiteral("LongCE")},
        {"f1", QStringLiteral("F1")},       {"rouge_l", QStringLiteral("ROUGE-L")},
        {"ruler", QStringLiteral("RULER")}, {"lm-eval", QStringLiteral("lm-eval")},
    };
    if (const auto name = names.find(choice); name != names.end()) {
        return name->second;
    }
    if (choice.starts_with("niah_")) {
        return QString::fromStdString(choice);
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
