// "Tokens seen   3.15 B", a line each: name left, value right.
#pragma once

#include <QString>
#include <QWidget>
#include <vector>

class QVBoxLayout;

namespace braid::ui {

class TextLabel;

class FactList : public QWidget {
    Q_OBJECT

public:
    explicit FactList(QWidget* parent = nullptr);
    // A value with a status ("warn") has its colour.
    struct Fact {
        QString name, value;
        QString status = {};
        QString tip = {};
    };
    void setFacts(const std::vector<Fact>& facts);
    QString text() const;  // a line a fact

private:
    struct Row {
        QWidget* box;
        TextLabel *name, *value;
    };
    QVBoxLayout* layout_;
    std::vector<Row> rows_;
    std::vector<Fact> facts_;
};

}  // namespace braid::ui
