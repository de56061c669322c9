// Changes of the text before it is cut into words, each byte still knowing where it came from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/data/tokenizer/tokenizer.h"

namespace braid {

struct NormalizedText {
    std::string text;
    std::vector<TokenSpan> from;  // of each byte: what it came from in the text before
};

enum class UnicodeForm { nfc, nfd, nfkc, nfkd };

class Normalizer {
public:
    // Of tokenizer.json: null, NFC, NFD, NFKC, NFKD, Prepend, Replace (of a text), Sequence. Others are
    // problems with their names.
    static Normalizer from_json(const Json& json, const std::string& path, Diagnostics& problems);

    void add_form(UnicodeForm form) { steps_.push_back({.kind = Step::Kind::form, .form = form}); }
    // A text in front of every part of the text that does not begin with it already (`unless_there`).
    void add_prepend(std::string text, bool unless_there) {
        steps_.push_back(
            {.kind = Step::Kind::prepend, .with = std::move(text), .unless_there = unless_there});
    }

    bool empty() const { return steps_.empty(); }
    // What decode() cannot undo: "normalises text to NFC"; empty: nothing.
    std::string loss() const;
    // False where the text (valid UTF-8) stays as it is; then `out` is not touched.
    bool apply(std::string_view text, NormalizedText& out) const;

private:
    struct Step {
        enum class Kind { form, prepend, replace } kind = Kind::form;
        UnicodeForm form = UnicodeForm::nfc;
        std::string what = {};  // replaced
        std::string with = {};  // put in
        bool unless_there = false;
    };
    static bool apply(const Step& step, std::string_view text, NormalizedText& out);
    void read(const Json& json, const std::string& path, Diagnostics& problems);
    std::vector<Step> steps_;
};

}  // namespace braid
