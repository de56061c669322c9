#include "core/engine/guard.h"

#include <c10/util/Exception.h>

#include <exception>
#include <new>

#include "core/engine/parallel/rank_channel.h"
#include "core/mixers/torch/ops.h"

namespace braid {
namespace {

constexpr const char* memory_hint =
    "Use fewer sequences at a time (micro_batches), a shorter context or a smaller model.";

}  // namespace

Error error_from_exception(const std::string& what) {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return {.kind = ErrorKind::out_of_memory, .message = what + ": out of memory", .hint = memory_hint};
    } catch (const c10::OutOfMemoryError& error) {
        return {.kind = ErrorKind::out_of_memory,
                .message = what + ": out of device memory: " + error.what_without_backtrace(),
                .hint = memory_hint};
    } catch (const c10::Error& error) {
        const std::string text = error.what_without_backtrace();
        // The CPU allocator reports exhaustion as a plain error.
        const bool memory = text.find("not enough memory") != std::string::npos ||
                            text.find("can't allocate memory") != std::string::npos;
        if (memory) {
            const std::size_t at = text.find("allocate ");
            const std::string bytes =
                at == std::string::npos
                    ? ""
                    : text.substr(at + 9, text.find_first_not_of("0123456789", at + 9) - at - 9);
            return {.kind = ErrorKind::out_of_memory,
                    .message =
                        what + ": out of memory" + (bytes.empty() ? "" : ", " + bytes + " bytes were needed"),
                    .hint = memory_hint};
        }
        return {.kind = ErrorKind::internal, .message = what + ": " + text};
    } catch (const RanksEnded& ended) {
        return ended.error();
    } catch (const KernelRefused& refused) {
        return {.kind = ErrorKind::invalid_input,
                .message = refused.what(),
                .hint = "auto chooses for each shape"};
    } catch (const std::exception& error) {
        return {.kind = ErrorKind::internal, .message = what + ": " + error.what()};
    } catch (...) {
        return {.kind = ErrorKind::internal, .message = what + ": unknown exception"};
    }
}

}  // namespace braid
