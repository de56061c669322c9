// A workspace that does nothing but write down what the window asks of it.
#pragma once

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QVBoxLayout>

#include "widgets/common/workspace.h"

namespace braid::ui {

class FakeWorkspace : public Workspace {
public:
    FakeWorkspace(const QString& id, bool hasInspector) : id_(id) {
        page_ = new QWidget;
        auto* layout = new QVBoxLayout(page_);
        edit_ = new QLineEdit;
        layout->addWidget(edit_);
        if (hasInspector) inspector_ = new QLabel(id);
        action_ = new QAction(QStringLiteral("Twist ") + id, this);
        action_->setObjectName(id + QStringLiteral(".twist"));
        action_->setShortcut(QKeySequence(QStringLiteral("Ctrl+T")));
        action_->setProperty("menu", QStringLiteral("edit"));
        page_->addAction(action_);
        connect(action_, &QAction::triggered, this, [this] { ++twists; });
        new_ = new QAction(QStringLiteral("New twist"), this);
        new_->setObjectName(id + QStringLiteral(".new"));
        new_->setShortcut(QKeySequence(QStringLiteral("Ctrl+N")));
        new_->setProperty("menu", QStringLiteral("file"));
        connect(new_, &QAction::triggered, this, [this] { ++news; });
        undo_ = new QAction(QStringLiteral("Undo twist"), this);
        connect(undo_, &QAction::triggered, this, [this] { ++undone; });
    }
    ~FakeWorkspace() override { Q_EMIT commandLineChanged(); }  // a last word that must not hurt

    QWidget* page() override { return page_; }
    QWidget* inspector() override { return inspector_; }
    QString inspectorTitle() const override { return id_ + QStringLiteral(" inspector"); }
    QList<QAction*> actions() override {
        return id_ == QLatin1String("design") ? QList<QAction*>{action_, new_} : QList<QAction*>{action_};
    }
    QAction* undoAction() override { return undo_; }
    QString commandLine() const override { return command; }
    bool hasUnsavedChanges() const override { return unsaved; }
    void prepareToClose() override { ++closings; }
    void activate() override { ++activations; }
    void deactivate() override { --activations; }
    void setCompact(bool now) override { compact = now; }

    QLineEdit* edit() const { return edit_; }
    QAction* undo() const { return undo_; }
    int twists = 0, news = 0, undone = 0, closings = 0, activations = 0;
    bool compact = false, unsaved = false;
    QString command;

private:
    QString id_;
    QWidget* page_;
    QLineEdit* edit_;
    QLabel* inspector_ = nullptr;
    QAction *action_, *new_, *undo_;
};

}  // namespace braid::ui
