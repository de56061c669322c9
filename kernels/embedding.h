// Rows of a table by token, and the gradient of the table.
#pragma once

#include <cstdint>

namespace braid::kernels {

template <class T>
struct EmbeddingArgs {
    std::int64_t rows = 0;  // tokens
    std::int64_t cols = 0;
    const std::int64_t* tokens = nullptr;
    const T* weight = nullptr;  // [vocab, cols]
    T* x = nullptr;             // [rows, cols]
};

template <class T>
struct EmbeddingBackwardArgs {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t vocab = 0;
    const std::int64_t* tokens = nullptr;
    const T* dx = nullptr;
    T* dweight = nullptr;  // accumulates, token by token in order, whatever the number of threads
};

namespace ref {
template <class T>
void embedding(const EmbeddingArgs<T>& args);
template <class T>
void embedding_backward(const EmbeddingBackwardArgs<T>& args);
}  // namespace ref

}  // namespace braid::kernels
