// Sums that the compiler can vectorise and that have the same bits on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace quire {

// The sum of values in eight strands, which are added up in the end.
inline double sum_in_lanes(std::span<const double> values) {
    constexpr std::size_t kLanes = 8;
    std::array<double, kLanes> lanes{};
    std::size_t i = 0;
    for (; i + kLanes <= values.size(); i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += values[i + lane];
    }
    for (; i < values.size(); ++i) lanes[i % kLanes] += values[i];
    double sum = 0;
    for (const double lane : lanes) sum += lane;
    return sum;
}

}  // namespace quire
