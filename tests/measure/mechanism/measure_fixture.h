// Measurements of tiny models in float64, without files.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/engine/init.h"
#include "core/measure/mechanism/measurement.h"
#include "tests/engine/tiny.h"

namespace braid::test {

// A tiny model of a synthetic task.
struct TinyTask {
    std::string kind = "niah";
    std::int64_t context = 40;
    ParameterValues parameters = {};
    std::int64_t vocab = 0;
};
TinyTask tiny_niah();
TinyTask tiny_recall();

// Weights large enough that heads differ.
std::shared_ptr<Model> lively_model(const std::string& pattern, const TinyTask& task, std::uint64_t seed = 1);

// Everything of a measurement but its parameters; the model must outlive it. A copy of its weights is opened.
MeasureInput tiny_input(const char* kind, const Model& model, const TinyTask& task,
                        ParameterValues values = {});
// Where the parameters of `input` name the checkpoint "other", it is this model; both must outlive it.
MeasureInput with_other(MeasureInput input, const Model& other, const TinyTask& task);
ParameterValues values(std::initializer_list<std::pair<const char*, ParameterValue>> list);

// The answer; a failure of the test where there is none.
MeasuredRecord must(const MeasureInput& input);
// What is said of a refusal.
std::string refused(const MeasureInput& input, ErrorKind kind = ErrorKind::invalid_input);

const MeasuredArray& array_of(const MeasuredRecord& measured, const std::string& name);

// Prints the ratio of a measured error and its limit, and fails beyond it.
void expect_error(const char* what, double error, double limit);

}  // namespace braid::test
