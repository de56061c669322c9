// Cross-entropy of rows of logits, and its gradient in their place.
#pragma once

#include <cstdint>

namespace braid::kernels {

template <class T>
struct CrossEntropyArgs {
    std::int64_t rows = 0;
    std::int64_t vocab = 0;
    T* logits = nullptr;                    // [rows, vocab]; becomes scale * d(loss)/d(logits) if gradient
    const std::int64_t* targets = nullptr;  // below 0: no loss, gradient 0
    bool gradient = false;
    double scale = 1.0;
    const T* weights = nullptr;   // [rows]; the gradient of a row is multiplied by its weight; null: all 1
    T* loss = nullptr;            // [rows], nats
    std::int64_t* top = nullptr;  // [rows], index of the largest logit (the first of equals); may be null
};

namespace ref {
template <class T>
void cross_entropy(const CrossEntropyArgs<T>& args);
}  // namespace ref

}  // namespace braid::kernels
