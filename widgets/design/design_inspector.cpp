#include "widgets/design/design_inspector.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

#include "core/spec/edit.h"
#include "widgets/common/controls.h"
#include "widgets/common/format.h"
#include "widgets/design/inspector_parts.h"
#include "widgets/design/layer_form.h"
#include "widgets/design/layer_text.h"

namespace braid::ui {

DesignInspector::DesignInspector(QWidget* parent)
    : QWidget(parent),
      swatch_(new LayerSwatch),
      title_(new TextLabel({}, TypeStep::title, 600, 1)),
      subtitle_(new TextLabel({}, TypeStep::control, 400, 2)),
      problem_(new TextLabel({}, TypeStep::table, 500, 1)),
      heads_title_(new TextLabel(tr("Heads"), TypeStep::table, 600, 1)),
      form_(new LayerForm),
      heads_box_(new QWidget),
      heads_(new HeadsStrip),
      figures_(new QGridLayout),
      content_(new QWidget),
      help_(new TextLabel({}, TypeStep::control, 400, 2)),
      equation_(new TextLabel({}, TypeStep::tick, 400, 2)),
      citation_(new TextLabel({}, TypeStep::table, 400, 3)),
      copy_(makeButton(tr("Copy as command"), QStringLiteral("copy"))),
      more_(makeIconButton(QStringLiteral("more"), tr("More"))) {
    setObjectName(QStringLiteral("design.inspector"));
    auto* column = new QVBoxLayout(content_);
    content_->installEventFilter(this);
    column->setContentsMargins(metrics::gap3, metrics::gap3, metrics::gap3, metrics::gap3);
    column->setSpacing(metrics::gap2);

    auto* head = new QHBoxLayout;
    head->setSpacing(metrics::gap3);
    head->addWidget(swatch_, 0, Qt::AlignTop);
    auto* names = new QVBoxLayout;
    names->setSpacing(0);
    title_->setElided(Qt::ElideRight);
    subtitle_->setElided(Qt::ElideRight);
    names->addWidget(title_);
    names->addWidget(subtitle_);
    head->addLayout(names, 1);
    column->addLayout(head);
    problem_->setStatus(QStringLiteral("error"));
    problem_->setWordWrap(true);
    column->addWidget(problem_);
    for (QFrame*& line : lines_) line = makeSeparator();
    column->addWidget(lines_[0]);
    column->addWidget(form_);

    auto* heads = new QVBoxLayout(heads_box_);
    heads->setContentsMargins(0, 0, 0, 0);
    heads->setSpacing(metrics::gap2);
    heads->addWidget(makeSeparator());
    heads->addWidget(heads_title_);
    heads->addWidget(heads_);
    column->addWidget(heads_box_);

    column->addWidget(lines_[1]);
    figures_->setVerticalSpacing(metrics::gap1 + 1);
    figures_->setColumnStretch(0, 1);
    column->addLayout(figures_);
    column->addWidget(lines_[2]);
    for (TextLabel* label : {help_, equation_, citation_}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(label);
    }
    column->addStretch(1);

    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->viewport()->setAutoFillBackground(false);
    content_->setAutoFillBackground(false);
    scroll->setWidget(content_);

    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(metrics::gap3, metrics::gap2, metrics::gap2, metrics::gap3);
    foot->setSpacing(metrics::gap2);
    foot->addWidget(copy_, 1);
    foot->addWidget(more_);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addWidget(scroll, 1);
    all->addLayout(foot);

    equation_->setFont(Theme::instance().mono(TypeStep::tick));
    connect(copy_, &QPushButton::clicked, this, &DesignInspector::copyCommandRequested);
    auto* menu = new QMenu(more_);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        Q_EMIT moreRequested(menu);
    });
    more_->setMenu(menu);
    more_->setPopupMode(QToolButton::InstantPopup);
    update_();
}

void DesignInspector::setDocument(SpecDocument* document, const QString& name) {
    if (document_) {
        disconnect(document_, nullptr, this, nullptr);
    }
    document_ = document;
    name_ = name;
    layers_.clear();
    if (document_) {
        connect(document_, &SpecDocument::changed, this, &DesignInspector::update_);
        connect(document_, &SpecDocument::contextChanged, this, [this] { updateFigures(rows()); });
    }
    update_();
}

void DesignInspector::setLayers(const std::vector<LayerId>& layers) {
    if (layers != layers_) {
        layers_ = layers;
        update_();
    }
}

std::vector<std::size_t> DesignInspector::rows() const {
    std::vector<std::size_t> rows;
    if (document_) {
        for (const LayerId id : layers_) {
            if (const std::optional<std::size_t> row = find_layer(document_->spec(), id)) {
                rows.push_back(*row);
            }
        }
    }
    std::sort(rows.begin(), rows.end());
    return rows;
}

QString DesignInspector::title() const { return title_->text(); }

void DesignInspector::fitText() {
    const int width = content_->width() - 2 * metrics::gap3;
    for (TextLabel* label : {problem_, help_, equation_, citation_}) {
        const int height = label->text().isEmpty() ? 0 : label->heightForWidth(width);
        label->setMinimumHeight(height);
    }
}

bool DesignInspector::eventFilter(QObject* watched, QEvent* event) {
    if (watched == content_ && event->type() == QEvent::Resize) {
        fitText();
    }
    return QWidget::eventFilter(watched, event);
}

void DesignInspector::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        equation_->setFont(Theme::instance().mono(TypeStep::tick));
        fitText();
    }
}

void DesignInspector::update_() {
    const std::vector<std::size_t> rows = this->rows();
    setEnabled(document_ != nullptr);
    form_->show(document_, layers_);
    updateHead(rows);
    updateFigures(rows);
    updateHelp(rows);
    fitText();
}

void DesignInspector::updateHead(const std::vector<std::size_t>& rows) {
    for (QFrame* line : lines_) line->setVisible(document_ != nullptr);
    swatch_->setVisible(!rows.empty());
    heads_box_->setVisible(!rows.empty());
    QStringList problems;
    if (rows.empty()) {
        title_->setText(document_ ? name_ : tr("No architecture"));
        subtitle_->setText(
            document_ ? tr("Model, %n layers", nullptr, static_cast<int>(document_->spec().layers.size()))
                      : QString());
    } else {
        const ArchitectureSpec& spec = document_->spec();
        const LayerSpec& first = spec.layers[rows.front()];
        swatch_->setLayer(first);
        heads_->setLayer(first);
        title_->setText(rows.size() == 1 ? tr("Layer %1").arg(rows.front())
                                         : tr("Layers %1").arg(rowsText(rows)));
        const auto alike = [&](std::size_t row) {
            return layerTitle(spec.layers[row], document_->catalog()) ==
                   layerTitle(first, document_->catalog());
        };
        const bool same = std::all_of(rows.begin(), rows.end(), alike);
        heads_box_->setVisible(same && std::all_of(rows.begin(), rows.end(), [&](std::size_t row) {
                                   return spec.layers[row].groups.size() == first.groups.size();
                               }));
        QString text = same ? layerTitle(first, document_->catalog()) : tr("Different mixers");
        std::int64_t heads = 0;
        for (const HeadGroup& group : first.groups) {
            heads += group.heads;
        }
        if (rows.size() > 1) {
            text = tr("%1, %n layers", nullptr, static_cast<int>(rows.size())).arg(text);
        } else if (first.groups.size() > 1) {
            text = tr("%1, %2 groups of %3 heads").arg(text).arg(first.groups.size()).arg(heads);
        } else if (!first.groups.empty()) {
            text = tr("%1, %2 heads, %3 KV").arg(text).arg(heads).arg(first.groups.front().kv_heads);
        }
        subtitle_->setText(text);
    }
    if (document_) {
        for (const DesignProblem& problem : document_->problems()) {
            const bool here =
                rows.empty() ? !problem.layer && !problem.in_text
                             : problem.layer && std::binary_search(rows.begin(), rows.end(), *problem.layer);
            const QString text = problem.rowText();
            if (here && !problems.contains(text)) {
                problems << text;
            }
        }
    }
    problem_->setVisible(!problems.isEmpty());
    problem_->setText(problems.join(QLatin1Char('\n')));
}

void DesignInspector::updateFigures(const std::vector<std::size_t>& rows) {
    while (QLayoutItem* item = figures_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (!document_ || !document_->cost().known) {
        return;
    }
    const ArchitectureCost& total = document_->cost().total;
    LayerCost sum;
    if (rows.empty()) {
        sum = {.paper_parameters = total.paper_parameters,
               .total_parameters = total.total_parameters,
               .published_parameters = total.published_parameters,
               .kv_bytes_per_token = total.kv_bytes_per_token,
               .kv_bytes = total.kv_bytes,
               .state_bytes = total.state_bytes,
               .forward_flops_per_token = total.forward_flops_per_token,
               .training_flops_per_token = total.training_flops_per_token};
    }
    for (const std::size_t row : rows) {
        const LayerCost& layer = total.layers[row];
        sum.published_parameters +=
            layer.published_parameters > 0 ? layer.published_parameters : layer.paper_parameters;
        sum.paper_parameters += layer.paper_parameters;
        sum.total_parameters += layer.total_parameters;
        sum.kv_bytes_per_token += layer.kv_bytes_per_token;
        sum.kv_bytes += layer.kv_bytes;
        sum.state_bytes += layer.state_bytes;
        sum.forward_flops_per_token += layer.forward_flops_per_token;
        sum.training_flops_per_token += layer.training_flops_per_token;
    }
    const QString context = contextText(document_->context());
    std::vector<std::pair<QString, QString>> lines = {
        {tr("Parameters, paper count"), quantityText(static_cast<double>(sum.paper_parameters))},
        {tr("With norms and sinks"), formatCount(sum.total_parameters)},
    };
    if (rows.empty()) {
        lines.insert(lines.begin() + 1, {tr("Non-embedding"),
                                         quantityText(static_cast<double>(total.non_embedding_parameters))});
    }
    if (sum.published_parameters > 0 && sum.published_parameters != sum.paper_parameters) {
        lines.insert(lines.begin() + 1, {tr("Published"), formatCount(sum.published_parameters)});
    }
    lines.emplace_back(tr("KV cache at %1").arg(context), byteText(static_cast<double>(sum.kv_bytes)));
    if (sum.state_bytes > 0) {
        lines.emplace_back(tr("Recurrent state"), byteText(static_cast<double>(sum.state_bytes)));
    }
    lines.emplace_back(tr("FLOPs per token, %1").arg(context), quantityText(sum.forward_flops_per_token, 3));
    lines.emplace_back(tr("in training"), quantityText(sum.training_flops_per_token, 3));
    int line = 0;
    for (const auto& [label, value] : lines) {
        auto* name = new TextLabel(label, TypeStep::control, 400, 2);
        name->setElided(Qt::ElideRight);
        auto* number = new TextLabel(value, TypeStep::control, 500, 1);
        number->setObjectName(label);
        figures_->addWidget(name, line, 0);
        figures_->addWidget(number, line, 1, Qt::AlignRight);
        ++line;
    }
}

QString DesignInspector::figure(const QString& label) const {
    for (int i = 0; i < figures_->count(); ++i) {
        const auto* number = qobject_cast<TextLabel*>(figures_->itemAt(i)->widget());
        if (number && number->objectName() == label) {
            return number->text();
        }
    }
    return {};
}

void DesignInspector::updateHelp(const std::vector<std::size_t>& rows) {
    QStringList help, equations, citations;
    if (document_ && rows.empty()) {
        help << tr("Dimensions of the model. Select layers to see and change their settings.");
    } else if (document_) {
        std::set<std::string> seen;
        bool head_wise = false;
        for (const std::size_t row : rows) {
            const LayerSpec& layer = document_->spec().layers[row];
            head_wise = head_wise || layer.groups.size() > 1;
            for (const HeadGroup& group : layer.groups) {
                const MixerKind* kind = document_->catalog().find(group.mixer);
                if (!kind || !seen.insert(group.mixer).second) {
                    continue;
                }
                const MixerDescription& description = kind->description();
                help << QString::fromStdString(description.help);
                equations << QString::fromStdString(description.equation);
                citations << QString::fromStdString(description.citation);
            }
        }
        if (head_wise) {
            help << tr("The outputs of the groups are joined before the output projection.");
        }
    }
    help_->setText(help.join(QLatin1Char(' ')));
    equation_->setText(equations.join(QLatin1Char('\n')));
    equation_->setVisible(!equations.isEmpty());
    citation_->setText(citations.join(QStringLiteral("; ")));
    citation_->setVisible(!citations.isEmpty());
}

}  // namespace braid::ui
