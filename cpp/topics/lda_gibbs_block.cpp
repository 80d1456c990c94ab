#include "topics/lda_gibbs_block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "base/bits.hpp"
#include "base/simd_regions.hpp"

#if QUIRE_X86
#include <immintrin.h>
#endif

namespace quire {

namespace {

namespace portable {
#define QUIRE_ISA 0
#include "topics/lda_gibbs_lanes.inc"
#include "topics/lda_gibbs_loops.inc"
#undef QUIRE_ISA
}  // namespace portable

#if QUIRE_X86

QUIRE_BEGIN_AVX2
namespace avx2 {
#define QUIRE_ISA 2
#include "topics/lda_gibbs_lanes.inc"
#include "topics/lda_gibbs_loops.inc"
#undef QUIRE_ISA
}  // namespace avx2
QUIRE_END_TARGET
QUIRE_BEGIN_AVX512
namespace avx512 {
#define QUIRE_ISA 512
#include "topics/lda_gibbs_lanes.inc"
#include "topics/lda_gibbs_loops.inc"
#undef QUIRE_ISA
}  // namespace avx512
QUIRE_END_TARGET
#endif

}  // namespace

template <class Docs>
void lda_sample_block(const LdaBlock& block, Docs& docs, WordRow& row, WordTopics& words,
                      Xoshiro& random, SimdLevel level) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return avx512::sample_block(block, docs, row, words, random);
    if (level == SimdLevel::avx2) return avx2::sample_block(block, docs, row, words, random);
#else
    (void)level;
#endif
    portable::sample_block(block, docs, row, words, random);
}

#define QUIRE_INSTANTIATE(Docs)                                                             \
    template void lda_sample_block(const LdaBlock&, Docs&, WordRow&, WordTopics&, Xoshiro&, \
                                   SimdLevel);
QUIRE_INSTANTIATE(DocRows<std::uint16_t>)
QUIRE_INSTANTIATE(DocRows<std::uint32_t>)
QUIRE_INSTANTIATE(DocLists<std::uint32_t>)
QUIRE_INSTANTIATE(DocLists<std::uint64_t>)
#undef QUIRE_INSTANTIATE

}  // namespace quire
