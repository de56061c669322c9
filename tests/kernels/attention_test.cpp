#include "kernels/attention.h"

#include "tests/kernels/compare.h"

namespace braid::kernels::test {
namespace {

struct Case {
    const char* name;
    AttentionShape shape;
    double sink = 0;  // mean of the sinks
    bool has_sink = true;
    double size = 1;            // of queries and keys
    std::int64_t document = 0;  // tokens of the longest document of a sequence; 0: one document
};

std::vector<Case> cases() {
    const auto shape = [](std::int64_t b, std::int64_t t, std::int64_t h, std::int64_t g, std::int64_t k,
                          std::int64_t w) {
        return AttentionShape{.batch = b,
                              .tokens = t,
                              .heads = h,
                              .kv_heads = g,
                              .head_dim = k,
                              .window = w,
                              .scale = 1 / std::sqrt(double(k))};
    };
    return {{"full 128", shape(2, 128, 2, 2, 32, 0)},
            {"one token", shape(1, 1, 1, 1, 8, 0)},
            {"odd length, grouped", shape(2, 63, 4, 2, 64, 0)},
            {"head dim 46, window 7", shape(1, 75, 3, 1, 46, 7)},
            {"window 1", shape(1, 40, 2, 1, 16, 1)},
            {"window 4", shape(2, 128, 2, 2, 32, 4)},
            {"window beyond the length", shape(1, 63, 2, 2, 16, 500)},
            {"several blocks", shape(1, 500, 2, 1, 64, 0)},
            {"several blocks, window 128", shape(1, 1000, 1, 1, 64, 128)},
            {"no sink", shape(1, 75, 2, 2, 32, 16), 0, false},
            {"sink takes all", shape(1, 75, 2, 2, 32, 0), 30},
            {"sink takes nothing", shape(1, 75, 2, 2, 32, 0), -80},
            {"large scores", shape(1, 75, 2, 2, 32, 16), 0, true, 8},
            {"documents", shape(2, 500, 2, 1, 32, 0), 0, true, 1, 90},
            {"documents of a token or two", shape(1, 75, 2, 2, 16, 0), 0, true, 1, 2},
            {"long documents", shape(1, 1000, 1, 1, 32, 0), 0, false, 1, 700},
            {"documents and a window", shape(2, 500, 2, 2, 46, 33), 0, true, 1, 120}};
}

// q, k and v as they lie in a fused projection, with a gap after them; gradients likewise.
template <class T>
struct Problem {
    Problem(const Case& c, const Problem<float>* from)
        : s(c.shape), row((s.heads + 2 * s.kv_heads) * s.head_dim + 5), rows(s.batch * s.tokens) {
        if (from) {
            copy(from->in, in), copy(from->dout, dout), copy(from->sink, sink);
        } else {
            in = random_values<T>(rows * row, 1, c.size);
            dout = random_values<T>(rows * s.heads * s.head_dim, 2);
            sink = random_values<T>(s.heads, 3);
            for (T& value : sink) value += T(c.sink);
        }
        out.resize(dout.size()), lse.resize(std::size_t(s.batch * s.heads * s.tokens));
        din.assign(in.size(), T(0)), dsink.assign(sink.size(), T(0.25));
        parts.resize(std::size_t(s.batch * s.heads));
        if (!c.has_sink) sink.clear();
        if (c.document > 0) {
            std::mt19937 random(7);
            for (std::int64_t b = 0; b < s.batch; ++b)
                for (std::int64_t t = 0, start = 0, end = 0; t < s.tokens; ++t) {
                    if (t == end) start = t, end = t + 1 + std::int64_t(random() % unsigned(c.document));
                    starts.push_back(std::int32_t(start));
                }
            s.starts = starts.data();
        }
    }
    Problem(const Problem&) = delete;
    template <class From>
    static void copy(const std::vector<From>& from, std::vector<T>& to) {
        to.assign(from.begin(), from.end());
    }

    template <class P>
    Heads<P> columns(P* data, std::int64_t head) const {
        return {data + head * s.head_dim, s.tokens * row, row, s.head_dim};
    }
    template <class P>
    Heads<P> whole(P* data) const {
        const std::int64_t width = s.heads * s.head_dim;
        return {data, s.tokens * width, width, s.head_dim};
    }
    AttentionArgs<T> forward() {
        return {.shape = s,
                .q = columns<const T>(in.data(), 0),
                .k = columns<const T>(in.data(), s.heads),
                .v = columns<const T>(in.data(), s.heads + s.kv_heads),
                .sink = sink.empty() ? nullptr : sink.data(),
                .o = whole<T>(out.data()),
                .lse = lse.data()};
    }
    AttentionBackwardArgs<T> backward() {
        return {.shape = s,
                .q = columns<const T>(in.data(), 0),
                .k = columns<const T>(in.data(), s.heads),
                .v = columns<const T>(in.data(), s.heads + s.kv_heads),
                .o = whole<const T>(out.data()),
                .d_o = whole<const T>(dout.data()),
                .sink = sink.empty() ? nullptr : sink.data(),
                .lse = lse.data(),
                .dq = columns<T>(din.data(), 0),
                .dk = columns<T>(din.data(), s.heads),
                .dv = columns<T>(din.data(), s.heads + s.kv_heads),
                .dsink = dsink.data(),
                .sink_parts = parts.data()};
    }

    AttentionShape s;
    std::int64_t row, rows;
    std::vector<T> in, dout, sink, out, lse, din, dsink, parts;
    std::vector<std::int32_t> starts;
};

template <class T>
void check_every_case() {
    for (const Case& c : cases()) {
        SCOPED_TRACE(c.name);
        const Problem<float> inputs(c, nullptr);
        Problem<double> want(c, &inputs);
        ref::attention(want.forward());
        ref::attention_backward(want.backward());
        for_levels<T>([&](const cpu::Kernels<T>& kernels, const std::string& level) {
            for (int workers : {1, 3}) {
                Problem<T> got(c, &inputs);
                kernels.attention(got.forward(), threads(workers));
                kernels.attention_backward(got.backward(), threads(workers));
                const std::string what = level + c.name;
                // Errors of the scores grow with their size.
                const double limit = tolerance<T> * std::max(1.0, c.size * c.size / 4);
                expect_close(what + " o", got.out, widened(want.out), limit);
                expect_close(what + " lse", got.lse, widened(want.lse), limit);
                expect_close(what + " dq dk dv", got.din, widened(want.din), 2 * limit);
                if (c.has_sink) expect_close(what + " dsink", got.dsink, widened(want.dsink), 10 * limit);
            }
        });
    }
}

TEST(Attention, EndsEarlyWhereItIsToldTo) {
    const Case c{.name = "long",
                 .shape = {.batch = 1, .tokens = 512, .heads = 2, .kv_heads = 1, .head_dim = 16}};
    for_levels<float>([&](const cpu::Kernels<float>& kernels, const std::string& level) {
        for (const int workers : {1, 3}) {
            Problem<float> problem(c, nullptr);
            std::fill(problem.out.begin(), problem.out.end(), -7.0F);
            bool stop = true;
            Parallel parallel = threads(workers);
            parallel.stop = [](const void* flag) { return *static_cast<const bool*>(flag); };
            parallel.flag = &stop;
            kernels.attention(problem.forward(), parallel);
            EXPECT_EQ(problem.out.front(), -7.0F) << level;
            EXPECT_EQ(problem.out.back(), -7.0F) << level;
            stop = false;
            kernels.attention(problem.forward(), parallel);
            EXPECT_NE(problem.out.back(), -7.0F) << level;
        }
    });
}

TEST(Attention, EqualsTheReferenceInFloat32) { check_every_case<float>(); }
TEST(Attention, EqualsTheReferenceInFloat64) { check_every_case<double>(); }

TEST(Attention, TheReferencesGradientIsThatOfFiniteDifferences) {
    const Case c{
        "small",
        {.batch = 1, .tokens = 9, .heads = 2, .kv_heads = 1, .head_dim = 4, .window = 4, .scale = 0.5}};
    const Problem<float> inputs(c, nullptr);
    Problem<double> problem(c, &inputs);
    const auto value = [&] {
        ref::attention(problem.forward());
        double sum = 0;
        for (std::size_t i = 0; i < problem.out.size(); ++i) sum += problem.out[i] * problem.dout[i];
        return sum;
    };
    const auto slope = [&](double& x) {
        const double kept = x, step = 1e-5;
        x = kept + step;
        const double above = value();
        x = kept - step;
        const double below = value();
        x = kept;
        return (above - below) / (2 * step);
    };
    value();
    problem.dsink.assign(problem.dsink.size(), 0);
    ref::attention_backward(problem.backward());
    for (std::size_t i = 0; i < problem.in.size(); ++i)
        EXPECT_NEAR(problem.din[i], slope(problem.in[i]), 1e-8) << "input " << i;
    for (std::size_t h = 0; h < problem.sink.size(); ++h)
        EXPECT_NEAR(problem.dsink[h], slope(problem.sink[h]), 1e-8) << "sink " << h;
}

TEST(Attention, BitsDoNotDependOnTheNumberOfThreads) {
    const Case c{
        "grouped",
        {.batch = 3, .tokens = 75, .heads = 4, .kv_heads = 2, .head_dim = 32, .window = 16, .scale = 0.2}};
    const Problem<float> inputs(c, nullptr);
    for_levels<float>([&](const cpu::Kernels<float>& kernels, const std::string&) {
        Problem<float> one(c, &inputs), four(c, &inputs);
        kernels.attention(one.forward(), threads(1));
        kernels.attention_backward(one.backward(), threads(1));
        kernels.attention(four.forward(), threads(4));
        kernels.attention_backward(four.backward(), threads(4));
        EXPECT_EQ(one.out, four.out);
        EXPECT_EQ(one.din, four.din);
        EXPECT_EQ(one.dsink, four.dsink);
    });
}

TEST(Attention, AFutureTokenChangesNothing) {
    const Case c{
        "causal",
        {.batch = 1, .tokens = 63, .heads = 2, .kv_heads = 2, .head_dim = 32, .window = 0, .scale = 0.2}};
    const Problem<float> inputs(c, nullptr);
    for_levels<float>([&](const cpu::Kernels<float>& kernels, const std::string&) {
        Problem<float> before(c, &inputs), after(c, &inputs);
        for (std::size_t i = std::size_t(40 * after.row); i < after.in.size(); ++i)
            after.in[i] = 100 - after.in[i];
        kernels.attention(before.forward(), threads(1));
        kernels.attention(after.forward(), threads(1));
        for (std::size_t i = 0; i < std::size_t(40 * 64); ++i) ASSERT_EQ(before.out[i], after.out[i]) << i;
    });
}

}  // namespace
}  // namespace braid::kernels::test
