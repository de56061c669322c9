// Weights in the floating types of safetensors: whether they are finite, and from one type to another.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace braid {

bool is_float(std::string_view dtype);  // F32, BF16 or F16

// All elements; dtype is_float().
bool all_finite(std::string_view dtype, std::span<const std::byte> bytes);

// Rounded to nearest, ties to even; both types are is_float().
void convert(std::string_view from, std::span<const std::byte> bytes, std::string_view to,
             std::vector<std::byte>& out);

}  // namespace braid
