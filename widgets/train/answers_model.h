// What a model answered, question by question; wrong answers first.
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <memory>
#include <optional>
#include <vector>

#include "core/record/score.h"

namespace braid::ui {

using AnswersPointer = std::shared_ptr<const std::vector<ScoreAnswer>>;

class AnswersModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Right, Cut, Task, Length, Depth, Expected, Answer, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    void show(AnswersPointer answers);  // null: none
    static QString truncatedText();     // what it means
    const ScoreAnswer* at(int row) const;

private:
    AnswersPointer answers_;
};

class AnswersProxy : public QSortFilterProxyModel {
    Q_OBJECT

public:
    enum class Which { all, wrong, right, truncated };

    explicit AnswersProxy(AnswersModel* model, QObject* parent = nullptr);
    void setWhich(Which which);
    void setText(const QString& text);
    // Only those of one length and depth, of one task: what is held in the map.
    struct Place {
        std::string task;
        std::int64_t length = 0;
        double depth = 0;
    };
    void setPlace(std::optional<Place> place);
    const ScoreAnswer* at(int row) const;

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    AnswersModel* model_;
    Which which_ = Which::all;
    QString text_;
    std::optional<Place> place_;
};

}  // namespace braid::ui
