// New arrays for kernels that fill one.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <utility>

#include "base/memory.hpp"
#include "bindings/base/execution.hpp"

namespace quire::bindings {

// As many unset numbers as an array of these dimensions has.
template <class T, class... Sizes>
RawVector<T> unset(Sizes... sizes) {
    const std::size_t n = n_entries(static_cast<std::size_t>(sizes)...);
    if (n > kMostBytes / sizeof(T)) throw std::bad_alloc();
    return RawVector<T>(n);
}

// Makes n unset numbers and lets kernel(span, execution) fill them, without Python's lock.
template <class T, class Kernel>
RawVector<T> filled(std::size_t n, int n_threads, Kernel&& kernel) {
    return run(n_threads, [&](const Execution& execution) {
        RawVector<T> out = unset<T>(n);
        kernel(std::span<T>(out), execution);
        return out;
    });
}

}  // namespace quire::bindings
