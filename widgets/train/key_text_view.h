// A text with its key tokens marked; one of them is the current one.
#pragma once

#include <QPlainTextEdit>
#include <utility>
#include <vector>

#include "core/spec/key_tokens.h"

namespace braid::ui {

class KeyTextView : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit KeyTextView(QWidget* parent = nullptr);

    void show(const KeySample& sample);
    int count() const { return int(places_.size()); }
    int current() const { return current_; }  // -1: none
    void setCurrent(int index);               // scrolls to it
    QString keyText(int index) const;         // the marked text

Q_SIGNALS:
    void currentChanged(int index);

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    void mark();

    std::vector<std::pair<int, int>> places_;  // characters of the document: begin, end
    int current_ = -1;
};

// Byte places of UTF-8 as places of QString's characters; both ascending.
std::vector<std::pair<int, int>> characterPlaces(const std::string& text,
                                                 const std::vector<TokenSpan>& spans);

}  // namespace braid::ui
