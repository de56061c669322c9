// Every problem of the design at once; a click goes to its row or its column.
#pragma once

#include <QFrame>

#include "widgets/design/spec_document.h"

class QListWidget;

namespace braid::ui {

class ProblemsPopup : public QFrame {
    Q_OBJECT

public:
    explicit ProblemsPopup(const std::vector<DesignProblem>& problems, QWidget* parent = nullptr);
    QListWidget* list() const { return list_; }

Q_SIGNALS:
    void chosen(std::size_t problem);

private:
    QListWidget* list_;
};

}  // namespace braid::ui
