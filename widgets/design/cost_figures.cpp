#include "widgets/design/cost_figures.h"

#include <QGridLayout>
#include <QVBoxLayout>

#include "core/spec/edit.h"
#include "widgets/common/controls.h"
#include "widgets/common/format.h"
#include "widgets/design/layer_text.h"

namespace braid::ui {

namespace {

QString unknown() { return QStringLiteral("\u2013"); }

}  // namespace

CostFigure::CostFigure(QWidget* parent)
    : QWidget(parent),
      caption_(new TextLabel({}, TypeStep::table, 400, 2)),
      value_(new TextLabel({}, TypeStep::value, 600, 1)),
      note_(new TextLabel({}, TypeStep::table, 400, 2)),
      second_(new TextLabel({}, TypeStep::table, 400, 3)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (TextLabel* label : {caption_, value_, note_, second_}) {
        label->setElided(Qt::ElideRight);
        layout->addWidget(label);
    }
}

void CostFigure::set(const QString& caption, const QString& value, const QString& note,
                     const QString& second) {
    caption_->setText(caption);
    value_->setText(value);
    note_->setText(note);
    second_->setText(second);
    setAccessibleName(caption);
    setAccessibleDescription(QStringList{value, note, second}.join(QStringLiteral(", ")));
}

QString CostFigure::value() const { return value_->text(); }
QString CostFigure::note() const { return note_->text(); }
QString CostFigure::second() const { return second_->text(); }
void CostFigure::setShowsSecond(bool shows) { second_->setVisible(shows); }

CostFigures::CostFigures(QWidget* parent)
    : QWidget(parent),
      grid_(new QGridLayout(this)),
      parameters_(new CostFigure),
      cache_(new CostFigure),
      flops_(new CostFigure),
      state_(new CostFigure) {
    grid_->setContentsMargins(metrics::gap3 + 2, metrics::gap2, metrics::gap3, metrics::gap2);
    grid_->setHorizontalSpacing(metrics::gap3);
    grid_->setVerticalSpacing(metrics::gap1);
    setOneRow(false);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void CostFigures::setOneRow(bool one_row) {
    int place = 0;
    for (CostFigure* figure : {parameters_, cache_, flops_, state_}) {
        grid_->removeWidget(figure);
        grid_->addWidget(figure, one_row ? 0 : place / 2, one_row ? place : place % 2);
        ++place;
    }
    for (int column = 0; column < 4; ++column) {
        grid_->setColumnStretch(column, column < 2 || one_row ? 1 : 0);
    }
}

void CostFigures::setDocument(SpecDocument* document) {
    if (document_) {
        disconnect(document_, nullptr, this, nullptr);
    }
    document_ = document;
    if (document_) {
        connect(document_, &SpecDocument::changed, this, &CostFigures::update_);
        connect(document_, &SpecDocument::contextChanged, this, &CostFigures::update_);
    }
    update_();
}

ArchitectureSpec all_full(const ArchitectureSpec& spec) {
    ArchitectureSpec full = spec;
    for (LayerSpec& layer : full.layers) {
        layer.groups = uniform_layer(spec, "full").groups;
    }
    return full;
}

void CostFigures::update_() {
    const QString context = contextText(document_ ? document_->context() : 0);
    const QString caption[] = {tr("Parameters"), tr("KV cache at %1").arg(context),
                               tr("FLOPs per token, %1").arg(context), tr("Recurrent state")};
    if (!document_ || !document_->cost().known) {
        parameters_->set(caption[0], unknown(), {});
        cache_->set(caption[1], unknown(), {});
        flops_->set(caption[2], unknown(), {});
        state_->set(caption[3], unknown(), {});
        return;
    }
    const ArchitectureCost& total = document_->cost().total;
    parameters_->set(
        caption[0], quantityText(static_cast<double>(total.paper_parameters)),
        tr("%1 non-embed.").arg(quantityText(static_cast<double>(total.non_embedding_parameters))),
        tr("%1 everything").arg(formatCount(total.total_parameters)));
    QString tip = tr("Paper count (layers, embedding and head, without pre-norms and sinks): %1\n"
                     "Everything that is allocated: %2")
                      .arg(formatCount(total.paper_parameters), formatCount(total.total_parameters));
    if (total.published_parameters > 0) {
        tip += tr("\nWith the layer counts that the paper prints, which its formulas do not give: %1")
                   .arg(formatCount(total.published_parameters));
    }
    parameters_->setToolTip(tip);

    // Of one layer only: the share needs no second walk over a deep model.
    QString share;
    if (document_->catalog().find("full") && !document_->spec().layers.empty()) {
        ArchitectureSpec one = all_full(document_->spec());
        const std::size_t depth = one.layers.size() - document_->cost().left_out.size();
        one.layers.resize(1);
        const double whole =
            static_cast<double>(depth) *
            static_cast<double>(braid::cost(one, document_->catalog(), document_->context()).kv_bytes);
        if (whole > 0) {
            const double part = static_cast<double>(total.kv_bytes) / whole;
            share = tr("%1 of full-%2").arg(formatPercent(part)).arg(depth);
        }
    }
    cache_->set(caption[1], byteText(static_cast<double>(total.kv_bytes)), share,
                tr("%1 a token at first").arg(byteText(static_cast<double>(total.kv_bytes_per_token))));
    flops_->set(caption[2], quantityText(total.forward_flops_per_token, 3), tr("forward"),
                tr("%1 in training").arg(quantityText(total.training_flops_per_token, 3)));
    int recurrent = 0;
    for (const LayerCost& layer : total.layers) {
        recurrent += layer.state_bytes > 0 ? 1 : 0;
    }
    state_->set(caption[3], byteText(static_cast<double>(total.state_bytes)),
                recurrent > 0 ? tr("%n layers, f32", nullptr, recurrent) : tr("no recurrent layer"));
}

}  // namespace braid::ui
