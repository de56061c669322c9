// What the verbs of `bench` share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/measure/bench/speed.h"
#include "core/spec/training.h"

namespace braid::cli {

struct BenchOptions {
    std::vector<std::string> specs;
    std::string scale = "tiny";
    std::string project;
    std::string device = "auto";
    std::int64_t threads = 1;
    std::int64_t vocab = 0;
    BenchShape shape;
    std::vector<std::string> settings;  // of training, for bench step
    // Of a sweep over contexts and scales (bench_growth.h); none of the three: no sweep.
    std::vector<std::int64_t> contexts;
    std::vector<std::string> scales;
    std::string out;
    bool json = false;
};

// "1.234", "12.3"
std::string milliseconds(double value);

// The training that a step is timed with. Settings that change nothing here are problems as well.
Checked<TrainingSpec> timed_training(const BenchOptions& options);

}  // namespace braid::cli
