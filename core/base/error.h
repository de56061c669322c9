// How a Braid function says that it could not do its work: Result<T> with one Error, or Checked<T> with every
// problem found in an input.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace braid {

enum class ErrorKind {
    invalid_input,  // the user can correct it: exit code 2
    not_found,
    already_exists,
    permission,
    no_space,
    io,
    corrupt,  // a file is not what it claims to be
    busy,     // somebody else holds the run, the study, the lock
    out_of_memory,
    unavailable,  // a device, a library, a program is missing
    interrupted,  // asked to stop; work so far is saved: exit code 130
    internal,
};

// One failure, shown or logged once, where someone can act on it.
struct Error {
    ErrorKind kind = ErrorKind::internal;
    std::string message;                      // what happened, with the value found
    std::string path = {};                    // file, or place inside a document; may be empty
    std::string hint = {};                    // what to do; may be empty
    std::shared_ptr<const Error> cause = {};  // may be null
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }
tl::unexpected<Error> fail(ErrorKind kind, std::string message, std::string path = {}, std::string hint = {});

// "path: message (because ...). hint" in one line.
std::string describe(const Error& error);

// errno as an Error; ENOSPC, EACCES and EROFS get their kinds and hints.
Error error_from_errno(int error_number, std::string_view what, std::string path);

// Half-open range of columns (bytes, from 0) in a line of user text.
struct TextSpan {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool operator==(const TextSpan&) const = default;
};

// One broken rule of a document: place, rule, value. "layers[3].window: must be at least 1, got -1".
struct Diagnostic {
    std::string path;                   // "layers[3].window"; empty for the whole document
    std::string rule;                   // "must be at least 1"
    std::string found;                  // "-1"; empty where there is no single value
    std::optional<TextSpan> span = {};  // where in the shorthand text, if it came from there
    std::string message() const;
    bool operator==(const Diagnostic&) const = default;
};

using Diagnostics = std::vector<Diagnostic>;

// A value parsed at the edge, or everything that is wrong with the input (never empty on failure).
template <class T>
using Checked = tl::expected<T, Diagnostics>;

// All diagnostics as one invalid_input Error, one a line.
Error to_error(const Diagnostics& diagnostics, std::string path = {});

}  // namespace braid
