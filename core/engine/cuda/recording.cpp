#include "core/engine/cuda/recording.h"

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>

#include <exception>

#include "core/engine/cuda/check.h"
#include "core/engine/cuda/pointers.h"

namespace braid::cuda {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

// Memory of one recording: asked for while the stream records, kept for as long as this lives.
class Pool {
public:
    Pool(c10::DeviceIndex device, cudaStream_t stream) : device_(device), id_(at::cuda::graph_pool_handle()) {
        allocator::beginAllocateToPool(device_, id_,
                                       [stream](cudaStream_t asking) { return asking == stream; });
    }
    ~Pool() {
        end();
        allocator::releasePool(device_, id_);
    }
    void end() {
        if (open_) allocator::endAllocateToPool(device_, id_);
        open_ = false;
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

private:
    c10::DeviceIndex device_;
    c10::cuda::MempoolId_t id_;
    bool open_ = true;
};

class GraphRecording final : public Recording {
public:
    GraphRecording(cudaGraphExec_t graph, std::unique_ptr<Pool> pool,
                   std::shared_ptr<std::vector<at::Tensor>> kept)
        : graph_(graph), pool_(std::move(pool)), kept_(std::move(kept)) {}
    ~GraphRecording() override {
        (void)cudaDeviceSynchronize();  // it may still run
        (void)cudaGraphExecDestroy(graph_);
    }
    void replay() override { check(cudaGraphLaunch(graph_, stream()), "a recorded step does not start"); }

private:
    cudaGraphExec_t graph_;
    std::unique_ptr<Pool> pool_;
    std::shared_ptr<std::vector<at::Tensor>> kept_;
};

struct DestroyGraph {
    void operator()(cudaGraph_t graph) const { (void)cudaGraphDestroy(graph); }
};

}  // namespace

std::unique_ptr<Recording> record_graph(const c10::cuda::CUDAStream& side, const std::function<void()>& work,
                                        const std::shared_ptr<std::vector<at::Tensor>>& kept) {
    // What the same work took as plain launches is free now: given back, so that the pool adds nothing.
    check(cudaDeviceSynchronize(), "the device fails");
    allocator::emptyCache();
    const c10::cuda::CUDAStreamGuard guard(side);
    (void)at::cuda::getCurrentCUDABlasHandle();  // its workspace of this stream outlives the recording
    auto pool = std::make_unique<Pool>(side.device_index(), side.stream());
    check(cudaStreamBeginCapture(side, cudaStreamCaptureModeThreadLocal), "recording does not begin");
    std::exception_ptr failed;
    try {
        work();
    } catch (...) {
        failed = std::current_exception();
    }
    cudaGraph_t recorded = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(side, &recorded);
    const std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph> graph(recorded);
    pool->end();
    if (ended != cudaSuccess || failed) (void)cudaGetLastError();  // later calls are not to report it
    if (failed) std::rethrow_exception(failed);
    check(ended, "recording does not end");
    cudaGraphExec_t runnable = nullptr;
    check(cudaGraphInstantiate(&runnable, graph.get(), 0), "a recorded step cannot be made ready");
    return std::make_unique<GraphRecording>(runnable, std::move(pool), kept);
}

}  // namespace braid::cuda
