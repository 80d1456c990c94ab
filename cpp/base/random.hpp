// Random numbers without a state: Philox4x64-10, a function of (seed, stream, position).
//
// Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. A block of
// four 64-bit words comes from encrypting a 256-bit counter under the 128-bit key (seed, stream).
// Draw number `position` of a stream takes word position % 4 of block position / 4, whoever asks
// and in whatever order, so the work may be split in any way and the bits stay the same. Every
// draw, of any kind, uses exactly one position.
//
// The counter's words are (position / 4, attempt, 0, 0). attempt is 0 except in the integer draws
// that reject a word, which then look at the same position under the next attempt.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/parallel.hpp"

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace quire {

struct WideProduct {
    std::uint64_t high;
    std::uint64_t low;
};

// The 128-bit product of two 64-bit numbers from 32-bit halves: for compilers that offer nothing
// better.
constexpr WideProduct multiply_wide_portable(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t a0 = a & 0xFFFFFFFFu, a1 = a >> 32;
    const std::uint64_t b0 = b & 0xFFFFFFFFu, b1 = b >> 32;
    const std::uint64_t middle = a1 * b0 + ((a0 * b0) >> 32);
    const std::uint64_t carry = a0 * b1 + (middle & 0xFFFFFFFFu);
    return {a1 * b1 + (middle >> 32) + (carry >> 32), a * b};
}

inline WideProduct multiply_wide(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
#elif defined(_MSC_VER) && defined(_M_X64)
    std::uint64_t high;
    const std::uint64_t low = _umul128(a, b, &high);
    return {high, low};
#elif defined(_MSC_VER) && defined(_M_ARM64)
    return {__umulh(a, b), a * b};
#else
    return multiply_wide_portable(a, b);
#endif
}

using PhiloxBlock = std::array<std::uint64_t, 4>;

// Ten rounds of Philox4x64 on one counter.
inline PhiloxBlock philox_block(std::uint64_t seed, std::uint64_t stream, PhiloxBlock counter) {
    for (int round = 0; round < 10; ++round) {
        const WideProduct p0 = multiply_wide(0xD2E7470EE14C6C93u, counter[0]);
        const WideProduct p1 = multiply_wide(0xCA5A826395121157u, counter[2]);
        counter = {p1.high ^ counter[1] ^ seed, p1.low, p0.high ^ counter[3] ^ stream, p0.low};
        seed += 0x9E3779B97F4A7C15u;    // the golden ratio
        stream += 0xBB67AE8584CAA73Bu;  // sqrt(3) - 1
    }
    return counter;
}

// From a word to a number, one word each. uniform: 53 bits in [0, 1). normal: the quantile of the
// standard normal at the middle of one of 2^52 equal intervals of (0, 1), so it is finite and
// symmetric.
inline double uniform_from_word(std::uint64_t word) {
    return static_cast<double>(word >> 11) * 0x1p-53;
}
double normal_quantile(double probability);
inline double normal_from_word(std::uint64_t word) {
    return normal_quantile((static_cast<double>(word >> 12) + 0.5) * 0x1p-52);
}

// One stream, read from a position onward. Keeps the block it is in.
class Philox {
  public:
    Philox(std::uint64_t seed, std::uint64_t stream, std::uint64_t position = 0)
        : seed_(seed), stream_(stream), position_(position) {
        if (position_ % 4 != 0) block_ = block_of(position_, 0);
    }

    std::uint64_t raw() {
        if (position_ % 4 == 0) block_ = block_of(position_, 0);
        return block_[position_++ % 4];
    }
    double uniform() { return uniform_from_word(raw()); }
    double normal() { return normal_from_word(raw()); }

    // An integer in [0, bound), each equally likely; bound > 0. Lemire, "Fast random integer
    // generation in an interval", ACM TOMACS 29(1), 2019: the high half of word * bound, without
    // the words whose low half falls among the first 2^64 mod bound.
    std::uint64_t integer(std::uint64_t bound) {
        const std::uint64_t position = position_;
        WideProduct product = multiply_wide(raw(), bound);
        if (product.low < bound) {
            const std::uint64_t n_rejected = (0 - bound) % bound;
            for (std::uint64_t attempt = 1; product.low < n_rejected; ++attempt) {
                product = multiply_wide(block_of(position, attempt)[position % 4], bound);
            }
        }
        return product.high;
    }

  private:
    PhiloxBlock block_of(std::uint64_t position, std::uint64_t attempt) const {
        return philox_block(seed_, stream_, {position / 4, attempt, 0, 0});
    }

    std::uint64_t seed_;
    std::uint64_t stream_;
    std::uint64_t position_;
    PhiloxBlock block_{};
};

// Many small numbers from one word of a stream: SplitMix64 (Steele, Lea, Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014), two numbers a step.
class SmallRandom {
  public:
    explicit SmallRandom(std::uint64_t word) : state_(word) {}

    static std::uint64_t mixed(std::uint64_t word) {
        word *= 0x9E3779B97F4A7C15u;
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
        word = (word ^ word >> 27) * 0x94D049BB133111EBu;
        return word ^ word >> 31;
    }

    // A number in [0, bound), each equally likely; bound > 0. Lemire's way, with 32 bits.
    std::uint32_t below(std::uint32_t bound) {
        for (;;) {
            const std::uint64_t product = std::uint64_t{half()} * bound;
            const auto low = static_cast<std::uint32_t>(product);
            if (low >= bound || low >= (0u - bound) % bound) {
                return static_cast<std::uint32_t>(product >> 32);
            }
        }
    }

  private:
    std::uint32_t half() {
        has_half_ = !has_half_;
        if (!has_half_) return static_cast<std::uint32_t>(halves_ >> 32);
        halves_ = mixed(state_++);
        return static_cast<std::uint32_t>(halves_);
    }

    std::uint64_t state_, halves_ = 0;
    bool has_half_ = false;
};

// Fill out[i] with draw number position + i of the stream (seed, stream).
//
// Equivalent to, with words = numpy.random.Philox(key=[seed, stream], counter=-1).random_raw(...):
//     philox_raw       words[position:]
//     philox_uniform   (words >> 11) / 2**53
//     philox_normal    scipy.special.ndtri(((words >> 12) + 0.5) / 2**52)
//     philox_integers  (words * bound) >> 64, but for a share of less than bound / 2**64 drawn
//     again
void philox_raw(std::uint64_t seed, std::uint64_t stream, std::uint64_t position,
                std::span<std::uint64_t> out, const Execution& execution);
void philox_uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t position,
                    std::span<double> out, const Execution& execution);
void philox_normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t position,
                   std::span<double> out, const Execution& execution);
void philox_integers(std::uint64_t seed, std::uint64_t stream, std::uint64_t position,
                     std::uint64_t bound, std::span<std::uint64_t> out, const Execution& execution);

}  // namespace quire
