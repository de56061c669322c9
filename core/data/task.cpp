#include "core/data/task.h"

namespace braid {

std::unique_ptr<DataSource> make_task(std::string_view id, const ParameterValues& values,
                                      std::int64_t context, std::uint64_t seed) {
#define BRAID_TASK(name) \
    if (id == #name) return make_##name##_task(values, context, seed);
#include "core/spec/tasks.def"
#undef BRAID_TASK
    return nullptr;
}

}  // namespace braid
