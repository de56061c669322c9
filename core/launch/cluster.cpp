#include "core/launch/cluster.h"

#include "core/launch/slurm.h"

namespace braid {

std::string log_file_of(const JobArray& array, std::int64_t task) {
    return array.folder + "/" + array.name + "-" + std::to_string(task) + ".log";
}

Result<std::unique_ptr<Cluster>> open_cluster(const std::string& id) {
    if (id == "slurm") return std::make_unique<Slurm>();
    return fail(ErrorKind::invalid_input, "must be slurm, got \"" + id + "\"", "--on");
}

}  // namespace braid
