// Folders of transformers in and out: shards, types, hostile and damaged files, and nothing left behind.
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "core/engine/hf/export_hf.h"
#include "core/engine/hf/float_bytes.h"
#include "core/engine/hf/hf_tensors.h"
#include "core/engine/hf/import_hf.h"
#include "core/engine/hf/tensor_folder.h"
#include "core/engine/open_model.h"
#include "core/engine/ops.h"
#include "core/mixers/builtin.h"
#include "core/spec/scale.h"
#include "core/spec/shorthand.h"
#include "tests/base/temporary_folder.h"

namespace braid {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* bamba = "M[conv,conv_bias=true,n=8,ssm_groups=1]F[nosink,rotary=0.5] x1";

struct Tensor {
    std::string name, dtype;
    std::vector<std::int64_t> shape;
    std::vector<float> values;
};

// A model folder of transformers with numbers that tell every place, and what a test changes about it.
class HfFolder : public testing::Test {
protected:
    void make(const char* pattern, bool tied = false, const std::string& dtype = "F32") {
        spec_ = instantiate(*parse_pattern(pattern, builtin_mixers()), *find_scale("tiny"));
        if (tied) spec_.parameters.set("tied", true);
        const auto target = hf_class_of(spec_);
        ASSERT_TRUE(target) << target.error().front();
        config_ = hf_config(spec_, *target, std::nullopt, 256);
        tensors_.clear();
        float next = 0;
        const auto wanted = hf_tensors(spec_, target->model_type);
        ASSERT_TRUE(wanted);
        for (const HfTensor& each : *wanted) {
            Tensor tensor{.name = each.theirs, .dtype = dtype, .shape = each.their_shape, .values = {}};
            std::int64_t count = 1;
            for (const std::int64_t size : tensor.shape) count *= size;
            for (std::int64_t i = 0; i < count; ++i)
                tensor.values.push_back(std::fmod(next += 0.37F, 2.F) - 1.F);
            tensors_.push_back(std::move(tensor));
        }
    }

    Tensor& tensor(const std::string& name) {
        for (Tensor& each : tensors_)
            if (each.name == name) return each;
        ADD_FAILURE() << "no tensor " << name;
        return tensors_.front();
    }

    // In `shards` files; one: model.safetensors.
    void write(std::size_t shards = 1) {
        fs::remove_all(theirs());
        fs::create_directories(theirs());
        write_text(theirs() + "/config.json", config_.dump());
        Json map = Json::object();
        for (std::size_t s = 0; s < shards; ++s) {
            const std::string name =
                shards == 1 ? "model.safetensors" : "model-" + std::to_string(s + 1) + ".safetensors";
            std::vector<std::vector<std::byte>> bytes;
            std::vector<SafetensorsView> views;
            for (std::size_t i = s; i < tensors_.size(); i += shards) {
                bytes.emplace_back();
                convert("F32", std::as_bytes(std::span(tensors_[i].values)), tensors_[i].dtype, bytes.back());
                views.push_back({.name = tensors_[i].name,
                                 .dtype = tensors_[i].dtype,
                                 .shape = tensors_[i].shape,
                                 .data = {}});
                map[tensors_[i].name] = name;
            }
            for (std::size_t i = 0; i < views.size(); ++i) views[i].data = bytes[i];
            ASSERT_TRUE(write_safetensors(theirs() + "/" + name, views));
        }
        if (shards > 1)
            write_text(theirs() + "/model.safetensors.index.json", Json{{"weight_map", map}}.dump());
    }

    Result<HfImported> import() { return import_hf({.folder = theirs(), .out = ours()}); }
    std::string error() {
        const auto done = import();
        EXPECT_FALSE(fs::exists(ours())) << "nothing may be left behind";
        for (const auto& entry : fs::directory_iterator(folder_.path()))
            EXPECT_FALSE(entry.path().filename().string().starts_with(".unfinished")) << entry.path();
        return done ? "" : describe(done.error());
    }

    std::string theirs() const { return folder_ / "theirs"; }
    std::string ours() const { return folder_ / "ours"; }

    TemporaryFolder folder_;
    ArchitectureSpec spec_;
    Json config_;
    std::vector<Tensor> tensors_;
};

std::map<std::string, std::string> bytes_of(const std::string& folder) {
    std::map<std::string, std::string> found;
    const auto opened = TensorFolder::open(folder);
    EXPECT_TRUE(opened) << (opened ? "" : describe(opened.error()));
    for (const auto& [name, place] : opened->tensors()) {
        std::string& bytes = found[name + " " + place.entry.dtype + " " + Json(place.entry.shape).dump()];
        EXPECT_TRUE(opened->read(place, [&](std::span<const std::byte> piece) -> Result<void> {
            bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
            return {};
        }));
    }
    return found;
}

TEST_F(HfFolder, InAndOutAgainIsIdenticalToTheBit) {
    for (const auto& [pattern, tied, dtype, shards] :
         {std::tuple{"F[nosink] x2", false, "F32", 1}, std::tuple{"F[nosink] x2", true, "BF16", 3},
          std::tuple{"S[w=4,nosink,bias]F[nosink,bias] x1", true, "F16", 2},
          std::tuple{bamba, false, "BF16", 2}}) {
        make(pattern, tied, dtype);
        write(std::size_t(shards));
        fs::remove_all(ours());
        const auto done = import();
        ASSERT_TRUE(done) << pattern << ": " << describe(done.error());
        EXPECT_EQ(done->model.architecture.layers.size(), spec_.layers.size());
        EXPECT_EQ(done->dtypes, std::vector<std::string>{dtype});
        auto model = open_model(ours(), make_cpu_ops(at::kFloat));
        ASSERT_TRUE(model) << describe(model.error());
        EXPECT_EQ((*model)->parameters().layout().parameter_count(), done->parameters);
        EXPECT_FALSE((*model)->parameters().gradients().defined()) << "memory that reading does not need";
        const at::Tensor tokens = at::zeros({1, 3}, at::kLong);
        EXPECT_EQ((*model)->evaluate(tokens, tokens).loss_BT.numel(), 3);
        EXPECT_THROW((*model)->forward_backward(tokens, tokens, 1), std::logic_error);
        const auto target = hf_class_of(done->model.architecture);
        ASSERT_TRUE(target);
        fs::remove_all(folder_ / "back");
        const auto back = export_model({.checkpoint = ours(),
                                        .architecture = done->model.architecture,
                                        .target = *target,
                                        .out = folder_ / "back"});
        ASSERT_TRUE(back) << describe(back.error());
        EXPECT_EQ(bytes_of(folder_ / "back"), bytes_of(theirs())) << pattern;
    }
}

TEST_F(HfFolder, WeightsAreReadInEveryType) {
    for (const char* dtype : {"F32", "BF16", "F16"}) {
        make("F[nosink] x1", false, dtype);
        write();
        fs::remove_all(ours());
        ASSERT_TRUE(import());
        auto model = open_model(ours(), make_cpu_ops(at::kFloat));
        ASSERT_TRUE(model) << describe(model.error());
        ParameterStore& store = (*model)->parameters();
        const at::Tensor value = store.value(*store.find("model.layers.0.self_attn.k_proj.weight"));
        const std::vector<float>& given = tensor("model.layers.0.self_attn.k_proj.weight").values;
        const float step = std::string(dtype) == "F32" ? 0 : std::string(dtype) == "BF16" ? 0.004F : 0.0005F;
        for (std::size_t i = 0; i < given.size(); ++i)
            ASSERT_NEAR(value.const_data_ptr<float>()[i], given[i], step) << dtype << " " << i;
    }
}

TEST_F(HfFolder, ConvertsOnTheWayOut) {
    make("F[nosink] x1", false, "BF16");
    write();
    const auto done = import();
    ASSERT_TRUE(done);
    const auto target = hf_class_of(done->model.architecture);
    const auto out = export_model({.checkpoint = ours(),
                                   .architecture = done->model.architecture,
                                   .target = *target,
                                   .out = folder_ / "f32",
                                   .dtype = "F32"});
    ASSERT_TRUE(out) << describe(out.error());
    EXPECT_TRUE(bytes_of(folder_ / "f32").contains("model.norm.weight F32 [64]"));
    tensor("model.norm.weight").values[0] = 1e6F;
    tensor("model.norm.weight").dtype = "F32";
    write();
    fs::remove_all(ours());
    ASSERT_TRUE(import());
    const auto small = export_model({.checkpoint = ours(),
                                     .architecture = done->model.architecture,
                                     .target = *target,
                                     .out = folder_ / "f16",
                                     .dtype = "F16"});
    ASSERT_FALSE(small);
    EXPECT_THAT(describe(small.error()), HasSubstr("model.norm.weight holds numbers that F16 cannot"));
    EXPECT_FALSE(fs::exists(folder_ / "f16"));
}

TEST_F(HfFolder, EveryTensorThatDoesNotFitIsNamed) {
    make("F[nosink] x2");
    tensors_.erase(tensors_.begin());
    const std::string missing = hf_tensors(spec_, "llama")->front().theirs;
    tensor("model.norm.weight").shape = {32, 2};
    tensors_.push_back(
        {.name = "model.layers.0.mlp.gate.weight", .dtype = "F32", .shape = {1}, .values = {1}});
    tensors_.push_back({.name = "model.layers.0.self_attn.rotary_emb.inv_freq",
                        .dtype = "F32",
                        .shape = {1},
                        .values = {1}});
    write();
    const std::string text = error();
    EXPECT_THAT(text, HasSubstr(missing + ": is missing"));
    EXPECT_THAT(text, HasSubstr("model.norm.weight: must be 64, got 32 x 2"));
    EXPECT_THAT(text, HasSubstr("model.layers.0.mlp.gate.weight: has no place in this model"));
    EXPECT_THAT(text, testing::Not(HasSubstr("inv_freq")));
}

TEST_F(HfFolder, ATiedHeadInTheFileIsLeftOutAndNoted) {
    make("F[nosink] x1", true);
    Tensor head = tensor("model.embed_tokens.weight");
    head.name = "lm_head.weight";
    tensors_.push_back(head);
    write();
    const auto done = import();
    ASSERT_TRUE(done) << describe(done.error());
    EXPECT_THAT(done->model.notes, testing::Contains(HasSubstr("lm_head.weight was left out")));
    EXPECT_FALSE(bytes_of(ours()).contains("lm_head.weight F32 [64, 64]"));
}

TEST_F(HfFolder, ATiedHeadWithNumbersOfItsOwnIsRefused) {
    make("F[nosink] x1", true, "BF16");
    Tensor head = tensor("model.embed_tokens.weight");
    head.name = "lm_head.weight";
    tensors_.push_back(head);
    tensor("model.embed_tokens.weight").values.back() = 1.5F;
    write();
    EXPECT_THAT(error(), HasSubstr("lm_head.weight: differs from model.embed_tokens.weight while "
                                   "tie_word_embeddings is true; set it to false"));
    // The same numbers in a wider type.
    tensor("model.embed_tokens.weight").values = std::vector<float>(head.values.size(), 0.25F);
    tensor("lm_head.weight").values = std::vector<float>(head.values.size(), 0.25F);
    tensor("lm_head.weight").dtype = "F32";
    write(2);
    const auto done = import();
    EXPECT_TRUE(done) << describe(done.error());
}

TEST_F(HfFolder, OneFileGoesBeforeAnIndex) {
    make("F[nosink] x1");
    tensor("model.norm.weight").values[0] = 1.75F;
    write(2);
    const fs::path kept = fs::path(folder_ / "kept");
    fs::rename(theirs(), kept);
    tensor("model.norm.weight").values[0] = 0.75F;
    write(1);
    for (const auto& each : fs::directory_iterator(kept))
        if (each.path().filename() != "config.json")
            fs::rename(each.path(), fs::path(theirs()) / each.path().filename());
    const auto done = import();
    ASSERT_TRUE(done) << describe(done.error());
    EXPECT_THAT(done->model.notes, testing::Contains(HasSubstr("model.safetensors.index.json was left out")));
    auto model = open_model(ours(), make_cpu_ops(at::kFloat));
    ASSERT_TRUE(model);
    ParameterStore& store = (*model)->parameters();
    EXPECT_EQ(store.value(*store.find("model.norm.weight")).const_data_ptr<float>()[0], 0.75F);
}

TEST_F(HfFolder, WeightsThatAreNotFiniteAreNamed) {
    for (const char* dtype : {"F32", "BF16", "F16"}) {
        make("F[nosink] x1", false, dtype);
        tensor("model.layers.0.mlp.down_proj.weight").values[5] = std::numeric_limits<float>::quiet_NaN();
        tensor("lm_head.weight").values.back() = -std::numeric_limits<float>::infinity();
        write();
        const std::string text = error();
        EXPECT_THAT(text, HasSubstr("not finite numbers, in ")) << dtype;
        EXPECT_THAT(text, HasSubstr("model.layers.0.mlp.down_proj.weight")) << dtype;
        EXPECT_THAT(text, HasSubstr("lm_head.weight")) << dtype;
    }
}

TEST_F(HfFolder, TruncatedAndHostileShardsAreErrors) {
    make("F[nosink] x2");
    write(2);
    const std::string shard = theirs() + "/model-2.safetensors";
    const std::string whole = read_text(shard);
    write_text(shard, whole.substr(0, whole.size() - 5));
    EXPECT_THAT(error(), HasSubstr("cut short"));
    write_text(shard, std::string("\xff\xff\xff\xff\xff\xff\xff\x7f", 8) + whole);
    EXPECT_THAT(error(), HasSubstr("a header of"));
    write_text(shard, read_text(theirs() + "/model-1.safetensors"));
    EXPECT_THAT(error(), HasSubstr("is in model-1.safetensors and in model-2.safetensors"));
    fs::remove(shard);
    EXPECT_THAT(error(), HasSubstr("model-2.safetensors: is named by the index and missing"));
    write_text(shard, whole);

    const std::string index = theirs() + "/model.safetensors.index.json";
    const Json good = Json::parse(read_text(index));
    for (const char* place : {"../theirs/model-1.safetensors", "/etc/passwd", "..", ""}) {
        Json bad = good;
        bad["weight_map"]["model.norm.weight"] = place;
        write_text(index, bad.dump());
        EXPECT_THAT(error(), HasSubstr("weight_map.model.norm.weight: must be the name of a file")) << place;
    }
    Json swapped = good;
    swapped["weight_map"]["model.norm.weight"] =
        good["weight_map"]["model.norm.weight"] == "model-1.safetensors" ? "model-2.safetensors"
                                                                         : "model-1.safetensors";
    write_text(index, swapped.dump());
    EXPECT_THAT(error(), HasSubstr("weight_map.model.norm.weight: is in model-"));
    write_text(index, R"({"weight_map": 3})");
    EXPECT_THAT(error(), HasSubstr("weight_map: must be an object"));
    write_text(index, "{");
    EXPECT_NE(error(), "");
    write_text(index, good.dump());
    EXPECT_EQ(import() ? "" : "failed", std::string());
}

TEST_F(HfFolder, WhatIsNotThereIsSaid) {
    make("F[nosink] x1");
    write();
    fs::remove(theirs() + "/model.safetensors");
    EXPECT_THAT(error(), HasSubstr("no model.safetensors"));
    write_text(theirs() + "/pytorch_model.bin", "x");
    EXPECT_THAT(error(), HasSubstr("Only safetensors is read"));
    fs::remove(theirs() + "/config.json");
    EXPECT_THAT(error(), HasSubstr("config.json"));
    write();
    fs::create_directories(ours());
    write_text(ours() + "/mine.txt", "x");
    const auto done = import();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, ErrorKind::already_exists);
    EXPECT_EQ(read_text(ours() + "/mine.txt"), "x");
}

TEST_F(HfFolder, PythonsInfinityIsRead) {
    make(bamba);
    write();
    std::string text = config_.dump();
    text.insert(1, R"("time_step_limit": [0.0, Infinity], "said": "Infinity, NaN", )");
    write_text(theirs() + "/config.json", text);
    const auto done = import();
    ASSERT_TRUE(done) << describe(done.error());
    EXPECT_EQ(Json::parse(read_text(ours() + "/source.json"))["config"]["said"], "Infinity, NaN");
}

TEST_F(HfFolder, ANumberThatIsNoneIsRefusedByName) {
    make("F[nosink] x1");
    write();
    std::string text = config_.dump();
    const std::size_t at = text.find("\"rope_theta\":");
    ASSERT_NE(at, std::string::npos);
    const std::size_t end = text.find_first_of(",}", at);
    text.replace(at, end - at, "\"rope_theta\":NaN");
    write_text(theirs() + "/config.json", text);
    const auto done = import();
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().message.find("rope_theta"), std::string::npos) << describe(done.error());
}

TEST_F(HfFolder, ProvenanceAndTokenizerComeAlong) {
    make("F[nosink] x1");
    config_["bos_token_id"] = 7;
    write();
    write_text(theirs() + "/tokenizer.json", "{}");
    const auto done = import();
    ASSERT_TRUE(done);
    EXPECT_EQ(done->tokenizers, std::vector<std::string>{"tokenizer.json"});
    EXPECT_EQ(read_text(ours() + "/tokenizer.json"), "{}");
    const Json source = Json::parse(read_text(ours() + "/source.json"));
    EXPECT_EQ(source["model_type"], "llama");
    EXPECT_EQ(source["config"]["bos_token_id"], 7);
    const auto out = export_model({.checkpoint = ours(),
                                   .architecture = done->model.architecture,
                                   .target = *hf_class_of(done->model.architecture),
                                   .out = folder_ / "out"});
    ASSERT_TRUE(out);
    EXPECT_EQ(Json::parse(read_text(folder_ / "out" + "/config.json"))["bos_token_id"], 7);
    EXPECT_TRUE(fs::exists(folder_ / "out" + "/tokenizer.json"));
}

// Half-way through, and nothing is left.
TEST_F(HfFolder, AStopLeavesNothing) {
    make("F[nosink] x2");
    write();
    std::atomic<bool> stop = false;
    const auto done = import_hf({.folder = theirs(),
                                 .out = ours(),
                                 .progress = [&](double, const std::string&) { stop = true; },
                                 .stop_requested = &stop});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, ErrorKind::interrupted);
    EXPECT_FALSE(fs::exists(ours()));
}

}  // namespace
}  // namespace braid
