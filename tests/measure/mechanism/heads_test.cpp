// Heads, entropy and attention rows against a model in loops.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/file.h"
#include "core/base/npy.h"
#include "core/measure/mechanism/head_looks.h"
#include "tests/base/temporary_folder.h"
#include "tests/measure/mechanism/measure_fixture.h"
#include "tests/measure/mechanism/slow_model.h"

namespace braid::test {
namespace {

constexpr std::int64_t count = 6;

std::vector<NeedleSample> samples_of(const MeasureInput& input, std::unique_ptr<NeedleSource>& source,
                                     bool classes = false) {
    Measured measured;
    source = make_needle_source(input, *input.trained_context, classes, measured).value();
    return needle_samples(*source, count).value();
}

TEST(Needles, LieWhereTheyAreSaidToLie) {
    for (const TinyTask& task : {tiny_niah(), tiny_recall()}) {
        const auto model = lively_model("F x1", task);
        const MeasureInput input = tiny_input("heads", *model, task);
        std::unique_ptr<NeedleSource> source;
        for (const NeedleSample& sample : samples_of(input, source, true)) {
            const auto at = [&](std::int64_t place) { return sample.prompt.at(std::size_t(place)); };
            EXPECT_EQ(at(sample.value.begin - 1), sample.prompt.back()) << "the key is asked for";
            EXPECT_TRUE(sample.needle.holds(sample.value.begin));
            EXPECT_FALSE(sample.needle.holds(sample.needle.end));
            EXPECT_TRUE(source->says_it(sample, {at(sample.value.begin)}));
            EXPECT_FALSE(source->says_it(sample, {at(0) + 1}));
        }
        // Of a class the value alone changes.
        for (const double depth : {0.0, 1.0}) {
            const NeedleSample one = source->sample(3, depth, 0).value(),
                               other = source->sample(3, depth, 7).value();
            std::int64_t differ = 0;
            for (std::size_t i = 0; i < one.prompt.size(); ++i)
                differ += one.prompt[i] != other.prompt[i] ? 1 : 0;
            EXPECT_GE(differ, 1);
            EXPECT_NE(one.prompt[std::size_t(one.value.begin)], other.prompt[std::size_t(other.value.begin)]);
        }
    }
}

// The measurement's numbers from rows of attention in loops.
void compare_heads(const TinyTask& task, const char* pattern) {
    const auto model = lively_model(pattern, task);
    const MeasureInput input =
        tiny_input("heads", *model, task, values({{"samples", count}, {"layers", std::string("softmax")}}));
    std::unique_ptr<NeedleSource> source;
    const std::vector<NeedleSample> samples = samples_of(input, source);
    const MeasuredRecord measured = must(input);
    const std::size_t layers = model->spec().layers.size(), heads = 4;
    std::map<std::string, Matrix> wanted;
    for (const char* name : {"mass", "entropy", "entropy_keys", "sink", "hit_rate", "copy"})
        wanted[name] = Matrix(layers, Vector(heads, 0));
    double counted = 0;
    for (const NeedleSample& sample : samples) {
        const SlowPass pass = slow_pass(*model, sample.prompt);
        const std::size_t last = sample.prompt.size() - 1;
        const Vector& logits = pass.logits[last];
        const auto said = std::int32_t(std::max_element(logits.begin(), logits.end()) - logits.begin());
        const bool right = said == sample.prompt[std::size_t(sample.value.begin)];
        counted += right ? 1 : 0;
        for (std::size_t l = 0; l < layers; ++l)
            for (std::size_t h = 0; h < heads; ++h) {
                const Vector& row = pass.attention[l][h][last];
                const double sink = row.back();
                double mass = 0, entropy = 0, entropy_keys = 0, visible = 0;
                std::size_t top = 0;
                for (std::size_t s = 0; s <= last; ++s) {
                    if (row[s] > row[top]) top = s;
                    if (row[s] <= 0) continue;
                    visible += 1;
                    if (sample.needle.holds(std::int64_t(s))) mass += row[s];
                    entropy -= row[s] * std::log(row[s]);
                    entropy_keys -= row[s] / (1 - sink) * std::log(row[s] / (1 - sink));
                }
                wanted["mass"][l][h] += mass / count;
                wanted["entropy"][l][h] += entropy / std::log(visible) / count;
                wanted["entropy_keys"][l][h] += entropy_keys / std::log(visible) / count;
                wanted["sink"][l][h] += sink / count;
                wanted["hit_rate"][l][h] += sample.needle.holds(std::int64_t(top)) ? 1.0 / count : 0;
                if (right && sample.value.holds(std::int64_t(top)) && sample.prompt[top] == said)
                    wanted["copy"][l][h] += 1;
            }
    }
    for (auto& [name, values] : wanted) {
        const MeasuredArray& got = array_of(measured, name);
        double error = 0;
        for (std::size_t l = 0; l < layers; ++l)
            for (std::size_t h = 0; h < heads; ++h) {
                const double value = got.values[got.at(l, h)];
                if (name == "copy" && counted == 0) {
                    EXPECT_TRUE(std::isnan(value));
                    continue;
                }
                error = std::max(error, std::abs(value - values[l][h] / (name == "copy" ? counted : 1)));
            }
        expect_error((task.kind + ", " + pattern + ", " + name).c_str(), error, 1e-12);
    }
    EXPECT_EQ(measured.answer["scores"].size(), layers);
    EXPECT_EQ(measured.answer["top"].size(), 2U);
    EXPECT_GE(measured.answer["top"][0]["mass"], measured.answer["top"][1]["mass"]);
}

TEST(Heads, AreThoseOfALoop) {
    compare_heads(tiny_niah(), "F S[w=6] x1");
    compare_heads(tiny_recall(), "F[nope] S[w=6] x1");
}

TEST(Heads, EntropyIsTheSameNumbers) {
    const TinyTask task = tiny_niah();
    const auto model = lively_model("F S[w=6] x1", task);
    const auto given = values({{"samples", count}});
    const MeasuredRecord heads = must(tiny_input("heads", *model, task, given));
    const MeasuredRecord entropy = must(tiny_input("entropy", *model, task, given));
    for (const char* name : {"entropy", "entropy_keys", "hit_rate"})
        for (std::size_t h = 0; h < 4; ++h) {
            EXPECT_EQ(array_of(heads, name).values[h], array_of(entropy, name).values[h]);
            EXPECT_TRUE(std::isnan(array_of(heads, name).values[4 + h]))
                << "the window is not among full layers";
        }
    EXPECT_EQ(entropy.answer["points"].size(), 4U);
}

// Of recurrent heads the implied matrix; a copy counts when the answer is right: a model whose head always
// says the value of the needle.
TEST(Heads, OfRecurrentLayersOnRequest) {
    const TinyTask task = tiny_niah();
    const auto model = lively_model("G L M F x1", task);
    const MeasuredRecord measured =
        must(tiny_input("heads", *model, task, values({{"samples", count}, {"layers", std::string("all")}})));
    const MeasuredArray& mass = array_of(measured, "mass");
    for (std::size_t l = 0; l < 4; ++l) {
        EXPECT_TRUE(std::isfinite(mass.values[mass.at(l, 0)])) << l;
        EXPECT_GE(mass.values[mass.at(l, 0)], 0);
        EXPECT_LE(mass.values[mass.at(l, 0)], 1);
    }
}

// float32 [T, T + 1] of a file.
Matrix read_rows(const std::string& file) {
    const std::string bytes = read_file(file).value();
    const NpyHeader header = parse_npy_header(bytes).value();
    EXPECT_EQ(header.kind, 'f');
    Matrix rows;
    for (std::int64_t r = 0; r < header.shape[0]; ++r) {
        rows.emplace_back();
        for (std::int64_t c = 0; c < header.shape[1]; ++c) {
            float value = 0;
            std::memcpy(&value, bytes.data() + header.data_begin + std::size_t(r * header.shape[1] + c) * 4,
                        4);
            rows.back().push_back(value);
        }
    }
    return rows;
}

TEST(Attention, RowsAreThoseOfALoopWithTheSinkLast) {
    const TemporaryFolder folder;
    TinyTask task = tiny_niah();
    task.context = 300;  // more than the rows that are made at once
    const auto model = lively_model("S[w=7] F x1", task);
    for (const std::int64_t layer : {0, 1}) {
        const MeasureInput input =
            tiny_input("attention", *model, task,
                       values({{"layer", layer}, {"head", std::int64_t{2}}, {"out", folder / "rows.npy"}}));
        const MeasuredRecord measured = must(input);
        std::unique_ptr<NeedleSource> source;
        Measured ignored;
        source = make_needle_source(input, task.context, false, ignored).value();
        const std::vector<std::int32_t> prompt = source->sample(0, 0.5).value().prompt;
        const Matrix rows = read_rows(folder / "rows.npy");
        const SlowPass pass = slow_pass(*model, prompt);
        ASSERT_EQ(rows.size(), prompt.size());
        double error = 0;
        for (std::size_t t = 0; t < rows.size(); ++t) {
            ASSERT_EQ(rows[t].size(), prompt.size() + 1);
            const Vector& wanted = pass.attention[std::size_t(layer)][2][t];
            for (std::size_t s = 0; s < prompt.size(); ++s)
                error = std::max(error, std::abs(rows[t][s] - (s <= t ? wanted[s] : 0)));
            error = std::max(error, std::abs(rows[t].back() - wanted.back()));
        }
        expect_error("attention, float32 in the file", error, 1e-7);
        EXPECT_EQ(measured.answer["sink"], true);
    }
}

// int64 [T] as NumPy writes it.
void write_tokens(const std::string& file, const std::vector<std::int64_t>& tokens) {
    std::string header =
        "{'descr': '<i8', 'fortran_order': False, 'shape': (" + std::to_string(tokens.size()) + ",), }";
    header.resize(117, ' ');
    std::string bytes("\x93NUMPY\x01\x00\x76\x00", 10);
    bytes.append(header).append("\n");
    bytes.append(reinterpret_cast<const char*>(tokens.data()), 8 * tokens.size());
    ASSERT_TRUE(write_file_atomically(file, bytes));
}

TEST(Attention, OfOneTokenRepeatedAndOfNone) {
    const TemporaryFolder folder;
    const TinyTask task = tiny_niah();
    const auto model = lively_model("F[nope,nosink] x1", task);
    const auto input = [&](const char* file) {
        return tiny_input("attention", *model, task,
                          values({{"tokens", folder / file}, {"out", folder / "rows.npy"}}));
    };
    write_tokens(folder / "same.npy", std::vector<std::int64_t>(50, 3));
    const MeasuredRecord measured = must(input("same.npy"));
    EXPECT_EQ(measured.record.notes.size(), 1U) << "longer than the context of the training";
    EXPECT_EQ(measured.answer["sink"], false);
    const Matrix rows = read_rows(folder / "rows.npy");
    for (std::size_t t = 0; t < 50; ++t) {
        ASSERT_EQ(rows[t].size(), 50U);
        for (std::size_t s = 0; s <= t; ++s) EXPECT_NEAR(rows[t][s], 1 / double(t + 1), 1e-7);
    }
    write_tokens(folder / "none.npy", {});
    EXPECT_NE(refused(input("none.npy")).find("at least one token"), std::string::npos);
    write_tokens(folder / "large.npy", {1, 99, 2});
    EXPECT_NE(refused(input("large.npy")).find("[1]: must be a token from 0 to 25, got 99"),
              std::string::npos);
}

}  // namespace
}  // namespace braid::test
