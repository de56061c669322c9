#include "tests/kernels/compare.h"

namespace braid::kernels::test {
namespace {

// Columns around every vector width, and a wide one.
const std::int64_t widths[] = {1, 3, 8, 16, 17, 46, 64, 100, 160};
constexpr std::int64_t rows = 37;

template <class T>
std::vector<double> doubles(const std::vector<T>& values) {
    return widened(values);
}

template <class T>
void check_rms_norm() {
    for (std::int64_t cols : widths) {
        const auto x = random_values<T>(rows * cols, 1), weight = random_values<T>(cols, 2);
        const auto dy = random_values<T>(rows * cols, 3), dx = random_values<T>(rows * cols, 4);
        const auto dx64 = doubles(x), weight64 = doubles(weight), dy64 = doubles(dy);
        std::vector<double> y_want(x.size()), rstd_want(rows), dx_want = doubles(dx),
                                                               dw_want(weight.size(), 0.5);
        ref::rms_norm<double>({.rows = rows,
                               .cols = cols,
                               .eps = 1e-6,
                               .x = dx64.data(),
                               .weight = weight64.data(),
                               .y = y_want.data(),
                               .rstd = rstd_want.data()});
        ref::rms_norm_backward<double>({.rows = rows,
                                        .cols = cols,
                                        .dy = dy64.data(),
                                        .x = dx64.data(),
                                        .weight = weight64.data(),
                                        .rstd = rstd_want.data(),
                                        .dx = dx_want.data(),
                                        .dweight = dw_want.data()});
        for_levels<T>([&](const cpu::Kernels<T>& kernels, const std::string& level) {
            const Parallel two = threads(2);
            std::vector<T> y(x.size()), rstd(rows), got = dx, dweight(weight.size(), T(0.5)),
                                                    parts(2 * weight.size());
            kernels.rms_norm({.rows = rows,
                              .cols = cols,
                              .eps = 1e-6,
                              .x = x.data(),
                              .weight = weight.data(),
                              .y = y.data(),
                              .rstd = rstd.data()},
                             two);
            kernels.rms_norm_backward({.rows = rows,
                                       .cols = cols,
                                       .dy = dy.data(),
                                       .x = x.data(),
                                       .weight = weight.data(),
                                       .rstd = rstd.data(),
                                       .dx = got.data(),
                                       .dweight = dweight.data(),
                                       .parts = parts.data()},
                                      two);
            expect_close(level + "rms_norm", y, y_want);
            expect_close(level + "rms_norm dx", got, dx_want, 4 * tolerance<T>);
            expect_close(level + "rms_norm dweight", dweight, dw_want, 4 * tolerance<T>);
        });
    }
}
TEST(RmsNorm, EqualsTheReference) { check_rms_norm<float>(), check_rms_norm<double>(); }

template <class T>
void check_swiglu(double size) {
    for (std::int64_t width : widths) {
        const auto gate_up = random_values<T>(rows * 2 * width, 1, size),
                   dh = random_values<T>(rows * width, 2);
        const auto gate_up64 = doubles(gate_up), dh64 = doubles(dh);
        std::vector<double> h_want(dh.size()), again(dh.size()), d_want(gate_up.size());
        ref::swiglu<double>({.rows = rows, .width = width, .gate_up = gate_up64.data(), .h = h_want.data()});
        ref::swiglu_backward<double>({.rows = rows,
                                      .width = width,
                                      .gate_up = gate_up64.data(),
                                      .dh = dh64.data(),
                                      .dgate_up = d_want.data(),
                                      .h = again.data()});
        for_levels<T>([&](const cpu::Kernels<T>& kernels, const std::string& level) {
            std::vector<T> h(dh.size()), h_again = dh, d(gate_up.size());
            kernels.swiglu({.rows = rows, .width = width, .gate_up = gate_up.data(), .h = h.data()},
                           threads(2));
            // h in the place of dh, as the interface allows.
            kernels.swiglu_backward({.rows = rows,
                                     .width = width,
                                     .gate_up = gate_up.data(),
                                     .dh = h_again.data(),
                                     .dgate_up = d.data(),
                                     .h = h_again.data()},
                                    threads(2));
            expect_close(level + "swiglu", h, h_want);
            expect_close(level + "swiglu again", h_again, h_want);
            expect_close(level + "swiglu backward", d, d_want);
            EXPECT_EQ(h, h_again) << level << "made again it must be the same, bit for bit";
            std::vector<T> alone(gate_up.size());
            kernels.swiglu_backward({.rows = rows,
                                     .width = width,
                                     .gate_up = gate_up.data(),
                                     .dh = dh.data(),
                                     .dgate_up = alone.data()},
                                    threads(2));
            EXPECT_EQ(alone, d) << level << "without h";
        });
    }
}
TEST(Swiglu, EqualsTheReference) { check_swiglu<float>(1), check_swiglu<double>(1); }
TEST(Swiglu, IsFiniteAndRightForExtremeGates) { check_swiglu<float>(60), check_swiglu<double>(60); }

template <class T>
void check_rope(bool inverse) {
    for (std::int64_t head_dim : {2, 6, 32, 46, 64}) {
        const std::int64_t batch = 2, tokens = 19, heads = 3, row = heads * head_dim + 3, half = head_dim / 2;
        const auto x = random_values<T>(batch * tokens * row, 1),
                   angle = random_values<T>(tokens * half, 2, 3);
        std::vector<T> cos(angle.size()), sin(angle.size());
        for (std::size_t i = 0; i < angle.size(); ++i)
            cos[i] = std::cos(angle[i]), sin[i] = std::sin(angle[i]);
        const auto cos64 = doubles(cos), sin64 = doubles(sin);
        auto want = doubles(x);
        const auto args = [&](auto* data, const auto* c, const auto* s) {
            using P = std::remove_pointer_t<decltype(data)>;
            return RopeArgs<P>{.batch = batch,
                               .tokens = tokens,
                               .heads = heads,
                               .head_dim = head_dim,
                               .x = {data, tokens * row, row, head_dim},
                               .cos = c,
                               .sin = s,
                               .inverse = inverse};
        };
        ref::rope(args(want.data(), cos64.data(), sin64.data()));
        for_levels<T>([&](const cpu::Kernels<T>& kernels, const std::string& level) {
            auto got = x;
            kernels.rope(args(got.data(), cos.data(), sin.data()), threads(2));
            expect_close(level + "rope", got, want);
        });
    }
}
TEST(Rope, EqualsTheReference) { check_rope<float>(false), check_rope<double>(false); }
TEST(Rope, InverseEqualsTheReference) { check_rope<float>(true), check_rope<double>(true); }

template <class T>
void check_cross_entropy(double size) {
    for (std::int64_t vocab : {1, 5, 16, 33, 64, 1000}) {
        const auto logits = random_values<T>(rows * vocab, 1, size);
        std::vector<std::int64_t> targets;
        for (std::int64_t r = 0; r < rows; ++r) targets.push_back(r % 5 == 4 ? -1 : r * 7 % vocab);
        auto want = doubles(logits);
        const auto weights = random_values<T>(rows, 2, 3);
        const auto weights_want = doubles(weights);
        std::vector<double> loss_want(rows);
        std::vector<std::int64_t> top_want(rows);
        ref::cross_entropy<double>({.rows = rows,
                                    .vocab = vocab,
                                    .logits = want.data(),
                                    .targets = targets.data(),
                                    .gradient = true,
                                    .scale = 0.125,
                                    .weights = weights_want.data(),
                                    .loss = loss_want.data(),
                                    .top = top_want.data()});
        for_levels<T>([&](const cpu::Kernels<T>& kernels, const std::string& level) {
            auto got = logits;
            std::vector<T> loss(rows);
            std::vector<std::int64_t> top(rows);
            kernels.cross_entropy({.rows = rows,
                                   .vocab = vocab,
                                   .logits = got.data(),
                                   .targets = targets.data(),
                                   .gradient = true,
                                   .scale = 0.125,
                                   .weights = weights.data(),
                                   .loss = loss.data(),
                                   .top = top.data()},
                                  threads(2));
            if (vocab > 1) expect_close(level + "cross entropy", loss, loss_want, 4 * tolerance<T>);
            if (vocab > 1) expect_close(level + "cross entropy gradient", got, want, 4 * tolerance<T>);
            EXPECT_EQ(top, top_want);
        });
    }
}
TEST(CrossEntropy, EqualsTheReference) { check_cross_entropy<float>(1), check_cross_entropy<double>(1); }
TEST(CrossEntropy, IsFiniteAndRightForLargeLogits) {
    check_cross_entropy<float>(200), check_cross_entropy<double>(200);
}

TEST(CrossEntropy, TheFirstOfEqualLogitsIsTheTop) {
    for_levels<float>([&](const cpu::Kernels<float>& kernels, const std::string&) {
        std::vector<float> logits(40, 1.0F), loss(1);
        logits[7] = logits[30] = 2.0F;
        const std::int64_t target = 0;
        std::int64_t top = -1;
        kernels.cross_entropy({.rows = 1,
                               .vocab = 40,
                               .logits = logits.data(),
                               .targets = &target,
                               .loss = loss.data(),
                               .top = &top},
                              threads(1));
        EXPECT_EQ(top, 7);
        EXPECT_EQ(logits[7], 2.0F);  // no gradient asked: logits stay
    });
}

template <class T>
void check_embedding() {
    for (std::int64_t cols : widths) {
        constexpr std::int64_t vocab = 11;
        const auto weight = random_values<T>(vocab * cols, 1), dx = random_values<T>(rows * cols, 2);
        std::vector<std::int64_t> tokens;
        for (std::int64_t r = 0; r < rows; ++r) tokens.push_back(r * r % vocab);
        const auto dx64 = doubles(dx);
        std::vector<double> d_want(weight.size(), 1.0);
        ref::embedding_backward<double>({.rows = rows,
                                         .cols = cols,
                                         .vocab = vocab,
                                         .tokens = tokens.data(),
                                         .dx = dx64.data(),
                                         .dweight = d_want.data()});
        for_levels<T>([&](const cpu::Kernels<T>& kernels, const std::string& level) {
            std::vector<T> x(dx.size()), x_want(dx.size()), d(weight.size(), T(1));
            ref::embedding<T>({.rows = rows,
                               .cols = cols,
                               .tokens = tokens.data(),
                               .weight = weight.data(),
                               .x = x_want.data()});
            kernels.embedding(
                {.rows = rows, .cols = cols, .tokens = tokens.data(), .weight = weight.data(), .x = x.data()},
                threads(3));
            EXPECT_EQ(x, x_want);
            kernels.embedding_backward({.rows = rows,
                                        .cols = cols,
                                        .vocab = vocab,
                                        .tokens = tokens.data(),
                                        .dx = dx.data(),
                                        .dweight = d.data()},
                                       threads(3));
            expect_close(level + "embedding backward", d, d_want);
        });
    }
}
TEST(Embedding, EqualsTheReference) { check_embedding<float>(), check_embedding<double>(); }

}  // namespace
}  // namespace braid::kernels::test
