// The largest weights of the cursor's row, or of the column while that is locked, as a table beside the map.
#pragma once

#include <QWidget>

#include "widgets/heads/heads_state.h"

class QTableView;

namespace braid::ui {

class DataTable;
class LinksModel;
class SectionTitle;

class LineDetail : public QWidget {
    Q_OBJECT

public:
    static constexpr int least_width = 210, most_width = 420;

    LineDetail(HeadSide side, HeadsState& state, QWidget* parent = nullptr);
    QTableView* table() const;
    QString title() const;

private:
    void follow();

    HeadSide side_;
    HeadsState& state_;
    SectionTitle* title_;
    LinksModel* model_;
    DataTable* table_;
};

}  // namespace braid::ui
