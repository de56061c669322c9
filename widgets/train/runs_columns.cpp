#include "widgets/train/runs_columns.h"

#include <QCoreApplication>
#include <cmath>
#include <set>

#include "core/mixers/builtin.h"
#include "core/record/metric_name.h"
#include "core/spec/data_kinds.h"
#include "core/spec/shorthand.h"
#include "widgets/common/format.h"

namespace braid::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("RunsTable", text); }
QString text_of(const std::string& utf8) { return QString::fromStdString(utf8); }

// Metrics that are no result: what is known of the run anyway, or how fast it went.
const std::set<std::string> no_result = {"lr", "grad_norm", "tokens", "tokens_per_s", "time_s"};

RunsCell number(double value, const QString& text) { return {text, value}; }

RunsCell cellOf(const ParameterValue& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return {formatCount(*whole), double(*whole)};
    if (const auto* real = std::get_if<double>(&value)) return {text_of(to_text(value)), *real};
    const QString text = text_of(to_text(value));
    return {text.isEmpty() ? QStringLiteral("none") : text};
}

// Values of one parameter over the layers: one value, or all that occur.
struct Values {
    std::set<ParameterValue> all;
    RunsCell cell() const {
        if (all.size() == 1) return cellOf(*all.begin());
        QStringList texts;
        for (const ParameterValue& value : all) texts << cellOf(value).text;
        return {texts.join(QStringLiteral(", "))};
    }
};

void addMixers(const ArchitectureSpec& architecture, RunSettings& settings) {
    std::map<std::string, Values> values;
    for (const LayerSpec& layer : architecture.layers)
        for (const HeadGroup& group : layer.groups) {
            const MixerKind* kind = builtin_mixers().find(group.mixer);
            if (!kind) continue;
            const auto& parameters = kind->description().parameters;
            for (const ParameterDescription& parameter : parameters)
                if (is_active(parameter, group.parameters, parameters))
                    values[group.mixer + "." + parameter.key].all.insert(
                        group.parameters.get(parameter.key, parameters));
        }
    for (const auto& [id, value] : values) settings[id] = value.cell();
}

RunsColumn metricColumn(const std::string& metric) {
    const bool accuracy = is_accuracy(metric);
    return {.id = text_of(metric),
            .title = metric == "loss" ? tr("Loss") : metricName(metric),
            .kind = RunsColumnKind::metric,
            .numeric = true,
            .better = accuracy ? 1 : -1};
}

}  // namespace

RunSettings settingsOf(const RunPlan& plan) {
    RunSettings settings;
    for (const ParameterDescription& field : training_parameters())
        settings[field.key] = cellOf(training_value(plan.training, field.key));
    settings["data"] = {text_of(plan.data.kind == corpus_kind ? plan.data.corpus : plan.data.kind)};
    if (const auto* parameters = data_parameters(plan.data.kind))
        for (const ParameterDescription& parameter : *parameters)
            if (is_active(parameter, plan.data.parameters, *parameters))
                settings["data." + parameter.key] =
                    cellOf(plan.data.parameters.get(parameter.key, *parameters));
    const ArchitectureSpec& spec = plan.architecture;
    for (const auto& [id, value] : std::initializer_list<std::pair<const char*, std::int64_t>>{
             {"depth", std::int64_t(spec.layers.size())},
             {"d_model", spec.d_model},
             {"ffn_width", spec.ffn_width},
             {"heads", spec.heads},
             {"kv_heads", spec.kv_heads},
             {"head_dim", spec.head_dim},
             {"vocab", spec.vocab}})
        settings[id] = {formatCount(value), double(value)};
    for (const ParameterDescription& parameter : model_parameters())
        settings[parameter.key] = cellOf(spec.parameters.get(parameter.key, model_parameters()));
    settings["pattern"] = {text_of(format_pattern(spec.layers, spec, builtin_mixers()))};
    addMixers(spec, settings);
    QStringList phases;
    for (const TrainingPhase& phase : plan.phases) phases << text_of(to_text(phase));
    settings["phases"] = {phases.isEmpty() ? QStringLiteral("one") : phases.join(QStringLiteral("; "))};
    settings["from"] = {
        plan.weights_from
            ? QStringLiteral("%1@%2").arg(text_of(plan.weights_from->run)).arg(plan.weights_from->step.value)
            : tr("fresh weights")};
    return settings;
}

QString settingTitle(const std::string& id) {
    if (const ParameterDescription* field = find_parameter(training_parameters(), id))
        return text_of(field->label);
    if (const ParameterDescription* model = find_parameter(model_parameters(), id))
        return text_of(model->label);
    static const std::map<std::string, const char*> names = {
        {"data", QT_TRANSLATE_NOOP("RunsTable", "Data")},
        {"depth", QT_TRANSLATE_NOOP("RunsTable", "Depth")},
        {"d_model", QT_TRANSLATE_NOOP("RunsTable", "Width")},
        {"ffn_width", QT_TRANSLATE_NOOP("RunsTable", "FFN width")},
        {"heads", QT_TRANSLATE_NOOP("RunsTable", "Heads")},
        {"kv_heads", QT_TRANSLATE_NOOP("RunsTable", "KV heads")},
        {"head_dim", QT_TRANSLATE_NOOP("RunsTable", "Head dimension")},
        {"vocab", QT_TRANSLATE_NOOP("RunsTable", "Vocabulary")},
        {"pattern", QT_TRANSLATE_NOOP("RunsTable", "Pattern")},
        {"phases", QT_TRANSLATE_NOOP("RunsTable", "Further phases")},
        {"from", QT_TRANSLATE_NOOP("RunsTable", "Started from")},
    };
    if (const auto found = names.find(id); found != names.end()) return tr(found->second);
    const std::size_t dot = id.find('.');
    if (dot == std::string::npos) return text_of(id);
    const std::string owner = id.substr(0, dot), key = id.substr(dot + 1);
    QString name = text_of(key);
    name.replace(QLatin1Char('_'), QLatin1Char(' '));
    if (owner == "data") return tr("Data: %1").arg(name);
    const MixerKind* kind = builtin_mixers().find(owner);
    const ParameterDescription* parameter =
        kind ? find_parameter(kind->description().parameters, key) : nullptr;
    if (!parameter) return text_of(id);
    return QStringLiteral("%1 %2").arg(text_of(std::string(1, kind->description().letter)),
                                       text_of(parameter->label).toLower());
}

const RunSettings& RunsCatalogue::settings(const std::shared_ptr<const RunPlan>& plan) {
    const auto found = settings_.find(plan);
    if (found != settings_.end()) return found->second;
    return settings_[plan] = settingsOf(*plan);
}

std::vector<RunsColumn> RunsCatalogue::columns(const std::vector<RunPointer>& runs) {
    std::vector<RunsColumn> columns = {
        {.id = QStringLiteral("run"), .title = tr("Run"), .kind = RunsColumnKind::identity},
        {.id = QStringLiteral("layers"), .title = tr("Layers"), .kind = RunsColumnKind::identity},
        {.id = QStringLiteral("state"), .title = tr("State"), .kind = RunsColumnKind::state}};
    std::set<std::string> metrics;
    std::map<std::string, const ScoreLine*> scores;
    std::map<std::string, std::set<QString>>
        values;  // of settings; absent ones count as a value of their own
    std::map<std::string, std::size_t> counts;
    std::set<std::string> numeric;
    std::size_t planned = 0;
    for (const RunPointer& run : runs) {
        for (const auto& [metric, value] : run->record->status.latest)
            if (!no_result.contains(metric) && !is_head_norm(metric)) metrics.insert(metric);
        if (run->scores)
            for (const auto& [metric, line] : run->scores->lines) scores[metric] = &line;
        if (!run->plan) continue;
        ++planned;
        for (const auto& [id, cell] : settings(run->plan)) {
            values[id].insert(cell.text);
            ++counts[id];
            if (!std::isnan(cell.number)) numeric.insert(id);
        }
    }
    // Results first: scores, then what the training measured, its losses before the rest.
    for (const auto& [metric, line] : scores)
        columns.push_back({.id = text_of(metric),
                           .title = line->title,
                           .kind = RunsColumnKind::score,
                           .numeric = true,
                           .better = line->unit == QLatin1String("%") ? 1 : -1,
                           .unit = line->unit});
    for (const char* first : {"loss", "eval/loss", "eval/log_longppl"})
        if (metrics.erase(first) > 0) columns.push_back(metricColumn(first));
    for (const std::string& metric : metrics) columns.push_back(metricColumn(metric));
    for (const auto& [id, title] :
         {std::pair("step", tr("Step")), std::pair("tokens", tr("Tokens")), std::pair("time", tr("Time"))})
        columns.push_back(
            {.id = QLatin1String(id), .title = title, .kind = RunsColumnKind::state, .numeric = true});
    for (const bool differing : {true, false})
        for (const auto& [id, texts] : values) {
            const bool differs = texts.size() > 1 || counts[id] < planned;
            if (differs != differing) continue;
            columns.push_back({.id = text_of(id),
                               .title = settingTitle(id),
                               .kind = RunsColumnKind::setting,
                               .numeric = numeric.contains(id),
                               .differs = differs});
        }
    return columns;
}

RunsCell RunsCatalogue::cell(const RunPointer& run, const RunsColumn& column) {
    switch (column.kind) {
        case RunsColumnKind::identity:
            if (column.id == QLatin1String("run")) return {run->name};
            if (!run->plan) return {};
            return settings(run->plan).at("pattern");
        case RunsColumnKind::state:
            if (column.id == QLatin1String("state"))
                return {run->active()
                            ? runStateText(run->state()) + QLatin1Char(' ') + formatPercent(run->progress())
                            : runStateText(run->state())};
            if (column.id == QLatin1String("step"))
                return number(double(run->step()), formatCount(run->step()));
            if (column.id == QLatin1String("tokens")) return number(run->tokens(), formatSi(run->tokens()));
            if (const auto seconds = run->latest("time_s")) return number(*seconds, formatDuration(*seconds));
            return {};
        case RunsColumnKind::metric:
        case RunsColumnKind::score: {
            const auto value = run->latest(column.id.toStdString());
            if (!value) return {};
            if (std::isnan(*value)) return {QStringLiteral("NaN")};
            return number(*value, formatFixed(*value, column.unit == QLatin1String("%") ? 1 : 3));
        }
        case RunsColumnKind::setting: {
            if (!run->plan) return {};
            const RunSettings& all = settings(run->plan);
            const auto found = all.find(column.id.toStdString());
            return found == all.end() ? RunsCell{} : found->second;
        }
    }
    return {};
}

}  // namespace braid::ui
