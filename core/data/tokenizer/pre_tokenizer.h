// Cuts a text into the words that byte-pair merging never crosses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/data/tokenizer/split_pattern.h"

namespace braid {

// What becomes of a match; names and meaning as in tokenizer.json.
enum class SplitBehavior { isolated, removed, merged_with_previous, merged_with_next, contiguous };

class PreTokenizer {
public:
    // Of tokenizer.json: null, ByteLevel, Split, Digits, Punctuation, Whitespace, WhitespaceSplit, Sequence.
    // Others are problems with their names.
    static PreTokenizer from_json(const Json& json, const std::string& path, Diagnostics& problems);
    static PreTokenizer of(SplitPattern pattern);

    bool byte_level() const { return byte_level_; }      // the vocabulary is written in GPT-2's byte alphabet
    bool prefix_space() const { return prefix_space_; }  // a space in front of text that does not begin so
    bool removes_text() const;

    // The words of a valid UTF-8 text, in order; what a step removes is in none.
    void split(std::string_view text, std::vector<TextPiece>& words) const;

private:
    struct Step {
        SplitPattern pattern;
        SplitBehavior behavior = SplitBehavior::isolated;
        bool invert = false;
    };
    struct Part {
        TextPiece piece;
        bool match = false;
    };
    static void apply(const Step& step, std::string_view text, TextPiece piece, std::vector<TextPiece>& out);
    void read(const Json& json, const std::string& path, Diagnostics& problems);
    void add(const std::string& pattern, SplitBehavior behavior, bool invert, const std::string& path,
             Diagnostics& problems);

    std::vector<Step> steps_;
    bool byte_level_ = false;
    bool prefix_space_ = false;
};

}  // namespace braid
