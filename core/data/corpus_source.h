// Batches from a corpus.
//
// The training tokens are cut into N pieces of T tokens; an epoch visits each of them once, in a shuffled
// order of its own and with the cuts moved by a random part of T. Sequence number g = step x batch + index of
// a run is piece g mod N of epoch g / N: a pure function of (seed, step, index). Documents follow each other
// in a sequence, each opened by the document token.
//
// pools=all: all documents in the order of the corpus, so that long and short ones come in by their number of
// tokens. pools=mixed: the long documents and the short ones are two rows of tokens with epochs of their own;
// of the first n sequences, floor(n x long_share) are from the long ones. As all sequences have T tokens,
// long_share is the share of tokens (paper, appendix C: 1:1).
#pragma once

#include <memory>

#include "core/data/batch.h"
#include "core/data/corpus.h"
#include "core/spec/data_kinds.h"

namespace braid {

// Refuses what cannot train: fewer tokens than one sequence or one step needs, a pool that is to be mixed in
// and is too small. All problems are listed.
Result<std::unique_ptr<DataSource>> make_corpus_source(Corpus corpus, const DataSpec& data,
                                                       const TrainingSpec& training);

// Sequences spread evenly over the short documents of the validation split, or over all of it where it has
// none; about `tokens` targets, at least one sequence. A split shorter than a sequence is padded. What
// training evaluates on.
Batch validation_sequences(const Corpus& corpus, std::int64_t context, std::int64_t tokens);

// Pieces of `context` tokens of the validation documents that are longer than that, the first of each
// document from its beginning; about `tokens` targets, spread over the documents. Error: invalid_input where
// no document is long enough, with the length of the longest.
Result<Batch> long_validation_sequences(const Corpus& corpus, std::int64_t context, std::int64_t tokens);

}  // namespace braid
