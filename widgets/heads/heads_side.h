// Left of the maps: all heads of the leading capture, in the chosen order. Its window title, "60 heads", is
// that of the dock.
#pragma once

#include <QWidget>

class QComboBox;

namespace braid::ui {

class HeadsChoice;
class TextLabel;
class ThumbnailModel;
class ThumbnailView;

class HeadsSide : public QWidget {
    Q_OBJECT

public:
    explicit HeadsSide(HeadsChoice& choice, QWidget* parent = nullptr);

    ThumbnailView* view() const { return view_; }
    ThumbnailModel* model() const { return model_; }
    QComboBox* order() const { return order_; }

private:
    void follow();

    HeadsChoice& choice_;
    QComboBox* order_;
    ThumbnailModel* model_;
    ThumbnailView* view_;
};

}  // namespace braid::ui
