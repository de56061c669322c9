// The rail at the left edge: one button a workspace, settings at the bottom.
#pragma once

#include <QAbstractButton>
#include <QList>
#include <QWidget>

class QVBoxLayout;

namespace braid::ui {

class RailButton : public QAbstractButton {
    Q_OBJECT

public:
    RailButton(const QString& text, const QString& iconName, QWidget* parent = nullptr);
    void setAttention(bool wanted);  // dot: something runs there, or waits
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void nextCheckState() override {}  // the shell checks the one that it shows

private:
    QString iconName_;
    bool attention_ = false;
};

class Rail : public QWidget {
    Q_OBJECT

public:
    explicit Rail(QWidget* parent = nullptr);
    RailButton* addWorkspace(const QString& id, const QString& title, const QString& iconName,
                             const QString& shortcut);
    void setCurrent(const QString& id);
    void setAttention(const QString& id, bool wanted);

Q_SIGNALS:
    void workspaceChosen(const QString& id);
    void settingsWanted();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Entry {
        QString id;
        RailButton* button;
    };
    QList<Entry> entries_;
    QVBoxLayout* layout_;
};

}  // namespace braid::ui
