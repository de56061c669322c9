// Bad input: place, rule and value, all of them at once.
#include "core/measure/mechanism/head_looks.h"
#include "tests/base/temporary_folder.h"
#include "tests/measure/mechanism/measure_fixture.h"

namespace braid::test {
namespace {

void expect_in(const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Refusals, HeadsAndLayersThatDoNotExist) {
    const TinyTask task = tiny_niah();
    const auto model = lively_model("F S[w=6] x1", task);
    expect_in(refused(tiny_input("attention", *model, task, values({{"layer", std::int64_t{2}}}))),
              {"layer: must be from 0 to 1, got 2", "out: must name the file"});
    expect_in(refused(tiny_input("attention", *model, task,
                                 values({{"head", std::int64_t{9}}, {"out", std::string("x.npy")}}))),
              {"head: must be from 0 to 3 in layer 0, got 9"});
    expect_in(
        refused(tiny_input("ablate", *model, task, values({{"heads", std::string("0.7,5,x,1.1")}}))),
        {"head from 0 to 3 of layer 0, got \"0.7\"", "layer from 0 to 1, got \"5\"", "layer.head", "\"x\""});
    const auto windows = lively_model("S[w=6] x2", task);
    for (const char* kind : {"heads", "entropy"})
        expect_in(refused(tiny_input(kind, *windows, task)),
                  {"layers: must choose heads", "swa", "softmax chooses 8 of its heads, all 8, got full"});
    expect_in(refused(tiny_input("internals", *windows, task)), {"no recurrent layers"});
}

TEST(Refusals, ParametersOutOfRange) {
    const TinyTask task = tiny_niah();
    const auto model = lively_model("F x1", task);
    expect_in(
        refused(tiny_input("heads", *model, task,
                           values({{"samples", std::int64_t{0}}, {"layers", std::string("odd")}}))),
        {"heads.samples: must be at least 1, got 0", "heads.layers: must be full, softmax or all, got"});
    expect_in(refused(tiny_input("restrict", *model, task, values({{"horizon", std::string("4,-1,b")}}))),
              {"horizon: must be numbers", "\"-1\"", "\"b\""});
    expect_in(refused(tiny_input("noise", *model, task, values({{"sigma", std::string("")}}))),
              {"sigma: must be numbers"});
    expect_in(refused(tiny_input("probe", *model, task, values({{"samples", std::int64_t{9}}}))),
              {"samples: must be at least 16"});
    expect_in(refused(tiny_input("gradient", *model, task, values({{"baseline", std::int64_t{40}}}))),
              {"baseline: must be less than the context (40), got 40"});
    expect_in(refused(tiny_input("ablate", *model, task, values({{"mode", std::string("patch")}}))),
              {"from: must name a checkpoint"});
    TinyTask few = task;
    few.parameters.set("values", std::int64_t{4});
    expect_in(refused(tiny_input("probe", *model, few, values({{"context", std::int64_t{9}}}))),
              {"context: must be at least 15", "data.values: must be at least 8"});
}

TEST(Refusals, ModelsThatCannotBeAsked) {
    const TinyTask task = tiny_niah();
    const auto model = lively_model("F x1", task);
    TinyTask copy = task;
    copy.kind = "copy", copy.parameters = {};
    expect_in(refused(tiny_input("heads", *model, copy)),
              {"the task copy hides nothing", "niah, recall or text"});
    MeasureInput unknown = tiny_input("heads", *model, task);
    unknown.plan.reset();
    expect_in(refused(unknown), {"which tokenizer", "--tokenizer FILE"});
    unknown.trained_context.reset();
    expect_in(refused(unknown), {"--context TOKENS"});
    MeasureInput no_run = tiny_input("trace", *model, task);
    expect_in(refused(no_run), {"belongs to no run"});
    MeasureInput no_other = tiny_input("change", *model, task);
    expect_in(refused(no_other), {"--against CHECKPOINT"});
    for (const auto& [kind, wanted] : {std::pair{"restrict", "--keys FILE"}, {"gradient", "--corpus DIR"}}) {
        MeasureInput of_text = tiny_input(kind, *model, task);
        of_text.plan.reset();
        expect_in(refused(of_text), {wanted});
    }
}

TEST(Refusals, ACheckpointOfAnotherArchitecture) {
    const TinyTask task = tiny_niah();
    const auto model = lively_model("F x1", task), other = lively_model("G x1", task);
    const MeasureInput input = with_other(
        tiny_input("change", *model, task, values({{"against", std::string("other")}})), *other, task);
    expect_in(refused(input), {"against: must keep the parameters of the model as they are"});
}

TEST(Refusals, TextsThatAreTooLong) {
    const TinyTask task = tiny_niah();
    const auto model = lively_model("F x1", task);
    const auto given = values({{"context", std::int64_t{100'000}}, {"samples", std::int64_t{1}}});
    expect_in(refused(tiny_input("heads", *model, task, given)),
              {"context: must be at most 65536 on a CPU", "a sample", "--allow-long", "--device cuda",
               "got 100000"});
    const TemporaryFolder folder;
    expect_in(refused(tiny_input("attention", *model, task,
                                 values({{"context", std::int64_t{5'000}}, {"out", folder / "x.npy"}}))),
              {"tokens: must be at most 4096 for a whole matrix", "MiB"});
    MeasureInput longer = tiny_input("heads", *model, task,
                                     values({{"context", std::int64_t{80}}, {"samples", std::int64_t{2}}}));
    const MeasuredRecord measured = must(longer);
    ASSERT_EQ(measured.record.notes.size(), 1U);
    expect_in(measured.record.notes[0], {"80 tokens is longer than that of the training (40)"});
}

TEST(Refusals, AStopIsNoAnswer) {
    const TinyTask task = tiny_niah();
    const auto model = lively_model("F G x1", task);
    for (const char* kind :
         {"restrict", "probe", "gradient", "heads", "entropy", "noise", "ablate", "internals"}) {
        MeasureInput input = tiny_input(kind, *model, task, values({{"samples", std::int64_t{16}}}));
        int asked = 0;
        input.progress = [&](double fraction, const std::string& text) {
            EXPECT_TRUE(fraction >= 0 && fraction <= 1) << kind << " " << fraction;
            EXPECT_FALSE(text.empty());
            ++asked;
            return false;
        };
        expect_in(refused(input, ErrorKind::interrupted), {"stopped"});
        EXPECT_EQ(asked, 1) << kind;
    }
}

}  // namespace
}  // namespace braid::test
