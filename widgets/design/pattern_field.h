// The pattern with its frame, the number of layers and, beneath, what is wrong with it.
#pragma once

#include <QWidget>

#include "widgets/design/spec_document.h"

namespace braid::ui {

class PatternEdit;
class TextLabel;

class PatternField : public QWidget {
    Q_OBJECT

public:
    explicit PatternField(SpecDocument& document, QWidget* parent = nullptr);

    PatternEdit* edit() const { return edit_; }
    // "Column 22: window must be at least 1, got 0. Costs leave layer 14 out."; empty: all is well.
    QString message() const { return message_; }

Q_SIGNALS:
    void finished();  // Return was pressed: the list wants the focus

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    void update_();
    QRect frameRect() const;

    SpecDocument& document_;
    PatternEdit* edit_;
    TextLabel *count_, *below_;
    QString message_;
};

}  // namespace braid::ui
