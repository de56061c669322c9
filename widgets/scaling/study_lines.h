// The lists of a study as lines of text, the way its editor shows them.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "core/spec/study.h"

namespace braid::ui {

// "Window 8 = FS[w=8]", a line each; "@NAME" behind '=' is an architecture of the project, "@ tiny" at the
// end a scale of its own. What else `before` says of a variant of that label is kept.
QString variantLines(const std::vector<StudyVariant>& variants);
Checked<std::vector<StudyVariant>> parseVariants(const QString& text,
                                                 const std::vector<StudyVariant>& before);

// "S1", or "mid = 4 96 240 2 2 48 64": layers, d_model, ffn_width, heads, kv_heads, head_dim, vocab.
QString scaleLines(const std::vector<StudyScale>& scales);
Checked<std::vector<StudyScale>> parseScales(const QString& text, const std::vector<StudyScale>& before);

// "learning_rate = 0.001, 0.003", "$window = 4, 16"
QString axisLines(const std::vector<StudyAxis>& axes);
Checked<std::vector<StudyAxis>> parseAxes(const QString& text);

// "1, 2, 4"
QString budgetText(const std::vector<double>& budgets);
Checked<std::vector<double>> parseBudgets(const QString& text);

// One a line, blank ones left out.
std::vector<std::string> linesOf(const QString& text);
QString textOf(const std::vector<std::string>& lines);

// "1-3,7" of seeds in order.
QString seedText(const std::vector<std::uint64_t>& seeds);

}  // namespace braid::ui
