// Right of the maps: where one looks, the scale, the table of the largest weights.
#pragma once

#include <QWidget>

#include "widgets/heads/heads_state.h"

class QComboBox;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;

namespace braid::ui {

class DataTable;
class LinksModel;
class Overview;
class SectionTitle;
class TextLabel;

class HeadsPanel : public QWidget {
    Q_OBJECT

public:
    HeadsPanel(HeadsState& state, TileStore& tiles, QWidget* parent = nullptr);

    DataTable* table() const { return table_; }
    QComboBox* distances() const { return distances_; }
    QPushButton* strongestButton() const { return strongest_; }
    void setPaint(double milliseconds, double mapWidth);  // of the last picture
    QString zoomText() const;

private:
    void showLinks();
    void showPlace();
    void showScale();
    void fillDistances();
    void fitNumbers();
    void pick();

    HeadsState& state_;
    TileStore& tiles_;
    Overview* overview_;
    TextLabel *zoom_, *tile_count_, *paint_, *scale_note_, *empty_;
    SectionTitle *scale_title_, *links_title_;
    QComboBox* distances_;
    LinksModel* model_;
    QSortFilterProxyModel* proxy_;
    DataTable* table_;
    QStackedWidget* pages_;
    QPushButton* strongest_;
    double mapWidth_ = 341;
};

}  // namespace braid::ui
