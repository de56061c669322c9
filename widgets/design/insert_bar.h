// Beneath the stack: the mixers with their keys (to click or to drag into the stack) and the keys of edits.
#pragma once

#include <QWidget>

#include "core/spec/mixer_kind.h"

namespace braid::ui {

class InsertBar : public QWidget {
    Q_OBJECT

public:
    explicit InsertBar(const MixerCatalog& catalog, QWidget* parent = nullptr);

Q_SIGNALS:
    void chosen(const std::string& mixer);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* keys_;
    QWidgetList hints_;  // of keys_
    int bare_ = 0;       // width without them
};

}  // namespace braid::ui
