#include "widgets/common/field.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QStyle>
#include <QVariant>

#include "widgets/common/controls.h"
#include "widgets/common/style.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

// The Return that commits an edit does nothing else: the default button of a dialog answers to the next one.
class Edit : public QLineEdit {
public:
    explicit Edit(const QString& committed) : committed_(committed) {}

protected:
    void keyPressEvent(QKeyEvent* event) override {
        const bool commits =
            (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && text() != committed_;
        QLineEdit::keyPressEvent(event);
        if (commits) event->accept();
    }

private:
    const QString& committed_;  // of the field
};

}  // namespace

Field::Field(const QString& name, const QString& unit, QWidget* parent)
    : QWidget(parent),
      edit_(new Edit(committedText_)),
      unit_(new TextLabel(unit, TypeStep::control, 400, 3)),
      error_(new TextLabel({}, TypeStep::table, 400, 1)) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(unit.isEmpty() ? 0 : metrics::gap2);
    grid->setVerticalSpacing(2);
    grid->addWidget(edit_, 0, 0);
    grid->addWidget(unit_, 0, 1);
    grid->addWidget(error_, 1, 0, 1, 2);
    grid->setColumnStretch(0, 1);
    error_->setStatus(QStringLiteral("error"));
    error_->setWordWrap(true);
    error_->hide();
    unit_->setVisible(!unit.isEmpty());
    edit_->setAccessibleName(name);
    setFocusProxy(edit_);
    connect(edit_, &QLineEdit::textEdited, this, &Field::edited);
    connect(edit_, &QLineEdit::editingFinished, this, [this] {
        if (edit_->text() == committedText_) return;
        committedText_ = edit_->text();
        Q_EMIT committed(committedText_);
    });
}

QString Field::text() const { return edit_->text(); }

void Field::setText(const QString& text) {
    committedText_ = text;
    if (edit_->text() == text) return;  // keeps cursor and selection
    edit_->setText(text);
}

void Field::setUnit(const QString& unit) {
    unit_->setText(unit);
    unit_->setVisible(!unit.isEmpty());
    static_cast<QGridLayout*>(layout())->setHorizontalSpacing(unit.isEmpty() ? 0 : metrics::gap2);
}

void Field::setPlaceholder(const QString& text) { edit_->setPlaceholderText(text); }

void Field::setMonospaced(bool mono) {
    edit_->setFont(mono ? Theme::instance().mono() : Theme::instance().font());
}

void Field::setFieldWidth(int pixels) {
    if (pixels > 0) {
        edit_->setFixedWidth(pixels);
    } else {
        edit_->setMinimumWidth(0);
        edit_->setMaximumWidth(QWIDGETSIZE_MAX);
    }
}

void Field::setError(const QString& error) {
    error_->setText(error);
    error_->setVisible(!error.isEmpty());
    edit_->setProperty(style_property::error, !error.isEmpty());
    edit_->setAccessibleDescription(error);
    edit_->update();
}

}  // namespace braid::ui
