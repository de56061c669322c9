// Induction heads as in H3 and Mamba (Fu et al., 2023; Gu and Dao, 2023): random symbols, among them once a
// special token; it comes again as the last token of the sequence, and the symbol that followed it the first
// time is to be predicted. Only this answer counts. Symbols are 0..symbols-1, the special token is `symbols`.
//
// Groups by the distance from the symbol to the end: near up to T / 4, mid up to T / 2, far more. In the
// evaluation set the distances are spread evenly over the sequences.
#pragma once

#include "core/data/task.h"
#include "core/spec/tasks/induction.h"
