// What has to hold for every input of a fuzz target; the fuzzer keeps an input for which it does not.
#pragma once

#include <cstdio>
#include <cstdlib>

inline void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}
