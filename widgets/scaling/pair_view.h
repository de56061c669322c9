// Two curves alone (paper Figs. 6-8): their points and fits, and the difference seed by seed beneath.
#pragma once

#include <QAbstractTableModel>
#include <QWidget>
#include <vector>

#include "widgets/scaling/scaling_plot.h"

class QComboBox;
class QTableView;

namespace braid::ui {

class TextLabel;

// Scale, budget, both means, their difference with its 90 % interval over the common seeds.
class PairModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Place, First, Second, Difference, Relative, Seeds, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;
    void show(const ScalingContentPtr& content, std::size_t first, std::size_t second);
    const std::vector<ScalingPair>& pairs() const { return pairs_; }
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    ScalingContentPtr content_;
    std::size_t first_ = 0, second_ = 0;
    std::vector<ScalingPair> pairs_;
};

class PairView : public QWidget {
    Q_OBJECT

public:
    explicit PairView(QWidget* parent = nullptr);
    void show(const ScalingContentPtr& content, const ScalingPlotOptions& options);
    void setCurrent(int point) { plot_->setCurrent(point); }
    ScalingPlot* plot() const { return plot_; }
    PairModel* model() const { return model_; }
    QComboBox* firstChoice() const { return first_; }
    QComboBox* secondChoice() const { return second_; }
    QString verdict() const;
    std::vector<std::string> curves() const;  // of both

Q_SIGNALS:
    void chosen(int point);
    void opened(int point);

private:
    void refresh();

    ScalingContentPtr content_;
    ScalingPlotOptions options_;
    QComboBox *first_, *second_;
    TextLabel* verdict_;
    ScalingPlot* plot_;
    PairModel* model_;
    QTableView* table_;
};

}  // namespace braid::ui
