#include "core/engine/open_model.h"

#include "core/base/json.h"
#include "core/engine/checkpoint.h"
#include "core/mixers/builtin.h"
#include "core/spec/validate.h"

namespace braid {

Result<std::unique_ptr<Model>> open_model(const std::string& folder, std::shared_ptr<Ops> ops,
                                          bool trainable) {
    const std::string file = folder + "/architecture.json";
    const Result<Json> json = read_json(file);
    if (!json) return fail(json.error());
    const Checked<ArchitectureSpec> architecture = architecture_from_json(*json);
    if (!architecture) return fail(to_error(architecture.error(), file));
    if (const Diagnostics problems = validate(*architecture, builtin_mixers()); !problems.empty())
        return fail(to_error(problems, file));
    Result<std::unique_ptr<Model>> model = Model::create(*architecture, std::move(ops), trainable);
    if (!model) return model;
    if (Result<void> loaded = load_weights(folder, (*model)->parameters()); !loaded)
        return fail(std::move(loaded.error()));
    return model;
}

}  // namespace braid
