// The key tokens of a file in the texts they lie in.
#pragma once

#include <QWidget>
#include <memory>

#include "core/spec/key_tokens.h"
#include "widgets/common/run_view.h"
#include "widgets/common/workspace.h"

class QComboBox;
class QStackedWidget;
class QStandardItemModel;
class QTableView;
class QToolButton;

namespace braid::ui {

class EmptyState;
class KeyTextView;
class PageToolbar;
class TextLabel;

class KeyTokensPage : public QWidget {
    Q_OBJECT

public:
    explicit KeyTokensPage(const WorkspaceContext& context, QWidget* parent = nullptr);

    void setActive(bool active);
    // Reads it in the background.
    void open(const QString& file);
    // The file that the run's evaluation uses; empty: none.
    static QString fileOf(const RunPointer& run, const QString& projectFolder);
    QString file() const { return file_; }
    QTableView* samples() const { return samples_view_; }
    KeyTextView* text() const { return text_; }
    QComboBox* files() const { return files_; }

public Q_SLOTS:
    void nextKey();
    void previousKey();

private:
    void makeToolbar();
    void listFiles();
    void browse();
    void show(std::shared_ptr<const KeyTokenFile> keys, const QString& problem);
    void showSample(int index);
    void move(int by);

    WorkspaceContext context_;
    bool active_ = false;
    QString file_;
    int asked_ = 0;
    std::shared_ptr<const KeyTokenFile> keys_;
    PageToolbar* toolbar_;
    QComboBox* files_;
    QToolButton *previous_, *next_;
    TextLabel *place_, *facts_;
    QStandardItemModel* samples_;
    QTableView* samples_view_;
    KeyTextView* text_;
    QStackedWidget* pages_;
    EmptyState* empty_;
};

}  // namespace braid::ui
