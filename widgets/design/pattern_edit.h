// The one-line editor of the pattern: letters in their mixers' colours, squiggles under what is wrong.
#pragma once

#include <QPlainTextEdit>
#include <QRectF>
#include <QVector>

#include "widgets/design/spec_document.h"

namespace braid::ui {

class PatternHighlighter;

class PatternEdit : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit PatternEdit(const MixerCatalog& catalog, QWidget* parent = nullptr);

    QString line() const { return toPlainText(); }
    // Keeps the cursor where the text around it stays; without edited().
    void setLine(const QString& text);
    void setProblems(const QVector<PatternRange>& ranges);
    const QVector<PatternRange>& problems() const { return problems_; }
    // Where the squiggles are drawn, in the viewport.
    QVector<QRectF> squiggles() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void edited(const QString& line);
    void finished();  // Return, or focus left
    void focusChanged();

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void insertFromMimeData(const QMimeData* source) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void restyle();
    QVector<PatternRange> problems_;
    PatternHighlighter* highlighter_;
    bool setting_ = false;
};

}  // namespace braid::ui
