#include "widgets/scaling/exclude_dialog.h"

#include <QComboBox>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/common/controls.h"
#include "widgets/common/field.h"
#include "widgets/scaling/scaling_text.h"

namespace braid::ui {

namespace {

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) {
        if (!text.empty()) text.append(", ");
        text.append(part);
    }
    return text;
}

}  // namespace

std::vector<ExclusionChoice> exclusionChoices(const ScalingContent& content, const ScalingViewPoint& point) {
    const StudyPoint& planned = content.state.points[point.point].planned.point;
    const bool several = content.spec.seeds.size() > 1;
    std::vector<std::string> own, place;
    bool speakable = true;
    std::string seed;
    for (const auto& [name, value] : fields_of(content.spec, planned)) {
        std::string condition = name;
        condition.append("=").append(value);
        if (name == "seed") {
            seed = condition;
            continue;
        }
        // A comma ends a condition, so that such a value cannot be asked for.
        speakable =
            speakable && value.find(',') == std::string::npos && value.find(": ") == std::string::npos;
        own.push_back(condition);
        if (name == "scale" || name == "budget") place.push_back(condition);
    }
    std::vector<ExclusionChoice> choices;
    std::vector<std::string> alone = own;
    if (several) alone.push_back(seed);
    if (!speakable) alone = {std::string("run=").append(point.run)};
    choices.push_back({ExcludeDialog::tr("This point"), joined(alone)});
    if (several && speakable) choices.push_back({ExcludeDialog::tr("It with all its seeds"), joined(own)});
    if (!place.empty() && content.view.curves.size() > 1)
        choices.push_back(
            {ExcludeDialog::tr("Every curve's at %1").arg(QString::fromStdString(joined(place))),
             joined(place)});
    return choices;
}

ExcludeDialog::ExcludeDialog(const ScalingContentPtr& content, const ScalingViewPoint& point, QWidget* parent)
    : QDialog(parent),
      content_(content),
      rules_(exclusionChoices(*content, point)),
      choices_(new QComboBox),
      reason_(new Field(tr("Reason"))),
      note_(new TextLabel({}, TypeStep::table, 400, 2)),
      exclude_(makePrimaryButton(tr("Exclude and refit"))) {
    setWindowTitle(tr("Exclude from the fit"));
    setMinimumWidth(380);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(metrics::gap4, metrics::gap4, metrics::gap4, metrics::gap4);
    layout->setSpacing(metrics::gap3);
    auto* title = new TextLabel(pointName(content->view, point), TypeStep::title, 600);
    title->setWordWrap(true);
    layout->addWidget(title);
    choices_->setAccessibleName(tr("What is excluded"));
    for (const ExclusionChoice& choice : rules_) choices_->addItem(choice.text);
    layout->addWidget(choices_);
    layout->addWidget(new TextLabel(tr("Reason, shown with the fit and in tables"), TypeStep::table, 400, 2));
    reason_->setPlaceholder(tr("too early"));
    layout->addWidget(reason_);
    note_->setWordWrap(true);
    layout->addWidget(note_);
    auto* buttons = new QHBoxLayout;
    auto* cancel = makeButton(tr("Cancel"));
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(exclude_);
    layout->addLayout(buttons);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(exclude_, &QPushButton::clicked, this, &QDialog::accept);
    connect(reason_, &Field::edited, this, &ExcludeDialog::refresh);
    connect(choices_, &QComboBox::currentIndexChanged, this, &ExcludeDialog::refresh);
    exclude_->setDefault(true);
    reason_->lineEdit()->setFocus();
    refresh();
}

std::string ExcludeDialog::rule() const {
    std::string rule = rules_[std::size_t(std::max(0, choices_->currentIndex()))].rule;
    return rule.append(": ").append(reason_->text().trimmed().toStdString());
}

void ExcludeDialog::refresh() {
    const QString reason = reason_->text().trimmed();
    setDisabledReason(exclude_, reason.isEmpty() ? tr("Say why it is excluded") : QString());
    note_->setText(tr("Written into the study's file as  %1").arg(QString::fromStdString(rule())));
}

}  // namespace braid::ui
