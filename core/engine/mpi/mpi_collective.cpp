// Sums over ranks on the CPU, by OpenMPI. Only the training thread calls it.
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/engine/device.h"
#include "core/engine/parallel/collective.h"

namespace braid {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 28;  // a call; MPI counts in int

void check(int status, const char* what) {
    if (status == MPI_SUCCESS) return;
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(status, text.data(), &length);
    throw std::runtime_error(std::string(what) + ": " + text.data());
}

MPI_Datatype type_of(const at::Tensor& x) {
    switch (x.scalar_type()) {
        case at::kFloat:
            return MPI_FLOAT;
        case at::kDouble:
            return MPI_DOUBLE;
        case at::kLong:
            return MPI_INT64_T;
        default:
            throw std::logic_error("no sum over ranks for this type");
    }
}

class MpiCollective final : public Collective {
public:
    explicit MpiCollective(RankChannel& channel) : channel_(channel) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }

    ~MpiCollective() override {
        // Where a rank has gone MPI would wait for it.
        if (!channel_.ended()) MPI_Finalize();
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    std::string name() const override { return "OpenMPI"; }

    void begin_sum(const at::Tensor& x) override {
        in_parts(x, [&](void* data, int count) {
            MPI_Request request = MPI_REQUEST_NULL;
            check(MPI_Iallreduce(MPI_IN_PLACE, data, count, type_of(x), MPI_SUM, MPI_COMM_WORLD, &request),
                  "MPI_Iallreduce");
            return request;
        });
    }

    void begin_broadcast(const at::Tensor& x) override {
        in_parts(x, [&](void* data, int count) {
            MPI_Request request = MPI_REQUEST_NULL;
            check(MPI_Ibcast(data, count, type_of(x), 0, MPI_COMM_WORLD, &request), "MPI_Ibcast");
            return request;
        });
    }

    void finish() override {
        // Not MPI_Waitall, which would wait for ever for a rank that has gone.
        int done = 0;
        for (int tries = 0; done == 0; ++tries) {
            check(
                MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE),
                "MPI_Testall");
            if (done != 0) break;
            if (tries % 64 == 0) channel_.check();
            ::sched_yield();
        }
        requests_.clear();
        kept_.clear();
    }

    void settle() override { channel_.check(); }

    std::int64_t sum_on_host(std::int64_t number) override { return channel_.sum(number); }

private:
    template <class Begin>
    void in_parts(const at::Tensor& x, Begin begin) {
        auto* data = static_cast<char*>(x.mutable_data_ptr());
        const auto bytes = static_cast<std::int64_t>(x.element_size());
        for (std::int64_t first = 0; first < x.numel(); first += most_elements)
            requests_.push_back(
                begin(data + first * bytes, static_cast<int>(std::min(most_elements, x.numel() - first))));
        kept_.push_back(x);
    }

    RankChannel& channel_;
    int rank_ = 0;
    int size_ = 1;
    std::vector<MPI_Request> requests_;
    std::vector<at::Tensor> kept_;
};

}  // namespace
}  // namespace braid

extern "C" {

__attribute__((visibility("default"))) const char* braid_mpi_version() { return braid::plugin_version; }

__attribute__((visibility("default"))) void braid_mpi_make_collective(
    braid::RankChannel* channel, std::unique_ptr<braid::Collective>* collective, braid::Error* error) {
    try {
        int initialised = 0;
        MPI_Initialized(&initialised);
        if (initialised == 0) braid::check(MPI_Init(nullptr, nullptr), "MPI does not start");
        int size = 0;
        int rank = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        const braid::RankPlace& place = channel->place();
        if (size != place.size || rank != place.rank) {
            *error = {.kind = braid::ErrorKind::unavailable,
                      .message = "MPI sees rank " + std::to_string(rank) + " of " + std::to_string(size) +
                                 " where this is rank " + std::to_string(place.rank) + " of " +
                                 std::to_string(place.size),
                      .hint = "Start ranks on the CPU with mpirun, or with srun --mpi=pmix"};
            return;
        }
        *collective = std::make_unique<braid::MpiCollective>(*channel);
    } catch (const std::exception& caught) {
        *error = {.kind = braid::ErrorKind::unavailable, .message = caught.what()};
    }
}

}  // extern "C"
