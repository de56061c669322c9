// Bounds of the decays g = exp(-exp(A_log) softplus(..)) of Mamba-2 and Gated DeltaNet, the same in every
// implementation.
#pragma once

namespace braid::kernels {

// exp(-100) is nothing beside 1 in any type, and sums of such logarithms keep their small differences.
inline constexpr double strongest_log_decay = -100;
inline constexpr double largest_a_log = 60;  // keeps exp(A_log) finite

}  // namespace braid::kernels
