// Batches from a corpus.
//
// The training tokens are cut into N pieces of T tokens; an epoch visits each of them once, in a shuffled
// order of its own and with the cuts moved by a random part of T. Sequence number g = step x batch + index of
// a run is piece g mod N of epoch g / N: a pure function of (seed, step, index). Documents follow each other
// in a sequence, each opened by BOS; as pieces are cut from all tokens alike, long and short documents come
// in by their token share.
#pragma once

#include <memory>

#include "core/data/batch.h"
#include "core/data/corpus.h"

namespace braid {

const std::vector<ParameterDescription>& corpus_parameters();

// Fails where the corpus has fewer training tokens than one sequence needs.
Result<std::unique_ptr<DataSource>> make_corpus_source(Corpus corpus, const DataSpec& data,
                                                       const TrainingSpec& training);

}  // namespace braid
