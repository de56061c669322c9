#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <set>

#include "core/base/random.h"
#include "core/mixers/builtin.h"
#include "core/spec/cost.h"
#include "core/spec/scale.h"
#include "tests/engine/tiny.h"

namespace braid::test {
namespace {

TEST(Parameters, AllocatedCountsEqualTheCost) {
    for (const char* pattern : {"F x1", "FS[w=16] x2", "{F:2 S[w=5]:2} x1", "F[nosink]S[w=4] x2"}) {
        const ArchitectureSpec spec = architecture(pattern);
        const auto model = test::model(spec, at::kFloat);
        EXPECT_EQ(model->parameters().layout().parameter_count(),
                  cost(spec, builtin_mixers(), 128).total_parameters)
            << pattern;
    }
}

TEST(Parameters, PublishedLayerCountsAreAllocated) {
    for (const auto& [name, per_layer] :
         {std::pair<const char*, std::int64_t>{"S1", 1499136}, {"S2", 2621440}}) {
        Scale scale = *find_scale(name);
        scale.vocab = 64;  // not part of the count
        const ArchitectureSpec spec = instantiate(*parse_pattern("S[w=128]F x1", builtin_mixers()), scale);
        const auto made = Model::create(spec, make_cpu_ops());
        ASSERT_TRUE(made);
        std::int64_t matrices = 0;
        for (const Parameter& parameter : (*made)->parameters().layout().parameters)
            if (parameter.update == UpdateRule::muon) matrices += parameter.size;
        EXPECT_EQ(matrices, 2 * per_layer) << name;
    }
}

TEST(Parameters, EachHasItsOwnPlaceAndOperandsAreRows) {
    const ArchitectureSpec spec = architecture("F{F:2 S[w=5]:2} x2");
    const auto model = test::model(spec, at::kFloat);
    const ParameterLayout& layout = model->parameters().layout();
    std::int64_t end = 0;
    std::set<std::string> names;
    for (const Parameter& parameter : layout.parameters) {
        EXPECT_GE(parameter.offset, end) << parameter.name;
        end = parameter.offset + parameter.size;
        EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
    }
    EXPECT_LE(end, layout.elements);
    const Parameter& q = *model->parameters().find("model.layers.1.self_attn.groups.0.q_proj.weight");
    const Parameter& v = *model->parameters().find("model.layers.1.self_attn.groups.1.v_proj.weight");
    const Operand& operand = layout.layers[1].input_projection;
    EXPECT_EQ(operand.offset, q.offset);
    EXPECT_EQ(operand.offset + operand.rows * operand.cols, v.offset + v.size);
    EXPECT_EQ(model->parameters().find("model.layers.9.mlp.up_proj.weight"), nullptr);
}

TEST(Parameters, AreDrawnAlikeByAnyNumberOfThreads) {
    const ArchitectureSpec spec = architecture("FM x1", {.vocab = 3001});  // an embedding of several pieces
    const int threads = at::get_num_threads();
    at::set_num_threads(1);
    for (const char* init : {"fan_in", "normal"}) {
        const auto alone = test::model(spec, at::kFloat, init);
        at::set_num_threads(3);
        const auto shared = test::model(spec, at::kFloat, init);
        at::set_num_threads(1);
        EXPECT_TRUE(alone->parameters().values().equal(shared->parameters().values())) << init;
        // One word of the stream after the other, as they were drawn before threads shared them.
        const Parameter& embedding = *alone->parameters().find("model.embed_tokens.weight");
        const at::Tensor values = alone->parameters().value(embedding).flatten();
        Random random(1, "init/" + embedding.name);
        const double deviation = init == std::string("normal") ? 0.02 : 0.5;
        for (std::int64_t i = 0; i < values.numel(); ++i)
            ASSERT_EQ(values.const_data_ptr<float>()[i], float(deviation * random.normal())) << i;
    }
    at::set_num_threads(threads);
}

TEST(Parameters, MuonTakesEachMatrixOnce) {
    const ArchitectureSpec spec = architecture("FS[w=4] x2");
    const auto model = test::model(spec, at::kFloat);
    std::set<std::int64_t> seen;
    for (const MuonGroup& group : model->parameters().muon_groups())
        for (std::int64_t offset : group.offsets) EXPECT_TRUE(seen.insert(offset).second);
    EXPECT_EQ(seen.size(), 7U * 4U);
}

TEST(Parameters, BiasesAndNormsAreNotDecayedAndATiedHeadIsTheEmbedding) {
    ArchitectureSpec spec = architecture("F[bias,qknorm] M[conv,conv_bias=true] x1");
    spec.parameters.set("tied", true);
    const auto model = test::model(spec, at::kFloat);
    const ParameterLayout& layout = model->parameters().layout();
    for (const char* name : {"model.layers.0.self_attn.q_proj.bias", "model.layers.0.self_attn.k_proj.bias",
                             "model.layers.0.self_attn.v_proj.bias", "model.layers.0.self_attn.q_norm.weight",
                             "model.layers.0.self_attn.k_norm.weight", "model.layers.1.self_attn.conv.weight",
                             "model.layers.1.self_attn.conv.bias", "model.layers.1.self_attn.norm.weight"}) {
        const Parameter* parameter = model->parameters().find(name);
        ASSERT_NE(parameter, nullptr) << name;
        EXPECT_EQ(parameter->update, UpdateRule::adamw_without_decay) << name;
        EXPECT_GE(parameter->offset, layout.no_decay_begin) << name;
    }
    EXPECT_EQ(model->parameters().find("lm_head.weight"), nullptr);
    EXPECT_EQ(layout.head.offset, layout.embedding.offset);
    const Parameter& embedding = *model->parameters().find("model.embed_tokens.weight");
    EXPECT_EQ(embedding.update, UpdateRule::adamw);
    EXPECT_EQ(embedding.init, Init::fan_in) << "as a head it must not begin with large logits";
    EXPECT_EQ(layout.parameter_count(), cost(spec, builtin_mixers(), 128).total_parameters);
}

TEST(Init, IsAFunctionOfSeedNameAndShape) {
    const auto two = test::model(architecture("FS[w=4] x1"), at::kFloat),
               four = test::model(architecture("FS[w=4] x2"), at::kDouble);
    const auto other = test::model(architecture("FS[w=4] x1"), at::kFloat, "fan_in", 2);
    const char* name = "model.layers.1.mlp.up_proj.weight";
    const auto value = [name](const Model& model) {
        return model.parameters().value(*model.parameters().find(name)).to(at::kDouble);
    };
    EXPECT_TRUE(value(*two).equal(value(*four)));
    EXPECT_FALSE(value(*two).equal(value(*other)));
}

TEST(Init, HasTheDescribedSpread) {
    const TinyScale wide{
        .d_model = 64, .ffn_width = 160, .heads = 4, .kv_heads = 2, .head_dim = 16, .vocab = 500};
    for (const std::string scheme : {"fan_in", "normal"}) {
        const auto model = test::model(architecture("FS[w=4] x1", wide), at::kDouble, scheme);
        for (const Parameter& parameter : model->parameters().layout().parameters) {
            const at::Tensor value = model->parameters().value(parameter);
            const double largest = value.abs().max().item().toDouble();
            const double deviation = std::sqrt(value.pow(2).mean().item().toDouble());
            if (parameter.init == Init::ones || parameter.init == Init::zeros) {
                EXPECT_EQ(largest, parameter.init == Init::ones ? 1 : 0) << parameter.name;
            } else if (scheme == "normal") {
                EXPECT_NEAR(deviation, 0.02, 0.002) << parameter.name;
            } else if (parameter.name == "model.embed_tokens.weight") {
                EXPECT_NEAR(deviation, 0.5, 0.01) << parameter.name;
            } else {
                const double bound = 1 / std::sqrt(double(parameter.shape[1]));
                EXPECT_LE(largest, bound) << parameter.name;
                EXPECT_NEAR(deviation, bound / std::sqrt(3.0), 0.05 * bound) << parameter.name;
            }
        }
    }
}

}  // namespace
}  // namespace braid::test
