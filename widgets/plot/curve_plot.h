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
#include "widgets/plot/plot_theme.h"

namespace braid::ui {

struct PlotSeries {
    QString id;             // stable, unique in a plot: the run id
    QString label;          // at the line's end, in the legend, in the readout
    CurvePtr curve;         // never null
    int colour = 0;         // stored palette index of the run, the same in every panel
    bool live = false;      // still growing: a halo at its end
    bool selected = false;  // drawn last and wider
    bool visible = true;
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
    void setXTitle(const QString& title);  // "training tokens"; a factor such as M is added
    void setYTitle(const QString& title);
    void setTheme(const PlotTheme& theme);          // by default it follows the palette of the application
    void setCompact(bool compact);                  // small panel: thinner lines, few ticks, no labels
    void setLabels(PlotLabels labels);              // automatic: line ends where they fit, else a legend
    void setCountsOnX(bool whole, bool useFactor);  // steps are whole; tokens use k, M, B

    // --- data
    void setSeries(const QVector<PlotSeries>& series);  // keeps the view where the user has moved it
    void setCurve(const QString& id,
                  const CurvePtr& curve);  // a live curve's next snapshot; unknown ids are ignored
    void setLive(const QString& id, bool live);
    void setSelected(const QString& id);  // empty: none
    const QVector<PlotSeries>& series() const;
    void setSmoothing(double beta);  // 0: off; the raw curve stays as a ghost
    double smoothing() const;

    // --- axes
    void setXScale(AxisScale scale);
    void setYScale(AxisScale scale, double symlogLinearWidth = 1);
    AxisRange xRange() const;
    AxisRange yRange() const;
    void setXRange(AxisRange range);  // stays, also when data grow, until fit()
    void setYRange(AxisRange range);
    void setYLimits(std::optional<double> lower,
                    std::optional<double> upper);  // of the fitted range: recall is 0..1
    void fit();                                    // both axes follow the data again
    bool isFitted() const;

    // --- marks
    void setThreshold(const std::optional<PlotThreshold>& threshold);
    void setVerticalMarks(const QVector<PlotVerticalMark>& marks);
    void setCursor(PlotCursor cursor, std::optional<double> x);
    std::optional<double> cursor(PlotCursor cursor) const;
    void setCursorsEnabled(bool enabled);  // click sets A, shift+click sets B; keys A and B at the pointer
    QVector<PlotReading> readAt(double x) const;
    // A thin line under the pointer, shared by neighbouring panels.
    void setHoverX(std::optional<double> x);

    QString readoutText() const;  // what the hover box says; empty without one. For tests and screen readers.
    // Values that cannot be drawn at their place: "3 values missing, 2 at the edge". Empty if none.
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

private:
    class Private;
    std::unique_ptr<Private> d_;
};

}  // namespace braid::ui
