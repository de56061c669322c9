#include "widgets/design/pattern_edit.h"

#include <QKeyEvent>
#include <QMimeData>
#include <QPainter>
#include <QPainterPath>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <cmath>

#include "widgets/common/mixer_style.h"
#include "widgets/common/theme.h"

namespace braid::ui {

// Colours only; the fonts and positions of characters stay.
class PatternHighlighter : public QSyntaxHighlighter {
public:
    PatternHighlighter(QTextDocument* document, const MixerCatalog& catalog)
        : QSyntaxHighlighter(document), catalog_(catalog) {}
    QVector<PatternRange> problems;

protected:
    void highlightBlock(const QString& text) override {
        const Tokens& colours = tokens();
        setFormat(0, static_cast<int>(text.size()), colours.text2);
        bool options = false;
        for (qsizetype i = 0; i < text.size(); ++i) {
            const QChar c = text[i];
            options = (options || c == QLatin1Char('[')) && c != QLatin1Char(']');
            if (options || c == QLatin1Char(']')) {
                setFormat(static_cast<int>(i), 1, colours.text1);
            } else if (const MixerKind* kind = catalog_.find_letter(c.toLatin1())) {
                setFormat(static_cast<int>(i), 1, mixerStyle(kind->description().id).text(colours));
            }
        }
        for (const PatternRange& range : problems) {
            setFormat(static_cast<int>(range.begin), static_cast<int>(range.length), colours.error);
        }
    }

private:
    const MixerCatalog& catalog_;
};

PatternEdit::PatternEdit(const MixerCatalog& catalog, QWidget* parent)
    : QPlainTextEdit(parent), highlighter_(new PatternHighlighter(document(), catalog)) {
    setAccessibleName(tr("Pattern"));
    setObjectName(QStringLiteral("design.pattern"));
    setFrameShape(QFrame::NoFrame);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTabChangesFocus(true);
    setUndoRedoEnabled(false);  // the document's undo stack knows text and layers
    setContextMenuPolicy(Qt::DefaultContextMenu);
    viewport()->setAutoFillBackground(false);
    document()->setDocumentMargin(0);
    restyle();
    connect(this, &QPlainTextEdit::textChanged, this, [this] {
        if (!setting_) {
            Q_EMIT edited(line());
        }
    });
}

void PatternEdit::restyle() {
    const QFont font = Theme::instance().mono(TypeStep::title);
    if (this->font() != font) {
        setFont(font);
    }
    highlighter_->rehighlight();
}

void PatternEdit::changeEvent(QEvent* event) {
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
        restyle();
    }
}

void PatternEdit::setLine(const QString& text) {
    const QString old = line();
    if (old == text) {
        return;
    }
    // What is common at both ends stays, so that the cursor does not jump.
    const qsizetype shorter = std::min(old.size(), text.size());
    qsizetype start = 0;
    while (start < shorter && old[start] == text[start]) {
        ++start;
    }
    qsizetype end = 0;
    while (end < shorter - start && old[old.size() - 1 - end] == text[text.size() - 1 - end]) {
        ++end;
    }
    setting_ = true;
    QTextCursor cursor(document());
    cursor.setPosition(static_cast<int>(start));
    cursor.setPosition(static_cast<int>(old.size() - end), QTextCursor::KeepAnchor);
    cursor.insertText(text.mid(start, text.size() - start - end));
    setting_ = false;
}

void PatternEdit::setProblems(const QVector<PatternRange>& ranges) {
    if (ranges == problems_) {
        return;
    }
    problems_ = ranges;
    highlighter_->problems = ranges;
    setting_ = true;  // a change of formats is reported as a change of the text
    highlighter_->rehighlight();
    setting_ = false;
    viewport()->update();
}

QVector<QRectF> PatternEdit::squiggles() const {
    QVector<QRectF> rects;
    const QTextBlock block = document()->firstBlock();
    const QTextLayout* layout = block.layout();
    if (!layout || layout->lineCount() == 0) {
        return rects;
    }
    const QTextLine text = layout->lineAt(0);
    const QPointF origin = blockBoundingGeometry(block).translated(contentOffset()).topLeft();
    for (const PatternRange& range : problems_) {
        const qreal left = text.cursorToX(static_cast<int>(range.begin));
        const qreal right = text.cursorToX(static_cast<int>(range.begin + range.length));
        rects << QRectF(origin.x() + left, origin.y() + text.y() + text.ascent() + 2, right - left, 4);
    }
    return rects;
}

void PatternEdit::paintEvent(QPaintEvent* event) {
    QPlainTextEdit::paintEvent(event);
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(tokens().error, 1.3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    for (const QRectF& rect : squiggles()) {
        QPainterPath wave(QPointF(rect.left(), rect.center().y()));
        bool up = true;
        for (qreal x = rect.left(); x < rect.right(); x += 2.5) {
            const qreal next = std::min(x + 2.5, rect.right());
            wave.lineTo(next, rect.center().y() + (up ? -1.4 : 1.4));
            up = !up;
        }
        painter.drawPath(wave);
    }
}

bool PatternEdit::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();  // so that the document's actions get them
            return false;
        }
    }
    return QPlainTextEdit::event(event);
}

void PatternEdit::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            Q_EMIT finished();
            return;
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_PageUp:
        case Qt::Key_PageDown:
            event->ignore();
            return;
        default:
            break;
    }
    if (event->matches(QKeySequence::Undo) || event->matches(QKeySequence::Redo)) {
        event->ignore();
        return;
    }
    QPlainTextEdit::keyPressEvent(event);
}

void PatternEdit::insertFromMimeData(const QMimeData* source) {
    static const QRegularExpression breaks(QStringLiteral("[\\s\\x{2028}\\x{2029}]+"));
    textCursor().insertText(source->text().trimmed().replace(breaks, QStringLiteral(" ")));
    ensureCursorVisible();
}

void PatternEdit::focusInEvent(QFocusEvent* event) {
    QPlainTextEdit::focusInEvent(event);
    Q_EMIT focusChanged();
}

void PatternEdit::focusOutEvent(QFocusEvent* event) {
    QPlainTextEdit::focusOutEvent(event);
    Q_EMIT focusChanged();
    if (event->reason() != Qt::PopupFocusReason) {
        Q_EMIT finished();
    }
}

void PatternEdit::wheelEvent(QWheelEvent* event) { event->ignore(); }

QSize PatternEdit::sizeHint() const {
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(QLatin1Char('S')) * 32, metrics.height() + 4};
}

QSize PatternEdit::minimumSizeHint() const {
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(QLatin1Char('S')) * 8, metrics.height() + 4};
}

}  // namespace braid::ui
