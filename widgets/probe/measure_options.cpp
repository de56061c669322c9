#include "widgets/probe/measure_options.h"

#include <QDir>
#include <QFileInfo>

namespace braid::ui {

namespace {

QString place(const QString& project, const QString& file) {
    return QDir::isAbsolutePath(file) ? file : QDir(project).filePath(file);
}

}  // namespace

bool namesFile(const ParameterDescription& parameter) {
    return parameter.key == "keys" || parameter.key == "tokens";
}

QStringList measureWords(const MeasurementKind& kind, const ParameterValues& values, const QString& project) {
    QStringList words;
    for (const ParameterDescription& parameter : kind.parameters) {
        const ParameterValue* value = values.find(parameter.key);
        if (!value || *value == parameter.default_value || !is_active(parameter, values, kind.parameters))
            continue;
        QString option = QString::fromStdString(parameter.key);
        option.replace(QLatin1Char('_'), QLatin1Char('-'));
        const QString text = QString::fromStdString(to_text(*value));
        words << QStringLiteral("--") + option << (namesFile(parameter) ? place(project, text) : text);
    }
    return words;
}

Diagnostics checkMeasure(const MeasurementKind& kind, const ParameterValues& values, const QString& project) {
    Diagnostics problems;
    for (const ParameterDescription& parameter : kind.parameters) {
        if (!is_active(parameter, values, kind.parameters)) continue;
        const ParameterValue* value = values.find(parameter.key);
        const ParameterValue shown = value ? *value : parameter.default_value;
        if (std::optional<Diagnostic> broken = check_parameter(parameter, shown, parameter.key)) {
            problems.push_back(*std::move(broken));
            continue;
        }
        const auto* text = std::get_if<std::string>(&shown);
        if (text && !text->empty() && namesFile(parameter) &&
            !QFileInfo(place(project, QString::fromStdString(*text))).isFile())
            problems.push_back({.path = parameter.key, .rule = "must be a file", .found = *text});
    }
    return problems;
}

}  // namespace braid::ui
