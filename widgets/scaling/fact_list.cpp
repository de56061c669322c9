#include "widgets/scaling/fact_list.h"

#include <QGridLayout>

#include "widgets/common/controls.h"

namespace braid::ui {

FactList::FactList(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setHorizontalSpacing(metrics::gap3);
    grid_->setVerticalSpacing(metrics::gap1);
    grid_->setColumnStretch(1, 1);
}

void FactList::setFacts(const std::vector<Fact>& facts) {
    facts_ = facts;
    while (rows_.size() < facts.size()) {
        auto* name = new TextLabel({}, TypeStep::table, 400, 2);
        auto* value = new TextLabel({}, TypeStep::table, 500);
        value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        value->setElided(Qt::ElideMiddle);
        const int row = int(rows_.size());
        grid_->addWidget(name, row, 0);
        grid_->addWidget(value, row, 1);
        rows_.emplace_back(name, value);
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const auto& [name, value] = rows_[i];
        const bool used = i < facts.size();
        name->setVisible(used);
        value->setVisible(used);
        if (!used) continue;
        name->setText(facts[i].name);
        value->setText(facts[i].value);
        value->setStatus(facts[i].status);
        value->setToolTip(facts[i].tip.isEmpty() ? facts[i].value : facts[i].tip);
        value->setAccessibleName(facts[i].name + QStringLiteral(": ") + facts[i].value);
    }
}

QString FactList::text() const {
    QStringList lines;
    for (const Fact& fact : facts_) lines << fact.name + QLatin1Char(' ') + fact.value;
    return lines.join(QLatin1Char('\n'));
}

}  // namespace braid::ui
