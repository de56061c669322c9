// eval: scores of checkpoints.
#include "app/engine/verbs/eval_verbs.h"
#include "app/engine/verbs/verbs.h"

namespace braid::cli {

void add_eval(CommandLine& line) {
    CLI::App& eval = line.group("eval", "Scores of checkpoints: loss, LongPPL, needles, RULER, choices");
    add_eval_loss(line, eval);
    add_eval_keys(line, eval);
    add_eval_longppl(line, eval);
    add_eval_niah(line, eval);
    add_eval_ruler(line, eval);
    add_eval_babilong(line, eval);
    add_eval_choices(line, eval);
    add_eval_longbench(line, eval);
}

}  // namespace braid::cli
