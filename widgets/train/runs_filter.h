// The filter field of the table of runs: words and simple comparisons, all of which have to hold.
//
//   swa               a run whose name, layers, state or settings contain "swa"
//   loss<3 window=64  comparisons with a column by its name, its id, or the last part of its id
//   data:corpora      the column's text contains it
//   "two words"       quoted text is one word
#pragma once

#include <QString>
#include <vector>

#include "widgets/train/runs_columns.h"

namespace braid::ui {

class RunsFilter {
public:
    // What is no comparison with a known column is told in problem(); the rest still filters.
    static RunsFilter parse(const QString& text, const std::vector<RunsColumn>& columns);

    bool isEmpty() const { return terms_.empty(); }
    const QString& problem() const { return problem_; }
    // `cells` are those of all columns. A missing cell satisfies "!=" only.
    bool accepts(const std::vector<RunsCell>& cells) const;

private:
    enum class Op { contains, less, lessOrEqual, greater, greaterOrEqual, equal, notEqual };
    struct Term {
        int column = -1;  // -1: any text
        Op op = Op::contains;
        QString text;
        double number = 0;
        bool isNumber = false;
    };
    static bool holds(const Term& term, const RunsCell& cell);
    static int find(const QString& name, const std::vector<RunsColumn>& columns);

    std::vector<Term> terms_;
    QString problem_;
};

}  // namespace braid::ui
