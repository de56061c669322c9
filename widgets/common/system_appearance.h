// What the desktop wants: dark or light, moving or still. Asked of the desktop portal (D-Bus) without
// waiting.
#pragma once

#include <QDBusVariant>
#include <QObject>

namespace braid::ui {

class SystemAppearance : public QObject {
    Q_OBJECT

public:
    // Knows at once what it knew last time (QSettings), and asks.
    explicit SystemAppearance(QObject* parent = nullptr);

    bool isDark() const { return dark_; }
    bool isStill() const { return still_; }

Q_SIGNALS:
    void changed();

private:
    void ask(const QString& group, const QString& key);
    void set(const QString& group, const QString& key, const QVariant& value);
    Q_SLOT void settingChanged(const QString& group, const QString& key, const QDBusVariant& value);

    bool dark_ = false;
    bool still_ = false;
};

}  // namespace braid::ui
