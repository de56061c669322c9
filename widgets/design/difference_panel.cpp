#include "widgets/design/difference_panel.h"

#include <QEvent>
#include <QGridLayout>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

#include "core/spec/validate.h"
#include "widgets/common/controls.h"
#include "widgets/common/mixer_style.h"
#include "widgets/design/layer_text.h"

namespace braid::ui {

namespace {

constexpr int strip_height = 16;
constexpr int strip_gap = 4;
constexpr int underline_top = 2 * strip_height + strip_gap + 3;
constexpr std::size_t most_lines = 8;

QString arrow() { return QStringLiteral(" \u2192 "); }

// What a layer is, in a word or as its heads.
QString layer_name(const ArchitectureSpec& spec, std::size_t row, const MixerCatalog& catalog) {
    const LayerSpec& layer = spec.layers[row];
    return layer.groups.size() > 1 ? layerSettings(layer, catalog) : layerTitle(layer, catalog);
}

// "window 1,024" of "Window" and "1024".
QString side(const Difference& difference, const std::string& value, const MixerCatalog& catalog) {
    if (value.empty()) {
        return {};
    }
    const std::string key = difference.path.substr(
        difference.path.rfind('.') == std::string::npos ? 0 : difference.path.rfind('.') + 1);
    const ParameterDescription* parameter = find_parameter(dimension_parameters(), key);
    if (!parameter) {
        parameter = find_parameter(model_parameters(), key);
    }
    for (const auto& kind : catalog.all()) {
        if (!parameter) {
            parameter = find_parameter(kind->description().parameters, key);
        }
    }
    if (!parameter) {
        return QString::fromStdString(value);
    }
    QString text = QString::fromStdString(value);
    bool whole = false;
    const qlonglong number = text.toLongLong(&whole);
    if (!parameter->choices.empty()) {
        return choiceText(value);
    }
    if (whole && std::holds_alternative<std::int64_t>(parameter->default_value)) {
        text = valueText(*parameter, static_cast<std::int64_t>(number));
    }
    return QString::fromStdString(parameter->label).toLower() + QLatin1Char(' ') + text;
}

void clear(QGridLayout* layout) {
    while (QLayoutItem* item = layout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

}  // namespace

DifferenceStrips::DifferenceStrips(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Layers of both architectures"));
}

void DifferenceStrips::set(std::shared_ptr<const ArchitectureSpec> from,
                           std::shared_ptr<const ArchitectureSpec> to, std::vector<LayerPair> alignment,
                           std::vector<bool> wrong) {
    from_ = std::move(from);
    to_ = std::move(to);
    alignment_ = std::move(alignment);
    wrong_ = std::move(wrong);
    update();
}

void DifferenceStrips::paintEvent(QPaintEvent*) {
    if (!from_ || !to_ || alignment_.empty()) {
        return;
    }
    QPainter painter(this);
    const Tokens& colours = tokens();
    const double cell = static_cast<double>(width()) / static_cast<double>(alignment_.size());
    // More layers than pixels: every pixel shows the most changed layer beneath it.
    const std::size_t shown = std::min(alignment_.size(), static_cast<std::size_t>(std::max(width(), 1)));
    const double step = static_cast<double>(width()) / static_cast<double>(shown);
    const double gap = cell >= 4 ? 1 : 0;
    for (std::size_t i = 0; i < shown; ++i) {
        const std::size_t begin = i * alignment_.size() / shown;
        const std::size_t end = std::max(begin + 1, (i + 1) * alignment_.size() / shown);
        std::size_t pick = begin;
        while (pick + 1 < end && alignment_[pick].equal) {
            ++pick;
        }
        const LayerPair& pair = alignment_[pick];
        const double left = std::round(static_cast<double>(i) * step);
        const double right = std::round(static_cast<double>(i + 1) * step) - gap;
        painter.setOpacity(pair.equal ? 0.42 : 1);
        if (pair.from) {
            paintLayer(painter, QRectF(left, 0, right - left, strip_height), from_->layers[*pair.from]);
        }
        if (pair.to) {
            paintLayer(painter, QRectF(left, strip_height + strip_gap, right - left, strip_height),
                       to_->layers[*pair.to]);
        }
        painter.setOpacity(1);
        for (const auto& [present, top] : {std::pair{pair.from.has_value(), 0},
                                           std::pair{pair.to.has_value(), strip_height + strip_gap}}) {
            if (!present) {
                painter.setPen(QPen(colours.axis, 1, Qt::DotLine));
                painter.setBrush(Qt::NoBrush);
                painter.drawRect(
                    QRectF(left + 0.5, top + 0.5, std::max(right - left - 1, 1.0), strip_height - 1));
            }
        }
        if (!pair.equal) {
            const bool wrong = pair.to && *pair.to < wrong_.size() && wrong_[*pair.to];
            painter.fillRect(QRectF(left, underline_top, right - left, 2),
                             wrong ? colours.error : colours.ink);
        }
    }
}

void DifferenceStrips::mousePressEvent(QMouseEvent* event) {
    if (!alignment_.empty() && width() > 0) {
        const double share = std::clamp(event->position().x() / width(), 0.0, 0.9999);
        const auto pick = static_cast<std::size_t>(share * static_cast<double>(alignment_.size()));
        if (alignment_[pick].to) {
            Q_EMIT layerClicked(*alignment_[pick].to);
        }
    }
}

DifferencePanel::DifferencePanel(QWidget* parent)
    : QWidget(parent),
      title_(new SectionTitle(tr("Difference"))),
      count_(new TextLabel({}, TypeStep::table, 400, 2)),
      strips_(new DifferenceStrips),
      body_(new QWidget),
      costs_(new QWidget),
      list_(new QGridLayout),
      table_(new QGridLayout),
      empty_(new TextLabel({}, TypeStep::table, 400, 2)),
      compare_(makeButton(tr("Compare..."))) {
    title_->addWidget(count_);
    auto* body = new QVBoxLayout(body_);
    body->setContentsMargins(0, 0, 0, 0);
    body->setSpacing(metrics::gap1);
    body->addWidget(strips_);
    list_->setHorizontalSpacing(metrics::gap2);
    list_->setVerticalSpacing(4);
    list_->setColumnMinimumWidth(0, 84);
    list_->setColumnStretch(1, 1);
    body->addLayout(list_);
    auto* costs = new QVBoxLayout(costs_);
    costs->setContentsMargins(0, 2, 0, 0);
    costs->setSpacing(metrics::gap1);
    costs->addWidget(makeSeparator());
    table_->setVerticalSpacing(4);
    table_->setColumnStretch(0, 1);
    table_->setColumnMinimumWidth(1, 90);
    table_->setColumnMinimumWidth(2, 70);
    costs->addLayout(table_);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(metrics::gap3 + 2, metrics::gap1, metrics::gap3 + 2, metrics::gap2);
    all->setSpacing(metrics::gap1);
    all->addWidget(title_);
    all->addWidget(empty_);
    all->addWidget(compare_, 0, Qt::AlignLeft);
    all->addWidget(body_);
    all->addWidget(costs_);
    all->addStretch(1);
    empty_->setWordWrap(true);
    soon_.setSingleShot(true);
    soon_.setInterval(15);
    connect(&soon_, &QTimer::timeout, this, &DifferencePanel::update_);
    connect(strips_, &DifferenceStrips::layerClicked, this, [this](std::size_t layer) {
        if (document_ && layer < document_->spec().layers.size()) {
            Q_EMIT layersClicked({document_->spec().layers[layer].id});
        }
    });
}

void DifferencePanel::setDocument(SpecDocument* document) {
    if (document_) {
        disconnect(document_, nullptr, this, nullptr);
    }
    document_ = document;
    if (document_) {
        connect(document_, &SpecDocument::changed, &soon_, qOverload<>(&QTimer::start));
        connect(document_, &SpecDocument::contextChanged, this, &DifferencePanel::showCosts);
    }
    update_();
}

void DifferencePanel::setBase(const QString& name, std::shared_ptr<const ArchitectureSpec> base) {
    name_ = name;
    base_ = std::move(base);
    soon_.start();
}

void DifferencePanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        soon_.start();
    }
}

void DifferencePanel::flush() {
    soon_.stop();
    update_();
}

void DifferencePanel::update_() {
    lines_.clear();
    summary_.clear();
    const bool have = document_ && base_;
    title_->setTitle(have ? tr("Difference to %1").arg(name_) : tr("Difference"));
    compare_->setVisible(!have);
    body_->setVisible(have);
    costs_->setVisible(have);
    empty_->setVisible(!have);
    empty_->setText(tr("Choose an architecture to see what differs, layer by layer."));
    if (have) {
        const ArchitectureSpec& spec = document_->spec();
        const MixerCatalog& catalog = document_->catalog();
        ArchitectureDiff difference = diff(*base_, spec, catalog, document_->context());
        std::vector<bool> wrong(spec.layers.size(), false);
        for (const DesignProblem& problem : document_->problems()) {
            if (problem.layer && *problem.layer < wrong.size()) {
                wrong[*problem.layer] = true;
            }
        }
        std::size_t changed = 0;
        for (const LayerPair& pair : difference.alignment) {
            changed += pair.equal ? 0 : 1;
        }
        const std::size_t layers = std::max(spec.layers.size(), base_->layers.size());
        summary_ = difference.same() ? tr("the same") : tr("%1 of %2 layers").arg(changed).arg(layers);
        for (const Difference& one : difference.dimensions) {
            lines_.push_back({tr("model"), side(one, one.from, catalog), side(one, one.to, catalog)});
        }
        for (const Difference& one : difference.layers) {
            const std::vector<std::size_t>& rows = one.to_layers.empty() ? one.from_layers : one.to_layers;
            DifferenceLine line{.where = rowsText(rows),
                                .from = side(one, one.from, catalog),
                                .to = side(one, one.to, catalog)};
            if (one.path == "mixer" || one.path == "layer") {
                line.from = one.from_layers.empty() ? tr("added")
                                                    : layer_name(*base_, one.from_layers.front(), catalog);
                line.to =
                    one.to_layers.empty() ? tr("removed") : layer_name(spec, one.to_layers.front(), catalog);
            }
            line.wrong = std::any_of(one.to_layers.begin(), one.to_layers.end(),
                                     [&](std::size_t row) { return row < wrong.size() && wrong[row]; });
            lines_.push_back(std::move(line));
        }
        strips_->set(base_, document_->snapshot(), std::move(difference.alignment), std::move(wrong));
    }
    count_->setText(summary_);
    showLines();
    showCosts();
}

void DifferencePanel::showLines() {
    clear(list_);
    const Tokens& colours = tokens();
    int row = 0;
    for (const DifferenceLine& line : lines_) {
        if (static_cast<std::size_t>(row) == most_lines && lines_.size() > most_lines + 1) {
            const auto rest = static_cast<int>(lines_.size() - most_lines);
            list_->addWidget(new TextLabel(tr("%n more", nullptr, rest), TypeStep::table, 400, 3), row, 1);
            break;
        }
        auto* where = new TextLabel(line.where, TypeStep::table, 500, 1);
        where->setElided(Qt::ElideRight);
        where->setMaximumWidth(110);
        auto* what = new TextLabel({}, TypeStep::table, 400, 2);
        what->setTextFormat(Qt::RichText);
        const QColor strong = line.wrong ? colours.error : colours.text1;
        what->setText(QStringLiteral("%1%2<span style=\"color:%3;font-weight:500\">%4</span>")
                          .arg(line.from.toHtmlEscaped(), arrow(), strong.name(), line.to.toHtmlEscaped()));
        what->setToolTip(line.from + arrow() + line.to);
        where->setToolTip(line.where);
        list_->addWidget(where, row, 0);
        list_->addWidget(what, row, 1);
        ++row;
    }
}

void DifferencePanel::showCosts() {
    clear(table_);
    if (!document_ || !base_ || !document_->cost().known) {
        return;
    }
    const MixerCatalog& catalog = document_->catalog();
    const DesignCost base = design_cost(*base_, validate(*base_, catalog), catalog, document_->context());
    if (!base.known) {
        return;
    }
    const ArchitectureCost& from = base.total;
    const ArchitectureCost& to = document_->cost().total;
    const QString context = contextText(document_->context());
    struct Row {
        QString label;
        double from, to;
        bool bytes;
        bool good_when_less;
    };
    const Row rows[] = {
        {tr("Parameters"), double(from.paper_parameters), double(to.paper_parameters), false, false},
        {tr("KV at %1").arg(context), double(from.kv_bytes), double(to.kv_bytes), true, true},
        {tr("FLOPs at %1").arg(context), from.forward_flops_per_token, to.forward_flops_per_token, false,
         true},
        {tr("State"), double(from.state_bytes), double(to.state_bytes), true, true},
    };
    int line = 0;
    for (const Row& row : rows) {
        if (row.from == 0 && row.to == 0) {
            continue;
        }
        const double difference = row.to - row.from;
        const double size = std::abs(difference);
        auto* amount =
            new TextLabel(signedText(difference, row.bytes ? byteText(size) : quantityText(size, 3)),
                          TypeStep::table, 500, 1);
        auto* percent = new TextLabel(row.from > 0 ? percentText(difference / row.from) : QString(),
                                      TypeStep::table, 400, 2);
        if (row.good_when_less && row.from > 0 && difference / row.from < -0.005) {
            percent->setStatus(QStringLiteral("ok"));
        } else if (row.good_when_less && row.from > 0 && difference / row.from > 0.005) {
            percent->setStatus(QStringLiteral("warn"));
        }
        table_->addWidget(new TextLabel(row.label, TypeStep::table, 400, 2), line, 0);
        table_->addWidget(amount, line, 1, Qt::AlignRight);
        table_->addWidget(percent, line, 2, Qt::AlignRight);
        ++line;
    }
}

}  // namespace braid::ui
