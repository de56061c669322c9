#include "core/engine/flop_count.h"

#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>

#include <memory>
#include <string_view>

namespace braid {
namespace {

thread_local std::int64_t counted = 0;

// Place of the first factor among the arguments; -1: not a matrix product.
int first_factor(std::string_view name) {
    if (name == "aten::mm" || name == "aten::bmm") return 0;
    if (name == "aten::addmm" || name == "aten::baddbmm" || name == "aten::baddbmm_" ||
        name == "aten::addmm_")
        return 1;
    return -1;
}

std::unique_ptr<at::ObserverContext> count(const at::RecordFunction& function) {
    const int first = first_factor(function.name());
    if (first < 0) return nullptr;
    const auto inputs = function.inputs();
    const at::Tensor &a = inputs[std::size_t(first)].toTensor(),
                     &b = inputs[std::size_t(first) + 1].toTensor();
    counted += 2 * a.numel() * b.size(-1);
    return nullptr;
}

}  // namespace

FlopCount::FlopCount() {
    counted = 0;
    handle_ = at::addThreadLocalCallback(
        at::RecordFunctionCallback(count).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
}
FlopCount::~FlopCount() { at::removeCallback(handle_); }
std::int64_t FlopCount::flops() const { return counted; }

}  // namespace braid
