// One score in full: its tasks, its answers, and everything that fixes what it says.
#pragma once

#include <QWidget>
#include <memory>

#include "core/record/score.h"

class QStackedWidget;
class QStandardItemModel;
class QTabBar;
class QTableView;

namespace braid::ui {

class AnswersView;

class ScoreDetails : public QWidget {
    Q_OBJECT

public:
    enum Tab { Tasks, Answers, Settings };

    explicit ScoreDetails(QWidget* parent = nullptr);

    void show(const ScoreRecord* record);  // null: none
    AnswersView* answers() const { return answers_; }
    QTabBar* tabs() const { return tabs_; }
    QTableView* taskTable() const { return tasks_view_; }
    QTableView* settingsTable() const { return settings_view_; }

Q_SIGNALS:
    void taskChosen(const std::string& task);

private:
    void showTasks(const ScoreRecord& record);
    void showSettings(const ScoreRecord& record);

    QTabBar* tabs_;
    QStackedWidget* pages_;
    QStandardItemModel *tasks_, *settings_;
    QTableView *tasks_view_, *settings_view_;
    AnswersView* answers_;
};

}  // namespace braid::ui
