#include "core/data/document_reader.h"

#include <algorithm>
#include <vector>

#include "core/base/json.h"
#include "core/data/byte_stream.h"
#include "core/data/dictionary_index.h"
#include "core/data/r_data.h"
#include "core/data/token_file.h"
#include "core/data/utf8.h"

namespace braid {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 18;
constexpr std::size_t looked_at_for_binary = 8'192;
constexpr std::size_t max_line_bytes = std::size_t{64} << 20;

class Reader {
public:
    Reader(const SourceFile& file, const DocumentVisitor& visitor, ByteStream stream)
        : file_(file), visitor_(visitor), stream_(std::move(stream)) {}

    Result<ReadReport> run() {
        if (Result<bool> first = more(); !first) return fail(std::move(first.error()));
        if (buffer_.empty()) {
            report_.note = "is empty";
            return report_;
        }
        if (file_.format != TextFormat::r_data &&
            std::string_view(buffer_).substr(0, looked_at_for_binary).find('\0') != std::string_view::npos) {
            report_.note = "is binary, left out";
            return report_;
        }
        Result<void> done = by_format();
        if (!done) return fail(std::move(done.error()));
        return report_;
    }

private:
    Result<void> by_format() {
        switch (file_.format) {
            case TextFormat::text:
                return text();
            case TextFormat::json_lines:
                return lines([this](std::string_view line) { return json_line(line); }, max_line_bytes);
            case TextFormat::fortunes:
                return fortunes();
            case TextFormat::dictionary:
                return dictionary();
            case TextFormat::tokens:
                return {};  // never: read_documents() has taken it
            case TextFormat::r_data:
                return read_r_data(file_.path, visitor_.cancel, [this](std::string_view text) {
                    if (visitor_.position) visitor_.position(stream_.position());
                    return emit(text);
                });
        }
        return {};
    }

    // Another block behind the buffer; false at the end.
    Result<bool> more() {
        if (visitor_.cancel != nullptr && visitor_.cancel->load())
            return fail(ErrorKind::interrupted, "stopped", file_.path);
        const Result<std::size_t> n = stream_.read(buffer_, block_bytes);
        if (!n) return fail(n.error());
        if (visitor_.position) visitor_.position(stream_.position());
        return *n > 0;
    }

    void skip(const std::string& reason) {
        ++report_.skipped;
        if (report_.note.empty()) report_.note = reason;
    }

    // A text of any length as documents of at most max_document_bytes.
    Result<void> emit(std::string_view text) {
        if (text.empty()) {
            skip("an empty document");
            return {};
        }
        while (!text.empty()) {
            const std::size_t length = cut(text);
            if (Result<void> done = visitor_.document(text.substr(0, length)); !done) return done;
            text.remove_prefix(length);
        }
        return {};
    }

    // Where to end the next document: at an empty line, else a line, else a character, in the second half of
    // what is allowed.
    static std::size_t cut(std::string_view text) {
        if (text.size() <= max_document_bytes) return text.size();
        const std::string_view allowed = text.substr(0, max_document_bytes);
        for (const std::string_view end : {std::string_view("\n\n"), std::string_view("\n")})
            if (const std::size_t at = allowed.rfind(end);
                at != std::string_view::npos && at >= max_document_bytes / 2)
                return at + end.size();
        return utf8_boundary(text, max_document_bytes);
    }

    Result<void> text() {
        for (;;) {
            // One block more than a document needs, so that only the last one can be short.
            while (buffer_.size() <= max_document_bytes) {
                const Result<bool> grew = more();
                if (!grew) return fail(grew.error());
                if (!*grew) return buffer_.empty() ? Result<void>{} : emit(buffer_);
            }
            const std::size_t length = cut(buffer_);
            if (Result<void> done = visitor_.document(std::string_view(buffer_).substr(0, length)); !done)
                return done;
            buffer_.erase(0, length);
        }
    }

    // Calls line() for each line without its end; lines over the limit are skipped.
    template <class Line>
    Result<void> lines(const Line& line, std::size_t limit) {
        bool too_long = false;
        std::size_t searched = 0;
        for (bool at_end = false; !at_end;) {
            std::size_t begin = 0;
            for (std::size_t end = 0;
                 (end = buffer_.find('\n', std::max(begin, searched))) != std::string::npos;
                 begin = end + 1) {
                std::string_view one = std::string_view(buffer_).substr(begin, end - begin);
                if (one.ends_with('\r')) one.remove_suffix(1);
                if (std::exchange(too_long, false)) continue;
                if (Result<void> done = line(one); !done) return done;
            }
            buffer_.erase(0, begin);
            searched = buffer_.size();
            if (buffer_.size() > limit) {
                if (!std::exchange(too_long, true)) skip("a line longer than 64 MiB");
                buffer_.clear();
                searched = 0;
            }
            const Result<bool> grew = more();
            if (!grew) return fail(grew.error());
            at_end = !*grew;
        }
        return buffer_.empty() || too_long ? Result<void>{} : line(buffer_);
    }

    Result<void> json_line(std::string_view line) {
        ++line_number_;
        if (line.find_first_not_of(" \t") == std::string_view::npos) return {};
        const Result<Json> json = parse_json(line);
        const std::string place = "line " + std::to_string(line_number_) + ": ";
        if (!json) {
            skip(place + "not JSON");
        } else if (!json->is_object() || !json->contains("text") || !(*json)["text"].is_string()) {
            skip(place + "no field \"text\" that is a text");
        } else {
            return emit((*json)["text"].get_ref<const std::string&>());
        }
        return {};
    }

    Result<void> fortunes() {
        std::string document;
        const auto finish = [&]() -> Result<void> {
            return document.empty() ? Result<void>{} : emit(std::exchange(document, {}));
        };
        const Result<void> done = lines(
            [&](std::string_view line) -> Result<void> {
                if (line == "%") return finish();
                document.append(line).push_back('\n');
                return document.size() >= max_document_bytes ? finish() : Result<void>{};
            },
            max_line_bytes);
        return done ? finish() : done;
    }

    Result<void> dictionary() {
        Result<std::vector<DictionaryEntry>> entries = read_dictionary_index(file_.path);
        if (!entries) return fail(std::move(entries.error()));
        std::uint64_t start = 0;  // of the buffer in the text
        for (const DictionaryEntry& entry : *entries) {
            while (start + buffer_.size() < entry.offset + entry.length) {
                if (entry.offset > start) {
                    const std::size_t passed = std::min<std::uint64_t>(entry.offset - start, buffer_.size());
                    buffer_.erase(0, passed);
                    start += passed;
                }
                const Result<bool> grew = more();
                if (!grew) return fail(grew.error());
                if (!*grew)
                    return fail(ErrorKind::corrupt, "is shorter than its index says", file_.path,
                                "Get both files again");
            }
            if (Result<void> done =
                    emit(std::string_view(buffer_).substr(entry.offset - start, entry.length));
                !done)
                return done;
        }
        return {};
    }

    const SourceFile& file_;
    const DocumentVisitor& visitor_;
    ByteStream stream_;
    std::string buffer_;
    ReadReport report_;
    std::int64_t line_number_ = 0;
};

}  // namespace

Result<ReadReport> read_documents(const SourceFile& file, const DocumentVisitor& visitor) {
    if (file.format == TextFormat::tokens) {
        if (!visitor.tokens)
            return ReadReport{.note = "is a token file and there is no tokenizer for it, left out"};
        return read_token_file(file, visitor);
    }
    Result<ByteStream> stream = ByteStream::open(file.path);
    if (!stream) return fail(std::move(stream.error()));
    return Reader(file, visitor, std::move(*stream)).run();
}

}  // namespace braid
