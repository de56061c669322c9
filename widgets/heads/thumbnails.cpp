#include "widgets/heads/thumbnails.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QMetaObject>
#include <QMouseEvent>
#include <QPainter>
#include <QPointer>
#include <QScrollBar>
#include <QThreadPool>
#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/attention/coarsest_tile.h"
#include "core/record/head_formation.h"
#include "widgets/common/attention_scale.h"
#include "widgets/common/colour_map.h"
#include "widgets/common/format.h"
#include "widgets/common/theme.h"

namespace braid::ui {

namespace {

constexpr int picture_side = 64;  // squares of a thumbnail
constexpr int cell_height = 88, columns_wanted = 54;
constexpr int batch = 12;  // pictures that arrive together

// The largest of the squares that a pixel covers.
QImage thumbnail(const CoarsestTile& tile, const CaptureHead& head) {
    const std::int64_t squares = ((tile.tokens - 1) >> tile.level) + 1;
    const int side = int(std::min<std::int64_t>(squares, picture_side));
    std::vector<float> weights(std::size_t(side) * std::size_t(side), 0.0F);
    for (std::int64_t r = 0; r < squares; ++r)
        for (std::int64_t c = 0; c <= r; ++c) {
            float& most = weights[std::size_t(r * side / squares) * std::size_t(side) +
                                  std::size_t(c * side / squares)];
            const float weight = tile.tile.largest[std::size_t(r * attention_tile_side + c)];
            if (std::abs(weight) > std::abs(most)) most = weight;
        }
    AttentionScale scale = fittingScale(AttentionForm::log, head.implied, weights);
    scale.middle = Theme::instance().isDark() ? dark_middle : light_middle;
    QImage picture(side, side, QImage::Format_ARGB32_Premultiplied);
    picture.fill(Qt::transparent);
    for (int r = 0; r < side; ++r)
        for (int c = 0; c <= r; ++c) {
            const float weight = weights[std::size_t(r * side + c)];
            if (weight == 0 && head.window > 0) continue;
            picture.setPixelColor(c, r, scale.colour(double(weight)));
        }
    return picture;
}

class ThumbnailDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        const auto* view = qobject_cast<const QListView*>(option.widget);
        return view && view->gridSize().isValid() ? view->gridSize() : QSize(columns_wanted, cell_height);
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Tokens& t = tokens();
        painter->save();
        const QRectF cell = QRectF(option.rect).adjusted(3, 2, -3, -2);
        const double side = std::min(cell.width(), cell.height() - 19);
        const QRectF square(cell.left(), cell.top() + 1, side, side);
        painter->fillRect(square, t.sunken);
        const QImage picture = index.data(ThumbnailModel::PictureRole).value<QImage>();
        painter->setRenderHint(QPainter::SmoothPixmapTransform, false);
        if (!picture.isNull()) painter->drawImage(square, picture);
        if (!index.data(ThumbnailModel::DamageRole).toString().isEmpty()) {
            painter->fillRect(square, t.errorTint);
            painter->setPen(t.error);
            painter->setFont(Theme::instance().font(TypeStep::tick, 600));
            painter->drawText(square, Qt::AlignCenter, ThumbnailModel::tr("damaged"));
        }
        const QString shown = index.data(ThumbnailModel::SideRole).toString();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setBrush(Qt::NoBrush);
        const bool hovered = option.state & QStyle::State_MouseOver;
        if (!shown.isEmpty())
            painter->setPen(QPen(t.ink, 2));
        else
            painter->setPen(QPen(hovered ? t.axis : t.border, 1));
        painter->drawRoundedRect(square, metrics::radiusCell, metrics::radiusCell);
        if (option.state & QStyle::State_HasFocus && option.state & QStyle::State_KeyboardFocusChange) {
            painter->setPen(QPen(t.ink, 2));
            painter->drawRoundedRect(QRectF(option.rect).adjusted(1, 1, -1, -1), metrics::radiusField,
                                     metrics::radiusField);
        }
        if (index.data(ThumbnailModel::TopRole).toBool()) {
            painter->setPen(QPen(t.mark, 1.6));
            painter->drawEllipse(QPointF(square.right() - 9, square.top() + 9), 4.5, 4.5);
        }
        if (shown == QLatin1String("A") || shown == QLatin1String("B")) {  // one of two heads
            const QRectF badge(square.left() + 3, square.top() + 3, 15, 15);
            painter->setPen(Qt::NoPen);
            painter->setBrush(t.ink);
            painter->drawRoundedRect(badge, 3, 3);
            painter->setFont(Theme::instance().font(TypeStep::tick, 600));
            painter->setPen(t.onInk);
            painter->drawText(badge, Qt::AlignCenter, shown);
        }
        const QRectF line(square.left(), square.bottom() + 2, square.width(), 16);
        const bool strong = !shown.isEmpty() || index.data(ThumbnailModel::TopRole).toBool();
        painter->setFont(Theme::instance().font(TypeStep::tick, strong ? 600 : 500));
        painter->setPen(t.text1);
        painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter, index.data(Qt::DisplayRole).toString());
        painter->setFont(Theme::instance().font(TypeStep::tick));
        painter->setPen(t.text2);
        painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter,
                          index.data(ThumbnailModel::ScoreRole).toString());
        painter->restore();
    }
};

}  // namespace

QString headOrderTitle(HeadOrder order) {
    switch (order) {
        case HeadOrder::needle:
            return ThumbnailModel::tr("Needle mass");
        case HeadOrder::entropy:
            return ThumbnailModel::tr("Entropy");
        case HeadOrder::sink:
            return ThumbnailModel::tr("Sink share");
        case HeadOrder::far:
            return ThumbnailModel::tr("Farthest weight");
        case HeadOrder::layer:
            return ThumbnailModel::tr("Layer");
    }
    return {};
}

std::optional<double> headScore(const CaptureHead& head, HeadOrder order) {
    switch (order) {
        case HeadOrder::needle:
        case HeadOrder::layer:
            return head.scores.needle;
        case HeadOrder::entropy:
            return head.scores.entropy;
        case HeadOrder::sink:
            return head.scores.sink;
        case HeadOrder::far:
            return head.scores.far;
    }
    return {};
}

ThumbnailModel::ThumbnailModel(QObject* parent)
    : QAbstractListModel(parent), generation_(std::make_shared<std::atomic<int>>(0)) {
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        if (capture_) load();
    });
}

ThumbnailModel::~ThumbnailModel() { ++*generation_; }

void ThumbnailModel::setCapture(CapturePointer capture) {
    const bool same = capture_ && capture && capture_->heads.size() == capture->heads.size();
    beginResetModel();
    capture_ = std::move(capture);
    damages_.assign(capture_ ? capture_->heads.size() : 0, QString());
    if (!same) pictures_.assign(capture_ ? capture_->heads.size() : 0, QImage());
    top_.clear();
    if (capture_) {
        for (std::size_t i = 0; i < capture_->heads.size(); ++i)
            if (capture_->heads[i].scores.needle.value_or(0) >= marked_mass && !capture_->heads[i].implied)
                top_.push_back(i);
        const std::size_t circled = std::min<std::size_t>(2, top_.size());
        std::partial_sort(top_.begin(), top_.begin() + std::ptrdiff_t(circled), top_.end(),
                          [this](std::size_t a, std::size_t b) {
                              return *capture_->heads[a].scores.needle > *capture_->heads[b].scores.needle;
                          });
        top_.resize(circled);
    }
    sort();
    endResetModel();
    load();
}

void ThumbnailModel::setOrder(HeadOrder order) {
    if (order == order_) return;
    Q_EMIT layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    std::vector<std::size_t> heads;
    for (const QModelIndex& index : before) heads.push_back(rows_[std::size_t(index.row())]);
    order_ = order;
    sort();
    QModelIndexList after;
    for (const std::size_t head : heads)
        after << index(int(std::find(rows_.begin(), rows_.end(), head) - rows_.begin()));
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
}

void ThumbnailModel::sort() {
    rows_.resize(capture_ ? capture_->heads.size() : 0);
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] = i;
    if (order_ == HeadOrder::layer || !capture_) return;
    const double sign = order_ == HeadOrder::entropy ? 1 : -1;
    std::stable_sort(rows_.begin(), rows_.end(), [&](std::size_t a, std::size_t b) {
        const CaptureHead &first = capture_->heads[a], &second = capture_->heads[b];
        // Shares of the magnitudes of an implied row are no attention: they come after it.
        if (first.implied != second.implied) return second.implied;
        const auto x = headScore(first, order_), y = headScore(second, order_);
        if (!x || !y) return bool(x) && !y;
        return sign * *x < sign * *y;
    });
}

void ThumbnailModel::setShown(const std::optional<std::pair<std::int64_t, std::int64_t>>& a,
                              const std::optional<std::pair<std::int64_t, std::int64_t>>& b) {
    if (a == a_ && b == b_) return;
    a_ = a;
    b_ = b;
    if (!rows_.empty()) Q_EMIT dataChanged(index(0), index(int(rows_.size()) - 1), {SideRole});
}

void ThumbnailModel::setDamage(std::int64_t layer, std::int64_t head, const QString& what) {
    const QModelIndex index = indexOf(layer, head);
    if (!index.isValid()) return;
    QString& known = damages_[rows_[std::size_t(index.row())]];
    if (known == what) return;
    known = what;
    Q_EMIT dataChanged(index, index, {ScoreRole, TopRole, DamageRole});
}

// In batches on a worker; those of a capture that is shown no more are given up.
void ThumbnailModel::load() {
    const int mine = ++*generation_;
    loading_ = capture_ != nullptr && !capture_->heads.empty();
    if (!loading_) {
        Q_EMIT loaded();  // the files of another capture are told of no more
        return;
    }
    QPointer<ThumbnailModel> self(this);
    QThreadPool::globalInstance()->start([self, capture = capture_, order = rows_, generation = generation_,
                                          mine] {
        struct Made {
            std::size_t head;
            QImage picture;
            QString damage;
        };
        std::vector<Made> made;
        const auto send = [&](bool last) {
            QMetaObject::invokeMethod(qApp, [self, made, last, generation, mine] {
                if (!self || *generation != mine) return;
                for (const auto& [head, picture, damage] : made) {
                    self->pictures_[head] = picture;
                    if (!damage.isEmpty()) self->damages_[head] = damage;
                }
                if (!self->rows_.empty())
                    Q_EMIT self->dataChanged(self->index(0), self->index(int(self->rows_.size()) - 1),
                                             {PictureRole, ScoreRole, TopRole, DamageRole});
                if (!last) return;
                self->loading_ = false;
                Q_EMIT self->loaded();
            });
            made.clear();
        };
        for (const std::size_t head : order) {
            if (*generation != mine) return;
            const CaptureHead& description = capture->heads[head];
            const Result<CoarsestTile> tile = read_coarsest_tile(capture->folder + "/" + description.file);
            if (tile)
                made.push_back({head, thumbnail(*tile, description), {}});
            else
                made.push_back({head, {}, QString::fromStdString(describe(tile.error()))});
            if (made.size() == batch) send(false);
        }
        send(true);
    });
}

int ThumbnailModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(rows_.size());
}

const CaptureHead* ThumbnailModel::headAt(const QModelIndex& index) const {
    if (!index.isValid() || std::size_t(index.row()) >= rows_.size()) return nullptr;
    return &capture_->heads[rows_[std::size_t(index.row())]];
}

QModelIndex ThumbnailModel::indexOf(std::int64_t layer, std::int64_t head) const {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        const CaptureHead& each = capture_->heads[rows_[row]];
        if (each.layer == layer && each.head == head) return index(int(row));
    }
    return {};
}

QVariant ThumbnailModel::data(const QModelIndex& index, int role) const {
    const CaptureHead* head = headAt(index);
    if (!head) return {};
    const std::size_t at = rows_[std::size_t(index.row())];
    const std::optional<double> score = headScore(*head, order_);
    const QString& damage = damages_[at];
    const bool top = damage.isEmpty() && std::find(top_.begin(), top_.end(), at) != top_.end();
    switch (role) {
        case Qt::DisplayRole:
            return headName(*head);
        case PictureRole:
            return pictures_[at];
        case ScoreRole:
            return score && damage.isEmpty() ? formatFixed(*score, 2) : QStringLiteral("—");
        case TopRole:
            return top;
        case DamageRole:
            return damage;
        case DetailedRole:
            return head->factors || head->finest == 0;
        case SideRole: {
            const std::pair place(head->layer, head->head);
            const bool a = a_ == place, b = b_ == place;
            return QString((a ? QStringLiteral("A") : QString()) + (b ? QStringLiteral("B") : QString()));
        }
        case Qt::ToolTipRole:
        case Qt::AccessibleTextRole: {
            QStringList parts{tr("Layer %1, head %2, %3")
                                  .arg(head->layer)
                                  .arg(head->head)
                                  .arg(QString::fromStdString(head->mixer))};
            if (!damage.isEmpty()) {
                parts << tr("its file is damaged, capture it again: %1").arg(damage);
                return parts.join(QStringLiteral(", "));
            }
            if (head->implied) parts << tr("implied by its recurrence");
            for (int i = 0; i < int(HeadOrder::layer); ++i)
                if (const auto value = headScore(*head, HeadOrder(i)))
                    parts << tr("%1 %2").arg(headOrderTitle(HeadOrder(i)).toLower(), formatFixed(*value, 3));
            if (top) parts << tr("one of the two with the most mass on the needle");
            return parts.join(QStringLiteral(", "));
        }
        default:
            return {};
    }
}

ThumbnailView::ThumbnailView(QWidget* parent) : QListView(parent) {
    setAccessibleName(tr("Heads"));
    setViewMode(QListView::IconMode);
    setMovement(QListView::Static);
    setResizeMode(QListView::Adjust);
    setUniformItemSizes(true);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setFrameShape(QFrame::NoFrame);
    setMouseTracking(true);
    setItemDelegate(new ThumbnailDelegate(this));
    setGridSize(QSize(columns_wanted, cell_height));
    viewport()->setAutoFillBackground(false);  // the dock's own
}

void ThumbnailView::resizeEvent(QResizeEvent* event) {
    // The list keeps the room of its scroll bar free, whether it is shown or not.
    const int width = viewport()->width() +
                      (verticalScrollBar()->isVisible() ? verticalScrollBar()->width() : 0) -
                      style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, this);
    const int columns = std::max(2, width / columns_wanted);
    const int cell = std::max(48, (width - 2) / columns);
    setGridSize(QSize(cell, cell + 22));
    QListView::resizeEvent(event);
}

void ThumbnailView::mousePressEvent(QMouseEvent* event) {
    const QModelIndex index = indexAt(event->pos());
    picking_ = true;
    QListView::mousePressEvent(event);
    picking_ = false;
    if (event->button() == Qt::LeftButton && index.isValid())
        Q_EMIT picked(index, event->modifiers() & Qt::ShiftModifier);
}

void ThumbnailView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space) {
        if (currentIndex().isValid()) Q_EMIT picked(currentIndex(), event->modifiers() & Qt::ShiftModifier);
        return;
    }
    QListView::keyPressEvent(event);
}

// Arrow keys show the head they come to.
void ThumbnailView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
    QListView::currentChanged(current, previous);
    if (!picking_ && hasFocus() && current.isValid() && previous.isValid()) Q_EMIT picked(current, false);
}

void ThumbnailView::contextMenuEvent(QContextMenuEvent* event) {
    const QModelIndex index =
        event->reason() == QContextMenuEvent::Keyboard ? currentIndex() : indexAt(event->pos());
    if (!index.isValid()) return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Show head %1").arg(index.data().toString()), this,
                    [this, index = QPersistentModelIndex(index)] { Q_EMIT picked(index, false); });
    menu->addAction(tr("Show beside the other, as B"), this,
                    [this, index = QPersistentModelIndex(index)] { Q_EMIT picked(index, true); });
    menu->popup(event->globalPos());
}

}  // namespace braid::ui
