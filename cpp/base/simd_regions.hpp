// Marks a region of a file as compiled for one instruction set. Code that is included in several of
// them, each time in a namespace of its own, exists once in the source and several times compiled.
#pragma once

#if defined(__clang__)
#define QUIRE_BEGIN_AVX2                                                                          \
    _Pragma(                                                                                      \
        "clang attribute push(__attribute__((target(\"avx2,bmi,bmi2,lzcnt,popcnt\"))), apply_to " \
        "= function)")
#define QUIRE_BEGIN_AVX512                                                                 \
    _Pragma(                                                                               \
        "clang attribute push(__attribute__((target(\"avx512f,avx512bw,avx512vl,avx512dq," \
        "avx2,bmi,bmi2,lzcnt,popcnt\"))), apply_to = function)")
#define QUIRE_END_TARGET _Pragma("clang attribute pop")
#elif defined(__GNUC__)
// GCC's own intrinsics begin with a register that is not set: hence the diagnostic.
#define QUIRE_BEGIN_AVX2 \
    _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,bmi,bmi2,lzcnt,popcnt\")")
#define QUIRE_BEGIN_AVX512                                                                       \
    _Pragma("GCC push_options")                                                                  \
        _Pragma("GCC target(\"avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi,bmi2,lzcnt,popcnt\")") \
            _Pragma("GCC diagnostic ignored \"-Wmaybe-uninitialized\"")
#define QUIRE_END_TARGET _Pragma("GCC pop_options")
#endif
