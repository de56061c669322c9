// The answers of a score: filter, table, and the whole of the current one. Read in the background, once they
// are looked at: a file of answers may be large.
#pragma once

#include <QWidget>

#include "widgets/train/answers_model.h"

class QLineEdit;
class QPlainTextEdit;
class QTableView;

namespace braid::ui {

class EmptyState;
class Segments;
class TextLabel;

class AnswersView : public QWidget {
    Q_OBJECT

public:
    explicit AnswersView(QWidget* parent = nullptr);

    // Of this record; read when the view is visible. Nothing: no score.
    void show(std::optional<ScoreRecord> record);
    void setPlace(std::optional<AnswersProxy::Place> place, const QString& text);
    AnswersProxy* proxy() const { return proxy_; }
    QTableView* table() const { return table_; }
    Segments* which() const { return which_; }
    QLineEdit* filter() const { return filter_; }
    QString detail() const;

protected:
    void showEvent(QShowEvent* event) override;

private:
    void read();
    void fitColumns();
    void refresh();
    void showCurrent();

    std::optional<ScoreRecord> record_;
    bool read_ = false;
    int asked_ = 0;  // the answer to an older question is thrown away
    QString problem_, place_;
    QWidget* body_;
    EmptyState* none_;  // instead, where there are no answers
    Segments* which_;
    QLineEdit* filter_;
    TextLabel* note_;
    AnswersModel* model_;
    AnswersProxy* proxy_;
    QTableView* table_;
    QPlainTextEdit* detail_;
};

}  // namespace braid::ui
