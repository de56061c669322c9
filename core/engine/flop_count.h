// What is executed, as LibTorch sees it: multiply-adds of matrix products count 2.
#pragma once

#include <cstdint>

namespace braid {

// Counts the matrix products that the calling thread starts while it lives (mm, addmm, bmm, baddbmm). One at
// a time.
class FlopCount {
public:
    FlopCount();
    ~FlopCount();
    FlopCount(const FlopCount&) = delete;
    FlopCount& operator=(const FlopCount&) = delete;
    std::int64_t flops() const;

private:
    std::uint64_t handle_ = 0;
};

}  // namespace braid
