#include "app/engine/verbs/verbs.h"

namespace braid::cli {

void add_verbs(CommandLine& line) {
#define BRAID_VERB(name) add_##name(line);
#include "app/engine/verbs/verbs.def"
}

}  // namespace braid::cli
