#include <gtest/gtest.h>

#include <QApplication>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>

#include "widgets/common/theme.h"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    // Settings of their own: a test neither reads nor changes those of the user.
    const QTemporaryDir settings;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    QApplication application(argc, argv);
    QCoreApplication::setOrganizationName(QStringLiteral("braid-tests"));
    QCoreApplication::setApplicationName(QStringLiteral("braid-tests"));
    QStandardPaths::setTestModeEnabled(true);
    braid::ui::Theme::instance().install(application);
    braid::ui::Theme::instance().setMode(braid::ui::ThemeMode::light);
    return RUN_ALL_TESTS();
}
