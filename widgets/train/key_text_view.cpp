#include "widgets/train/key_text_view.h"

#include <QMouseEvent>
#include <algorithm>

#include "widgets/common/theme.h"

namespace braid::ui {

std::vector<std::pair<int, int>> characterPlaces(const std::string& text,
                                                 const std::vector<TokenSpan>& spans) {
    std::vector<std::pair<int, int>> places;
    std::size_t byte = 0;
    int character = 0;
    const auto advance = [&](std::size_t to) {
        for (; byte < std::min(to, text.size()); ++byte) {
            const auto lead = static_cast<unsigned char>(text[byte]);
            // Bytes that go on with a character count nothing; beyond the basic plane it is two of QString's.
            if ((lead & 0xC0U) != 0x80U) character += lead >= 0xF0U ? 2 : 1;
        }
        return character;
    };
    for (const TokenSpan span : spans) {
        // A token may end within a character: the whole of it is marked.
        std::size_t begin = span.begin, end = span.end;
        while (begin > 0 && begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U)
            --begin;
        while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
        if (begin < byte) begin = byte;
        const int first = advance(begin);
        places.emplace_back(first, advance(end));
    }
    return places;
}

KeyTextView::KeyTextView(QWidget* parent) : QPlainTextEdit(parent) {
    setReadOnly(true);
    setFrameShape(QFrame::NoFrame);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setAccessibleName(tr("Text with key tokens"));
    setFont(Theme::instance().mono(TypeStep::control));
    setUndoRedoEnabled(false);
    connect(&Theme::instance(), &Theme::changed, this, &KeyTextView::mark);
}

void KeyTextView::show(const KeySample& sample) {
    places_ = characterPlaces(sample.text, sample.spans);
    current_ = -1;
    setPlainText(QString::fromStdString(sample.text));
    mark();
    Q_EMIT currentChanged(-1);
}

QString KeyTextView::keyText(int index) const {
    if (index < 0 || index >= count()) return {};
    const auto [begin, end] = places_[std::size_t(index)];
    QTextCursor cursor(document());
    cursor.setPosition(begin);
    cursor.setPosition(end, QTextCursor::KeepAnchor);
    return cursor.selectedText();
}

void KeyTextView::setCurrent(int index) {
    if (index < 0 || index >= count() || index == current_) return;
    current_ = index;
    QTextCursor cursor(document());
    cursor.setPosition(places_[std::size_t(index)].first);
    setTextCursor(cursor);
    centerCursor();
    mark();
    Q_EMIT currentChanged(index);
}

void KeyTextView::mark() {
    const Tokens& t = tokens();
    QList<QTextEdit::ExtraSelection> marks;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        QTextEdit::ExtraSelection one;
        one.cursor = QTextCursor(document());
        one.cursor.setPosition(places_[i].first);
        one.cursor.setPosition(places_[i].second, QTextCursor::KeepAnchor);
        const bool current = int(i) == current_;
        one.format.setBackground(current ? t.mark : t.warnTint);
        one.format.setForeground(current ? strongestOn(t.mark) : t.text1);
        one.format.setFontWeight(QFont::DemiBold);
        if (!current) {
            // Not by colour alone.
            one.format.setFontUnderline(true);
            one.format.setUnderlineColor(t.mark);
        }
        marks << one;
    }
    setExtraSelections(marks);
}

void KeyTextView::mouseReleaseEvent(QMouseEvent* event) {
    QPlainTextEdit::mouseReleaseEvent(event);
    if (textCursor().hasSelection()) return;
    const int at = cursorForPosition(event->pos()).position();
    for (std::size_t i = 0; i < places_.size(); ++i)
        if (at >= places_[i].first && at <= places_[i].second) {
            setCurrent(int(i));
            return;
        }
}

}  // namespace braid::ui
