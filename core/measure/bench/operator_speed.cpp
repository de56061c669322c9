#include "core/measure/bench/operator_speed.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/engine/guard.h"
#include "core/mixers/builtin.h"
#include "core/mixers/gdn/gdn_shape.h"
#include "core/mixers/mamba2/mamba2_shape.h"

namespace braid {
namespace {

constexpr std::int64_t calls = 4;  // in a row, so that the start of the first hardly counts

struct Operator {
    OperatorSpeed speed;
    std::function<void()> forward, backward;
};

struct Maker {
    const Scale& scale;
    Ops& ops;
    OperatorShape shape;

    at::TensorOptions on_device(at::ScalarType type) const { return at::dtype(type).device(ops.device()); }
    at::Tensor heads(std::int64_t count, std::int64_t width) const {
        return at::randn({shape.batch, shape.context, count, width}, on_device(ops.compute_type()));
    }
    at::Tensor numbers(const std::vector<std::int64_t>& size) const {
        return at::zeros(size, on_device(ops.statistics_type()));
    }
    at::Tensor shares(std::int64_t states) const {  // in (0, 1)
        return at::rand({shape.batch, shape.context, states}, on_device(ops.statistics_type()));
    }
};

std::string heads_text(std::int64_t of_queries, std::int64_t of_keys, std::int64_t width) {
    std::string text = std::to_string(of_queries);
    return text.append("/").append(std::to_string(of_keys)).append(" heads of ") + std::to_string(width);
}

// Pairs of a query and a key that it sees, of a sequence.
double visible_pairs(std::int64_t tokens, std::int64_t window) {
    const double t = double(tokens), w = double(window > 0 && window < tokens ? window : tokens);
    return t * w - w * (w - 1) / 2;
}

Operator attention(const Maker& make, std::int64_t window) {
    const Scale& s = make.scale;
    Ops& ops = make.ops;
    const AttentionRule rule{.window = window, .scale = 1 / std::sqrt(double(s.head_dim))};
    const at::Tensor q = make.heads(s.heads, s.head_dim), k = make.heads(s.kv_heads, s.head_dim);
    const at::Tensor v = make.heads(s.kv_heads, s.head_dim), o = make.heads(s.heads, s.head_dim);
    const at::Tensor dout = make.heads(s.heads, s.head_dim), dq = make.heads(s.heads, s.head_dim);
    const at::Tensor dk = make.heads(s.kv_heads, s.head_dim), dv = make.heads(s.kv_heads, s.head_dim);
    const at::Tensor sink = at::zeros({s.heads}, q.options());
    const at::Tensor dsink = at::zeros({s.heads}, q.options().dtype(ops.master_type()));
    const at::Tensor lse = make.numbers({make.shape.batch, s.heads, make.shape.context});
    std::string name = "attention, ";
    name += window > 0 ? "window " + std::to_string(window) : std::string("all keys");
    // Two products of head_dim a pair forward, five backward; a multiplication and an addition each.
    const double pairs = visible_pairs(make.shape.context, window) * double(make.shape.batch * s.heads);
    return {.speed = {.name = name + ", sink",
                      .detail = heads_text(s.heads, s.kv_heads, s.head_dim),
                      .flops = 14 * pairs * double(s.head_dim)},
            .forward = [=, &ops] { ops.attention(rule, q, k, v, sink, o, lse); },
            .backward =
                [=, &ops] { ops.attention_backward(rule, dout, q, k, v, sink, o, lse, dq, dk, dv, dsink); }};
}

// A recurrence over states by decays that are constant or each token's own.
struct Recurrence {
    std::string name;
    LinearRule rule;
    LinearShape shape;
    std::int64_t key_heads = 0, value_heads = 0;
    bool constant_decay = false, writes = false, skips = false;
};

Operator recurrence(const Maker& make, const Recurrence& r) {
    Ops& ops = make.ops;
    const LinearShape& s = r.shape;
    const std::int64_t outputs = std::max(s.states, s.readers);
    const auto statistics = make.on_device(ops.statistics_type());
    const auto own = [&](bool there) {
        return there ? make.numbers({make.shape.batch, make.shape.context, s.states}) : at::Tensor();
    };
    const LinearInput in{.q_BTHK = make.heads(s.readers, s.key_dim),
                         .k_BTGK = make.heads(r.key_heads, s.key_dim),
                         .v_BTJV = make.heads(r.value_heads, s.value_dim),
                         .log_decay_BTS = r.constant_decay ? at::full({s.states}, -0.1, statistics)
                                                           : make.shares(s.states).neg(),
                         .beta_BTS = r.writes ? make.shares(s.states) : at::Tensor(),
                         .skip_S = r.skips ? at::full({s.states}, 1.0, statistics) : at::Tensor()};
    const LinearGradient gradient{
        .dq_BTHK = make.heads(s.readers, s.key_dim),
        .dk_BTGK = make.heads(r.key_heads, s.key_dim),
        .dv_BTJV = make.heads(r.value_heads, s.value_dim),
        .dlog_decay_BTS = own(!r.constant_decay),
        .dbeta_BTS = own(r.writes),
        .dskip_S = r.skips ? at::zeros({s.states}, statistics.dtype(ops.master_type())) : at::Tensor()};
    const at::Tensor o = make.heads(outputs, s.value_dim), dout = make.heads(outputs, s.value_dim);
    const at::Tensor boundaries = ops.linear_boundaries(r.rule, s, make.shape.batch, make.shape.context);
    std::string detail = std::to_string(s.states);
    detail.append(" states of ")
        .append(std::to_string(s.key_dim))
        .append(" x ")
        .append(std::to_string(s.value_dim));
    return {.speed = {.name = r.name, .detail = detail},
            .forward = [=, &ops] { ops.linear_attention(r.rule, in, o, boundaries, {}); },
            .backward = [=, &ops] { ops.linear_attention_backward(r.rule, in, boundaries, dout, gradient); }};
}

std::vector<Recurrence> recurrences(const Scale& s) {
    const auto group = [&](const char* mixer) {
        return HeadGroup{.mixer = mixer, .heads = s.heads, .kv_heads = s.kv_heads};
    };
    const auto described = [](const char* mixer) -> const std::vector<ParameterDescription>& {
        return builtin_mixers().find(mixer)->description().parameters;
    };
    const MixerContext context{
        .d_model = s.d_model, .head_dim = s.head_dim, .ffn_width = s.ffn_width, .layers = s.layers};
    const Mamba2Shape m = mamba2_shape(group("mamba2"), context, described("mamba2"));
    const GdnShape g = gdn_shape(group("gdn"), described("gdn"));
    return {
        {.name = "Lightning: constant decay",
         .rule = {.silu = true, .scale = 1 / std::sqrt(double(s.head_dim))},
         .shape = {s.heads, s.heads, s.head_dim, s.head_dim},
         .key_heads = s.kv_heads,
         .value_heads = s.kv_heads,
         .constant_decay = true},
        {.name = "Mamba-2: decay and step of each token",
         .rule = {},
         .shape = {m.heads, m.groups, m.state, m.width},
         .key_heads = m.groups,
         .value_heads = m.heads,
         .writes = true,
         .skips = true},
        {.name = "Gated DeltaNet: delta rule with decay",
         .rule = {.silu = true, .unit_qk = true, .delta = true, .scale = 1 / std::sqrt(double(g.key_dim))},
         .shape = {g.kv_heads, g.heads, g.key_dim, g.value_dim},
         .key_heads = g.kv_heads,
         .value_heads = g.kv_heads,
         .writes = true}};
}

Operator head_and_loss(const Maker& make) {
    Ops& ops = make.ops;
    const std::int64_t rows = make.shape.batch * make.shape.context, width = make.scale.d_model;
    const std::int64_t vocab = make.scale.vocab;
    const auto compute = make.on_device(ops.compute_type());
    const at::Tensor y = at::randn({rows, width}, compute),
                     weight = at::randn({vocab, width}, compute) * 0.02;
    const at::Tensor targets = at::randint(vocab, {rows}, compute.dtype(at::kLong));
    const at::Tensor losses = make.numbers({rows}), top = at::empty({rows}, targets.options());
    const at::Tensor loss_sum = make.numbers({}), dy = at::empty_like(y);
    const at::Tensor dweight = at::zeros({vocab, width}, compute.dtype(ops.master_type()));
    std::string detail = std::to_string(rows);
    detail.append(" x ").append(std::to_string(width)).append(" x ").append(std::to_string(vocab));
    return {
        .speed = {.name = "head and loss",
                  .detail = detail,
                  .flops = 6 * double(rows) * double(width) * double(vocab)},
        .forward = [=, &ops] { ops.head_evaluate(y, weight, targets, losses, top); },
        // Both at once: the loss comes with its gradient.
        .backward =
            [=, &ops] { ops.head_loss(y, weight, targets, {}, 1 / double(rows), loss_sum, dy, dweight); }};
}

}  // namespace

Result<std::vector<OperatorSpeed>> time_operators(const Scale& scale, const std::shared_ptr<Ops>& ops,
                                                  const OperatorShape& shape, const BenchGoOn& go_on) {
    return guarded("timing operators", [&]() -> Result<std::vector<OperatorSpeed>> {
        const Stopwatch stopwatch(*ops);
        const Maker make{scale, *ops, shape};
        std::vector<std::function<Operator()>> all;
        for (const std::int64_t window : {0, 2048, 512, 128})
            if (window < shape.context) all.emplace_back([&make, window] { return attention(make, window); });
        for (const Recurrence& each : recurrences(scale))
            all.emplace_back([&make, each] { return recurrence(make, each); });
        all.emplace_back([&make] { return head_and_loss(make); });
        std::vector<OperatorSpeed> answer;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Operator one = all[i]();  // one at a time: memory of the others is free
            const bool together = i + 1 == all.size();
            ops->forget_kernels_used();
            Rounds forward, both;
            const auto repeat = [&](const std::function<void()>& work) {
                return stopwatch([&] {
                           for (std::int64_t call = 0; call < calls; ++call) work();
                       }) /
                       double(calls);
            };
            for (std::int64_t round = 0; round < shape.rounds + warm_up_rounds; ++round) {
                if (!go_on()) return bench_interrupted();
                forward.add(round, repeat(one.forward));
                both.add(round, repeat([&] {
                             if (!together) one.forward();
                             one.backward();
                         }));
            }
            answer.push_back(one.speed);
            answer.back().forward_ms = forward.median();
            answer.back().forward_backward_ms = both.median();
            if (!ops->kernels_used().empty()) answer.back().kernel = ops->kernels_used().back().kernel;
        }
        return answer;
    });
}

}  // namespace braid
