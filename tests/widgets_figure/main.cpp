#include <gtest/gtest.h>

#include <QApplication>
#include <QStandardPaths>

#include "widgets/common/theme.h"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    QApplication application(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    braid::ui::Theme::instance().install(application);
    return RUN_ALL_TESTS();
}
