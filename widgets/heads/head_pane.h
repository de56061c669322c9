// One side of the comparison: whose head at which checkpoint, its map, the row beneath, the tokens.
#pragma once

#include <QWidget>

#include "widgets/heads/heads_state.h"

class QVBoxLayout;

namespace braid::ui {

class HeadMap;
class HeadsChoice;
class LineDetail;
class MapRenderer;
class RowPlot;
class TextLabel;
class TokenStrip;

class HeadPane : public QWidget {
    Q_OBJECT

public:
    HeadPane(HeadSide side, HeadsChoice& choice, TileStore& tiles, MapRenderer& renderer,
             QWidget* parent = nullptr);

    HeadMap* map() const { return map_; }
    LineDetail* detail() const { return detail_; }
    RowPlot* row() const { return row_; }
    TokenStrip* keys() const { return keys_; }
    TokenStrip* queries() const { return queries_; }
    QString title() const;
    QString scores() const;
    void setRoomy(bool roomy);  // false: the strip of the query is left out

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void follow();
    void arrange();

    HeadSide side_;
    HeadsChoice& choice_;
    TextLabel *badge_, *title_, *scores_;
    HeadMap* map_;
    LineDetail* detail_;  // where there is room beside the map
    RowPlot* row_;
    TokenStrip *keys_, *queries_;
};

}  // namespace braid::ui
