#include "base/simd.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>

namespace quire {

SimdLevel simd_supported() {
#if QUIRE_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
        return SimdLevel::avx512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return SimdLevel::avx2;
#endif
    return SimdLevel::portable;
}

namespace {

SimdLevel initial_level() {
    const char* wanted = std::getenv("QUIRE_SIMD");
    const std::string_view name = wanted != nullptr ? wanted : "";
    if (name == "portable") return SimdLevel::portable;
    if (name == "avx2") return std::min(SimdLevel::avx2, simd_supported());
    return simd_supported();
}

std::atomic<SimdLevel>& current_level() {
    static std::atomic<SimdLevel> level{initial_level()};
    return level;
}

}  // namespace

SimdLevel simd_level() {
    return current_level().load(std::memory_order_relaxed);
}

void set_simd_level(SimdLevel level) {
    current_level() = std::min(level, simd_supported());
}

}  // namespace quire
