// SIMD level, thread limits and a probe of the parallel loop, as seen from Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/parallel_probe.hpp"
#include "base/simd.hpp"
#include "bindings/base/arrays.hpp"
#include "bindings/base/execution.hpp"

namespace nb = nanobind;

namespace {
// The limit of the calling thread; 0 means none. One for each thread, as threadpoolctl asks where
// it is possible: two threads that set and restore limits at the same time must not undo each
// other's.
thread_local int thread_limit = 0;

const char* name_of(quire::SimdLevel level) {
    switch (level) {
        case quire::SimdLevel::avx512:
            return "avx512";
        case quire::SimdLevel::avx2:
            return "avx2";
        default:
            return "portable";
    }
}
}  // namespace

#if defined(_WIN32)
#define QUIRE_EXPORT __declspec(dllexport)
#else
#define QUIRE_EXPORT __attribute__((visibility("default")))
#endif

// What threadpoolctl calls through ctypes. quire._shared.threads turns "no limit" (0) into the
// number of threads that a kernel would get.
extern "C" QUIRE_EXPORT int quire_get_thread_limit() {
    return thread_limit;
}
extern "C" QUIRE_EXPORT void quire_set_thread_limit(int limit) {
    thread_limit = limit > 0 ? limit : 0;
}

namespace quire::bindings {

void bind_runtime(nb::module_& m) {
    m.def("simd_supported", [] { return std::string(name_of(quire::simd_supported())); });
    m.def("simd_level", [] { return std::string(name_of(quire::simd_level())); });
    m.def(
        "set_simd_level",
        [](const std::string& level) {
            if (level == "portable") {
                quire::set_simd_level(quire::SimdLevel::portable);
            } else if (level == "avx2") {
                quire::set_simd_level(quire::SimdLevel::avx2);
            } else if (level == "avx512") {
                quire::set_simd_level(quire::SimdLevel::avx512);
            } else {
                throw nb::value_error("level must be 'portable', 'avx2' or 'avx512'");
            }
        },
        "level"_a);
    m.def("thread_limit", [] { return quire_get_thread_limit(); });
    m.def("set_thread_limit", [](int limit) { quire_set_thread_limit(limit); }, "limit"_a);
    m.def(
        "parallel_probe",
        [](std::size_t n_parts, int n_threads, double spin_ms, std::int64_t failing_part,
           std::size_t n_loops) {
            const auto probe = run(n_threads, [&](const Execution& execution) {
                return quire::parallel_probe(n_parts, spin_ms, failing_part, n_loops, execution);
            });
            return tuple_of(probe.total, probe.n_workers);
        },
        "n_parts"_a, "n_threads"_a, "spin_ms"_a = 0.0, "failing_part"_a = -1, "n_loops"_a = 1);
}

}  // namespace quire::bindings
