// Asking memory for something that will be read soon.
#pragma once

namespace quire {

inline void prefetch(const void* place) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(place, 0);
#else
    static_cast<void>(place);
#endif
}

}  // namespace quire
