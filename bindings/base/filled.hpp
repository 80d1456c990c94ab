// New arrays for kernels that fill one.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "base/memory.hpp"
#include "bindings/base/execution.hpp"

namespace quire::bindings {

// Makes n unset numbers and lets kernel(span, execution) fill them, without Python's lock.
template <class T, class Kernel>
RawVector<T> filled(std::size_t n, int n_threads, Kernel&& kernel) {
    return run(n_threads, [&](const Execution& execution) {
        RawVector<T> out(n);
        kernel(std::span<T>(out), execution);
        return out;
    });
}

}  // namespace quire::bindings
