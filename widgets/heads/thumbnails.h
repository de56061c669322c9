// All heads of a capture as small pictures: a list with keys and names for screen readers, ordered by any of
// their scores.
#pragma once

#include <QAbstractListModel>
#include <QImage>
#include <QListView>
#include <QStyledItemDelegate>
#include <atomic>
#include <optional>
#include <vector>

#include "widgets/heads/open_head.h"

namespace braid::ui {

enum class HeadOrder { needle, entropy, sink, far, layer };
inline constexpr int head_order_count = 5;
QString headOrderTitle(HeadOrder order);  // "Needle mass"
// The value that an order goes by; absent: the capture has none. Entropies rise, all others fall; heads that
// a recurrence implies come after those that attend.
std::optional<double> headScore(const CaptureHead& head, HeadOrder order);

class ThumbnailModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { PictureRole = Qt::UserRole + 1, ScoreRole, TopRole, SideRole, DetailedRole, DamageRole };

    explicit ThumbnailModel(QObject* parent = nullptr);
    ~ThumbnailModel() override;

    // Pictures of heads that are in both captures stay until they are read anew.
    void setCapture(CapturePointer capture);
    const CapturePointer& capture() const { return capture_; }
    void setOrder(HeadOrder order);
    HeadOrder order() const { return order_; }
    // Which heads the maps show; "A", "B" or "AB" in SideRole.
    void setShown(const std::optional<std::pair<std::int64_t, std::int64_t>>& a,
                  const std::optional<std::pair<std::int64_t, std::int64_t>>& b);

    // Found by who opened the file: thumbnails are a small part of it.
    void setDamage(std::int64_t layer, std::int64_t head, const QString& what);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    const CaptureHead* headAt(const QModelIndex& index) const;
    QModelIndex indexOf(std::int64_t layer, std::int64_t head) const;
    bool loading() const { return loading_; }

Q_SIGNALS:
    void loaded();

private:
    void sort();
    void load();

    CapturePointer capture_;
    HeadOrder order_ = HeadOrder::needle;
    std::vector<std::size_t> rows_;  // indices into capture_->heads
    std::vector<QImage> pictures_;   // by index of the head
    std::vector<QString> damages_;   // what is wrong with its file; empty: nothing
    std::vector<std::size_t> top_;   // the two that attend most to the needle
    std::optional<std::pair<std::int64_t, std::int64_t>> a_, b_;
    bool loading_ = false;
    std::shared_ptr<std::atomic<int>> generation_;
};

class ThumbnailView : public QListView {
    Q_OBJECT

public:
    explicit ThumbnailView(QWidget* parent = nullptr);

Q_SIGNALS:
    // `other`: it was asked for beside what is shown (Shift, or the menu).
    void picked(const QModelIndex& index, bool other);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

private:
    bool picking_ = false;
};

}  // namespace braid::ui
