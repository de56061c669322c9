#include "core/base/error.h"

#include <cerrno>
#include <system_error>

namespace braid {

tl::unexpected<Error> fail(ErrorKind kind, std::string message, std::string path, std::string hint) {
    return tl::unexpected<Error>(
        Error{.kind = kind, .message = std::move(message), .path = std::move(path), .hint = std::move(hint)});
}

std::string describe(const Error& error) {
    std::string text;
    if (!error.path.empty()) text += error.path + ": ";
    text += error.message;
    if (error.cause) text += " (because " + describe(*error.cause) + ")";
    if (!error.hint.empty()) text += ". " + error.hint;
    return text;
}

Error error_from_errno(int error_number, std::string_view what, std::string path) {
    Error error{.kind = ErrorKind::io,
                .message = std::string(what) + ": " + std::generic_category().message(error_number),
                .path = std::move(path)};
    switch (error_number) {
        case ENOENT:
            error.kind = ErrorKind::not_found;
            break;
        case EEXIST:
            error.kind = ErrorKind::already_exists;
            break;
        case ENOSPC:
        case EDQUOT:
            error.kind = ErrorKind::no_space;
            error.hint = "Free some space on that file system and try again; what was written before is kept";
            break;
        case EACCES:
        case EPERM:
        case EROFS:
            error.kind = ErrorKind::permission;
            error.hint = "Choose a folder that you may write to";
            break;
        case ENOMEM:
            error.kind = ErrorKind::out_of_memory;
            break;
        default:
            break;
    }
    return error;
}

std::string Diagnostic::message() const {
    std::string text;
    if (!path.empty()) text += path + ": ";
    text += rule;
    if (!found.empty()) text += ", got " + found;
    return text;
}

Error to_error(const Diagnostics& diagnostics, std::string path) {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics) {
        if (!text.empty()) text += '\n';
        text += diagnostic.message();
    }
    return Error{.kind = ErrorKind::invalid_input, .message = std::move(text), .path = std::move(path)};
}

}  // namespace braid
