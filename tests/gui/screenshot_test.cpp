// The whole window over a small project with runs in every state, in both themes and at the sizes of look.md.
// With BRAID_SCREENSHOTS set to a folder, the pictures are kept there to be looked at.
#include <QApplication>
#include <QDir>
#include <QSettings>
#include <QSignalSpy>
#include <QTest>
#include <set>

#include "app/workbench/main_window.h"
#include "app/workbench/settings_dialog.h"
#include "app/workbench/shortcuts_dialog.h"
#include "app/workbench/workspaces.h"
#include "tests/gui/gallery.h"
#include "tests/widgets_common/project_fixture.h"
#include "tests/widgets_runs/recorders.h"
#include "widgets/common/theme.h"

namespace braid::ui {
namespace {

class Screenshot : public testing::TestWithParam<ThemeMode> {
protected:
    void SetUp() override {
        QSettings().clear();
        Theme::instance().setMode(GetParam());
        project_.addArchitecture("base FSSS", "FSSS x6");
        project_.addArchitecture("edge-24", "FSSS x3 {F:1 S:1} SSS F[nope] SSS");
        project_.addArchitecture("full-24", "F x24");
        project_.addStudy("laziness");
        project_.addDocument(DocumentKind::figure, "far-recall", R"({"title": "Far recall"})");
        project_.addFinishedRun("Window 4", "laziness", "window-4/seed-1", 210);
        project_.addFinishedRun("Window 64", "laziness", "window-64/seed-1", 480);
        project_.addRun("edge-24 S1");
        const auto failed = ProjectFixture::write(project_.addRun("gdn S2"));
        ASSERT_TRUE(failed->begin_attempt({}).has_value());
        ProjectFixture::steps(*failed, 0, 90);
        ASSERT_TRUE(failed->close(RunState::failed, "the disk is full").has_value());
        live_ = ProjectFixture::write(project_.addRun("swa-128 S1"));
        ASSERT_TRUE(live_->begin_attempt({}).has_value());
        ProjectFixture::steps(*live_, 0, 258);
        session_ = std::make_unique<ProjectSession>();
    }
    void TearDown() override {
        window_.reset();
        Theme::instance().setMode(ThemeMode::light);
    }

    void show(const QString& workspace, const QSize& size) {
        Options options;
        options.workspace = workspace;
        options.size = size;
        options.safeMode = true;
        window_ = std::make_unique<MainWindow>(*session_, commands_, workspaces(), options);
        QSignalSpy opened(session_.get(), &ProjectSession::opened);
        window_->show();
        window_->openProject(project_.folder());
        ASSERT_TRUE(waitFor([&] { return opened.count() > 0; }));
        QTest::qWait(700);
    }
    // The picture, kept if wanted; an empty or one-coloured one is a failure.
    void keep(QWidget& widget, const QString& name) {
        const QImage image = widget.grab().toImage();
        std::set<QRgb> colours;
        for (int y = 0; y < image.height(); y += 7) {
            for (int x = 0; x < image.width(); x += 7) colours.insert(image.pixel(x, y));
        }
        EXPECT_GT(colours.size(), 12u) << qPrintable(name);
        const QString folder = qEnvironmentVariable("BRAID_SCREENSHOTS");
        if (folder.isEmpty()) return;
        QDir().mkpath(folder);
        const QString theme = themeModeName(GetParam());
        EXPECT_TRUE(image.save(QStringLiteral("%1/%2-%3.png").arg(folder, name, theme)));
    }

    ProjectFixture project_;
    RecordedCommands commands_;
    std::unique_ptr<RunWriter> live_;
    std::unique_ptr<ProjectSession> session_;
    std::unique_ptr<MainWindow> window_;
};

TEST_P(Screenshot, EveryWorkspaceAtFullSizeAndAtTheSmallest) {
    for (const WorkspaceEntry& entry : workspaces()) {
        show(entry.id, QSize(1440, 900));
        keep(*window_, entry.id);
        window_->resize(1024, 700);
        QTest::qWait(150);
        EXPECT_EQ(window_->size(), QSize(1024, 700)) << "something does not become narrow enough";
        keep(*window_, entry.id + QStringLiteral("-1024"));
        window_.reset();
    }
}

TEST_P(Screenshot, PaletteToastAndDialogs) {
    show({}, QSize(1440, 900));
    window_->notify({}, QStringLiteral("Study laziness is finished."), QStringLiteral("Show"));
    QTest::keyClick(window_.get(), Qt::Key_K, Qt::ControlModifier);
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("s"));
    QTest::qWait(250);
    keep(*window_, QStringLiteral("palette"));
    SettingsDialog settings;
    settings.show();
    keep(settings, QStringLiteral("settings"));
    ShortcutsDialog shortcuts(window_->registry());
    shortcuts.show();
    keep(shortcuts, QStringLiteral("shortcuts"));
}

TEST_P(Screenshot, Gallery) {
    const std::unique_ptr<QWidget> sheet(makeGallery());
    sheet->show();
    keep(*sheet, QStringLiteral("gallery"));
}

INSTANTIATE_TEST_SUITE_P(Both, Screenshot, testing::Values(ThemeMode::light, ThemeMode::dark),
                         [](const auto& which) { return themeModeName(which.param).toStdString(); });

}  // namespace
}  // namespace braid::ui
