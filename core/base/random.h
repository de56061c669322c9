// Counter-based random numbers (Philox 4x64, 10 rounds; Salmon et al., SC'11), the only generator in Braid.
// A draw is a pure function of (seed, stream, step, how many were drawn before): nothing has to be saved for
// a resume, and any thread or device can produce its part without asking another one. The bits are those of
// numpy.random.Philox(key=[seed, stream], counter=[0, step, 0, 0]).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace braid {

// The key of a stream from its name ("data/recall", "init/layer3.wq"): FNV-1a, so it never changes.
constexpr std::uint64_t random_stream(std::string_view name) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return hash;
}

using PhiloxBlock = std::array<std::uint64_t, 4>;

// The block of four words at a counter; bijective in the counter for each key.
PhiloxBlock philox4x64(PhiloxBlock counter, std::array<std::uint64_t, 2> key);

class Random {
public:
    Random(std::uint64_t seed, std::uint64_t stream, std::uint64_t step = 0, std::uint64_t item = 0)
        : key_{seed, stream}, counter_{0, step, item, 0} {}
    Random(std::uint64_t seed, std::string_view stream, std::uint64_t step = 0, std::uint64_t item = 0)
        : Random(seed, random_stream(stream), step, item) {}

    // Passes over so many words, a multiple of 4, before the first is drawn: a part of a stream alone.
    void skip(std::uint64_t words) { counter_[0] += words / 4; }

    std::uint64_t next() {
        if (used_ == 4) refill();
        return block_[used_++];
    }

    // [0, 1), 53 random bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    double uniform(double low, double high) { return low + (high - low) * uniform(); }

    // 0 .. n-1 without bias (Lemire); n >= 1.
    std::uint64_t below(std::uint64_t n) {
        for (;;) {
            const std::uint64_t word = next();
            const Product product = multiply(word, n);
            if (product.low >= n || product.low >= (0 - n) % n) return product.high;
        }
    }

    // N(0, 1), Box-Muller; two at a time.
    double normal() {
        if (has_spare_) {
            has_spare_ = false;
            return spare_;
        }
        const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
        const double angle = 2.0 * std::numbers::pi * uniform();
        spare_ = radius * std::sin(angle);
        has_spare_ = true;
        return radius * std::cos(angle);
    }

    bool chance(double probability) { return uniform() < probability; }

private:
    struct Product {
        std::uint64_t high;
        std::uint64_t low;
    };
    static Product multiply(std::uint64_t a, std::uint64_t b) {
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(a) * b;
        return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
    }
    void refill() {
        // numpy counts before it draws; doing the same makes the words equal.
        ++counter_[0];
        block_ = philox4x64(counter_, key_);
        used_ = 0;
    }

    std::array<std::uint64_t, 2> key_;
    PhiloxBlock counter_;
    PhiloxBlock block_{};
    unsigned used_ = 4;
    double spare_ = 0;
    bool has_spare_ = false;
};

}  // namespace braid
