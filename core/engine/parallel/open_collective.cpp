#include "core/engine/device.h"
#include "core/engine/ops.h"
#include "core/engine/parallel/collective.h"
#include "core/engine/plugin_file.h"

namespace braid {
namespace {

constexpr PluginName mpi_plugin{
    .file = "libbraid_mpi.so",
    .variable = "BRAID_MPI_PLUGIN",
    .title = "MPI plugin",
    .version = "braid_mpi_version",
    .hint = "Several ranks on the CPU need OpenMPI: install libopenmpi-dev and openmpi-bin and build again"};

Result<std::unique_ptr<Collective>> open_mpi(RankChannel& channel) {
    const Result<PluginFile> file = PluginFile::open(mpi_plugin);
    if (!file) return fail(file.error());
    const auto make = file->function<plugin::MakeMpi>("braid_mpi_make_collective");
    if (make == nullptr) return fail(ErrorKind::unavailable, "the MPI plugin lacks a function");
    std::unique_ptr<Collective> collective;
    Error error{.kind = ErrorKind::unavailable, .message = ""};
    make(&channel, &collective, &error);
    if (!collective) return fail(std::move(error));
    return collective;
}

}  // namespace

Result<std::unique_ptr<Collective>> open_collective(RankChannel& channel, const Ops& ops) {
    if (ops.device().is_cpu()) return open_mpi(channel);
    return open_nccl(channel, ops.device().index());
}

}  // namespace braid
