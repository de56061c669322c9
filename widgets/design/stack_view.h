// The layer stack: a list with keys, drag and drop and bulk edits. Everything it does is an edit of the
// document, so that undo, the pattern and the cost follow.
#pragma once

#include <QTreeView>
#include <vector>

#include "widgets/design/stack_model.h"

class QAction;
class QMenu;

namespace braid::ui {

class StackDelegate;

class StackView : public QTreeView {
    Q_OBJECT

public:
    explicit StackView(QWidget* parent = nullptr);

    void setStack(StackModel* model);  // not owned; null: none
    StackModel* stack() const { return stack_; }

    std::vector<LayerId> selectedLayers() const;  // in order of rows
    void selectLayers(const std::vector<LayerId>& layers, bool scroll = true);
    void selectRow(int row);

    // Insert after the selection, or at the end.
    void insertMixer(const std::string& mixer);
    void setCompact(bool compact);

    QAction* duplicateAction() const { return duplicate_; }
    QAction* removeAction() const { return remove_; }
    QAction* moveUpAction() const { return move_up_; }
    QAction* moveDownAction() const { return move_down_; }
    // As the context menu shows it; made anew for each showing.
    void fillMenu(QMenu& menu);

    // Row before which a drop at this height of the viewport inserts.
    int dropRow(int y) const;

Q_SIGNALS:
    void layersSelected();

protected:
    void drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                 const QModelIndex& index) const override;
    void drawBranches(QPainter*, const QRect&, const QModelIndex&) const override {}
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyboardSearch(const QString&) override {}
    void mousePressEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void startDrag(Qt::DropActions actions) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void resizeEvent(QResizeEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;
    void selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) override;

private:
    SpecDocument* document() const;
    void makeActions();
    void updateActions();
    void move(int step);
    void remove();
    void arrangeColumns();
    std::vector<int> selectedRows() const;

    StackModel* stack_ = nullptr;
    StackDelegate* delegate_;
    QAction *duplicate_ = nullptr, *remove_ = nullptr, *move_up_ = nullptr, *move_down_ = nullptr;
    int drop_row_ = -1;
    bool show_focus_ = false;
    bool selecting_ = false;
};

}  // namespace braid::ui
