#include "widgets/heads/heads_side.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include "widgets/common/controls.h"
#include "widgets/heads/heads_choice.h"
#include "widgets/heads/thumbnails.h"

namespace braid::ui {

HeadsSide::HeadsSide(HeadsChoice& choice, QWidget* parent)
    : QWidget(parent),
      choice_(choice),
      order_(new QComboBox),
      model_(new ThumbnailModel(this)),
      view_(new ThumbnailView) {
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    setWindowTitle(tr("Heads"));
    auto* line = new QHBoxLayout;
    line->setContentsMargins(metrics::gap3, metrics::gap2, metrics::gap3, metrics::gap2);
    line->setSpacing(metrics::gap2);
    line->addWidget(new TextLabel(tr("Order"), TypeStep::table, 400, 2));
    order_->setAccessibleName(tr("Order of the heads"));
    for (int i = 0; i < head_order_count; ++i) order_->addItem(headOrderTitle(HeadOrder(i)));
    line->addWidget(order_, 1);
    all->addLayout(line);
    view_->setModel(model_);
    view_->setContentsMargins(metrics::gap2, 0, metrics::gap2, 0);
    auto* holder = new QHBoxLayout;
    holder->setContentsMargins(metrics::gap2, 0, metrics::gap1, 0);
    holder->addWidget(view_);
    all->addLayout(holder, 1);

    connect(order_, &QComboBox::activated, this, [this](int index) {
        model_->setOrder(HeadOrder(index));
        if (view_->currentIndex().isValid()) view_->scrollTo(view_->currentIndex());
    });
    connect(view_, &ThumbnailView::picked, this, [this](const QModelIndex& index, bool other) {
        if (const CaptureHead* head = model_->headAt(index)) choice_.pickHead(head->layer, head->head, other);
    });
    connect(&choice_, &HeadsChoice::openedChanged, this, &HeadsSide::follow);
    follow();
}

void HeadsSide::follow() {
    const CapturePointer capture = choice_.leading();
    if (model_->capture() != capture) {
        model_->setCapture(capture);
        setWindowTitle(capture ? tr("%n heads", nullptr, int(capture->heads.size())) : tr("Heads"));
    }
    model_->setShown(choice_.head(HeadSide::a), choice_.head(HeadSide::b));
    for (const HeadSide side : {HeadSide::a, HeadSide::b})
        if (const QString damage = choice_.damage(side);
            !damage.isEmpty() && choice_.capture(side) == capture)
            model_->setDamage(choice_.head(side)->first, choice_.head(side)->second, damage);
    const auto& shown = choice_.head(choice_.state().leading());
    if (!shown) return;
    const QModelIndex index = model_->indexOf(shown->first, shown->second);
    if (index.isValid() && index != view_->currentIndex() && !view_->hasFocus()) {
        view_->setCurrentIndex(index);
        view_->scrollTo(index);
    }
}

}  // namespace braid::ui
