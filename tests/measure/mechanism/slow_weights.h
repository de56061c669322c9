// Weights of a model as numbers, and what loops make of them.
#pragma once

#include <ATen/TensorOperators.h>

#include <cmath>
#include <string>

#include "tests/measure/mechanism/slow_model.h"

namespace braid::test {

class Weights {
public:
    explicit Weights(const Model& model) : store_(model.parameters()) {}
    Vector vector(const std::string& name) const {
        const at::Tensor value = store_.value(*store_.find(name)).to(at::kCPU, at::kDouble).contiguous();
        return {value.const_data_ptr<double>(), value.const_data_ptr<double>() + value.numel()};
    }
    Matrix matrix(const std::string& name) const {
        const Parameter& parameter = *store_.find(name);
        const Vector all = vector(name);
        Matrix rows;
        for (std::int64_t r = 0; r < parameter.shape[0]; ++r)
            rows.emplace_back(all.begin() + r * parameter.shape[1],
                              all.begin() + (r + 1) * parameter.shape[1]);
        return rows;
    }

private:
    const ParameterStore& store_;
};

inline double dot(const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

inline Vector times(const Matrix& w, const Vector& x) {
    Vector y;
    for (const Vector& row : w) y.push_back(dot(row, x));
    return y;
}

inline Vector normalised(const Vector& x, const Vector& weight, double eps) {
    const double size = 1 / std::sqrt(dot(x, x) / double(x.size()) + eps);
    Vector y = x;
    for (std::size_t i = 0; i < x.size(); ++i) y[i] *= size * weight[i];
    return y;
}

}  // namespace braid::test
