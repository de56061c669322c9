#include "widgets/design/pattern_field.h"

#include <QHBoxLayout>
#include <QMouseEvent>
#include <QPainter>
#include <QVBoxLayout>

#include "widgets/common/controls.h"
#include "widgets/common/theme.h"
#include "widgets/design/layer_text.h"
#include "widgets/design/pattern_edit.h"

namespace braid::ui {

namespace {

constexpr int frame_height = 34;

QString left_out_text(const DesignCost& cost) {
    if (cost.left_out.empty()) {
        return {};
    }
    return cost.left_out.size() == 1
               ? SpecDocument::tr("Costs leave layer %1 out.").arg(cost.left_out.front())
               : SpecDocument::tr("Costs leave layers %1 out.").arg(rowsText(cost.left_out));
}

}  // namespace

PatternField::PatternField(SpecDocument& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      edit_(new PatternEdit(document.catalog())),
      count_(new TextLabel({}, TypeStep::table, 400, 3)),
      below_(new TextLabel({}, TypeStep::table, 400, 3)) {
    auto* line = new QHBoxLayout;
    line->setContentsMargins(metrics::gap3, 0, metrics::gap3, 0);
    line->setSpacing(metrics::gap2);
    line->addWidget(edit_, 1, Qt::AlignVCenter);
    line->addWidget(count_, 0, Qt::AlignVCenter);
    edit_->setFixedHeight(edit_->sizeHint().height());
    auto* frame = new QWidget;
    frame->setFixedHeight(frame_height);
    frame->setLayout(line);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(metrics::gap1);
    all->addWidget(frame);
    all->addWidget(below_);
    below_->setContentsMargins(metrics::gap3, 0, metrics::gap3, 0);
    below_->setElided(Qt::ElideRight);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setFocusProxy(edit_);

    connect(edit_, &PatternEdit::edited, &document_, &SpecDocument::setPattern);
    connect(edit_, &PatternEdit::finished, &document_, &SpecDocument::endTyping);
    connect(edit_, &PatternEdit::finished, this, [this] {
        if (edit_->hasFocus()) {
            Q_EMIT finished();
        }
    });
    connect(edit_, &PatternEdit::focusChanged, this, qOverload<>(&QWidget::update));
    connect(&document_, &SpecDocument::changed, this, &PatternField::update_);
    update_();
}

void PatternField::update_() {
    edit_->setLine(document_.pattern());
    QVector<PatternRange> ranges;
    QStringList sentences;
    for (const DesignProblem& problem : document_.problems()) {
        if (problem.range && !ranges.contains(*problem.range)) {
            ranges << *problem.range;
        }
        const QString sentence = problem.text() + QLatin1Char('.');
        if (!sentences.contains(sentence)) {
            sentences << sentence;
        }
    }
    edit_->setProblems(ranges);
    const auto layers = static_cast<int>(document_.spec().layers.size());
    count_->setText(document_.patternReadable() ? tr("%n layers", nullptr, layers)
                                                : tr("still %n layers", nullptr, layers));
    message_ = sentences.value(0);
    if (sentences.size() > 1) {
        message_ += QStringLiteral("  ") + tr("%n more.", nullptr, static_cast<int>(sentences.size()) - 1);
    }
    const QString left_out = left_out_text(document_.cost());
    if (!message_.isEmpty() && !left_out.isEmpty()) {
        message_ += QStringLiteral("  ") + left_out;
    } else if (!message_.isEmpty() && !document_.patternReadable()) {
        message_ += QStringLiteral("  ") + tr("The layers below stay as they were.");
    }
    below_->setStatus(message_.isEmpty() ? QString() : QStringLiteral("error"));
    below_->setText(message_.isEmpty() ? tr("x3 repeats a run   (FS)x2 a group   S[w=128] sets a parameter   "
                                            "{F:2 S:4} splits the heads")
                                       : message_);
    edit_->setAccessibleDescription(message_);
    update();
}

QRect PatternField::frameRect() const { return {0, 0, width(), frame_height}; }

void PatternField::mousePressEvent(QMouseEvent* event) {
    if (frameRect().contains(event->pos())) {
        edit_->setFocus(Qt::MouseFocusReason);
    }
}

void PatternField::paintEvent(QPaintEvent*) {
    const Tokens& colours = tokens();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool focused = edit_->hasFocus();
    const qreal width = focused ? 2 : 1;
    const QColor border = !message_.isEmpty() ? colours.error : focused ? colours.ink : colours.axis;
    const qreal inset = width / 2;
    painter.setPen(QPen(border, width));
    painter.setBrush(colours.surface);
    painter.drawRoundedRect(QRectF(frameRect()).adjusted(inset, inset, -inset, -inset), metrics::radiusButton,
                            metrics::radiusButton);
}

}  // namespace braid::ui
