#include "widgets/heads/map_renderer.h"

#include <QMetaObject>
#include <chrono>

namespace braid::ui {

MapRenderer::MapRenderer(PainterChoice choice, QObject* parent)
    : QObject(parent), thread_([this, choice] { run(choice); }) {}

MapRenderer::~MapRenderer() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void MapRenderer::paint(quintptr client, std::shared_ptr<const MapScene> scene) {
    {
        const std::lock_guard lock(mutex_);
        waiting_[client] = std::move(scene);
    }
    wake_.notify_one();
}

void MapRenderer::run(PainterChoice choice) {
    QString problem;
    const std::unique_ptr<MapPainter> painter = makeMapPainter(choice, &problem);
    QMetaObject::invokeMethod(this, [this, name = painter->name(), problem] {
        name_ = name;
        Q_EMIT started(name, problem);
    });
    while (true) {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        if (ending_) return;
        const auto next = waiting_.begin();
        const quintptr client = next->first;
        const std::shared_ptr<const MapScene> scene = std::move(next->second);
        waiting_.erase(next);
        lock.unlock();
        const auto begin = std::chrono::steady_clock::now();
        const QImage picture = painter->paint(*scene);
        const double took =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
        QMetaObject::invokeMethod(this,
                                  [this, client, picture, took] { Q_EMIT painted(client, picture, took); });
    }
}

}  // namespace braid::ui
