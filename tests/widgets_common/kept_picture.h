// Pictures of views, kept in $BRAID_SCREENSHOTS where it is set.
#pragma once

#include <gtest/gtest.h>

#include <QPixmap>
#include <QTest>
#include <QWidget>

#include "widgets/common/theme.h"

namespace braid::ui {

// Draws the widget once it has settled, as NAME-THEME.png; it has to come out as a picture either way.
inline void keepPicture(QWidget* widget, const char* name, ThemeMode mode) {
    QTest::qWait(150);
    const QPixmap picture = widget->grab();
    EXPECT_FALSE(picture.isNull());
    const QString folder = qEnvironmentVariable("BRAID_SCREENSHOTS");
    if (!folder.isEmpty())
        picture.save(folder + QStringLiteral("/%1-%2.png").arg(QLatin1String(name), themeModeName(mode)));
}

}  // namespace braid::ui
