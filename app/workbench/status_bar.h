// The bar at the bottom: the running job left; problems, queue and saved state right.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <map>

#include "widgets/common/project_session.h"

class QAbstractButton;

namespace braid::ui {

class RunProgressBar;
class StatePie;
class TextLabel;

class StatusBar : public QWidget {
    Q_OBJECT

public:
    explicit StatusBar(ProjectSession& session, QWidget* parent = nullptr);

    // In place of the running job, for some seconds.
    void showMessage(const QString& text);
    void setProblems(const QString& workspace, int count, std::function<void()> show);
    void setUnsaved(bool unsaved);

Q_SIGNALS:
    void runClicked(const braid::RunId& id);
    void queueClicked();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    void refreshSaved();
    void fold();

    ProjectSession& session_;
    QWidget* job_;
    StatePie* pie_;
    RunProgressBar* bar_;
    TextLabel *name_, *step_, *loss_, *speed_, *eta_, *message_, *saved_;
    QAbstractButton *problems_, *failed_, *queue_;
    RunId shownRun_;
    QTimer messageTimer_, savedTimer_;
    std::map<QString, std::pair<int, std::function<void()>>> problemsOf_;
    bool unsaved_ = false;
    QElapsedTimer lastSave_;
};

}  // namespace braid::ui
