// Asking memory for something that will be read soon.
#pragma once

#include <algorithm>
#include <cstddef>

namespace quire {

inline void prefetch(const void* place) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(place, 0);
#else
    static_cast<void>(place);
#endif
}

// A row that will be read a little later, into the second cache, which takes many requests at once.
// Of a long one only the beginning: the machine sees by itself how it goes on.
template <class Value>
void prefetch_row(const Value* row, std::size_t size) {
    constexpr std::size_t kLine = 64 / sizeof(Value), kMost = 32 * kLine;
    for (std::size_t i = 0; i < std::min(size, kMost); i += kLine) {
#if defined(__GNUC__) || defined(__clang__)
        __builtin_prefetch(row + i, 0, 2);
#else
        static_cast<void>(row);
#endif
    }
}

}  // namespace quire
