#include "widgets/train/log_model.h"

#include <QDateTime>

#include "widgets/common/theme.h"

namespace braid::ui {

int LogModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : shown_; }

const RunEvent& LogModel::at(int row) const { return run_->record->events[std::size_t(shown_ - 1 - row)]; }

void LogModel::show(const RunPointer& run) {
    const int count = run ? int(run->record->events.size()) : 0;
    const bool grows = run && run_ && run->id == run_->id && count >= shown_;
    if (!grows) {
        beginResetModel();
        run_ = run;
        shown_ = count;
        endResetModel();
    } else if (count > shown_) {
        beginInsertRows({}, 0, count - shown_ - 1);
        run_ = run;
        shown_ = count;
        endInsertRows();
    }
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const RunEvent& event = at(index.row());
    switch (role) {
        case Qt::DisplayRole: {
            const QDateTime time =
                QDateTime::fromString(QString::fromStdString(event.time), Qt::ISODateWithMs);
            return time.toLocalTime().toString(QStringLiteral("HH:mm:ss  ")) +
                   QString::fromStdString(event.message);
        }
        case Qt::ToolTipRole:
            return QString::fromStdString(event.message);
        case Qt::ForegroundRole:
            if (event.level == LogLevel::error) return tokens().error;
            if (event.level == LogLevel::warning) return tokens().warn;
            return tokens().text1;
        case Qt::FontRole:
            return Theme::instance().mono(TypeStep::tick);
        default:
            return {};
    }
}

}  // namespace braid::ui
