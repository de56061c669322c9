// What can go wrong with LibTorch on a machine, found by trying.
#pragma once

#include <string>

namespace braid {

// Empty where all is well. A foreign BLAS that binds before LibTorch's own makes complex dot products 0 and
// matrix products slow.
std::string blas_problem();

}  // namespace braid
