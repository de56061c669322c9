#include "widgets/heads/capture_bar.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

#include "widgets/common/controls.h"
#include "widgets/common/format.h"
#include "widgets/common/mixer_widgets.h"
#include "widgets/heads/heads_choice.h"

namespace braid::ui {

CaptureBar::CaptureBar(HeadsChoice& choice, QWidget* parent)
    : QFrame(parent),
      choice_(choice),
      text_(new TextLabel({}, TypeStep::table, 400, 1)),
      bar_(new RunProgressBar),
      button_(makeButton(QString())),
      close_(makeIconButton(QStringLiteral("close"), tr("Dismiss"))) {
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(metrics::gap3, metrics::gap1, metrics::gap2, metrics::gap1);
    line->setSpacing(metrics::gap2);
    text_->setElided(Qt::ElideRight);
    line->addWidget(text_, 1);
    bar_->setFixedWidth(140);
    line->addWidget(bar_);
    line->addWidget(button_);
    line->addWidget(close_);
    connect(button_, &QPushButton::clicked, this, [this] {
        switch (act_) {
            case Act::cancel:
                return choice_.cancel();
            case Act::retry:
                return choice_.retry(false);
            case Act::allow:
                return choice_.retry(true);
            case Act::detail:
                return choice_.captureDetail();
            case Act::again:
                return choice_.captureAgain(damaged_);
            case Act::none:
                return;
        }
    });
    connect(close_, &QToolButton::clicked, this, [this] {
        said_.clear();
        dismissed_ = text_->text();
        choice_.dismiss();
        follow();
    });
    connect(&choice_, &HeadsChoice::jobChanged, this, &CaptureBar::follow);
    connect(&choice_, &HeadsChoice::openedChanged, this, &CaptureBar::follow);
    connect(&choice_, &HeadsChoice::capturesChanged, this, &CaptureBar::follow);
    follow();
}

QString CaptureBar::text() const { return isHidden() ? QString() : text_->text(); }

void CaptureBar::say(const QString& text) {
    said_ = text;
    follow();
}

void CaptureBar::tell(Tone tone, const QString& text, Act act, const QString& buttonText, bool closable) {
    tone_ = tone;
    act_ = act;
    text_->setText(text);
    text_->setToolTip(text);
    text_->setStatus(tone == Tone::error  ? QStringLiteral("error")
                     : tone == Tone::warn ? QStringLiteral("warn")
                                          : QString());
    button_->setText(buttonText);
    button_->setVisible(act != Act::none);
    button_->setEnabled(true);
    close_->setVisible(closable);
    bar_->setVisible(act == Act::cancel);
    setVisible(true);
    update();
}

void CaptureBar::follow() {
    const auto& job = choice_.job();
    if (job && job->active()) {
        said_.clear();
        const bool stopping = job->state == CaptureJob::State::stopping;
        tell(Tone::plain,
             stopping ? tr("Stopping the capture.")
             : job->text.isEmpty()
                 ? tr("Capturing step %1.").arg(formatCount(job->request.step))
                 : tr("Capturing step %1: %2").arg(formatCount(job->request.step), job->text),
             Act::cancel, tr("Cancel"), false);
        button_->setEnabled(!stopping);
        bar_->setProgress(job->fraction < 0 ? 0 : job->fraction, 0);
        return;
    }
    if (job && job->state == CaptureJob::State::failed) {
        QString text = job->text;
        if (!job->hint.isEmpty()) text += QLatin1Char(' ') + job->hint;
        if (job->too_long)
            tell(Tone::warn, text, Act::allow, tr("Capture anyway"), true);
        else
            tell(Tone::error, text, Act::retry, tr("Try again"), true);
        return;
    }
    if (!said_.isEmpty()) return tell(Tone::warn, said_, Act::none, {}, true);
    for (const HeadSide side : {HeadSide::b, HeadSide::a}) {
        const QString damage = choice_.damage(side);
        if (damage.isEmpty()) continue;
        const auto& place = *choice_.head(side);
        damaged_ = side;
        tell(Tone::error,
             tr("Head %1.%2 of step %3 cannot be read: its file %1.%2.att is damaged.")
                 .arg(place.first)
                 .arg(place.second)
                 .arg(formatCount(choice_.capture(side)->checkpoint.step.value)),
             Act::again, tr("Capture again"), false);
        text_->setToolTip(damage);
        setDisabledReason(button_, choice_.commands().unavailableReason());
        return;
    }
    if (!choice_.problem().isEmpty() && choice_.problem() != dismissed_)
        return tell(Tone::error, choice_.problem(), Act::none, {}, true);
    if (choice_.lacksDetail()) {
        const QString unavailable = choice_.commands().unavailableReason();
        tell(Tone::plain, tr("Only a thumbnail of this head was captured."), Act::detail,
             tr("Capture in detail"), false);
        setDisabledReason(button_, unavailable);
        return;
    }
    if (const CapturePointer capture = choice_.leading(); capture && !capture->notes.empty()) {
        QStringList notes;
        for (const std::string& note : capture->notes) notes << QString::fromStdString(note);
        const QString text = notes.join(QLatin1Char(' '));
        const bool beyond =
            capture->trained_context && std::int64_t(capture->tokens.size()) > *capture->trained_context;
        if (text != dismissed_) return tell(beyond ? Tone::warn : Tone::plain, text, Act::none, {}, true);
    }
    hide();
}

void CaptureBar::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens();
    QPainter painter(this);
    const QColor tint = tone_ == Tone::error ? t.errorTint : tone_ == Tone::warn ? t.warnTint : t.sunken;
    painter.fillRect(rect(), tint);
    if (tone_ != Tone::plain)
        painter.fillRect(QRect(0, 0, 3, height()), tone_ == Tone::error ? t.error : t.warn);
    painter.fillRect(QRect(0, height() - 1, width(), 1), t.border);
}

}  // namespace braid::ui
