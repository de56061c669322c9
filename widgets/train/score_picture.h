// The picture of a score: the map of needles of one of its tasks, or the loss by position, or either as a
// table of values; beneath it a line that reads it.
#pragma once

#include <QWidget>
#include <optional>
#include <string>
#include <vector>

#include "core/record/score.h"
#include "widgets/train/position_chart.h"

class QStackedWidget;
class QStandardItemModel;
class QTableView;

namespace braid::ui {

class NeedleMap;
class Segments;
class TextLabel;

class ScorePicture : public QWidget {
    Q_OBJECT

public:
    explicit ScorePicture(QWidget* parent = nullptr);

    // Hidden where the score has nothing to draw. `line` and `other` are for a loss by position.
    void show(const ScoreRecord& record, const PositionLine& line, const std::optional<PositionLine>& other);
    void showNothing();
    // A map of another task.
    void showTask(const ScoreRecord& record, const std::string& task);

    bool isMap() const { return content_ == Content::needles; }
    bool isPositions() const { return content_ == Content::positions; }
    NeedleMap* map() const { return map_; }
    PositionChart* positions() const { return positions_; }
    QTableView* valuesTable() const { return values_view_; }
    Segments* form() const { return form_; }  // for the toolbar: map or values; log, linear or values
    QString reading() const;

private:
    enum class Content { nothing, needles, positions };
    void setContent(Content content);
    void applyForm();
    void fillNeedles();
    void fillPositions(const LossSeries& series);
    void showReading();

    Content content_ = Content::nothing;
    QStackedWidget* pages_;
    NeedleMap* map_;
    PositionChart* positions_;
    QStandardItemModel* values_;
    QTableView* values_view_;
    Segments* form_;
    TextLabel* reading_;
};

}  // namespace braid::ui
