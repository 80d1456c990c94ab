#include "text/ascii.hpp"

#include <cstring>

#include "base/simd.hpp"

#if QUIRE_X86
#include <immintrin.h>
#endif

namespace quire {

namespace {

constexpr std::size_t kBlock = 64;

// A block function handles 64 bytes: writes them lower-cased, returns the word mask, and sets *high
// to nonzero if any byte is not ASCII.
using BlockFunction = std::uint64_t (*)(const std::uint8_t*, bool, std::uint8_t*, std::uint64_t*);

std::uint64_t block_portable(const std::uint8_t* in, bool lower, std::uint8_t* out,
                             std::uint64_t* high) {
    std::uint64_t mask = 0;
    std::uint8_t seen = 0;
    for (std::size_t i = 0; i < kBlock; ++i) {
        const std::uint8_t c = in[i];
        seen |= c;
        out[i] = lower ? ascii_lower(c) : c;
        mask |= static_cast<std::uint64_t>(is_ascii_word(c)) << i;
    }
    *high |= seen & 0x80;
    return mask;
}

#if QUIRE_X86
QUIRE_TARGET_AVX2 inline __m256i between_avx2(__m256i c, char low, char high) {
    return _mm256_and_si256(_mm256_cmpgt_epi8(c, _mm256_set1_epi8(static_cast<char>(low - 1))),
                            _mm256_cmpgt_epi8(_mm256_set1_epi8(static_cast<char>(high + 1)), c));
}

QUIRE_TARGET_AVX2 std::uint64_t block_avx2(const std::uint8_t* in, bool lower, std::uint8_t* out,
                                           std::uint64_t* high) {
    std::uint64_t mask = 0;
    for (int half = 0; half < 2; ++half) {
        const __m256i c = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + 32 * half));
        const __m256i case_bit = _mm256_set1_epi8(0x20);
        const __m256i letter = between_avx2(_mm256_or_si256(c, case_bit), 'a', 'z');
        const __m256i digit = between_avx2(c, '0', '9');
        const __m256i line = _mm256_cmpeq_epi8(c, _mm256_set1_epi8('_'));
        const __m256i word = _mm256_or_si256(letter, _mm256_or_si256(digit, line));
        const __m256i lowered = lower ? _mm256_or_si256(c, _mm256_and_si256(letter, case_bit)) : c;
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 32 * half), lowered);
        mask |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(word)))
                << (32 * half);
        *high |= static_cast<std::uint32_t>(_mm256_movemask_epi8(c));
    }
    return mask;
}

QUIRE_TARGET_AVX512 std::uint64_t block_avx512(const std::uint8_t* in, bool lower,
                                               std::uint8_t* out, std::uint64_t* high) {
    const __m512i c = _mm512_loadu_si512(in);
    const __m512i case_bit = _mm512_set1_epi8(0x20);
    const __m512i folded = _mm512_or_si512(c, case_bit);
    const __mmask64 letter = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(folded, _mm512_set1_epi8('a')),
                                                    _mm512_set1_epi8(26));
    const __mmask64 digit =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(c, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
    const __mmask64 line = _mm512_cmpeq_epi8_mask(c, _mm512_set1_epi8('_'));
    const __m512i lowered = lower ? _mm512_mask_blend_epi8(letter, c, folded) : c;
    _mm512_storeu_si512(out, lowered);
    *high |= _mm512_movepi8_mask(c);
    return letter | digit | line;
}
#endif

template <BlockFunction block>
bool ascii_words_with(const std::uint8_t* text, std::size_t n, bool lower, std::uint8_t* out,
                      std::uint64_t* mask) {
    std::uint64_t high = 0;
    std::size_t i = 0;
    for (; i + kBlock <= n; i += kBlock) {
        mask[i / kBlock] = block(text + i, lower, out + i, &high);
        if (high != 0) return false;
    }
    std::uint8_t rest[kBlock] = {};  // zero bytes are ASCII and no word characters
    std::memcpy(rest, text + i, n - i);
    mask[i / kBlock] = n > i ? block(rest, lower, out + i, &high) : 0;
    return high == 0;
}

}  // namespace

bool ascii_words(const std::uint8_t* text, std::size_t n, bool lower, std::uint8_t* out,
                 std::uint64_t* mask) {
#if QUIRE_X86
    switch (simd_level()) {
        case SimdLevel::avx512:
            return ascii_words_with<block_avx512>(text, n, lower, out, mask);
        case SimdLevel::avx2:
            return ascii_words_with<block_avx2>(text, n, lower, out, mask);
        default:
            break;
    }
#endif
    return ascii_words_with<block_portable>(text, n, lower, out, mask);
}

}  // namespace quire
