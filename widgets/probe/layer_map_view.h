// Maps over layers beneath each other, with one layer axis and one strip of mixers: hover reads a cell, a
// click or Return holds it, arrow keys move through all maps. What has no value is hatched. Its accessible
// twin is the table of values beside it.
#pragma once

#include <QWidget>
#include <optional>
#include <string>
#include <vector>

#include "widgets/common/measured_views.h"

namespace braid::ui {

class LayerMapView : public QWidget {
    Q_OBJECT

public:
    struct Section {
        LayerMap map;
        QString title, note;
        bool isOptional = false;  // shown where there is room; these come last
    };
    struct Place {
        std::size_t section = 0, row = 0, layer = 0;
        bool operator==(const Place&) const = default;
    };

    explicit LayerMapView(QWidget* parent = nullptr);

    // Empty maps are left out. `current`: id of the run whose rows stand out and whose mixers the axis shows.
    void show(std::vector<Section> sections, const std::string& current);
    const std::vector<Section>& sections() const { return sections_; }
    std::size_t shown() const { return shown_; }  // the first so many of them
    const MeasuredCell& cell(Place place) const;
    const MeasuredRun& run(Place place) const;
    // "swa, layer 8, full: Probing accuracy 73.5 % (69.2 to 77.8), 400 samples"
    QString text(Place place) const;
    std::optional<Place> held() const { return held_; }
    void hold(std::optional<Place> place);
    // The cell read out: the one held, else the one under the pointer or the focus.
    std::optional<Place> read() const { return held_ ? held_ : hovered_; }
    QRectF cellRect(Place place) const;
    QRectF labelRect(std::size_t section, std::size_t row) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void readChanged();
    void heldChanged();
    void runChosen(const QString& run);  // a click on a row's name, or on a cell of another run
    void opened();                       // a double click on a cell, or Ctrl+Return: the one held

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Layout {
        double top = 0, rows = 0, row = 0, pitch = 0;  // of the title; of the first row; height; to the next
    };
    static bool byHead(const Section& section) { return !section.map.rowName.isEmpty(); }
    double heightWith(double runRow, double headRow, std::size_t sections) const;
    std::size_t required() const;
    void arrange();
    double columnLeft() const;
    double columnWidth() const;
    bool exists(Place place) const;
    std::optional<Place> again(const std::vector<Section>& before, const std::optional<Place>& place) const;
    std::optional<Place> placeAt(const QPointF& point) const;
    void hover(std::optional<Place> place);
    void tell();
    void holdRead(std::optional<Place> place);
    const MeasuredRun* axisRun() const;
    QColor fill(const LayerMap& map, double value) const;
    void paintSection(QPainter& painter, std::size_t index) const;
    void paintLabels(QPainter& painter, std::size_t index) const;
    void paintBar(QPainter& painter, std::size_t index) const;
    enum class TopLabels { inCell, beside, inTitle };
    TopLabels topLabels(std::size_t index) const;
    QString topText(std::size_t index) const;  // "L2.H0 0.947, L2.H1 0.782"
    void paintTop(QPainter& painter, std::size_t index) const;
    void paintAxis(QPainter& painter) const;
    void paintRead(QPainter& painter) const;

    std::vector<Section> sections_;
    std::vector<Layout> layouts_;
    std::string current_;
    std::size_t layers_ = 0, shown_ = 0;
    double axis_ = 0;  // top of the strip of mixers
    std::optional<Place> hovered_, held_;
};

}  // namespace braid::ui
