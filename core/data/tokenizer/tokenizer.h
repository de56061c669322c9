// Text to token ids and back, with the place of every token in the text.
//
// Rules that hold for every kind:
//  - encode() never fails and never adds BOS or EOS. A byte sequence that is no UTF-8 is kept byte for byte
//    where the tokenizer has tokens for single bytes, and becomes the unknown token (or U+FFFD) where not.
//  - spans are half-open byte ranges of the text that was given, in order. Where a normalizer changed the
//    text, a span covers what its token came from; where one character becomes several tokens (bytes), each
//    of them has its own byte where the tokenizer works on bytes, else the whole character.
//  - decode(encode(text)) == text for valid UTF-8, unless info().loss says what gets lost.
//  - an object is immutable; all functions may be called from several threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/spec/token_span.h"

namespace braid {

struct Encoding {
    std::vector<std::int32_t> ids;
    std::vector<TokenSpan> spans;  // of each id
};

// What a text such as "<|endoftext|>" means. Text of strangers (a corpus) is as_text: nobody can end a
// document by writing the word. Templates of our own are as_tokens.
enum class SpecialText { as_text, as_tokens };

// What a tokenizer file alone does not say; recorded with the tokenizer.
struct TokenizerOptions {
    std::string pattern =
        {};                // tiktoken: gpt2, cl100k, o200k, llama3 or a regular expression; empty: by size
    std::string bos = {};  // the token that opens a document; empty: as the file says
    std::string eos = {};  // the token that ends one; likewise
    bool operator==(const TokenizerOptions&) const = default;
};
Json to_json(const TokenizerOptions& options);
Checked<TokenizerOptions> tokenizer_options_from_json(const Json& json);

struct TokenizerInfo {
    std::string kind;               // TokenizerKind::id
    std::string file = {};          // name of the file it was read from, without folders; empty: built in
    TokenizerOptions options = {};  // complete: with what was found out
    std::string hash = {};          // of file and options: equal hashes give equal ids
    std::int64_t vocab = 0;         // one more than the largest id
    std::int32_t bos = -1;          // -1: there is none
    std::int32_t eos = -1;
    std::int32_t unknown = -1;
    std::vector<std::int32_t> special = {};  // ids that stand for no text, ascending
    std::string loss = {};  // why decode(encode(text)) may differ from a valid text; empty: it never does

    // The token that separates documents: BOS, or EOS where there is no BOS; -1: neither.
    std::int32_t document_token() const { return bos >= 0 ? bos : eos; }
};
// As recorded in manifests: {"kind", "file", "options", "hash", "vocab", "bos", "eos", "unknown", "loss"}.
Json to_json(const TokenizerInfo& info);
Checked<TokenizerInfo> tokenizer_info_from_json(const Json& json);

class Tokenizer {
public:
    virtual ~Tokenizer() = default;
    Tokenizer(const Tokenizer&) = delete;
    Tokenizer& operator=(const Tokenizer&) = delete;

    const TokenizerInfo& info() const { return info_; }

    // Appends the tokens of `text` (at most 2 GiB) to `ids` and, where wanted, their places to `spans`.
    virtual void encode(std::string_view text, SpecialText special, std::vector<std::int32_t>& ids,
                        std::vector<TokenSpan>* spans = nullptr) const = 0;
    Encoding encode(std::string_view text, SpecialText special = SpecialText::as_text) const;

    // The bytes a token stands for; of a special token its name; "" for an id outside the vocabulary. One
    // token alone need not be valid UTF-8.
    virtual std::string_view bytes(std::int32_t id) const = 0;
    bool is_special(std::int32_t id) const;
    // The text of these tokens; special tokens are left out unless wanted by their names.
    virtual std::string decode(std::span<const std::int32_t> ids, bool with_special = false) const;
    // The id of the token with this name or these bytes; -1: none. For options and tests; not fast.
    virtual std::int32_t find(std::string_view token) const;

protected:
    // info: complete, but `hash` of the file alone; the options are mixed in here.
    explicit Tokenizer(TokenizerInfo info);
    TokenizerInfo info_;
};

// A kind of tokenizer file. A new one is a file of its own and one line in tokenizer_kinds.cpp.
struct TokenizerKind {
    std::string id;     // "sentencepiece"
    std::string title;  // "SentencePiece model"
    std::string files;  // "tokenizer.model": what such files are called, for help
    // Whether a file that begins so is (meant to be) of this kind.
    bool (*recognises)(std::string_view head);
    // The tokenizer of the whole file. `info` has file, options and the file's hash; the rest is found out
    // here, also what the options leave open. Every problem
    // is listed: malformed is ErrorKind::corrupt, what Braid does not do is invalid_input and named.
    Result<std::shared_ptr<const Tokenizer>> (*read)(std::string_view bytes, TokenizerInfo info);
};
std::span<const TokenizerKind> tokenizer_kinds();

// "byte", "ids:VOCAB:EOT" (token files without a tokenizer), or a tokenizer file of any kind (known by its
// content, not its name), or a folder that holds one (tokenizer.json, tokenizer.model, *.tiktoken). bos and
// eos that the file leaves open are looked up in a tokenizer_config.json beside it.
Result<std::shared_ptr<const Tokenizer>> open_tokenizer(const std::string& name,
                                                        const TokenizerOptions& options = {});
// The file that open_tokenizer() reads for this name; "" where the name needs none.
Result<std::string> tokenizer_file(const std::string& name);
// The same as open_tokenizer() from memory; `file` is its name, for messages and info().file.
Result<std::shared_ptr<const Tokenizer>> read_tokenizer(std::string_view bytes, const std::string& file,
                                                        const TokenizerOptions& options = {});

// Everything that keeps a tokenizer from serving a model of this vocabulary; paths start with `path`.
Diagnostics check_fit(const TokenizerInfo& tokenizer, std::int64_t model_vocab, const std::string& path);
// The same against the tokenizer a model was trained with: the hashes must agree.
Diagnostics check_same(const TokenizerInfo& tokenizer, const TokenizerInfo& trained_with,
                       const std::string& path);

}  // namespace braid
