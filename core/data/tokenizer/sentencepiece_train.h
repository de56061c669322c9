// Trains a SentencePiece model on the text of corpus sources.
//
// The model is lossless: no normalisation, no space in front, white space kept, bytes for characters outside
// the vocabulary. Ids: 0 <unk>, 1 <s>, 2 </s>, 256 bytes, then pieces. The same text and options give the
// same file on any machine: lines are sampled by their hash and the number of threads is fixed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/data/tokenizer/tokenizer.h"

namespace braid {

struct SentencePieceTraining {
    std::string kind = "unigram";            // or "bpe"
    std::int64_t vocab = 8'192;              // with the three special tokens and the bytes
    std::int64_t sample_bytes = 16'000'000;  // of text, at most; the rest is left out
    double character_coverage = 0.9995;      // the rarest characters are written in bytes
};

struct SentencePieceProgress {
    double fraction = 0;
    std::string stage;  // "reading novels.txt", "training"
};

// Sources as for build_corpus(). `out` must not exist. All wrong options are listed (invalid_input), also a
// vocabulary that the text is too small for. The library works in a child process: cancel takes effect within
// a fraction of a second (ErrorKind::interrupted, nothing is left behind), and so does its crash (internal).
Result<TokenizerInfo> train_sentencepiece(
    const std::vector<std::string>& sources, const std::string& out, const SentencePieceTraining& training,
    const std::function<void(const SentencePieceProgress&)>& progress = {},
    const std::atomic<bool>* cancel = nullptr);

}  // namespace braid
