// Sums that the compiler can vectorise and that have the same bits on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace quire {

// The sum of values in eight strands, which are added up in the end. Whole numbers of 32 bits are
// added up exactly.
template <class Value>
double sum_in_lanes(std::span<const Value> values) {
    using Sum = std::conditional_t<std::is_integral_v<Value>, std::uint64_t, double>;
    constexpr std::size_t kLanes = 8;
    std::array<Sum, kLanes> lanes{};
    std::size_t i = 0;
    for (; i + kLanes <= values.size(); i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += values[i + lane];
    }
    for (; i < values.size(); ++i) lanes[i % kLanes] += values[i];
    Sum sum{0};
    for (const Sum lane : lanes) sum += lane;
    return static_cast<double>(sum);
}

}  // namespace quire
