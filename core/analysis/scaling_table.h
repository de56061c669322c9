// Anybody's table as points of a scaling law.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/scaling_points.h"
#include "core/base/csv_table.h"
#include "core/base/row_rule.h"

namespace braid {

struct ScalingTableOptions {
    // Titles of the columns; case does not matter. Units: numbers of parameters and tokens, nats a token.
    std::string parameters = "parameters";
    std::string tokens = "tokens";
    std::string loss = "loss";
    std::string group = {};              // empty: one curve
    std::vector<RowRule> held_out = {};  // a row of any rule; excluded rows stay excluded
    std::vector<RowRule> excluded = {};
};

struct ScalingTable {
    CsvTable table;                    // as it was read, all columns
    std::vector<ScalingPoint> points;  // one a row
    std::vector<std::string> warnings = {};
};

// Every row that cannot be used is a diagnostic with line, rule and value: a cell that is missing, no number,
// not finite or not above 0; the same row twice; a column or a rule that names nothing. An excluded row may
// hold any loss (its reason may be that the run diverged). Rules may also ask for tokens_per_parameter and
// line.
Checked<ScalingTable> scaling_table(CsvTable table, const ScalingTableOptions& options);

}  // namespace braid
