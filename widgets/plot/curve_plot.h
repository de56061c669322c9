// One panel of curves: title, axes, lines with exact level of detail, labels at the line ends, cursors, hover
// readout. Any number of series, any length: a repaint costs columns, not points. Data come as immutable
// snapshots; repaints are throttled and always show the last state.
#pragma once

#include <QImage>
#include <QString>
#include <QVector>
#include <QWidget>
#include <memory>
#include <optional>

#include "core/analysis/axis.h"
#include "core/analysis/curve.h"

namespace braid::ui {

struct Tokens;

struct PlotSeries {
    QString id;      // stable, unique in a plot: the run id
    QString label;   // at the line's end, in the legend, in the readout
    CurvePtr curve;  // never null
    int colour = 0;  // stored palette index of the run, the same in every panel
    int dash = 0;    // of lines in one colour: 0 for the first of them, 1 for the second
    // Not a run but a part of a model ("full", "ffn"), which has a look of its own; empty: a run.
    std::string component = {};
    bool live = false;      // still growing: a halo at its end
    bool selected = false;  // drawn last and wider
    bool visible = true;
    CurvePtr low = {}, high = {};  // of a band around it; null: none
};

// A horizontal line with its label, such as 0.9; crossings can be marked with dots.
struct PlotThreshold {
    double value = 0;
    QString label;              // "0.9"
    bool markCrossings = true;  // dot where each curve first reaches it
    // Between the two named series: "1.23 M tokens more, 2.2 x" from the first crossing of `from` to that of
    // `to`. Empty ids: the slowest and the second slowest series that get there.
    bool compare = false;
    QString compareFrom = {}, compareTo = {};
    QString unit = {};  // "tokens" of "1.23 M tokens more"
};

enum class MarkStyle { decay, resume, note };

// A dotted vertical line with a label: decay start, a resume.
struct PlotVerticalMark {
    double x = 0;
    QString label;
    MarkStyle style = MarkStyle::note;
    int colour = -1;  // palette index of the run it belongs to; -1: text colour
};

enum class PlotLabels { automatic, lineEnds, legend, none };
enum class PlotCursor { a, b };

// What stands at one x of one series: for the docked cursor table.
struct PlotReading {
    QString id;
    double raw = 0;       // NaN where the series has no point there
    double smoothed = 0;  // the same as raw without smoothing
};

class CurvePlot : public QWidget {
    Q_OBJECT

public:
    explicit CurvePlot(QWidget* parent = nullptr);
    ~CurvePlot() override;

    // --- text and look
    void setTitle(const QString& title, const QString& subtitle = {});
    // Right beneath the axis: "training tokens"; a factor such as M is added.
    void setXTitle(const QString& title);
    // A fixed theme; by default the plot follows the application's.
    void setTokens(const Tokens& tokens);
    // Small panel: thinner lines, few ticks, no labels, no end marks.
    void setCompact(bool compact);
    // Automatic: at the line ends where they fit, else a legend, else none (hover tells).
    void setLabels(PlotLabels labels);
    // Steps are whole; tokens share a factor k, M, B (named in the title).
    void setCountsOnX(bool whole, bool useFactor);
    void setCountsOnY(bool useFactor);

    // --- data
    // Keeps the view where the user has moved it.
    void setSeries(const QVector<PlotSeries>& series);
    // A live curve's next snapshot; unknown ids are ignored.
    void setCurve(const QString& id, const CurvePtr& curve);
    void setLive(const QString& id, bool live);
    void setSelected(const QString& id);  // empty: none
    const QVector<PlotSeries>& series() const;
    // 0: off; otherwise a debiased EMA is drawn, the raw curve stays as its ghost.
    void setSmoothing(double beta);
    double smoothing() const;

    // --- axes
    void setXScale(AxisScale scale);
    void setYScale(AxisScale scale, double symlogLinearWidth = 1);
    AxisRange xRange() const;
    AxisRange yRange() const;
    // Stay, also when data grow, until fit().
    void setXRange(AxisRange range);
    void setYRange(AxisRange range);
    // Ends of the fitted ranges: recall is 0..1, a run ends at its planned step.
    void setXLimits(std::optional<double> lower, std::optional<double> upper);
    void setYLimits(std::optional<double> lower, std::optional<double> upper);
    // Both axes follow the data again.
    void fit();
    bool isFitted() const;

    // --- marks
    void setThreshold(const std::optional<PlotThreshold>& threshold);
    void setVerticalMarks(const QVector<PlotVerticalMark>& marks);
    void setCursor(PlotCursor cursor, std::optional<double> x);
    std::optional<double> cursor(PlotCursor cursor) const;
    // Click sets A, shift+click B; the keys A and B set them at the pointer; drag moves them.
    void setCursorsEnabled(bool enabled);
    // On a page that scrolls the wheel is the page's; with Ctrl it zooms both axes, with Shift y.
    void setWheelScrolls(bool scrolls);
    // One reading a visible series, in their order.
    QVector<PlotReading> readAt(double x) const;
    // A thin line at the place of the pointer in a neighbouring panel.
    void setHoverX(std::optional<double> x);

    // What the hover box says; empty without one.
    QString readoutText() const;
    QRect readoutRect() const;  // in this widget's coordinates; always inside it
    // Values that cannot be drawn at their place: "3 values missing, 2 at the edge". Empty: none.
    QString omissionsText() const;
    QImage toImage(QSize size, qreal scale = 1);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

    // Draws what is pending now instead of at the next frame.
    void repaintNow();

Q_SIGNALS:
    void xRangeChanged(braid::AxisRange range);  // by the user: for linked panels
    void cursorMoved(braid::ui::PlotCursor cursor, std::optional<double> x);
    void hoverMoved(std::optional<double> x);
    void seriesActivated(const QString& id);  // a click on a line or its label

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    class Private;
    std::unique_ptr<Private> d_;
};

}  // namespace braid::ui
