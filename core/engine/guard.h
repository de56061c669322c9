// One guard per public entry: exceptions of ATen and of the standard library end here and become an Error.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "core/base/error.h"

namespace braid {

// The exception being handled, as an Error: out_of_memory, unavailable or internal. Call inside a catch
// block.
Error error_from_exception(const std::string& what);

// Runs work(), which returns a Result or a plain value; `what` begins the message: "training".
template <class Work>
auto guarded(const std::string& what, Work&& work) {
    using Value = std::invoke_result_t<Work>;
    if constexpr (requires { typename Value::error_type; }) {
        try {
            return std::forward<Work>(work)();
        } catch (...) {
            return Value(fail(error_from_exception(what)));
        }
    } else if constexpr (std::is_void_v<Value>) {
        try {
            std::forward<Work>(work)();
            return Result<void>();
        } catch (...) {
            return Result<void>(fail(error_from_exception(what)));
        }
    } else {
        try {
            return Result<Value>(std::forward<Work>(work)());
        } catch (...) {
            return Result<Value>(fail(error_from_exception(what)));
        }
    }
}

}  // namespace braid
