// Running a kernel from Python: the lock is released, Ctrl-C is noticed.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/parallel.hpp"

namespace quire::bindings {

// Asks Python whether a signal handler raised (KeyboardInterrupt); takes the lock to do so.
inline bool python_interrupted() {
    const nanobind::gil_scoped_acquire lock;
    return PyErr_CheckSignals() != 0;
}

// More threads than this help nobody; they would only take memory. Results do not depend on them.
inline int sane_threads(int n_threads) {
    static const int most = std::max(64, 4 * static_cast<int>(std::thread::hardware_concurrency()));
    return std::clamp(n_threads, 1, most);
}

// Calls kernel(Execution) without Python's lock. If the user interrupts, the pending Python
// exception (KeyboardInterrupt, as a rule) goes on from here.
template <class Kernel>
auto run(int n_threads, Kernel&& kernel) {
    try {
        const nanobind::gil_scoped_release unlocked;
        return std::forward<Kernel>(kernel)(
            Execution{sane_threads(n_threads), &python_interrupted});
    } catch (const Interrupted&) {
        throw nanobind::python_error();
    }
}

}  // namespace quire::bindings
