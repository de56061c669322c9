#include "widgets/scaling/fact_list.h"

#include <QVBoxLayout>

#include "widgets/common/controls.h"

namespace braid::ui {

FactList::FactList(QWidget* parent) : QWidget(parent), layout_(new QVBoxLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(metrics::gap1);
}

void FactList::setFacts(const std::vector<Fact>& facts) {
    facts_ = facts;
    while (rows_.size() < facts.size()) {
        // Rows of their own: a long name takes nothing from the values of the others.
        auto* box = new QWidget;
        auto* name = new TextLabel({}, TypeStep::table, 400, 2);
        auto* value = new TextLabel({}, TypeStep::table, 500);
        value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        value->setElided(Qt::ElideMiddle);
        auto* line = new QHBoxLayout(box);
        line->setContentsMargins(0, 0, 0, 0);
        line->setSpacing(metrics::gap2);
        line->addWidget(name);
        line->addWidget(value, 1);
        layout_->addWidget(box);
        rows_.push_back({box, name, value});
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& row = rows_[i];
        const bool used = i < facts.size();
        row.box->setVisible(used);
        if (!used) continue;
        row.name->setText(facts[i].name);
        row.value->setText(facts[i].value);
        row.value->setStatus(facts[i].status);
        row.value->setToolTip(facts[i].tip.isEmpty() ? facts[i].value : facts[i].tip);
        row.value->setAccessibleName(facts[i].name + QStringLiteral(": ") + facts[i].value);
    }
}

QString FactList::text() const {
    QStringList lines;
    for (const Fact& fact : facts_) lines << fact.name + QLatin1Char(' ') + fact.value;
    return lines.join(QLatin1Char('\n'));
}

}  // namespace braid::ui
