// Class labels to numbers, without sorting all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/memory.hpp"
#include "base/parallel.hpp"

namespace quire {

struct Factorized {
    RawVector<std::int32_t> codes;  // n_items: which of the distinct items
    RawVector<std::int64_t> first;  // by code: where it was met first
};

// Numbers the distinct items among `bytes`, item_size bytes each, in the order in which they are
// met. Time is in proportion to the bytes, memory to the items.
//
// Equivalent to
//     pandas.factorize(items)
Factorized factorize(std::span<const std::uint8_t> bytes, std::size_t item_size,
                     const Execution& execution);

}  // namespace quire
