#include "widgets/design/layer_form.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>
#include <algorithm>

#include "core/spec/edit.h"
#include "widgets/common/controls.h"
#include "widgets/common/field.h"
#include "widgets/common/mixer_widgets.h"
#include "widgets/common/parameter_editor.h"
#include "widgets/design/layer_text.h"
#include "widgets/design/pattern_range.h"

namespace braid::ui {

namespace {

constexpr int label_width = 104;
const std::string heads_key = "heads";
const std::string kv_heads_key = "kv_heads";

ParameterDescription heads_description(bool kv, std::int64_t most) {
    return {
        .key = kv ? kv_heads_key : heads_key,
        .label = (kv ? LayerForm::tr("KV heads") : LayerForm::tr("Heads")).toStdString(),
        .help =
            (kv ? LayerForm::tr(
                      "Key and value heads of this group; each serves heads / KV heads query heads.")
                : LayerForm::tr("Query heads of this group; the groups of a layer add up to the model's."))
                .toStdString(),
        .default_value = std::int64_t{1},
        .minimum = 1,
        .maximum = static_cast<double>(std::max<std::int64_t>(most, 1))};
}

std::vector<std::string> mixers_of(const LayerSpec& layer) {
    std::vector<std::string> mixers;
    for (const HeadGroup& group : layer.groups) {
        mixers.push_back(group.mixer);
    }
    return mixers;
}

}  // namespace

LayerForm::LayerForm(QWidget* parent) : QWidget(parent), layout_(new QVBoxLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(0);
}

void LayerForm::show(SpecDocument* document, const std::vector<LayerId>& layers) {
    document_ = document;
    layers_.clear();
    for (const LayerId id : layers) {
        if (document && find_layer(document->spec(), id)) {
            layers_.push_back(id);
        }
    }
    const bool model = document && layers_.empty();
    std::vector<Section> wanted = document ? sections() : std::vector<Section>();
    const bool same = built_ && model == model_ && wanted == sections_;
    sections_ = std::move(wanted);
    model_ = model;
    if (!same) {
        rebuild();
    }
    fill();
}

std::vector<LayerForm::Section> LayerForm::sections() const {
    std::vector<Section> result;
    if (layers_.empty()) {
        return result;
    }
    const ArchitectureSpec& spec = document_->spec();
    std::vector<const LayerSpec*> chosen;
    for (const LayerId id : layers_) {
        chosen.push_back(&spec.layers[*find_layer(spec, id)]);
    }
    const std::vector<std::string> first = mixers_of(*chosen.front());
    const bool alike = std::all_of(chosen.begin(), chosen.end(),
                                   [&](const LayerSpec* layer) { return mixers_of(*layer) == first; });
    if (alike) {
        for (std::size_t group = 0; group < first.size(); ++group) {
            result.push_back({.groups = {.mixer = first[group], .index = group},
                              .layers = layers_,
                              .keys = {},
                              .heads = first.size() > 1});
        }
    } else {
        for (const auto& kind : document_->catalog().all()) {
            Section section{.groups = {.mixer = kind->description().id}, .layers = {}, .keys = {}};
            for (const LayerSpec* layer : chosen) {
                const std::vector<std::string> mixers = mixers_of(*layer);
                if (std::find(mixers.begin(), mixers.end(), section.groups.mixer) != mixers.end()) {
                    section.layers.push_back(layer->id);
                }
            }
            if (!section.layers.empty()) {
                result.push_back(std::move(section));
            }
        }
    }
    for (Section& section : result) {
        const MixerKind* kind = document_->catalog().find(section.groups.mixer);
        if (!kind) {
            continue;
        }
        const std::vector<ParameterDescription>& parameters = kind->description().parameters;
        const std::vector<const HeadGroup*> groups = groupsOf(section);
        for (const ParameterDescription& parameter : parameters) {
            const bool active = std::any_of(groups.begin(), groups.end(), [&](const HeadGroup* group) {
                return is_active(parameter, group->parameters, parameters);
            });
            if (active) {
                section.keys.push_back(parameter.key);
            }
        }
    }
    return result;
}

std::vector<const HeadGroup*> LayerForm::groupsOf(const Section& section) const {
    std::vector<const HeadGroup*> groups;
    const ArchitectureSpec& spec = document_->spec();
    for (const LayerId id : section.layers) {
        const std::optional<std::size_t> row = find_layer(spec, id);
        for (std::size_t i = 0; row && i < spec.layers[*row].groups.size(); ++i) {
            const HeadGroup& group = spec.layers[*row].groups[i];
            if (group.mixer == section.groups.mixer && (!section.groups.index || section.groups.index == i)) {
                groups.push_back(&group);
            }
        }
    }
    return groups;
}

void LayerForm::rebuild() {
    const QWidget* focus = QApplication::focusWidget();
    QString focused;
    for (const Control& control : controls_) {
        if (control.editor && focus && control.editor->isAncestorOf(focus)) {
            focused = control.editor->objectName();
        }
    }
    controls_.clear();
    notes_.clear();
    while (QLayoutItem* item = layout_->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater();  // may be the sender of the change that brought us here
        }
        delete item;
    }
    if (model_) {
        auto* box = new QWidget;
        auto* rows = new QVBoxLayout(box);
        rows->setContentsMargins(0, metrics::gap2, 0, metrics::gap2);
        rows->setSpacing(metrics::gap1);
        const auto add = [&](const ParameterDescription& parameter, auto&& set) {
            auto* editor = new ParameterEditor(parameter, tr("Model"));
            addRow(rows, QString::fromStdString(parameter.label), editor);
            controls_.push_back({0, parameter.key, editor});
            connect(editor, &ParameterEditor::changed, this, set);
            connect(editor, &ParameterEditor::finished, this, [this] {
                if (document_) {
                    document_->endTyping();
                }
            });
        };
        for (const ParameterDescription& parameter : dimension_parameters()) {
            add(parameter, [this, key = parameter.key](const ParameterValue& value) {
                document_->setDimension(key, std::get<std::int64_t>(value));
            });
        }
        for (const ParameterDescription& parameter : model_parameters()) {
            add(parameter, [this, key = parameter.key](const ParameterValue& value) {
                document_->setModelParameter(key, value);
            });
        }
        layout_->addWidget(box);
    }
    for (std::size_t i = 0; i < sections_.size(); ++i) {
        if (i > 0) {
            layout_->addWidget(makeSeparator());
        }
        addSection(sections_[i], i);
    }
    built_ = true;
    for (const Control& control : controls_) {
        if (!focused.isEmpty() && control.editor->objectName() == focused) {
            QWidget* heir = control.editor->field()
                                ? static_cast<QWidget*>(control.editor->field()->lineEdit())
                                : control.editor->focusProxy();
            if (heir) {
                heir->setFocus(Qt::OtherFocusReason);
            }
            break;
        }
    }
}

void LayerForm::addRow(QVBoxLayout* layout, const QString& label, ParameterEditor* editor) {
    auto* row = new QHBoxLayout;
    row->setSpacing(metrics::gap1);
    auto* caption = new TextLabel(label, TypeStep::control, 400, 2);
    caption->setFixedWidth(label_width);
    caption->setElided(Qt::ElideRight);
    row->addWidget(caption, 0, Qt::AlignTop);
    caption->setFixedHeight(metrics::control);
    row->addWidget(editor, 1);
    layout->addLayout(row);
}

void LayerForm::addSection(const Section& section, std::size_t number) {
    const MixerKind* kind = document_->catalog().find(section.groups.mixer);
    const QString title = QString::fromStdString(kind ? kind->description().title : section.groups.mixer);
    auto* box = new QWidget;
    auto* rows = new QVBoxLayout(box);
    rows->setContentsMargins(0, metrics::gap2, 0, metrics::gap2);
    rows->setSpacing(metrics::gap1);
    auto* head = new QHBoxLayout;
    head->setSpacing(metrics::gap2);
    auto* badge = new MixerBadge;
    badge->setMixer(QString::fromStdString(section.groups.mixer), title);
    head->addWidget(badge);
    auto* name = new TextLabel(title, TypeStep::control, 600, 1);
    name->setElided(Qt::ElideRight);
    head->addWidget(name, 1);
    auto* note = new TextLabel({}, TypeStep::table, 400, 2);
    head->addWidget(note);
    notes_.push_back(note);
    rows->addLayout(head);
    rows->addSpacing(2);
    const auto add = [&](const ParameterDescription& parameter) {
        auto* editor = new ParameterEditor(parameter, title);
        editor->setObjectName(editor->objectName() + QStringLiteral(".%1").arg(number));
        addRow(rows, QString::fromStdString(parameter.label), editor);
        controls_.push_back({number, parameter.key, editor});
        connect(
            editor, &ParameterEditor::changed, this,
            [this, number, key = parameter.key](const ParameterValue& value) { commit(number, key, value); });
        connect(editor, &ParameterEditor::finished, this, [this] {
            if (document_) {
                document_->endTyping();
            }
        });
        return editor;
    };
    if (section.heads) {
        add(heads_description(false, document_->spec().heads))
            ->setUnit(tr("of %1").arg(document_->spec().heads));
        add(heads_description(true, document_->spec().kv_heads))
            ->setUnit(tr("of %1").arg(document_->spec().kv_heads));
    }
    if (kind) {
        for (const std::string& key : section.keys) {
            add(*find_parameter(kind->description().parameters, key));
        }
    }
    layout_->addWidget(box);
}

void LayerForm::fillModel() {
    const ArchitectureSpec& spec = document_->spec();
    for (const Control& control : controls_) {
        const bool other = find_parameter(model_parameters(), control.key) != nullptr;
        control.editor->setValue(other ? spec.parameters.get(control.key, model_parameters())
                                       : ParameterValue(dimension(spec, control.key)));
    }
    for (const DesignProblem& problem : document_->problems()) {
        ParameterEditor* wrong = problem.layer ? nullptr : editor({}, problem.diagnostic.path);
        if (wrong && wrong->field()) {
            wrong->field()->setError(QString::fromStdString(problem.diagnostic.rule));
        }
    }
}

void LayerForm::fill() {
    if (!document_) {
        return;
    }
    if (model_) {
        fillModel();
        return;
    }
    for (const Control& control : controls_) {
        const Section& section = sections_[control.section];
        const MixerKind* kind = document_->catalog().find(section.groups.mixer);
        std::optional<ParameterValue> value;
        bool first = true;
        for (const HeadGroup* group : groupsOf(section)) {
            ParameterValue one = control.key == heads_key ? ParameterValue(group->heads)
                                 : control.key == kv_heads_key
                                     ? ParameterValue(group->kv_heads)
                                     : group->parameters.get(control.key, kind->description().parameters);
            if (first) {
                value = std::move(one);
            } else if (value != one) {
                value.reset();
            }
            first = false;
            if (!value) {
                break;
            }
        }
        control.editor->setValue(value);
    }
    const ArchitectureSpec& spec = document_->spec();
    std::int64_t first_head = 0;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
        const Section& section = sections_[i];
        QString note;
        if (section.heads && layers_.size() == 1) {
            const std::int64_t heads = groupsOf(section).front()->heads;
            note = tr("heads %1\u2013%2").arg(first_head).arg(first_head + heads - 1);
            first_head += heads;
        } else if (!section.groups.index) {
            note = tr("%n layers", nullptr, static_cast<int>(section.layers.size()));
        }
        notes_[i]->setText(note);
    }
    if (layers_.size() != 1) {
        return;
    }
    const std::size_t row = *find_layer(spec, layers_.front());
    for (const DesignProblem& problem : document_->problems()) {
        if (problem.layer != row) {
            continue;
        }
        const std::string key = place_in_layer(problem.diagnostic.path);
        for (const Control& control : controls_) {
            const std::string group = "groups[" + std::to_string(control.section) + "]";
            const bool here =
                sections_.size() == 1 || problem.diagnostic.path.find(group) != std::string::npos;
            if (control.key == key && here && control.editor->field()) {
                control.editor->field()->setError(QString::fromStdString(problem.diagnostic.rule));
            }
        }
    }
}

void LayerForm::commit(std::size_t section, const std::string& key, const ParameterValue& value) {
    if (!document_ || section >= sections_.size()) {
        return;
    }
    const Section target = sections_[section];  // the edit comes back here and may rebuild the form
    if (key == heads_key || key == kv_heads_key) {
        document_->setHeads(
            target.layers, *target.groups.index,
            key == heads_key ? SpecDocument::HeadField::heads : SpecDocument::HeadField::kv_heads,
            std::get<std::int64_t>(value));
    } else {
        document_->setParameter(target.layers, target.groups, key, value);
    }
}

ParameterEditor* LayerForm::editor(const std::string& mixer, const std::string& key) const {
    for (const Control& control : controls_) {
        const bool here = mixer.empty() ? model_
                                        : control.section < sections_.size() &&
                                              sections_[control.section].groups.mixer == mixer;
        if (control.key == key && here) {
            return control.editor;
        }
    }
    return nullptr;
}

}  // namespace braid::ui
