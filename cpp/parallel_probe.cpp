#include "parallel_probe.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace quire {

ParallelProbe parallel_probe(std::size_t n_parts, double spin_ms, std::int64_t failing_part,
                             const Execution& execution) {
    constexpr std::size_t part_size = 1000;
    using clock = std::chrono::steady_clock;
    const std::chrono::duration<double, std::milli> least_time(spin_ms);

    std::vector<double> sums(n_parts);
    std::vector<int> taken(static_cast<std::size_t>(std::max(1, execution.n_threads)));
    parallel_parts(n_parts, execution, [&](std::size_t part, int worker, Checkpoint& checkpoint) {
        const auto start = clock::now();
        taken[static_cast<std::size_t>(worker)] = 1;
        double sum = 0;
        for (std::size_t i = part * part_size; i < (part + 1) * part_size; ++i) {
            sum += 1.0 / static_cast<double>(1 + i);
        }
        sums[part] = sum;
        if (failing_part >= 0 && part == static_cast<std::size_t>(failing_part)) {
            throw std::runtime_error("part " + std::to_string(part) + " failed, as asked");
        }
        while (clock::now() - start < least_time) checkpoint();
    });
    return {std::accumulate(sums.begin(), sums.end(), 0.0),
            std::accumulate(taken.begin(), taken.end(), 0)};
}

}  // namespace quire
