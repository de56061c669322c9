// Sums over ranks by NCCL: c10d's TCPStore to find each other, ProcessGroupNCCL to sum.
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "core/engine/parallel/collective.h"

namespace braid {
namespace {

constexpr std::chrono::seconds store_limit{60};
constexpr std::chrono::microseconds between_looks{20};
// Ranks that all live and do not come to the end of a step: a network that is lost.
constexpr std::chrono::minutes longest_wait{10};

// Its own watchdogs end the process where a rank is late or gone; ours (RankChannel) records the run first.
void leave_watching_to_us() {
    for (const char* variable : {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "TORCH_NCCL_ENABLE_MONITORING",
                                 "TORCH_NCCL_DUMP_ON_TIMEOUT", "TORCH_NCCL_PROPAGATE_ERROR"})
        ::setenv(variable, "0", /*overwrite=*/1);
}

// Rank 0 serves the store at a free port and tells it to the others.
c10::intrusive_ptr<c10d::Store> open_store(RankChannel& channel) {
    const RankPlace& place = channel.place();
    c10d::TCPStoreOptions options;
    options.port = 0;
    options.isServer = place.rank == 0;
    options.numWorkers = static_cast<std::size_t>(place.size);
    options.waitWorkers = false;
    options.timeout = store_limit;
    if (place.rank > 0) options.port = static_cast<std::uint16_t>(std::stoi(channel.hear()));
    auto store = c10::make_intrusive<c10d::TCPStore>(place.rank == 0 ? "localhost" : place.master, options);
    if (place.rank == 0) channel.tell(std::to_string(store->getPort()));
    return store;
}

class NcclCollective final : public Collective {
public:
    NcclCollective(RankChannel& channel, c10::DeviceIndex device)
        : channel_(channel), device_(at::kCUDA, device) {
        leave_watching_to_us();
        const RankPlace& place = channel.place();
        const auto options = c10d::ProcessGroupNCCL::Options::create(/*is_high_priority_stream=*/true);
        group_ =
            c10::make_intrusive<c10d::ProcessGroupNCCL>(open_store(channel), place.rank, place.size, options);
        group_->setBoundDeviceId(device_);
    }

    ~NcclCollective() override {
        if (channel_.ended()) {
            // Closing would wait for the rank that has gone; the process ends soon.
            (void)group_.release();
            return;
        }
        try {
            group_->shutdown();
        } catch (const std::exception&) {
            // All sums are done; there is nothing that could be lost.
        }
    }

    int rank() const override { return channel_.place().rank; }
    int size() const override { return channel_.place().size; }
    std::string name() const override {
        int version = 0;
        ncclGetVersion(&version);
        return "NCCL " + std::to_string(version / 10'000) + "." + std::to_string(version / 100 % 100) + "." +
               std::to_string(version % 100);
    }

    void begin_sum(const at::Tensor& x) override {
        std::vector<at::Tensor> tensors = {x};
        works_.push_back(group_->allreduce(tensors, c10d::AllreduceOptions()));
    }

    void begin_broadcast(const at::Tensor& x) override {
        std::vector<at::Tensor> tensors = {x};
        works_.push_back(group_->broadcast(tensors, c10d::BroadcastOptions()));
    }

    void finish() override {
        for (const auto& work : works_) work->wait();  // the stream waits, not the host
        works_.clear();
    }

    void settle() override {
        at::cuda::CUDAEvent done;
        done.record(c10::cuda::getCurrentCUDAStream(device_.index()));
        const auto end = std::chrono::steady_clock::now() + longest_wait;
        while (!done.query()) {
            channel_.check();
            if (std::chrono::steady_clock::now() > end)
                throw RanksEnded(
                    {.kind = ErrorKind::unavailable,
                     .message = "the ranks' sums did not end within 10 min, though all ranks live",
                     .hint = "Look at the network; NCCL_DEBUG=INFO says what NCCL uses"});
            std::this_thread::sleep_for(between_looks);
        }
        channel_.check();
    }

    std::int64_t sum_on_host(std::int64_t number) override { return channel_.sum(number); }

private:
    RankChannel& channel_;
    at::Device device_;
    c10::intrusive_ptr<c10d::ProcessGroupNCCL> group_;
    std::vector<c10::intrusive_ptr<c10d::Work>> works_;
};

}  // namespace
}  // namespace braid

extern "C" __attribute__((visibility("default"))) void braid_plugin_make_collective(
    braid::RankChannel* channel, std::int64_t device, std::unique_ptr<braid::Collective>* collective,
    braid::Error* error) {
    try {
        *collective =
            std::make_unique<braid::NcclCollective>(*channel, static_cast<c10::DeviceIndex>(device));
    } catch (const braid::RanksEnded& ended) {
        *error = ended.error();
    } catch (const std::exception& caught) {
        *error = {.kind = braid::ErrorKind::unavailable,
                  .message = std::string("NCCL does not start: ") + caught.what(),
                  .hint = "NCCL_DEBUG=INFO says more"};
    }
}
