#include <gtest/gtest.h>

#include <QApplication>
#include <QSettings>
#include <QTemporaryDir>

#include "widgets/common/theme.h"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    QApplication application(argc, argv);
    QCoreApplication::setOrganizationName(QStringLiteral("braid-tests"));
    QCoreApplication::setApplicationName(QStringLiteral("widgets_design"));
    const QTemporaryDir settings;  // nothing of the user's is read or written
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, settings.path());
    braid::ui::Theme::instance().install(application);
    return RUN_ALL_TESTS();
}
