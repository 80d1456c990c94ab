// How much a piece of JSON becomes as a table, told without parsing a value.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/parallel.hpp"

namespace quire {

struct JsonShape {
    std::int64_t depth;   // the most objects and arrays inside each other
    std::int64_t n_open;  // objects and arrays
    std::int64_t n_keys;  // different ones, as they are written
};

// A quote behind an odd number of backslashes is none; what stands between two quotes is a string,
// and one before a colon a key. Text that is no JSON has a shape too. Takes time by the length of
// the text, and the logarithm of the number of keys.
JsonShape json_shape(std::string_view text, const Execution& execution);

}  // namespace quire
