#include "widgets/common/system_appearance.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QGuiApplication>
#include <QPalette>
#include <QSettings>

namespace braid::ui {

namespace {

const QString portal_service = QStringLiteral("org.freedesktop.portal.Desktop");
const QString portal_path = QStringLiteral("/org/freedesktop/portal/desktop");
const QString portal_settings = QStringLiteral("org.freedesktop.portal.Settings");
const QString appearance_group = QStringLiteral("org.freedesktop.appearance");
const QString scheme_key = QStringLiteral("color-scheme");  // 0: no preference, 1: dark, 2: light
const QString interface_group = QStringLiteral("org.gnome.desktop.interface");
const QString animations_key = QStringLiteral("enable-animations");
const QString remembered_dark = QStringLiteral("look/system_dark");
const QString remembered_still = QStringLiteral("look/system_still");

}  // namespace

SystemAppearance::SystemAppearance(QObject* parent) : QObject(parent) {
    const QSettings settings;
    const bool palette_dark = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
    dark_ = settings.value(remembered_dark, palette_dark).toBool();
    still_ = settings.value(remembered_still, false).toBool();
    // Without a session bus, asking would make Qt try to start one.
    if (qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS")) return;
    if (!QDBusConnection::sessionBus().isConnected()) return;
    QDBusConnection::sessionBus().connect(portal_service, portal_path, portal_settings,
                                          QStringLiteral("SettingChanged"), this,
                                          SLOT(settingChanged(QString, QString, QDBusVariant)));
    ask(appearance_group, scheme_key);
    ask(interface_group, animations_key);
}

void SystemAppearance::ask(const QString& group, const QString& key) {
    QDBusMessage message =
        QDBusMessage::createMethodCall(portal_service, portal_path, portal_settings, QStringLiteral("Read"));
    message << group << key;
    auto* watcher =
        new QDBusPendingCallWatcher(QDBusConnection::sessionBus().asyncCall(message, 2'000), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, group, key, watcher] {
        watcher->deleteLater();
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        if (reply.isError()) return;  // no portal: what the palette said stands
        QVariant value = reply.value().variant();
        if (value.canConvert<QDBusVariant>()) value = value.value<QDBusVariant>().variant();
        set(group, key, value);
    });
}

void SystemAppearance::settingChanged(const QString& group, const QString& key, const QDBusVariant& value) {
    set(group, key, value.variant());
}

void SystemAppearance::set(const QString& group, const QString& key, const QVariant& value) {
    const bool dark_before = dark_, still_before = still_;
    if (group == appearance_group && key == scheme_key && value.toUInt() != 0) dark_ = value.toUInt() == 1;
    if (group == interface_group && key == animations_key) still_ = !value.toBool();
    if (dark_ == dark_before && still_ == still_before) return;
    QSettings settings;
    settings.setValue(remembered_dark, dark_);
    settings.setValue(remembered_still, still_);
    Q_EMIT changed();
}

}  // namespace braid::ui
