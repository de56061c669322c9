#include "core/measure/mechanism/projections.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_vector_norm.h>

#include <limits>

namespace braid {

at::Tensor input_projection(const Model& model, std::int64_t layer, std::int64_t group,
                            std::string_view name) {
    const ParameterStore& store = model.parameters();
    const at::Tensor all_CD = store.value_view(store.layout().layers[std::size_t(layer)].input_projection);
    std::int64_t row = 0;
    const auto& groups = model.mixers()[std::size_t(layer)];
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (const ProjectionRequest& request : groups[g]->projections()) {
            if (std::int64_t(g) == group && request.name == name) return all_CD.narrow(0, row, request.rows);
            row += request.rows;
        }
    return {};
}

QueryKey query_key(const Model& model, const HeadPlace& head) {
    const HeadGroup& group = model.spec().layers[std::size_t(head.layer)].groups[std::size_t(head.group)];
    const at::Tensor q = input_projection(model, head.layer, head.group, "q_proj");
    const at::Tensor k = input_projection(model, head.layer, head.group, "k_proj");
    if (!q.defined() || !k.defined()) return {};
    const auto rows = [](const at::Tensor& x_RD, std::int64_t heads, std::int64_t index) {
        const std::int64_t width = x_RD.size(0) / heads;
        return x_RD.narrow(0, index * width, width);
    };
    return {.query_KD = rows(q, group.heads, head.head),
            .key_KD = rows(k, group.kv_heads, head.head / (group.heads / group.kv_heads))};
}

double relative_distance(const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor wanted = b.to(at::kDouble);
    const double size = at::linalg_vector_norm(wanted).item().toDouble();
    if (!(size > 0)) return std::numeric_limits<double>::quiet_NaN();
    return at::linalg_vector_norm(a.to(at::kDouble) - wanted).item().toDouble() / size;
}

Result<std::unique_ptr<Model>> open_other(const MeasureInput& input, const Model& model,
                                          const std::string& folder, const std::string& place) {
    Result<std::unique_ptr<Model>> other = input.open(folder, /*trainable=*/false);
    if (!other) return other;
    if (const Result<void> same = model.check_layers((*other)->spec(), place); !same)
        return fail(same.error());
    return other;
}

}  // namespace braid
