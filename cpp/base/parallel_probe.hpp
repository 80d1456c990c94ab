// Work whose every property can be checked: what the tests of the parallel loop run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/parallel.hpp"

namespace quire {

struct ParallelProbe {
    double total;   // the same bits with any number of threads
    int n_workers;  // how many workers took at least one part
};

// Sums 1 / (1 + i) over i in [0, 1000 n_parts), a part at a time, part sums added in part order.
// Every part takes at least spin_ms milliseconds; part number failing_part, if there is one, throws
// std::runtime_error. With n_loops above 1 the same is done so many times by one team of threads,
// and the totals are added up.
//
// Equivalent to
//     functools.reduce(add, [functools.reduce(add, 1 / (1 + part)) for part in parts], 0.0)
ParallelProbe parallel_probe(std::size_t n_parts, double spin_ms, std::int64_t failing_part,
                             std::size_t n_loops, const Execution& execution);

}  // namespace quire
