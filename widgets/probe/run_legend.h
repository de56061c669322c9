// The runs of all charts beside each other, once: a sample of each one's line and its name.
#pragma once

#include <QRectF>
#include <QString>
#include <QWidget>
#include <vector>

namespace braid::ui {

class RunLegend : public QWidget {
    Q_OBJECT

public:
    struct Entry {
        QString id, name;
        int colour = 0, dash = 0;  // as in PlotSeries
        bool current = false;
        bool operator==(const Entry&) const = default;
    };

    explicit RunLegend(QWidget* parent = nullptr);

    void setEntries(std::vector<Entry> entries);
    const std::vector<Entry>& entries() const { return entries_; }
    QRectF rectOf(std::size_t entry) const;  // empty: there was no room for it
    std::size_t shown() const;               // the others are counted at the end and told by the tool tip

Q_SIGNALS:
    void chosen(const QString& id);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Layout {
        std::vector<QRectF> rects;  // of those that are shown
        QRectF more;                // empty: all are
        int height = 0;
    };
    Layout layoutFor(int width) const;
    QFont fontOf(const Entry& entry) const;

    std::vector<Entry> entries_;
};

}  // namespace braid::ui
