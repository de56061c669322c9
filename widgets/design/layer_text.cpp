#include "widgets/design/layer_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "widgets/common/format.h"

namespace braid::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("LayerText", text); }

constexpr QChar middle_dot(0x00B7);
constexpr QChar en_dash(0x2013);
constexpr QChar minus(0x2212);

// Digits before and after the point so that `digits` are shown in all, without trailing zeros of the
// fraction.
QString shown(double value, int digits) {
    const int whole = value < 1 ? 1 : static_cast<int>(std::floor(std::log10(value))) + 1;
    return QString::number(value, 'f', std::max(0, digits - whole));
}

QString scaled(double value, double base, const QStringList& prefixes, int digits) {
    std::size_t prefix = 0;
    const auto last = static_cast<std::size_t>(prefixes.size() - 1);
    // 999.96 M is to read "1 G", not "1000 M".
    while (prefix < last && std::round(value * 10) / 10 >= base) {
        value /= base;
        ++prefix;
    }
    QString text = shown(value, digits);
    const bool integral = prefix == 0;
    if (integral || text.contains(QLatin1Char('.'))) {
        const double rounded = text.toDouble();
        if (rounded == std::floor(rounded) && (integral || rounded == value)) {
            text = QString::number(rounded, 'f', 0);
        }
    }
    const QString unit = prefixes[static_cast<qsizetype>(prefix)];
    return unit.isEmpty() ? text : text + QLatin1Char(' ') + unit;
}

const MixerDescription* describe(const HeadGroup& group, const MixerCatalog& catalog) {
    const MixerKind* kind = catalog.find(group.mixer);
    return kind ? &kind->description() : nullptr;
}

QString titleOf(const HeadGroup& group, const MixerCatalog& catalog) {
    const MixerDescription* description = describe(group, catalog);
    QString title = QString::fromStdString(description ? description->title : group.mixer);
    const QString attention = QStringLiteral(" attention");
    if (title.endsWith(attention)) {
        title.chop(attention.size());
    }
    return title;
}

}  // namespace

QString layerTitle(const LayerSpec& layer, const MixerCatalog& catalog) {
    if (layer.groups.empty()) {
        return tr("No heads");
    }
    return layer.groups.size() > 1 ? tr("Head-wise") : titleOf(layer.groups.front(), catalog);
}

QString groupSettings(const HeadGroup& group, const MixerCatalog& catalog) {
    const MixerDescription* description = describe(group, catalog);
    if (!description) {
        return {};
    }
    const std::vector<ParameterDescription>& parameters = description->parameters;
    struct Part {
        std::string key;
        QString text;
    };
    std::vector<Part> parts;
    for (const ParameterDescription& parameter : parameters) {
        if (!is_active(parameter, group.parameters, parameters)) {
            continue;
        }
        const ParameterValue value = group.parameters.get(parameter.key, parameters);
        const QString text = valueText(parameter, value);
        // What depends on another parameter stands right behind it: "RoPE 1e5".
        const std::string owner = parameter.only_if.substr(0, parameter.only_if.find('='));
        const auto found = owner.empty() ? parts.end()
                                         : std::find_if(parts.begin(), parts.end(),
                                                        [&](const Part& part) { return part.key == owner; });
        const bool is_default = value == parameter.default_value;
        if (is_default && found != parts.end() && std::holds_alternative<std::string>(value)) {
            continue;  // a way of doing the first that is as usual
        }
        if (std::holds_alternative<bool>(value)) {
            if (!is_default) {
                const QString key =
                    QString::fromStdString(parameter.key).replace(QLatin1Char('_'), QLatin1Char(' '));
                parts.push_back({parameter.key, std::get<bool>(value) ? key : tr("no %1").arg(key)});
            }
        } else if (!std::holds_alternative<std::string>(value) && parameter.short_key.empty()) {
            // A number without a short name is off, or as usual, unless it was changed: "RoPE 1e5 ntk 4".
            const QString named = QString::fromStdString(parameter.key) + QLatin1Char(' ') + text;
            if (!is_default && found != parts.end())
                found->text += QLatin1Char(' ') + named;
            else if (!is_default)
                parts.push_back({parameter.key, named});
        } else if (found != parts.end()) {
            found->text += QLatin1Char(' ') + text;
        } else if (std::holds_alternative<std::string>(value)) {
            parts.push_back({parameter.key, text});
        } else {
            parts.push_back(
                {parameter.key, QString::fromStdString(parameter.short_key) + QLatin1Char(' ') + text});
        }
    }
    QStringList texts;
    for (const Part& part : parts) {
        texts << part.text;
    }
    return texts.join(QStringLiteral(" %1 ").arg(middle_dot));
}

QString layerSettings(const LayerSpec& layer, const MixerCatalog& catalog) {
    if (layer.groups.empty()) {
        return {};
    }
    if (layer.groups.size() > 1) {
        QStringList parts;
        for (const HeadGroup& group : layer.groups) {
            const QString title = titleOf(group, catalog).toLower();
            parts << QStringLiteral("%1 %2").arg(group.heads).arg(title.section(QLatin1Char(' '), -1));
        }
        return tr("%1 heads").arg(parts.join(QStringLiteral(" + ")));
    }
    const HeadGroup& group = layer.groups.front();
    QString text = groupSettings(group, catalog);
    const MixerDescription* description = describe(group, catalog);
    const auto is_integer = [](const ParameterDescription& parameter) {
        return std::holds_alternative<std::int64_t>(parameter.default_value) && !parameter.short_key.empty();
    };
    // Where no number of its own tells the layer's size, its heads do.
    if (description &&
        std::none_of(description->parameters.begin(), description->parameters.end(), is_integer)) {
        const QString heads = QStringLiteral("h%1 kv%2").arg(group.heads).arg(group.kv_heads);
        text = text.isEmpty() ? heads : QStringLiteral("%1 %2 %3").arg(heads, QString(middle_dot), text);
    }
    return text;
}

QString rowsText(const std::vector<std::size_t>& rows) {
    QStringList parts;
    for (std::size_t i = 0; i < rows.size();) {
        std::size_t end = i + 1;
        while (end < rows.size() && rows[end] == rows[end - 1] + 1) {
            ++end;
        }
        parts << (end - i == 1 ? QString::number(rows[i])
                               : QStringLiteral("%1%2%3").arg(rows[i]).arg(en_dash).arg(rows[end - 1]));
        i = end;
    }
    return parts.join(QStringLiteral(", "));
}

QString contextText(std::int64_t tokens) {
    constexpr std::int64_t kilo = 1024;
    if (tokens >= kilo * kilo && tokens % (kilo * kilo) == 0) {
        return QStringLiteral("%1M").arg(tokens / (kilo * kilo));
    }
    if (tokens >= kilo && tokens % kilo == 0) {
        return QStringLiteral("%1k").arg(tokens / kilo);
    }
    return formatCount(tokens);
}

QString quantityText(double value, int digits) {
    return scaled(value, 1000,
                  {QString(), QStringLiteral("k"), QStringLiteral("M"), QStringLiteral("G"),
                   QStringLiteral("T"), QStringLiteral("P")},
                  digits);
}

QString byteText(double bytes) {
    return scaled(bytes, 1024,
                  {QStringLiteral("B"), QStringLiteral("KiB"), QStringLiteral("MiB"), QStringLiteral("GiB"),
                   QStringLiteral("TiB"), QStringLiteral("PiB")},
                  3);
}

QString signedText(double difference, const QString& magnitude) {
    if (difference == 0) {
        return QStringLiteral("0");
    }
    return (difference < 0 ? QString(minus) : QStringLiteral("+")) + magnitude;
}

QString percentText(double ratio) {
    const double percent = ratio * 100;
    const double size = std::abs(percent);
    if (size < 0.005) {
        return QStringLiteral("%1%2").arg(QChar(0x00B1)).arg(QStringLiteral("0 %"));
    }
    const int decimals = size < 1 ? 2 : size < 10 ? 1 : 0;
    return signedText(percent, QString::number(size, 'f', decimals) + QStringLiteral(" %"));
}

}  // namespace braid::ui
