#include "app/workbench/device.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QStringList>
#include <QThread>

namespace braid::ui {

namespace {

const QString driver_folder = QStringLiteral("/proc/driver/nvidia/gpus");

// "Model: \t\t NVIDIA H200" of one card's information file.
QString modelOf(const QString& card) {
    QFile file(driver_folder + QLatin1Char('/') + card + QStringLiteral("/information"));
    if (!file.open(QIODevice::ReadOnly)) return {};
    for (const QByteArray& line : file.readAll().split('\n')) {
        if (!line.startsWith("Model:")) continue;
        QString model = QString::fromLatin1(line.mid(6)).simplified();
        for (const char* vendor : {"NVIDIA ", "GeForce "}) model.remove(QLatin1String(vendor));
        return model;
    }
    return {};
}

}  // namespace

Device findDevice() {
    QStringList models;
    for (const QString& card : QDir(driver_folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const QString model = modelOf(card);
        if (!model.isEmpty()) models << model;
    }
    if (models.isEmpty()) {
        const int cores = QThread::idealThreadCount();
        return {cores == 1 ? QCoreApplication::translate("Device", "CPU · 1 core")
                           : QCoreApplication::translate("Device", "CPU · %1 cores").arg(cores),
                false};
    }
    return {models.size() == 1 ? models.front()
                               : QStringLiteral("%1 × %2").arg(models.size()).arg(models.front()),
            true};
}

}  // namespace braid::ui
