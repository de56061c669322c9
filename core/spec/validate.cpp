#include "core/spec/validate.h"

#include <algorithm>
#include <unordered_map>

namespace braid {
namespace {

class Validator {
public:
    Validator(const ArchitectureSpec& spec, const MixerCatalog& catalog) : spec_(spec), catalog_(catalog) {}

    Diagnostics run() {
        check_dimensions();
        check_ids();
        for (std::size_t i = 0; i < spec_.layers.size(); ++i) check_layer(i);
        return std::move(problems_);
    }

private:
    void report(std::string path, std::string rule, std::string found = "") {
        problems_.push_back({std::move(path), std::move(rule), std::move(found)});
    }
    void report(std::string path, std::string rule, std::int64_t found) {
        report(std::move(path), std::move(rule), std::to_string(found));
    }

    void check_dimensions() {
        for (const ParameterDescription& each : dimension_parameters())
            if (auto broken = check_parameter(each, dimension(spec_, each.key), each.key))
                problems_.push_back(*std::move(broken));
        for (Diagnostic& each : check_parameters(spec_.parameters, model_parameters(), "the model", ""))
            problems_.push_back(std::move(each));
        if (spec_.heads >= 1 && spec_.kv_heads >= 1 && spec_.heads % spec_.kv_heads != 0)
            report("kv_heads", "must divide the " + std::to_string(spec_.heads) + " query heads",
                   spec_.kv_heads);
        const auto depth = static_cast<std::int64_t>(spec_.layers.size());
        if (depth == 0) report("layers", "must have at least one layer");
        if (depth > max_layers)
            report("layers", "must have at most " + std::to_string(max_layers) + " layers", depth);
    }

    void check_ids() {
        std::unordered_map<LayerId, std::size_t> first;
        for (std::size_t i = 0; i < spec_.layers.size(); ++i) {
            const LayerId id = spec_.layers[i].id;
            if (id.value < 1) {
                report(layer_path(i) + ".id", "must be at least 1", id.value);
                continue;
            }
            const auto [at, fresh] = first.try_emplace(id, i);
            if (!fresh)
                report(layer_path(i) + ".id", "must be unique, " + layer_path(at->second) + " has it too",
                       id.value);
        }
    }

    void check_layer(std::size_t index) {
        const LayerSpec& layer = spec_.layers[index];
        if (layer.groups.empty()) {
            report(layer_path(index) + ".groups", "must have at least one group of heads");
            return;
        }
        for (std::size_t g = 0; g < layer.groups.size(); ++g) check_group(index, g);
        check_sum(index, &HeadGroup::heads, spec_.heads, "heads", "query heads");
        check_sum(index, &HeadGroup::kv_heads, spec_.kv_heads, "kv_heads", "kv heads");
    }

    void check_group(std::size_t index, std::size_t g) {
        const HeadGroup& group = spec_.layers[index].groups[g];
        const std::string path = group_path(spec_, index, g);
        const MixerKind* kind = catalog_.find(group.mixer);
        if (!kind) {
            report(path + ".mixer", "must be one of " + known_mixers(catalog_), "\"" + group.mixer + "\"");
        } else {
            const MixerDescription& description = kind->description();
            Diagnostics broken =
                check_parameters(group.parameters, description.parameters, description.title, path);
            // A mixer's own rules read its parameters, so these must be right first.
            const bool readable = broken.empty();
            problems_.insert(problems_.end(), broken.begin(), broken.end());
            if (readable)
                for (Diagnostic& each : kind->validate(group, mixer_context(spec_, index), path))
                    if (each.path.starts_with(path) ||
                        std::find(problems_.begin(), problems_.end(), each) == problems_.end())
                        problems_.push_back(std::move(each));
        }
        // What the model's own dimensions get wrong is not said again for each layer that follows them.
        if (group.heads < 1 && group.heads != spec_.heads)
            report(path + ".heads", "must be at least 1", group.heads);
        if (group.kv_heads < 1 && group.kv_heads != spec_.kv_heads)
            report(path + ".kv_heads", "must be at least 1", group.kv_heads);
        const bool head_wise =
            spec_.layers[index].groups.size() > 1;  // whole layers must have the model's heads
        if (head_wise && group.heads >= 1 && group.kv_heads >= 1 && group.heads % group.kv_heads != 0)
            report(path + ".kv_heads",
                   "must divide the " + std::to_string(group.heads) + " query heads of its group",
                   group.kv_heads);
    }

    void check_sum(std::size_t index, std::int64_t HeadGroup::*field, std::int64_t wanted, const char* key,
                   const char* what) {
        const std::vector<HeadGroup>& groups = spec_.layers[index].groups;
        std::int64_t sum = 0;
        for (const HeadGroup& group : groups) {
            if (group.*field < 1) return;  // reported already
            sum += std::min<std::int64_t>(group.*field, std::int64_t{1} << 32);
        }
        if (sum == wanted || wanted < 1) return;
        if (groups.size() == 1)
            report(layer_path(index) + "." + key,
                   "must be the model's " + std::to_string(wanted) + " " + what, sum);
        else
            report(layer_path(index) + ".groups",
                   std::string(what) + " of the groups must add up to " + std::to_string(wanted), sum);
    }

    const ArchitectureSpec& spec_;
    const MixerCatalog& catalog_;
    Diagnostics problems_;
};

}  // namespace

Diagnostics validate(const ArchitectureSpec& spec, const MixerCatalog& catalog) {
    return Validator(spec, catalog).run();
}

}  // namespace braid
