// The workspace with a recorder in place of the shell and of the runs, over a project in a temporary folder.
#pragma once

#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/mixers/builtin.h"
#include "tests/widgets_design/design_fixture.h"
#include "widgets/common/command_registry.h"
#include "widgets/common/project_session.h"
#include "widgets/common/run_commands.h"
#include "widgets/common/workspace.h"
#include "widgets/design/design_inspector.h"
#include "widgets/design/design_page.h"
#include "widgets/design/design_workspace.h"

namespace braid::ui {

class RecordedCommands : public RunCommands {
public:
    void startTraining(const TrainingPlan& plan) override { plans.push_back(plan); }
    void startStudy(const QString&) override {}
    void startStudyAt(const QString&, const QString&) override {}
    void stopStudy(const QString&) override {}
    bool isStudyRunning(const QString&) const override { return false; }
    void pause(const RunId&) override {}
    void resume(const RunId&) override {}
    void checkpoint(const RunId&) override {}
    void stop(const RunId&) override {}
    void resumeLost(const RunId&) override {}
    QString unavailableReason() const override { return reason; }
    QString commandFor(const TrainingPlan& plan) const override {
        return QStringLiteral("braid-engine train project:%1 --data %2 --tokens %3 --seed %4")
            .arg(QString::fromStdString(plan.architecture.name), QString::fromStdString(plan.data.kind))
            .arg(plan.training.tokens_per_step() * plan.training.steps)
            .arg(plan.training.seed);
    }
    QString commandForStudy(const QString&) const override { return {}; }
    void startScore(const ScoreRequest&) override {}
    void cancelScore(int) override {}
    QString commandForScore(const ScoreRequest&) const override { return {}; }

    std::vector<TrainingPlan> plans;
    QString reason;
};

class RecordedShell : public Shell {
public:
    void notify(const QString&, const QString& text, const QString&, std::function<void()>) override {
        toasts << text;
    }
    void showStatus(const QString& text) override { status = text; }
    void showWorkspace(const QString&) override {}
    bool hasWorkspace(const QString&) const override { return true; }
    void setProblems(const QString&, int count, std::function<void()> show) override {
        problems = count;
        show_problems = std::move(show);
    }

    QStringList toasts;
    QString status;
    int problems = 0;
    std::function<void()> show_problems;
};

// Waits for what worker threads do; false after five seconds.
template <class Condition>
bool wait_for(const Condition& condition) {
    QElapsedTimer timer;
    timer.start();
    while (!condition()) {
        if (timer.elapsed() > 5000) {
            return false;
        }
        QTest::qWait(5);
    }
    return true;
}

// By name and pattern.
using Architectures = std::vector<std::pair<std::string, std::string>>;

class DesignWindow {
public:
    explicit DesignWindow(const Architectures& architectures, const std::string& scale = "S1",
                          QSize size = {1175, 787}) {
        const QString root = folder.path();
        EXPECT_TRUE(make_folder((root + QStringLiteral("/architectures")).toStdString()).has_value());
        EXPECT_TRUE(write_json_atomically((root + QStringLiteral("/project.json")).toStdString(),
                                          Json{{"schema_version", 1}, {"title", "hybrids"}})
                        .has_value());
        for (const auto& [name, pattern] : architectures) {
            ArchitectureSpec spec = spec_of(pattern, scale);
            spec.name = name;
            EXPECT_TRUE(write_json_atomically(file(name), to_json(spec)).has_value());
        }
        start(architectures.empty() ? std::string() : architectures.front().first, size);
    }

    std::string file(const std::string& name) const {
        return folder.path().toStdString() + "/architectures/" + name + ".json";
    }

    void start(const std::string& name, QSize size) {
        session = std::make_unique<ProjectSession>();
        QSignalSpy opened(session.get(), &ProjectSession::opened);
        session->open(folder.path());
        EXPECT_TRUE(wait_for([&] { return opened.count() > 0; })) << "the project did not open";
        session->setCurrentArchitecture(QString::fromStdString(name));
        workspace = std::make_unique<DesignWorkspace>(WorkspaceContext{*session, commands, registry, shell});
        window = std::make_unique<QWidget>();
        auto* line = new QHBoxLayout(window.get());
        line->setContentsMargins(0, 0, 0, 0);
        line->setSpacing(1);
        line->addWidget(workspace->page(), 1);
        workspace->inspector()->setFixedWidth(276);
        line->addWidget(workspace->inspector());
        window->addAction(workspace->undoAction());
        window->addAction(workspace->redoAction());
        window->addAction(workspace->saveAction());
        window->addActions(workspace->actions());
        window->resize(size);
        window->show();
        workspace->activate();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get()));
        window->activateWindow();
        QTest::qWait(20);
    }

    // As a window that goes away and comes back.
    void stop() {
        workspace.reset();
        window.reset();
        session.reset();
    }

    SpecDocument& document() { return *workspace->document(); }
    DesignPage& page() { return *workspace->designPage(); }
    DesignInspector& inspector() { return *workspace->designInspector(); }

    QTemporaryDir folder;
    RecordedCommands commands;
    RecordedShell shell;
    CommandRegistry registry;
    std::unique_ptr<ProjectSession> session;
    std::unique_ptr<DesignWorkspace> workspace;
    std::unique_ptr<QWidget> window;

    ~DesignWindow() { stop(); }
};

}  // namespace braid::ui
