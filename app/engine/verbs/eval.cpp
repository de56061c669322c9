// eval: scores of checkpoints.
#include "app/engine/verbs/eval_verbs.h"
#include "app/engine/verbs/verbs.h"

namespace braid::cli {

void add_eval(CommandLine& line) {
    CLI::App& eval = line.group("eval", "Scores of checkpoints: loss, LongPPL, needles, RULER, choices");
    add_eval_loss(line, eval);
    add_eval_keys(line, eval);
    add_eval_longppl(line, eval);
}

}  // namespace braid::cli
