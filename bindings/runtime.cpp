// SIMD level and thread limits, as seen from Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <string>

#include "simd.hpp"

namespace nb = nanobind;

namespace {
std::atomic<int> thread_limit{0};  // 0: no limit

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

// What threadpoolctl calls through ctypes (see quire._threads).
extern "C" QUIRE_EXPORT int quire_get_thread_limit() { return thread_limit; }
extern "C" QUIRE_EXPORT void quire_set_thread_limit(int limit) { thread_limit = limit; }

namespace quire::bindings {

void bind_runtime(nb::module_& m) {
    m.def("simd_supported", [] { return std::string(name_of(quire::simd_supported())); });
    m.def("simd_level", [] { return std::string(name_of(quire::simd_level())); });
    m.def("set_simd_level", [](const std::string& level) {
        if (level == "portable") {
            quire::set_simd_level(quire::SimdLevel::portable);
        } else if (level == "avx2") {
            quire::set_simd_level(quire::SimdLevel::avx2);
        } else if (level == "avx512") {
            quire::set_simd_level(quire::SimdLevel::avx512);
        } else {
            throw nb::value_error("level must be 'portable', 'avx2' or 'avx512'");
        }
    }, nb::arg("level"));
    m.def("thread_limit", [] { return quire_get_thread_limit(); });
    m.def("set_thread_limit", [](int limit) { quire_set_thread_limit(limit); }, nb::arg("limit"));
}

}  // namespace quire::bindings
