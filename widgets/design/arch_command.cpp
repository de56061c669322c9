#include "widgets/design/arch_command.h"

#include <QRegularExpression>

namespace braid::ui {

QString shell_quoted(const QString& text) {
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./:=@%+-]+$"));
    if (plain.match(text).hasMatch()) {
        return text;
    }
    QString quoted = text;
    for (const QChar special : {QLatin1Char('\\'), QLatin1Char('"'), QLatin1Char('$'), QLatin1Char('`')}) {
        quoted.replace(special, QStringLiteral("\\") + special);
    }
    return QLatin1Char('"') + quoted + QLatin1Char('"');
}

QString arch_command(const SpecDocument& document, const QString& name) {
    const ArchitectureSpec& spec = document.spec();
    // Vocabulary apart, for --vocab gives it.
    const Scale* scale = nullptr;
    for (const Scale& one : scales()) {
        const bool fits = one.d_model == spec.d_model && one.heads == spec.heads &&
                          one.kv_heads == spec.kv_heads && one.head_dim == spec.head_dim &&
                          one.ffn_width == spec.ffn_width;
        if (fits && (!scale || one.vocab == spec.vocab)) {
            scale = &one;
        }
    }
    QString command = QStringLiteral("braid-engine arch show ");
    if (scale && !spec.layers.empty()) {
        command += shell_quoted(document.layersPattern()) + QStringLiteral(" --scale ") +
                   QString::fromStdString(scale->name);
        if (scale->vocab != spec.vocab) {
            command += QStringLiteral(" --vocab %1").arg(spec.vocab);
        }
    } else {
        command += shell_quoted(QStringLiteral("project:") + name);
    }
    return command + QStringLiteral(" --context %1").arg(document.context());
}

}  // namespace braid::ui
