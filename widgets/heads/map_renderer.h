// Paints scenes in a thread of its own: the window never waits for a graphics driver. Of several scenes of
// one client only the last is painted.
#pragma once

#include <QImage>
#include <QObject>
#include <QString>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "widgets/heads/map_painter.h"

namespace braid::ui {

class MapRenderer : public QObject {
    Q_OBJECT

public:
    explicit MapRenderer(PainterChoice choice, QObject* parent = nullptr);
    ~MapRenderer() override;

    // `client` comes back with the picture.
    void paint(quintptr client, std::shared_ptr<const MapScene> scene);
    QString painterName() const { return name_; }  // empty until it has started

Q_SIGNALS:
    void painted(quintptr client, const QImage& picture, double milliseconds);
    // `problem`: why it is not what was asked for; empty: it is.
    void started(const QString& name, const QString& problem);

private:
    void run(PainterChoice choice);

    QString name_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::map<quintptr, std::shared_ptr<const MapScene>> waiting_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace braid::ui
