#include "base/parallel_probe.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace quire {

namespace {

ParallelProbe one_loop(std::size_t n_parts, double spin_ms, std::int64_t failing_part,
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

}  // namespace

ParallelProbe parallel_probe(std::size_t n_parts, double spin_ms, std::int64_t failing_part,
                             std::size_t n_loops, const Execution& execution) {
    if (n_loops == 1) return one_loop(n_parts, spin_ms, failing_part, execution);
    ThreadTeam team(static_cast<std::size_t>(std::max(1, execution.n_threads)));
    const Execution with_team{execution.n_threads, execution.interrupted, &team};
    ParallelProbe sum{0.0, 0};
    for (std::size_t loop = 0; loop < n_loops; ++loop) {
        const ParallelProbe one = one_loop(n_parts, spin_ms, failing_part, with_team);
        sum.total += one.total;
        sum.n_workers = std::max(sum.n_workers, one.n_workers);
    }
    return sum;
}

}  // namespace quire
