#include "widgets/figure/figure_checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/analysis/number_format.h"

namespace braid::ui {
namespace {

constexpr double least_text_pt = 5;       // below this, print becomes hard to read
constexpr double least_distance = 0.075;  // OKLab, between two colours that lie beside each other
constexpr double least_grey = 0.08;       // lightness
constexpr qint64 most_pdf_bytes = 200'000;

using Vector = std::array<double, 3>;

Vector linear_rgb(const QColor& colour) {
    const auto decode = [](double value) {
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return {decode(colour.redF()), decode(colour.greenF()), decode(colour.blueF())};
}

Vector deuteranopia(const Vector& c) {
    return {0.367322 * c[0] + 0.860646 * c[1] - 0.227968 * c[2],
            0.280085 * c[0] + 0.672501 * c[1] + 0.047413 * c[2],
            -0.011820 * c[0] + 0.042940 * c[1] + 0.968881 * c[2]};
}

Vector oklab(const Vector& c) {
    const double l = std::cbrt(0.4122214708 * c[0] + 0.5363325363 * c[1] + 0.0514459929 * c[2]);
    const double m = std::cbrt(0.2119034982 * c[0] + 0.6806995451 * c[1] + 0.1073969566 * c[2]);
    const double s = std::cbrt(0.0883024619 * c[0] + 0.2817188376 * c[1] + 0.6299787005 * c[2]);
    return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double distance(const Vector& a, const Vector& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

QString count_text(std::size_t count) {
    return QString::fromStdString(format_count(static_cast<std::int64_t>(count)));
}

// All pairs of looks differ by dash.
bool dashes_differ(const std::vector<SeriesLook>& looks) {
    for (std::size_t i = 0; i < looks.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            if (looks[i].dash == looks[k].dash) {
                return false;
            }
        }
    }
    return true;
}

double smallest_grey_step(const std::vector<SeriesLook>& looks) {
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < looks.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            if (looks[i].dash == looks[k].dash) {
                smallest = std::min(
                    smallest, std::abs(grey_lightness(looks[i].colour) - grey_lightness(looks[k].colour)));
            }
        }
    }
    return smallest;
}

}  // namespace

double grey_lightness(const QColor& colour) { return oklab(linear_rgb(colour))[0]; }

double deuteranopia_distance(const std::vector<QColor>& colours) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < colours.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            nearest = std::min(nearest, distance(oklab(deuteranopia(linear_rgb(colours[i]))),
                                                 oklab(deuteranopia(linear_rgb(colours[k])))));
        }
    }
    return nearest;
}

std::vector<FigureCheck> check_figure(const FigureSpec& spec, const FigureData& data,
                                      const FigureFacts& facts, qint64 pdf_bytes) {
    std::vector<FigureCheck> checks;
    checks.push_back({QStringLiteral("Legend complete"), facts.legend_entries >= facts.series,
                      QStringLiteral("%1 of %2 series").arg(facts.legend_entries).arg(facts.series)});
    checks.push_back({QStringLiteral("Smallest text"),
                      facts.smallest_pt == 0 || facts.smallest_pt >= least_text_pt,
                      QStringLiteral("%1 pt").arg(facts.smallest_pt, 0, 'f', 1)});
    QStringList families;
    for (const QString& family : facts.families) {
        families << family;
    }
    checks.push_back(spec.style.text == TextAs::paths
                         ? FigureCheck{QStringLiteral("Fonts"), true, QStringLiteral("none, text as paths")}
                         : FigureCheck{QStringLiteral("Fonts embedded"), true,
                                       families.join(QStringLiteral(", ")) + QStringLiteral(", subset")});
    QString outside =
        facts.outside == 0
            ? QStringLiteral("none of %1").arg(count_text(facts.points))
            : QStringLiteral("%1 of %2").arg(count_text(facts.outside), count_text(facts.points));
    if (facts.missing > 0) {
        outside += QStringLiteral(", %1 missing").arg(count_text(facts.missing));
    }
    checks.push_back(
        {QStringLiteral("Points outside the axes"), facts.outside == 0 && facts.missing == 0, outside});

    if (facts.looks.size() > 1) {
        const double grey = smallest_grey_step(facts.looks);
        checks.push_back({QStringLiteral("Readable in grey"),
                          dashes_differ(facts.looks) || grey >= least_grey,
                          dashes_differ(facts.looks) ? QStringLiteral("dashes differ")
                          : grey >= least_grey       ? QStringLiteral("lightness differs")
                                                     : QStringLiteral("two series look alike")});
        // Where dashes tell two series apart, their hues need not; a distance that is too small is no merit.
        std::vector<QColor> colours;
        for (const SeriesLook& look : facts.looks) {
            colours.push_back(look.colour);
        }
        const double nearest = deuteranopia_distance(colours);
        const bool dashes = dashes_differ(facts.looks);
        const QString found = nearest < least_distance && dashes
                                  ? QStringLiteral("hues too near, told apart by dash")
                                  : QStringLiteral("nearest pair ΔE %1, OKLab").arg(100 * nearest, 0, 'f', 0);
        checks.push_back(
            {QStringLiteral("Colour-blind, deuteranopia"), nearest >= least_distance || dashes, found});
    }
    checks.push_back({QStringLiteral("Spread over seeds"), facts.spread_shown,
                      facts.spread_shown && facts.fewest_seeds <= 1
                          ? QStringLiteral("one seed a series, with the spread of its sequences")
                      : facts.spread_shown      ? QStringLiteral("%1 seeds or more").arg(facts.fewest_seeds)
                      : facts.fewest_seeds <= 1 ? QStringLiteral("one seed a series, not shown")
                                                : QStringLiteral("not shown")});
    if (data.expected_runs > data.runs.size()) {
        checks.push_back({QStringLiteral("All runs there"), false,
                          QStringLiteral("%1 of %2").arg(data.runs.size()).arg(data.expected_runs)});
    }
    const bool finished = std::all_of(data.runs.begin(), data.runs.end(),
                                      [](const FigureRun& run) { return run.state == RunState::finished; });
    if (!finished) {
        const auto count = std::count_if(data.runs.begin(), data.runs.end(), [](const FigureRun& run) {
            return run.state != RunState::finished;
        });
        checks.push_back({QStringLiteral("Runs finished"), false,
                          QStringLiteral("%1 of %2 are not").arg(count).arg(data.runs.size())});
    }
    checks.push_back({QStringLiteral("PDF size"), pdf_bytes < most_pdf_bytes,
                      QStringLiteral("%1 KB").arg(std::max<qint64>(1, (pdf_bytes + 500) / 1000))});
    return checks;
}

}  // namespace braid::ui
