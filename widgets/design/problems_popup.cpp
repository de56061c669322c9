#include "widgets/design/problems_popup.h"

#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/common/controls.h"
#include "widgets/common/icons.h"

namespace braid::ui {

ProblemsPopup::ProblemsPopup(const std::vector<DesignProblem>& problems, QWidget* parent)
    : QFrame(parent, Qt::Popup), list_(new QListWidget) {
    setAttribute(Qt::WA_DeleteOnClose);
    setFrameShape(QFrame::StyledPanel);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(metrics::gap2, metrics::gap2, metrics::gap2, metrics::gap2);
    layout->setSpacing(metrics::gap1);
    layout->addWidget(
        new TextLabel(tr("%n problems", nullptr, static_cast<int>(problems.size())), TypeStep::control, 600));
    list_->setAccessibleName(tr("Problems"));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setUniformItemSizes(true);
    int width = 0;
    const QFontMetrics metrics_of_list(list_->font());
    for (const DesignProblem& problem : problems) {
        QString text = problem.text();
        if (problem.layer && problem.range) {
            text += tr("  (layer %1)").arg(*problem.layer);
        }
        new QListWidgetItem(icon(QStringLiteral("warning"), ColourRole::error), text, list_);
        width = std::max(width, metrics_of_list.horizontalAdvance(text));
    }
    const int rows = std::min(static_cast<int>(problems.size()), 12);
    list_->setFixedSize(std::clamp(width + 56, 240, 560), std::max(rows, 1) * list_->sizeHintForRow(0) + 8);
    layout->addWidget(list_);
    const auto choose = [this](QListWidgetItem* item) {
        const auto row = static_cast<std::size_t>(list_->row(item));
        close();
        Q_EMIT chosen(row);
    };
    connect(list_, &QListWidget::itemClicked, this, choose);
    connect(list_, &QListWidget::itemActivated, this, choose);
    setFocusProxy(list_);
}

}  // namespace braid::ui
