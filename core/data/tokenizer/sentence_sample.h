// A sample of the lines of a text, of bounded size, that depends on nothing but the lines: those with the
// smallest hashes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace braid {

class SentenceSample {
public:
    explicit SentenceSample(std::int64_t max_bytes) : max_bytes_(max_bytes) {}

    // The lines of a document, each with its line end; lines that are not valid UTF-8 or have a NUL are left
    // out, long ones are cut.
    void add_document(std::string_view text);

    const std::vector<std::string>& sentences() const { return sentences_; }
    std::int64_t bytes() const { return bytes_; }

private:
    void add(std::string_view sentence);
    void thin_out();

    std::int64_t max_bytes_;
    std::int64_t bytes_ = 0;
    std::uint64_t limit_ = ~std::uint64_t{0};  // larger hashes are out
    std::vector<std::string> sentences_;
};

}  // namespace braid
