// The layers of a document as a table. Rows follow layer ids, so that selection and scroll position survive
// edits, undo and typing in the pattern field.
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "core/spec/cost.h"
#include "widgets/design/spec_document.h"

namespace braid::ui {

class StackModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { LayerColumn, MixerColumn, SettingsColumn, ParametersColumn, CacheColumn, ColumnCount };

    struct Row {
        LayerId id;
        const LayerSpec* layer = nullptr;
        LayerCost cost;
        QString problem;           // "window: must be at least 1, got 0"; empty: none
        bool begins_unit = false;  // a repeat of the pattern begins here: a line above
        bool operator==(const Row& other) const;
    };

    explicit StackModel(SpecDocument& document, QObject* parent = nullptr);
    ~StackModel() override;

    SpecDocument& document() const { return document_; }
    const Row& row(int index) const { return rows_[static_cast<std::size_t>(index)]; }
    int rowOf(LayerId id) const;  // -1: none
    // Largest KV cache of a layer at the context: the length of the bars.
    std::int64_t largestCache() const { return largest_cache_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

    // Rows are dragged as their numbers; a mixer of the palette as its id.
    static QString rowsMimeType();
    static QString mixerMimeType();
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction | Qt::CopyAction; }
    Qt::DropActions supportedDragActions() const override { return Qt::MoveAction; }
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                         const QModelIndex& parent) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;

private:
    std::vector<Row> read() const;
    void update();
    void reorder(const std::vector<LayerId>& order);

    SpecDocument& document_;
    std::shared_ptr<const ArchitectureSpec> snapshot_;  // keeps the layers that rows_ points into
    std::vector<Row> rows_;
    std::int64_t largest_cache_ = 0;
};

}  // namespace braid::ui
