#include "kernels/linear_attention.h"

#include <cmath>
#include <utility>
#include <vector>

namespace braid::kernels::ref {
namespace {

using Vector = std::vector<double>;

// A vector as the rule reads it: silu, unit length and scale, and the gradient through them.
struct ReadRule {
    bool silu = false;
    bool unit = false;
    double scale = 1;
};
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

Vector activated(const double* x, std::int64_t n, bool silu) {
    Vector y(x, x + n);
    if (silu)
        for (double& each : y) each *= sigmoid(each);
    return y;
}
double length(const Vector& y) {
    double sum = 1e-6;
    for (double each : y) sum += each * each;
    return std::sqrt(sum);
}
Vector read(const double* x, std::int64_t n, const ReadRule& rule) {
    Vector y = activated(x, n, rule.silu);
    const double factor = rule.scale / (rule.unit ? length(y) : 1);
    for (double& each : y) each *= factor;
    return y;
}
void add_gradient(const double* x, const Vector& d, const ReadRule& rule, double* dx) {
    const Vector y = activated(x, std::int64_t(d.size()), rule.silu);
    const double size = rule.unit ? length(y) : 1;
    double along = 0;
    for (std::size_t i = 0; i < d.size(); ++i) along += rule.unit ? d[i] * y[i] / (size * size) : 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
        const double s = sigmoid(x[i]);
        dx[i] += rule.scale / size * (d[i] - along * y[i]) * (rule.silu ? s * (1 + x[i] * (1 - s)) : 1);
    }
}

// One state of one sequence: everything that it reads at token t.
struct Lane {
    const LinearAttentionArgs& a;
    std::int64_t b, s;
    const LinearAttentionShape& shape = a.shape;

    std::int64_t row(std::int64_t t) const { return b * shape.tokens + t; }
    std::int64_t scalar(std::int64_t t) const { return row(t) * shape.states + s; }
    std::int64_t k_at(std::int64_t t) const {
        return (row(t) * shape.k_heads + s / (shape.states / shape.k_heads)) * shape.key_dim;
    }
    std::int64_t v_at(std::int64_t t) const {
        return (row(t) * shape.v_heads + s / (shape.states / shape.v_heads)) * shape.value_dim;
    }
    std::int64_t readers() const { return shape.q_heads > shape.states ? shape.q_heads / shape.states : 1; }
    std::int64_t q_at(std::int64_t t, std::int64_t r) const {
        const std::int64_t head =
            shape.q_heads > shape.states ? s * readers() + r : s / (shape.states / shape.q_heads);
        return (row(t) * shape.q_heads + head) * shape.key_dim;
    }
    std::int64_t o_at(std::int64_t t, std::int64_t r) const {
        return (row(t) * shape.outputs() + s * readers() + r) * shape.value_dim;
    }
    ReadRule q_rule() const { return {shape.silu, shape.unit_qk, shape.scale}; }
    ReadRule k_rule() const { return {shape.silu, shape.unit_qk, 1}; }
    ReadRule v_rule() const { return {shape.silu, false, 1}; }
    Vector q(std::int64_t t, std::int64_t r) const { return read(a.q + q_at(t, r), shape.key_dim, q_rule()); }
    Vector k(std::int64_t t) const { return read(a.k + k_at(t), shape.key_dim, k_rule()); }
    Vector v(std::int64_t t) const { return read(a.v + v_at(t), shape.value_dim, v_rule()); }
    double beta(std::int64_t t) const { return a.beta ? a.beta[scalar(t)] : 1; }
    double skip() const { return a.skip ? a.skip[s] : 0; }

    // m^T x and m x of a [key, value] matrix.
    Vector down(const Vector& m, const Vector& x) const {
        Vector y(std::size_t(shape.value_dim), 0.0);
        for (std::size_t i = 0; i < x.size(); ++i)
            for (std::size_t j = 0; j < y.size(); ++j) y[j] += m[i * y.size() + j] * x[i];
        return y;
    }
    Vector up(const Vector& m, const Vector& x) const {
        Vector y(std::size_t(shape.key_dim), 0.0);
        for (std::size_t i = 0; i < y.size(); ++i)
            for (std::size_t j = 0; j < x.size(); ++j) y[i] += m[i * x.size() + j] * x[j];
        return y;
    }
    static void add_outer(Vector& m, const Vector& x, const Vector& y) {
        for (std::size_t i = 0; i < x.size(); ++i)
            for (std::size_t j = 0; j < y.size(); ++j) m[i * y.size() + j] += x[i] * y[j];
    }

    Vector decayed(Vector state, std::int64_t t) const {
        for (double& each : state) each *= std::exp(a.log_decay[scalar(t)]);
        return state;
    }
    // What the delta rule corrects: v - S^T k; without it v.
    Vector error(const Vector& state, std::int64_t t) const {
        Vector e = v(t);
        if (!shape.delta) return e;
        const Vector held = down(state, k(t));
        for (std::size_t j = 0; j < e.size(); ++j) e[j] -= held[j];
        return e;
    }
    Vector next(const Vector& state, std::int64_t t) const {
        Vector after = decayed(state, t);
        Vector u = error(after, t);
        for (double& each : u) each *= beta(t);
        add_outer(after, k(t), u);
        return after;
    }
    std::size_t size() const { return std::size_t(shape.key_dim * shape.value_dim); }
};

template <class F>
void for_lanes(const LinearAttentionArgs& args, F&& f) {
    for (std::int64_t b = 0; b < args.shape.batch; ++b)
        for (std::int64_t s = 0; s < args.shape.states; ++s) f(Lane{args, b, s});
}

}  // namespace

void linear_attention(const LinearAttentionArgs& args) {
    for_lanes(args, [&](const Lane& lane) {
        Vector state(lane.size(), 0.0);
        for (std::int64_t t = 0; t < args.shape.tokens; ++t) {
            state = lane.next(state, t);
            const Vector v = lane.v(t);
            for (std::int64_t r = 0; r < lane.readers(); ++r) {
                const Vector o = lane.down(state, lane.q(t, r));
                for (std::size_t j = 0; j < o.size(); ++j)
                    args.o[lane.o_at(t, r) + std::int64_t(j)] = o[j] + lane.skip() * v[j];
            }
        }
        if (args.last)
            for (std::size_t i = 0; i < state.size(); ++i)
                args.last[std::size_t(lane.b * args.shape.states + lane.s) * state.size() + i] = state[i];
    });
}

void linear_attention_backward(const LinearAttentionBackwardArgs& args) {
    const LinearAttentionArgs& a = args.forward;
    for_lanes(a, [&](const Lane& lane) {
        std::vector<Vector> states = {Vector(lane.size(), 0.0)};
        for (std::int64_t t = 0; t < a.shape.tokens; ++t) states.push_back(lane.next(states.back(), t));
        Vector dstate(lane.size(), 0.0);  // of the state after token t
        for (std::int64_t t = a.shape.tokens; t-- > 0;) {
            const Vector& before = states[std::size_t(t)];
            const Vector held = lane.decayed(before, t), k = lane.k(t), v = lane.v(t);
            const Vector error = lane.error(held, t);
            Vector dv(v.size(), 0.0);
            for (std::int64_t r = 0; r < lane.readers(); ++r) {
                const double* d_o = args.d_o + lane.o_at(t, r);
                const Vector d(d_o, d_o + v.size());
                Lane::add_outer(dstate, lane.q(t, r), d);
                add_gradient(a.q + lane.q_at(t, r), lane.up(states[std::size_t(t) + 1], d), lane.q_rule(),
                             args.dq + lane.q_at(t, r));
                for (std::size_t j = 0; j < d.size(); ++j) {
                    dv[j] += lane.skip() * d[j];
                    if (args.dskip) args.dskip[lane.s] += d[j] * v[j];
                }
            }
            Vector du = lane.down(dstate, k), u = error;
            for (double& each : u) each *= lane.beta(t);
            Vector dk = lane.up(dstate, u);
            Vector derror = du;
            for (std::size_t j = 0; j < du.size(); ++j) {
                if (args.dbeta) args.dbeta[lane.scalar(t)] += du[j] * error[j];
                derror[j] *= lane.beta(t);
                dv[j] += derror[j];
            }
            if (a.shape.delta) {
                for (double& each : derror) each = -each;
                const Vector through = lane.up(held, derror);
                for (std::size_t i = 0; i < dk.size(); ++i) dk[i] += through[i];
                Lane::add_outer(dstate, k, derror);
            }
            double ddecay = 0;
            for (std::size_t i = 0; i < dstate.size(); ++i) ddecay += dstate[i] * held[i];
            if (args.dlog_decay) args.dlog_decay[lane.scalar(t)] += ddecay;
            dstate = lane.decayed(std::move(dstate), t);
            add_gradient(a.k + lane.k_at(t), dk, lane.k_rule(), args.dk + lane.k_at(t));
            add_gradient(a.v + lane.v_at(t), dv, lane.v_rule(), args.dv + lane.v_at(t));
        }
    });
}

}  // namespace braid::kernels::ref
