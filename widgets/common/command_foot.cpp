#include "widgets/common/command_foot.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/common/controls.h"

namespace braid::ui {

namespace {

constexpr qsizetype most_lines = 3;

}  // namespace

CommandFoot::CommandFoot(const QString& start, QWidget* parent)
    : QWidget(parent),
      summary_(new TextLabel({}, TypeStep::control, 400, 2)),
      command_(new TextLabel({}, TypeStep::table, 400, 2)),
      problem_(new TextLabel({}, TypeStep::table, 500, 1)),
      copy_(makeIconButton(QStringLiteral("copy"), tr("Copy as command"))),
      cancel_(makeButton(tr("Cancel"))),
      start_(makePrimaryButton(start, QStringLiteral("play"))) {
    summary_->setWordWrap(true);
    summary_->hide();
    command_->setElided(Qt::ElideRight);
    command_->setFont(Theme::instance().mono(TypeStep::tick));
    command_->setAccessibleName(tr("Command"));
    problem_->setStatus(QStringLiteral("error"));
    problem_->setWordWrap(true);
    problem_->setAccessibleName(tr("Problems"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::gap4, metrics::gap3, metrics::gap4, metrics::gap3);
    column->setSpacing(metrics::gap2);
    column->addWidget(summary_);
    auto* line = new QHBoxLayout;
    line->addWidget(command_, 1);
    line->addWidget(copy_);
    column->addLayout(line);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(metrics::gap2);
    buttons->addWidget(problem_, 1);
    buttons->addWidget(cancel_, 0, Qt::AlignBottom);
    buttons->addWidget(start_, 0, Qt::AlignBottom);
    column->addLayout(buttons);
    cancel_->setAutoDefault(false);
    start_->setDefault(true);
    connect(copy_, &QToolButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(command_->text()); });
    connect(cancel_, &QPushButton::clicked, this, &CommandFoot::cancelled);
    connect(start_, &QPushButton::clicked, this, &CommandFoot::started);
}

void CommandFoot::setSummary(const QString& text) {
    summary_->setText(text);
    summary_->setVisible(!text.isEmpty());
}

void CommandFoot::setCommand(const QString& command) { command_->setText(command); }

void CommandFoot::setProblems(const QStringList& problems) {
    problems_ = problems;
    const QString whole = problemText();
    QStringList lines = whole.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    if (lines.size() > most_lines) {
        const qsizetype more = lines.size() - most_lines + 1;
        lines = lines.first(most_lines - 1);
        lines << tr("and %1 more").arg(more);
    }
    problem_->setText(lines.join(QLatin1Char('\n')));
    problem_->setToolTip(whole);
    setDisabledReason(start_, whole);
}

QString CommandFoot::summary() const { return summary_->text(); }
QString CommandFoot::command() const { return command_->text(); }

}  // namespace braid::ui
