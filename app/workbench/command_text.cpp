#include "app/workbench/command_text.h"

#include <QDir>
#include <QStringList>
#include <algorithm>

#include "core/mixers/builtin.h"
#include "core/spec/paper_recipe.h"
#include "core/spec/phases.h"
#include "core/spec/scale.h"
#include "core/spec/shorthand.h"

namespace braid::ui {

namespace {

const Scale* scaleOf(const ArchitectureSpec& spec) {
    for (const Scale& scale : scales()) {
        if (scale.d_model == spec.d_model && scale.heads == spec.heads && scale.kv_heads == spec.kv_heads &&
            scale.head_dim == spec.head_dim && scale.ffn_width == spec.ffn_width) {
            return &scale;
        }
    }
    return nullptr;
}

// A file or folder of a plan as it is found from anywhere.
QString inProject(const QString& folder, const std::string& path) {
    return QDir::cleanPath(QDir(folder).absoluteFilePath(QString::fromStdString(path)));
}

}  // namespace

QString shellQuoted(const QString& word) {
    const bool plain = !word.isEmpty() && std::all_of(word.begin(), word.end(), [](QChar c) {
        return (c.unicode() < 128 && c.isLetterOrNumber()) || QStringLiteral("-_./=:+,@").contains(c);
    });
    if (plain) return word;
    QString inner = word;
    inner.replace(QLatin1Char('\''), QStringLiteral("'\\''"));
    return QLatin1Char('\'') + inner + QLatin1Char('\'');
}

QString trainCommand(const TrainingPlan& plan, const QString& projectFolder, const ArchitectureEntry* saved) {
    QStringList words{QStringLiteral("braid-engine"), QStringLiteral("train")};
    const auto add = [&words](const char* option, const QString& value) {
        words << QLatin1String(option) << shellQuoted(value);
    };
    const bool isSaved = saved && saved->spec && *saved->spec == plan.architecture;
    const Scale* scale = scaleOf(plan.architecture);
    if (isSaved || !scale) {
        words << shellQuoted(QStringLiteral("project:") + QString::fromStdString(plan.architecture.name));
    } else {
        words << shellQuoted(QString::fromStdString(
            format_pattern(plan.architecture.layers, plan.architecture, builtin_mixers())));
        add("--scale", QString::fromStdString(scale->name));
        if (scale->vocab != plan.architecture.vocab) add("--vocab", QString::number(plan.architecture.vocab));
    }
    const bool corpus = plan.data.kind == "corpus";
    add("--data",
        corpus ? inProject(projectFolder, plan.data.corpus) : QString::fromStdString(plan.data.kind));
    const TrainingSpec defaults;
    for (const ParameterDescription& field : training_parameters()) {
        const ParameterValue value = training_value(plan.training, field.key);
        // The command line has defaults of its own for these two.
        const bool always = field.key == "context" || field.key == "warmup_steps";
        if (!always && value == training_value(defaults, field.key)) continue;
        add("--set", QString::fromStdString(field.key + "=" + to_text(value)));
    }
    for (const auto& [key, value] : plan.data.parameters) {
        // A relative file of the plan lies in the project, one of the command line where it is given.
        const bool file = corpus && key == "key_tokens";
        add("--set", QStringLiteral("data.%1=%2")
                         .arg(QString::fromStdString(key), file ? inProject(projectFolder, to_text(value))
                                                                : QString::fromStdString(to_text(value))));
    }
    if (!plan.from.isEmpty()) add("--from", plan.from);
    for (const TrainingPhase& phase : plan.phases) {
        add("--phase", phase == paper_extension()
                           ? QString::fromUtf8(paper_extension_name.data(), paper_extension_name.size())
                           : QString::fromStdString(to_text(phase)));
    }
    if (!plan.name.isEmpty()) add("--name", plan.name);
    add("--project", projectFolder);
    return words.join(QLatin1Char(' '));
}

}  // namespace braid::ui
