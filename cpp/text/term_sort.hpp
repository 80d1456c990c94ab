// Joining the workers' vocabularies into one, in string order.
//
// Words are sorted by their bytes, which for UTF-8 is the order of their code points and so
// Python's. An n-gram is the pair (place of its (n-1)-gram, place of its last word), so that
// n-grams sort as integers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "text/count_worker.hpp"
#include "text/terms.hpp"

namespace quire {

// The terms of all workers with frequencies summed, and for each worker the place of its numbers
// among them (0xFFFFFFFF for what is not a term: stop words, and n-grams shorter than asked for).
//
// Equivalent to: sorted(set().union(*vocabularies))
Terms sort_terms(const std::vector<std::unique_ptr<CountWorker>>& workers,
                 const AnalyzerOptions& options, const Execution& execution,
                 std::vector<RawVector<std::uint32_t>>& term_of_number);

}  // namespace quire
