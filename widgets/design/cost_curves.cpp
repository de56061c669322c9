#include "widgets/design/cost_curves.h"

#include <QBoxLayout>
#include <QComboBox>

#include "core/spec/validate.h"
#include "widgets/common/controls.h"
#include "widgets/design/context_chart.h"
#include "widgets/design/cost_figures.h"
#include "widgets/design/layer_text.h"

namespace braid::ui {

namespace {

constexpr int first_octave = 10;
constexpr int last_octave = 20;

void add_line(QVector<ContextLine>& cache, QVector<ContextLine>& flops, const QString& label,
              ContextLine::Stroke stroke, bool own, const std::vector<ContextCost>& curve) {
    if (curve.empty()) {
        return;
    }
    ContextLine line{.label = label, .stroke = stroke, .points = {}, .own = own};
    ContextLine other = line;
    for (const ContextCost& point : curve) {
        const auto context = static_cast<double>(point.context);
        line.points.emplace_back(context, point.kv_bytes);
        other.points.emplace_back(context, point.forward_flops_per_token);
    }
    cache << line;
    flops << other;
}

}  // namespace

CostCurves::CostCurves(QWidget* parent)
    : QWidget(parent),
      layout_(new QBoxLayout(QBoxLayout::TopToBottom, this)),
      cache_(new ContextChart(tr("KV cache"), tr("against context"), ContextChart::Unit::bytes)),
      flops_(new ContextChart(tr("FLOPs per token"), tr("forward, against context"),
                              ContextChart::Unit::quantity)),
      chooser_(new QComboBox(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(0);
    layout_->addWidget(makeSeparator());
    layout_->addWidget(cache_, 1);
    layout_->addWidget(makeSeparator());
    layout_->addWidget(flops_, 1);
    chooser_->setObjectName(QStringLiteral("design.context"));
    chooser_->setAccessibleName(tr("Context"));
    chooser_->setToolTip(tr("Context at which costs are shown"));
    for (int octave = first_octave; octave <= last_octave; ++octave) {
        const std::int64_t tokens = std::int64_t{1} << octave;
        chooser_->addItem(contextText(tokens), QVariant::fromValue<qlonglong>(tokens));
    }
    connect(chooser_, &QComboBox::activated, this, [this](int index) {
        if (document_) {
            document_->setContext(chooser_->itemData(index).toLongLong());
        }
    });
    for (ContextChart* chart : {cache_, flops_}) {
        connect(chart, &ContextChart::contextChosen, this, [this](std::int64_t context) {
            if (document_) {
                document_->setContext(context);
            }
        });
    }
    soon_.setSingleShot(true);
    soon_.setInterval(15);  // several edits within a frame draw once
    connect(&soon_, &QTimer::timeout, this, &CostCurves::update_);
}

void CostCurves::setDocument(SpecDocument* document) {
    if (document_) {
        disconnect(document_, nullptr, this, nullptr);
    }
    document_ = document;
    if (document_) {
        connect(document_, &SpecDocument::changed, &soon_, qOverload<>(&QTimer::start));
        connect(document_, &SpecDocument::contextChanged, this, &CostCurves::followContext);
    }
    followContext();
    update_();
}

void CostCurves::setName(const QString& name) {
    name_ = name;
    soon_.start();
}

void CostCurves::setBase(const QString& name, std::shared_ptr<const ArchitectureSpec> base) {
    base_name_ = name;
    base_ = std::move(base);
    soon_.start();
}

void CostCurves::flush() {
    soon_.stop();
    update_();
}

void CostCurves::followContext() {
    if (document_) {
        chooser_->setCurrentIndex(chooser_->findData(QVariant::fromValue<qlonglong>(document_->context())));
        cache_->setContext(document_->context());
        flops_->setContext(document_->context());
    }
}

void CostCurves::setSideBySide(bool side_by_side) {
    layout_->setDirection(side_by_side ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void CostCurves::resizeEvent(QResizeEvent*) {
    chooser_->adjustSize();
    chooser_->setFixedHeight(24);
    chooser_->move(cache_->geometry().right() - chooser_->width() - metrics::gap2,
                   cache_->geometry().top() + 4);
    chooser_->raise();
}

void CostCurves::update_() {
    QVector<ContextLine> cache;
    QVector<ContextLine> flops;
    if (document_) {
        const ArchitectureSpec& spec = document_->spec();
        const MixerCatalog& catalog = document_->catalog();
        if (catalog.find("full") && !spec.layers.empty()) {
            const ArchitectureSpec full = all_full(spec);
            const bool same = base_ && base_->layers.size() == full.layers.size() &&
                              all_full(*base_) == *base_ && base_->d_model == full.d_model;
            if (!same) {
                add_line(cache, flops, tr("full-%1").arg(full.layers.size()), ContextLine::Stroke::dashed,
                         false, context_curve(full, validate(full, catalog), catalog));
            }
        }
        if (base_) {
            add_line(cache, flops, base_name_, ContextLine::Stroke::dotted, false,
                     context_curve(*base_, validate(*base_, catalog), catalog));
        }
        add_line(cache, flops, name_, ContextLine::Stroke::solid, true,
                 context_curve(spec, document_->specProblems(), catalog));
    }
    cache_->setLines(std::move(cache));
    flops_->setLines(std::move(flops));
}

}  // namespace braid::ui
