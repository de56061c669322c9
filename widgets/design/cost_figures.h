// What the design costs, in four figures at eye level beside the stack.
#pragma once

#include <QWidget>
#include <memory>

#include "widgets/design/spec_document.h"

class QGridLayout;

namespace braid::ui {

class TextLabel;

// Caption, big value, notes.
class CostFigure : public QWidget {
    Q_OBJECT

public:
    explicit CostFigure(QWidget* parent = nullptr);
    void set(const QString& caption, const QString& value, const QString& note, const QString& second = {});
    QString value() const;
    QString note() const;
    QString second() const;
    void setShowsSecond(bool shows);

private:
    TextLabel *caption_, *value_, *note_, *second_;
};

class CostFigures : public QWidget {
    Q_OBJECT

public:
    explicit CostFigures(QWidget* parent = nullptr);

    void setDocument(SpecDocument* document);  // null: nothing
    CostFigure* parameters() const { return parameters_; }
    CostFigure* cache() const { return cache_; }
    CostFigure* flops() const { return flops_; }
    CostFigure* state() const { return state_; }
    void setOneRow(bool one_row);

private:
    void update_();

    SpecDocument* document_ = nullptr;
    QGridLayout* grid_;
    CostFigure *parameters_, *cache_, *flops_, *state_;
};

// The same model with full attention in every layer: what the cache is a share of.
ArchitectureSpec all_full(const ArchitectureSpec& spec);

}  // namespace braid::ui
