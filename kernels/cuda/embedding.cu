#include "kernels/cuda/common.cuh"
#include "kernels/cuda/embedding.h"

namespace braid::kernels::cuda {
namespace {

constexpr int tile_rows = 32;
constexpr int threads = 128;

__global__ void embedding_kernel(Embedding p) {
    const std::int64_t row = blockIdx.x;
    const bf16* w = p.weight + p.tokens[row] * p.width;
    for (int i = threadIdx.x; i < p.width; i += blockDim.x) p.x[row * p.width + i] = to_float(w[i]);
}

// A run of equal tokens that lies inside one tile is added to the weight at once; the first and the last run
// of a tile, where they go on in a neighbour, leave their sums in edges[tile][0] and [1].
__global__ void tile_kernel(EmbeddingBackward p) {
    const std::int64_t tile = blockIdx.x;
    const std::int64_t begin = tile * tile_rows;
    const std::int64_t end = begin + tile_rows < p.rows ? begin + tile_rows : p.rows;
    const bool enters = begin > 0 && p.sorted_tokens[begin - 1] == p.sorted_tokens[begin];
    const bool leaves = end < p.rows && p.sorted_tokens[end] == p.sorted_tokens[end - 1];
    for (int column = threadIdx.x; column < p.width; column += blockDim.x) {
        float sum = 0;
        bool first_run = true;
        for (std::int64_t i = begin; i < end; ++i) {
            sum += p.dx[p.order[i] * p.width + column];
            const bool last = i + 1 == end;
            if (!last && p.sorted_tokens[i + 1] == p.sorted_tokens[i]) continue;
            if (first_run && enters)
                p.edges[tile * 2 * p.width + column] = sum;
            else if (last && leaves)
                p.edges[(tile * 2 + 1) * p.width + column] = sum;
            else
                p.dweight[p.sorted_tokens[i] * p.width + column] += sum;
            sum = 0;
            first_run = false;
        }
    }
}

// The tile in which a run over several tiles begins collects it.
__global__ void edge_kernel(EmbeddingBackward p, std::int64_t tiles) {
    const std::int64_t tile = blockIdx.x;
    const std::int64_t end = tile * tile_rows + tile_rows;
    if (end >= p.rows || p.sorted_tokens[end] != p.sorted_tokens[end - 1]) return;
    const std::int64_t token = p.sorted_tokens[end - 1];
    const std::int64_t begin = tile * tile_rows;
    const bool whole_tile = p.sorted_tokens[begin] == token;
    if (whole_tile && begin > 0 && p.sorted_tokens[begin - 1] == token) return;  // began earlier
    for (int column = threadIdx.x; column < p.width; column += blockDim.x) {
        float sum = p.edges[(tile * 2 + 1) * p.width + column];
        for (std::int64_t next = tile + 1; next < tiles && p.sorted_tokens[next * tile_rows] == token; ++next)
            sum += p.edges[next * 2 * p.width + column];
        p.dweight[token * p.width + column] += sum;
    }
}

}  // namespace

cudaError_t embedding(const Embedding& p, cudaStream_t stream) {
    embedding_kernel<<<static_cast<unsigned>(p.rows), threads, 0, stream>>>(p);
    return cudaGetLastError();
}

std::int64_t embedding_tiles(std::int64_t rows) { return (rows + tile_rows - 1) / tile_rows; }

cudaError_t embedding_backward(const EmbeddingBackward& p, cudaStream_t stream) {
    const std::int64_t tiles = embedding_tiles(p.rows);
    tile_kernel<<<static_cast<unsigned>(tiles), threads, 0, stream>>>(p);
    edge_kernel<<<static_cast<unsigned>(tiles), threads, 0, stream>>>(p, tiles);
    return cudaGetLastError();
}

}  // namespace braid::kernels::cuda
