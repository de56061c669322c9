#include "widgets/design/spec_document.h"

#include <QElapsedTimer>
#include <QRegularExpression>
#include <algorithm>

#include "core/spec/edit.h"
#include "core/spec/shorthand.h"
#include "core/spec/validate.h"
#include "widgets/design/pattern_range.h"

namespace braid::ui {

// Holds the state before and after; nothing is computed again on undo.
class StateCommand : public QUndoCommand {
public:
    StateCommand(SpecDocument& document, const QString& title, DesignState before, DesignState after,
                 SpecDocument::Layers touched, QString merge_key)
        : QUndoCommand(title),
          document_(document),
          before_(std::move(before)),
          after_(std::move(after)),
          touched_(std::move(touched)),
          merge_key_(std::move(merge_key)) {}

    int id() const override { return merge_key_.isEmpty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand* other) override {
        const auto* next = static_cast<const StateCommand*>(other);  // same id(): the same class
        if (next->merge_key_ != merge_key_) {
            return false;
        }
        after_ = next->after_;
        setObsolete(after_ == before_);
        return true;
    }
    void undo() override { document_.enter(before_, touched_); }
    void redo() override { document_.enter(after_, touched_); }

private:
    SpecDocument& document_;
    DesignState before_, after_;
    SpecDocument::Layers touched_;
    QString merge_key_;
};

namespace {

// "-3", "1e-5" with the minus of the program's numbers; "window-16" stays.
QString with_true_minus(QString text) {
    static const QRegularExpression minus(QStringLiteral("(?<![\\w\\])}])-(?=\\d)|(?<=\\d[eE])-(?=\\d)"));
    return text.replace(minus, QString(QChar(0x2212)));
}

QString layers_text(const ArchitectureSpec& spec, const SpecDocument::Layers& layers) {
    if (layers.size() != 1) {
        return SpecDocument::tr("%n layers", nullptr, static_cast<int>(layers.size()));
    }
    return SpecDocument::tr("layer %1").arg(find_layer(spec, layers.front()).value_or(0));
}

QString merge_key(const char* what, const SpecDocument::Layers& layers, const QString& detail) {
    QString key = QLatin1String(what) + QLatin1Char(' ') + detail;
    for (const LayerId id : layers) {
        key += QLatin1Char(' ') + QString::number(id.value);
    }
    return key;
}

}  // namespace

SpecDocument::SpecDocument(const MixerCatalog& catalog, QObject* parent)
    : QObject(parent), catalog_(catalog), undo_(this) {
    state_.spec = std::make_shared<const ArchitectureSpec>();
    evaluate();
}

void SpecDocument::open(ArchitectureSpec spec, const QString& pattern) {
    undo_.clear();
    ++merge_session_;
    state_.pattern = pattern.isEmpty() ? formatted(spec) : pattern;
    state_.depth = spec.layers.size();
    state_.spec = std::make_shared<const ArchitectureSpec>(std::move(spec));
    evaluate();
    Q_EMIT changed();
}

QString SpecDocument::formatted(const ArchitectureSpec& spec) const {
    return spec.layers.empty() ? QString()
                               : QString::fromStdString(format_pattern(spec.layers, spec, catalog_));
}

void SpecDocument::setContext(std::int64_t context) {
    if (context == context_) {
        return;
    }
    context_ = context;
    cost_ = design_cost(spec(), spec_problems_, catalog_, context_);
    Q_EMIT contextChanged();
}

const DesignProblem* SpecDocument::problemOfLayer(std::size_t layer) const {
    const auto found = std::find_if(problems_.begin(), problems_.end(), [&](const DesignProblem& problem) {
        return problem.layer == layer && !problem.in_text;
    });
    return found == problems_.end() ? nullptr : &*found;
}

void SpecDocument::evaluate() {
    QElapsedTimer timer;
    timer.start();
    problems_.clear();
    spec_problems_ = validate(spec(), catalog_);
    cost_ = design_cost(spec(), spec_problems_, catalog_, context_);

    const std::string text = state_.pattern.toStdString();
    const Checked<Pattern> pattern = parse_pattern(text, catalog_, PatternValues::unchecked);
    pattern_readable_ = pattern.has_value();
    if (!pattern) {
        for (const Diagnostic& diagnostic : pattern.error()) {
            DesignProblem problem{.diagnostic = diagnostic, .in_text = true};
            if (diagnostic.span) {
                problem.range = pattern_range(text, *diagnostic.span);
            }
            problems_.push_back(std::move(problem));
        }
    }
    for (const Diagnostic& diagnostic : spec_problems_) {
        DesignProblem problem{.diagnostic = diagnostic, .layer = layer_of_path(diagnostic.path)};
        if (pattern && problem.layer && !pattern->spans.empty()) {
            const TextSpan layer = pattern->spans[*problem.layer % pattern->spans.size()];
            problem.range = pattern_range(text, narrowed_span(text, layer, diagnostic.path, catalog_));
        }
        problems_.push_back(std::move(problem));
    }
    evaluation_microseconds_ = timer.nsecsElapsed() / 1000;
}

void SpecDocument::enter(const DesignState& state, const Layers& touched) {
    const bool same_spec = state.spec == state_.spec || *state.spec == *state_.spec;
    state_ = state;
    evaluate();
    Q_EMIT changed();
    if (!same_spec && !touched.empty()) {
        Q_EMIT layersTouched(touched);
    }
}

void SpecDocument::push(const QString& title, DesignState next, const Layers& touched,
                        const QString& merge_key) {
    if (next == state_) {
        return;
    }
    const QString key =
        merge_key.isEmpty() ? QString() : QStringLiteral("%1 #%2").arg(merge_key).arg(merge_session_);
    undo_.push(new StateCommand(*this, title, state_, std::move(next), touched, key));
}

void SpecDocument::apply(const QString& title, ArchitectureSpec next, const Layers& touched,
                         const QString& merge_key) {
    DesignState state;
    state.pattern = formatted(next);
    state.depth = next.layers.size();
    state.spec = std::make_shared<const ArchitectureSpec>(std::move(next));
    if (*state.spec == spec() && pattern_readable_) {
        return;  // nothing but the way the text is written would change
    }
    push(title, std::move(state), touched, merge_key);
}

void SpecDocument::setPattern(const QString& text) {
    if (text == state_.pattern) {
        return;
    }
    DesignState next{.spec = state_.spec, .pattern = text, .depth = state_.depth};
    Checked<Pattern> pattern = parse_pattern(text.toStdString(), catalog_, PatternValues::unchecked);
    if (pattern) {
        if (!pattern->repeated) {
            const std::vector<LayerSpec> cycle = pattern->layers;
            pattern->layers.resize(std::max<std::size_t>(next.depth, 1));
            for (std::size_t i = 0; i < pattern->layers.size(); ++i) {
                pattern->layers[i] = cycle[i % cycle.size()];
            }
            pattern->repeated = true;
        }
        ArchitectureSpec spec = respec_from_pattern(this->spec(), *pattern, catalog_);
        if (spec != this->spec()) {
            next.spec = std::make_shared<const ArchitectureSpec>(std::move(spec));
        }
    }
    push(tr("Type pattern"), std::move(next), {}, QStringLiteral("pattern"));
}

void SpecDocument::insertLayer(std::size_t at, const std::string& mixer) {
    const MixerKind* kind = catalog_.find(mixer);
    if (!kind) {
        return;
    }
    at = std::min(at, spec().layers.size());
    ArchitectureSpec next = insert_layers(spec(), at, {uniform_layer(spec(), mixer)});
    const Layers touched{next.layers[at].id};
    apply(tr("Insert %1").arg(QString::fromStdString(kind->description().title)), std::move(next), touched);
}

void SpecDocument::moveLayers(const Layers& layers, std::size_t at) {
    apply(tr("Move %1").arg(layers_text(spec(), layers)), move_layers(spec(), layers, at), layers);
}

void SpecDocument::duplicateLayers(const Layers& layers) {
    ArchitectureSpec next = duplicate_layers(spec(), layers);
    Layers copies;
    for (const LayerSpec& layer : next.layers) {
        if (!find_layer(spec(), layer.id)) {
            copies.push_back(layer.id);
        }
    }
    apply(tr("Duplicate %1").arg(layers_text(spec(), layers)), std::move(next), copies);
}

void SpecDocument::removeLayers(const Layers& layers) {
    apply(tr("Remove %1").arg(layers_text(spec(), layers)), remove_layers(spec(), layers), layers);
}

void SpecDocument::setMixer(const Layers& layers, const std::string& mixer) {
    apply(tr("Change mixer of %1").arg(layers_text(spec(), layers)),
          replace_mixer(spec(), layers, mixer, catalog_), layers);
}

void SpecDocument::setParameter(const Layers& layers, const Groups& groups, const std::string& key,
                                const ParameterValue& value) {
    const MixerKind* kind = catalog_.find(groups.mixer);
    const ParameterDescription* parameter =
        kind ? find_parameter(kind->description().parameters, key) : nullptr;
    if (!parameter) {
        return;
    }
    ArchitectureSpec next = spec();
    for (const LayerId id : layers) {
        const std::optional<std::size_t> row = find_layer(next, id);
        for (std::size_t group = 0; row && group < next.layers[*row].groups.size(); ++group) {
            if (next.layers[*row].groups[group].mixer != groups.mixer ||
                (groups.index && groups.index != group)) {
                continue;
            }
            ParameterValues& values = next.layers[*row].groups[group].parameters;
            if (value == parameter->default_value) {
                values.reset(key);
            } else {
                values.set(key, value);
            }
        }
    }
    const QString detail = QStringLiteral("%1 %2").arg(
        groups.index ? QString::number(*groups.index) : QString::fromStdString(groups.mixer),
        QString::fromStdString(key));
    apply(tr("Change %1 of %2").arg(QString::fromStdString(parameter->label), layers_text(spec(), layers)),
          std::move(next), layers, merge_key("parameter", layers, detail));
}

void SpecDocument::setHeads(const Layers& layers, std::size_t group, HeadField field, std::int64_t value) {
    ArchitectureSpec next = spec();
    for (const LayerId id : layers) {
        const std::optional<std::size_t> row = find_layer(next, id);
        if (row && group < next.layers[*row].groups.size()) {
            HeadGroup& heads = next.layers[*row].groups[group];
            (field == HeadField::heads ? heads.heads : heads.kv_heads) = value;
        }
    }
    const QString label = field == HeadField::heads ? tr("heads") : tr("KV heads");
    apply(tr("Change %1 of %2").arg(label, layers_text(spec(), layers)), std::move(next), layers,
          merge_key("heads", layers, QStringLiteral("%1 %2").arg(group).arg(label)));
}

void SpecDocument::splitHeads(const Layers& layers, const std::string& mixer) {
    ArchitectureSpec next = spec();
    for (const LayerId id : layers) {
        const std::optional<std::size_t> row = find_layer(next, id);
        if (!row || next.layers[*row].groups.size() != 1) {
            continue;
        }
        std::vector<HeadGroup>& groups = next.layers[*row].groups;
        const HeadGroup whole = groups.front();
        if (whole.heads < 2 || whole.kv_heads < 2) {
            continue;  // a kv head cannot be shared between two mixers
        }
        const std::int64_t kv_heads = whole.kv_heads / 2;
        const std::int64_t heads = whole.heads / whole.kv_heads * kv_heads;
        groups.front().heads = heads;
        groups.front().kv_heads = kv_heads;
        groups.push_back(
            {.mixer = mixer, .heads = whole.heads - heads, .kv_heads = whole.kv_heads - kv_heads});
    }
    apply(tr("Split heads of %1").arg(layers_text(spec(), layers)), std::move(next), layers);
}

void SpecDocument::setScale(const Scale& scale) {
    const Checked<Pattern> pattern = parse_pattern(state_.pattern.toStdString(), catalog_);
    ArchitectureSpec next = spec();
    for (const ParameterDescription& parameter : dimension_parameters()) {
        ArchitectureSpec of_scale;
        of_scale.d_model = scale.d_model;
        of_scale.heads = scale.heads;
        of_scale.kv_heads = scale.kv_heads;
        of_scale.head_dim = scale.head_dim;
        of_scale.ffn_width = scale.ffn_width;
        of_scale.vocab = scale.vocab;
        next = change_dimension(std::move(next), parameter.key, dimension(of_scale, parameter.key));
    }
    const QString title = tr("Scale %1").arg(QString::fromStdString(scale.name));
    if (!pattern || pattern->repeated) {
        apply(title, std::move(next), {});
        return;
    }
    // The depth belongs to the scale as long as the pattern does not give one.
    const ArchitectureSpec cycled = instantiate(*pattern, scale);
    DesignState state{.spec = nullptr, .pattern = state_.pattern, .depth = cycled.layers.size()};
    std::int64_t fresh = next_layer_id(next).value;
    std::vector<LayerSpec> layers = cycled.layers;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        layers[i].id = i < next.layers.size() ? next.layers[i].id : LayerId(fresh++);
    }
    next.layers = std::move(layers);
    state.spec = std::make_shared<const ArchitectureSpec>(std::move(next));
    push(title, std::move(state), {}, {});
}

void SpecDocument::setDimension(const std::string& key, std::int64_t value) {
    const ParameterDescription* parameter = find_parameter(dimension_parameters(), key);
    if (parameter) {
        apply(tr("Change %1").arg(QString::fromStdString(parameter->label)),
              change_dimension(spec(), key, value), {},
              QStringLiteral("dimension ") + QString::fromStdString(key));
    }
}

void SpecDocument::setModelParameter(const std::string& key, const ParameterValue& value) {
    const ParameterDescription* parameter = find_parameter(model_parameters(), key);
    if (parameter) {
        apply(tr("Change %1").arg(QString::fromStdString(parameter->label)),
              set_model_parameter(spec(), key, value), {},
              QStringLiteral("model ") + QString::fromStdString(key));
    }
}

void SpecDocument::usePreset(const Preset& preset) {
    const Checked<Pattern> pattern = parse_pattern(preset.pattern, catalog_);
    if (!pattern) {
        return;  // presets are tested to parse
    }
    const Scale* scale = preset.scale.empty() ? this->scale() : find_scale(preset.scale);
    const std::size_t depth = scale ? static_cast<std::size_t>(scale->layers) : state_.depth;
    ArchitectureSpec made = scale ? instantiate(*pattern, *scale) : instantiate(*pattern, spec(), depth);
    made.name = spec().name;
    std::int64_t fresh = next_layer_id(spec()).value;
    for (LayerSpec& layer : made.layers) {
        layer.id = LayerId(fresh++);
    }
    DesignState state{.spec = std::make_shared<const ArchitectureSpec>(std::move(made)),
                      .pattern = QString::fromStdString(preset.pattern),
                      .depth = depth};
    push(tr("Preset %1").arg(QString::fromStdString(preset.title)), std::move(state), {}, {});
}

const Scale* SpecDocument::scale() const {
    const ArchitectureSpec& model = spec();
    for (const Scale& scale : scales()) {
        if (scale.d_model == model.d_model && scale.heads == model.heads &&
            scale.kv_heads == model.kv_heads && scale.head_dim == model.head_dim &&
            scale.ffn_width == model.ffn_width && scale.vocab == model.vocab) {
            return &scale;
        }
    }
    return nullptr;
}

QString DesignProblem::rowText() const {
    return with_true_minus(QString::fromStdString(Diagnostic{
        .path = place_in_layer(diagnostic.path), .rule = diagnostic.rule, .found = diagnostic.found}
                                                      .message()));
}

QString DesignProblem::text() const {
    QString text;
    if (!in_text) {
        const QString place = QString::fromStdString(place_in_layer(diagnostic.path));
        text = place.isEmpty() ? place : place + QLatin1Char(' ');
    }
    const QString message = QString::fromStdString(
        Diagnostic{.path = {}, .rule = diagnostic.rule, .found = diagnostic.found}.message());
    text += in_text ? message : with_true_minus(message);  // what was typed is quoted as it was typed
    if (range) {
        return SpecDocument::tr("Column %1: %2").arg(range->begin + 1).arg(text);
    }
    return layer ? SpecDocument::tr("Layer %1: %2").arg(*layer).arg(text) : text;
}

}  // namespace braid::ui
