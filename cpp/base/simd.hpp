// Which instructions the machine has, and which of them the kernels may use.
//
// Every kernel with several versions picks one by simd_level() at run time and gives the same bits
// with each. The level can be lowered (by tests, or through the environment variable QUIRE_SIMD).
#pragma once

namespace quire {

enum class SimdLevel : int { portable = 0, avx2 = 1, avx512 = 2 };

SimdLevel simd_supported();            // the best this machine has
SimdLevel simd_level();                // the one in use
void set_simd_level(SimdLevel level);  // at most simd_supported()

}  // namespace quire

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define QUIRE_X86 1
#define QUIRE_TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#define QUIRE_TARGET_AVX512 \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi,bmi2,lzcnt,popcnt")))
#else
#define QUIRE_X86 0
#endif
