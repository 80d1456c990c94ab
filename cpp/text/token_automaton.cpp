#include "text/token_automaton.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

#include "base/simd.hpp"
#include "text/unicode.hpp"

#if QUIRE_X86
#include <immintrin.h>
#endif

namespace quire {

namespace {

constexpr std::size_t kBlock = 64;
constexpr std::size_t kMostClasses = 250;
constexpr std::size_t kMostSteps = std::size_t{1} << 24;
constexpr std::int32_t kCodePoints = 0x110000;
constexpr std::size_t kMostRules = std::size_t{1} << 16;
constexpr std::size_t kLongestStart = 7;  // characters of a run until the state stays as it is
constexpr std::size_t kShortRun = 16;     // of ASCII: not worth a vector

void check(bool sound, const char* message) {
    if (!sound) throw std::invalid_argument(message);
}

// Bits of 64 bytes that differ from the byte before them.
using EdgeFunction = std::uint64_t (*)(const std::uint8_t*);

std::uint64_t edges_portable(const std::uint8_t* classes) {
    std::uint64_t edges = 0;
    for (std::size_t i = 0; i < kBlock; ++i) {
        edges |= static_cast<std::uint64_t>(classes[i] != *(classes + i - 1)) << i;
    }
    return edges;
}

#if QUIRE_X86
QUIRE_TARGET_AVX2 std::uint64_t edges_avx2(const std::uint8_t* classes) {
    std::uint64_t same = 0;
    for (int half = 0; half < 2; ++half) {
        const std::uint8_t* at = classes + 32 * half;
        const __m256i now = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
        const __m256i before = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at - 1));
        same |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(
                    _mm256_movemask_epi8(_mm256_cmpeq_epi8(now, before))))
                << (32 * half);
    }
    return ~same;
}

QUIRE_TARGET_AVX512 std::uint64_t edges_avx512(const std::uint8_t* classes) {
    return _mm512_cmpneq_epu8_mask(_mm512_loadu_si512(classes), _mm512_loadu_si512(classes - 1));
}
#endif

// Bits of 64 bytes that are equal to a value.
using EqualFunction = std::uint64_t (*)(const std::uint8_t*, std::uint8_t);

std::uint64_t equal_portable(const std::uint8_t* bytes, std::uint8_t value) {
    std::uint64_t equal = 0;
    for (std::size_t i = 0; i < kBlock; ++i) {
        equal |= static_cast<std::uint64_t>(bytes[i] == value) << i;
    }
    return equal;
}

#if QUIRE_X86
QUIRE_TARGET_AVX2 std::uint64_t equal_avx2(const std::uint8_t* bytes, std::uint8_t value) {
    const __m256i wanted = _mm256_set1_epi8(static_cast<char>(value));
    std::uint64_t equal = 0;
    for (int half = 0; half < 2; ++half) {
        const __m256i now = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + 32 * half));
        equal |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(
                     _mm256_movemask_epi8(_mm256_cmpeq_epi8(now, wanted))))
                 << (32 * half);
    }
    return equal;
}

QUIRE_TARGET_AVX512 std::uint64_t equal_avx512(const std::uint8_t* bytes, std::uint8_t value) {
    return _mm512_cmpeq_epu8_mask(_mm512_loadu_si512(bytes),
                                  _mm512_set1_epi8(static_cast<char>(value)));
}
#endif

// Looks n ASCII bytes up in a table of 128; whole blocks of 64 are read and written.
using LookupFunction = void (*)(const std::uint8_t*, std::size_t, const std::uint8_t*,
                                std::uint8_t*);

void lookup_portable(const std::uint8_t* in, std::size_t n, const std::uint8_t* table,
                     std::uint8_t* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = table[in[i] & 0x7F];
}

#if QUIRE_X86
// The table is eight rows of sixteen: the low half of a byte chooses within each of them, the high
// half between them.
QUIRE_TARGET_AVX2 void lookup_avx2(const std::uint8_t* in, std::size_t n, const std::uint8_t* table,
                                   std::uint8_t* out) {
    __m256i rows[8];
    for (int r = 0; r < 8; ++r) {
        rows[r] = _mm256_broadcastsi128_si256(
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16 * r)));
    }
    const __m256i low_half = _mm256_set1_epi8(0x0F);
    for (std::size_t i = 0; i < n; i += 32) {
        const __m256i c = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i));
        const __m256i low = _mm256_and_si256(c, low_half);
        const __m256i high = _mm256_andnot_si256(low_half, c);
        __m256i found = _mm256_setzero_si256();
        for (int r = 0; r < 8; ++r) {
            const __m256i here =
                _mm256_cmpeq_epi8(high, _mm256_set1_epi8(static_cast<char>(16 * r)));
            found =
                _mm256_or_si256(found, _mm256_and_si256(here, _mm256_shuffle_epi8(rows[r], low)));
        }
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), found);
    }
}

QUIRE_TARGET_AVX512 void lookup_avx512(const std::uint8_t* in, std::size_t n,
                                       const std::uint8_t* table, std::uint8_t* out) {
    __m512i rows[8];
    for (int r = 0; r < 8; ++r) {
        rows[r] = _mm512_maskz_broadcast_i32x4(
            0xFFFF, _mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16 * r)));
    }
    const __m512i low_half = _mm512_set1_epi8(0x0F);
    const __m512i high_half = _mm512_set1_epi8(static_cast<char>(0xF0));
    for (std::size_t i = 0; i < n; i += 64) {
        const __m512i c = _mm512_loadu_si512(in + i);
        const __m512i low = _mm512_and_si512(c, low_half);
        const __m512i high = _mm512_and_si512(c, high_half);
        __m512i found = _mm512_setzero_si512();
        for (int r = 0; r < 8; ++r) {
            const __mmask64 here =
                _mm512_cmpeq_epi8_mask(high, _mm512_set1_epi8(static_cast<char>(16 * r)));
            found = _mm512_mask_shuffle_epi8(found, here, rows[r], low);
        }
        _mm512_storeu_si512(out + i, found);
    }
}
#endif

// How many bytes from bytes[i] on are ASCII.
std::size_t ascii_run(const std::uint8_t* bytes, std::size_t i, std::size_t stop) {
    const std::size_t start = i;
    std::uint64_t eight;
    for (; i + sizeof eight <= stop; i += sizeof eight) {
        std::memcpy(&eight, bytes + i, sizeof eight);
        if ((eight & 0x8080808080808080u) != 0) break;
    }
    while (i < stop && bytes[i] < 0x80) ++i;
    return i - start;
}

// Appends the places of the bits that are set to the n of `out`; returns how many there are then.
std::size_t append_places(std::uint64_t bits, std::size_t base, std::size_t* out, std::size_t n) {
    for (; bits != 0; bits &= bits - 1) {
        out[n++] = base + static_cast<std::size_t>(std::countr_zero(bits));
    }
    return n;
}

struct ByteFunctions {
    EdgeFunction edges = edges_portable;
    EqualFunction equal = equal_portable;
    LookupFunction lookup = lookup_portable;
};

ByteFunctions byte_functions() {
#if QUIRE_X86
    switch (simd_level()) {
        case SimdLevel::avx512:
            return {edges_avx512, equal_avx512, lookup_avx512};
        case SimdLevel::avx2:
            return {edges_avx2, equal_avx2, lookup_avx2};
        default:
            break;
    }
#endif
    return {};
}

}  // namespace

TokenAutomaton::TokenAutomaton(std::span<const std::int32_t> starts,
                               std::span<const std::uint8_t> classes, std::size_t n_classes,
                               std::span<const std::uint16_t> next,
                               std::span<const std::uint8_t> accepts,
                               std::span<const std::uint16_t> first, TokenPart part)
    : n_classes_(n_classes), part_(part) {
    check(n_classes >= 1 && n_classes <= kMostClasses, "there must be 1 to 250 classes");
    const std::size_t stride = n_classes + 1;
    const std::size_t n_states = next.size() / stride;
    check(n_states >= 1 && next.size() == n_states * stride && next.size() < kMostSteps,
          "next must have a row for each state and a column for each class and the end");
    check(accepts.size() == next.size(), "accepts must be as large as next");
    check(first.size() == stride, "first must have a state for each class and the beginning");
    check(!starts.empty() && starts.size() == classes.size() && starts[0] == 0,
          "starts must begin with 0 and be as many as classes");
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::int32_t end = i + 1 < starts.size() ? starts[i + 1] : kCodePoints;
        check(starts[i] < end && end <= kCodePoints, "starts must rise, and be code points");
        check(classes[i] < n_classes, "a range of characters is of a class that there is not");
    }
    const auto known = [&](std::uint16_t state) { return state < n_states; };
    check(std::all_of(next.begin(), next.end(), known), "next names a state that there is not");
    check(std::all_of(first.begin(), first.end(), known), "first names a state that there is not");

    // Blocks of 256 characters; those of one class are shared.
    for (std::size_t c = 0; c < n_classes; ++c) {
        blocks_.insert(blocks_.end(), 256, static_cast<std::uint8_t>(c));
    }
    std::size_t range = 0;
    const auto end_of = [&](std::size_t i) {
        return i + 1 < starts.size() ? starts[i + 1] : kCodePoints;
    };
    for (std::int32_t begin = 0; begin < kCodePoints; begin += 256) {
        while (end_of(range) <= begin) ++range;
        if (end_of(range) >= begin + 256) {
            block_.push_back(classes[range]);
            continue;
        }
        block_.push_back(static_cast<std::uint16_t>(blocks_.size() / 256));
        std::size_t here = range;
        for (std::int32_t c = begin; c < begin + 256; ++c) {
            if (end_of(here) <= c) ++here;
            blocks_.push_back(classes[here]);
        }
    }
    find_kinds(next, accepts, first);
    if (!is_simple()) find_rules(next, accepts, first);
    for (char32_t c = 0; c < ascii_.size(); ++c) {
        ascii_[c] = is_simple() ? kinds_[class_of(c)] : class_of(c);
    }

    const auto row = [&](std::uint16_t state) {
        return static_cast<std::uint32_t>(state * stride) << kFlags;
    };
    steps_.resize(next.size());
    for (std::size_t s = 0; s < n_states; ++s) {
        for (std::size_t c = 0; c < stride; ++c) {
            std::uint32_t& step = steps_[s * stride + c];
            step = accepts[s * stride + c] != 0 ? kAccept : 0;
            if (c == n_classes) continue;  // nothing comes after the end
            const std::size_t to = next[s * stride + c];
            step |= row(next[s * stride + c]);
            if (to == 0) {
                const std::size_t again = first[c] * stride + c;
                if (accepts[s * stride + c] == 0 && next[again] == 0 && accepts[again] == 0) {
                    step |= kSkip;
                }
            } else if (next[to * stride + c] == to) {
                step |= kRun;
                // Ends within the run are of no account where one after it is certain.
                bool always = true;
                for (std::size_t d = 0; d < stride; ++d) {
                    always &= d == c || accepts[to * stride + d] != 0;
                }
                if (accepts[to * stride + c] != 0 && !always) step |= kRunAccept;
            }
        }
    }
    for (const std::uint16_t state : first) first_.push_back(row(state) >> kFlags);
}

// Finds out whether tokens are simple, from what the automaton does: a class by itself is taken
// whole, one character at a time or not at all, wherever it stands and whatever follows.
void TokenAutomaton::find_kinds(std::span<const std::uint16_t> next,
                                std::span<const std::uint8_t> accepts,
                                std::span<const std::uint16_t> first) {
    const std::size_t stride = n_classes_ + 1;
    if (part_.skip + part_.keep + part_.drop > 0) return;
    for (const std::uint16_t state : first) {
        if (state != first[0]) return;
    }
    std::vector<std::uint8_t> kinds(n_classes_, kNone);
    std::size_t n_run_kinds = 0;
    bool has_single = false;
    for (std::size_t c = 0; c < n_classes_; ++c) {
        const std::size_t begin = first[0] * stride + c;
        if (accepts[begin] != 0) return;
        const std::size_t to = next[begin];
        if (to == 0) continue;
        const bool is_run = next[to * stride + c] == to;
        for (std::size_t d = 0; d < stride; ++d) {
            const bool goes_on = is_run && d == c;
            if (!goes_on &&
                (accepts[to * stride + d] == 0 || (d < n_classes_ && next[to * stride + d] != 0))) {
                return;
            }
        }
        if (is_run && n_run_kinds == kMostRunKinds) return;
        kinds[c] = is_run ? static_cast<std::uint8_t>(kFirstRun + n_run_kinds) : kSingle;
        n_run_kinds += is_run;
        has_single |= !is_run;
    }
    kinds_ = std::move(kinds);
    n_run_kinds_ = n_run_kinds;
    has_single_ = has_single;
}

// Finds out what the automaton makes of whole runs, by running it over some of each length until
// its state stays as it is.
void TokenAutomaton::find_rules(std::span<const std::uint16_t> next,
                                std::span<const std::uint8_t> accepts,
                                std::span<const std::uint16_t> first) {
    const std::size_t stride = n_classes_ + 1;
    if (part_.skip + part_.keep + part_.drop > 0) return;
    std::vector<std::uint16_t> begins(first.begin(), first.end());
    std::sort(begins.begin(), begins.end());
    begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
    if (begins.size() * stride * stride > kMostRules) return;

    enum class Outcome : std::uint8_t { none, whole, other };
    // Of a search that begins in a state, with n characters of class c and then one of class d.
    const auto outcome = [&](std::size_t state, std::size_t c, std::size_t n, std::size_t d) {
        std::size_t end = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (accepts[state * stride + c] != 0) end = i;
            state = next[state * stride + c];
            if (state == 0) return end == 0 ? Outcome::none : Outcome::other;
        }
        if (accepts[state * stride + d] != 0) end = n;
        if (d != n_classes_ && next[state * stride + d] != 0) return Outcome::other;
        if (end == 0) return Outcome::none;
        return end == n ? Outcome::whole : Outcome::other;
    };
    // After how many characters another one changes nothing.
    const auto settled_after = [&](std::size_t state, std::size_t c) {
        for (std::size_t n = 1; n < kLongestStart; ++n) {
            const std::size_t to = next[state * stride + c];
            if (to == 0 || (to == state && n > 1)) return n;
            state = to;
        }
        return kLongestStart;
    };
    const auto rule_of = [&](std::size_t begin, std::size_t c, std::size_t d) {
        const std::size_t settled = std::max(settled_after(begin, c), settled_after(first[c], c));
        if (settled == kLongestStart) return RunRule{};
        const std::size_t all = settled + 1;  // stands for all that are longer, too
        // No token begins at the first character of a run of n, nor at one behind it.
        const auto has_none = [&](std::size_t n) {
            return outcome(begin, c, n, d) == Outcome::none &&
                   (n == 1 || outcome(first[c], c, n - 1, d) == Outcome::none);
        };
        std::size_t n = 1;
        while (n <= all && has_none(n)) ++n;
        if (n > all) {
            const bool never = outcome(first[c], c, all, d) == Outcome::none;
            return RunRule{RunRule::kNever,
                           never ? RunRule::kLongest : static_cast<std::uint8_t>(all - 1)};
        }
        const std::size_t least = n;
        while (n <= all && outcome(begin, c, n, d) == Outcome::whole) ++n;
        return RunRule{n == least ? RunRule::kNever : static_cast<std::uint8_t>(least),
                       n > all ? RunRule::kLongest : static_cast<std::uint8_t>(n - 1)};
    };
    bool is_of_use = false;
    std::vector<RunRule> rules(begins.size() * stride * stride);
    for (std::size_t b = 0; b < begins.size(); ++b) {
        for (std::size_t c = 0; c < n_classes_; ++c) {
            for (std::size_t d = 0; d < stride; ++d) {
                if (c == d) continue;
                RunRule& rule = rules[(b * stride + c) * stride + d];
                rule = rule_of(begins[b], c, d);
                is_of_use |= rule.most > 0;
            }
        }
    }
    if (!is_of_use) return;
    rules_ = std::move(rules);
    for (const std::uint16_t begin : first) {
        const auto b = std::lower_bound(begins.begin(), begins.end(), begin) - begins.begin();
        rule_rows_.push_back(
            static_cast<std::uint32_t>(static_cast<std::size_t>(b) * stride * stride));
    }
}

AutomatonScanner::AutomatonScanner(const NormalizedText& text, const TokenAutomaton& automaton,
                                   AutomatonScratch& scratch)
    : text_(text), automaton_(automaton) {
    const std::size_t n_blocks = text.size / kBlock + 1;
    if (scratch.edges.size() < n_blocks) {
        const std::size_t room = std::max(n_blocks, scratch.edges.size() * 3 / 2);
        scratch.classes.resize(room * kBlock + kBlock + 1);
        scratch.edges.resize(room);
        scratch.ends.resize(room);
    }
    find_classes(scratch);
    if (automaton.is_simple()) {
        find_simple(scratch);
    } else {
        find_edges(scratch);
    }
    classes_ = scratch.classes.data() + 1;
    edges_ = scratch.edges.data();
    ends_ = scratch.ends.data();
}

// The class (or kind) of each byte; what lies behind the text is of a class of its own, which ends
// every run.
void AutomatonScanner::find_classes(AutomatonScratch& scratch) {
    const std::size_t n = text_.size;
    const std::uint8_t* bytes = text_.bytes.data();
    const auto& ascii = automaton_.ascii_;
    const bool simple = automaton_.is_simple();
    const auto end =
        static_cast<std::uint8_t>(simple ? TokenAutomaton::kNone : automaton_.n_classes_);
    std::uint8_t* classes = scratch.classes.data() + 1;
    *(classes - 1) = end;
    const LookupFunction lookup = byte_functions().lookup;
    if (text_.is_ascii) {
        lookup(bytes, n, ascii.data(), classes);
    } else {
        for (std::size_t i = 0; i < n;) {
            if (bytes[i] < 0x80) {
                const std::size_t run = ascii_run(bytes, i, n);
                if (run > kShortRun) {  // what is written behind it is written once more
                    lookup(bytes + i, run, ascii.data(), classes + i);
                } else {
                    for (std::size_t k = i; k < i + run; ++k) classes[k] = ascii[bytes[k]];
                }
                i += run;
                continue;
            }
            std::uint8_t c = automaton_.class_of(utf8_decode(bytes + i));
            if (simple) c = automaton_.kinds_[c];
            const int length = utf8_length(bytes[i]);
            for (int k = 0; k < length; ++k) classes[i + static_cast<std::size_t>(k)] = c;
            i += static_cast<std::size_t>(length);
        }
    }
    std::fill(classes + n, classes + (n / kBlock + 1) * kBlock, end);
}

void AutomatonScanner::find_edges(AutomatonScratch& scratch) {
    const EdgeFunction edges = byte_functions().edges;
    const std::uint8_t* classes = scratch.classes.data() + 1;
    for (std::size_t b = 0; b <= text_.size / kBlock; ++b) {
        scratch.edges[b] = edges(classes + b * kBlock);
    }
}

// The beginnings and the ends of simple tokens as bits. Tokens do not overlap, so that the k-th
// beginning belongs to the k-th end.
void AutomatonScanner::find_simple(AutomatonScratch& scratch) {
    const EqualFunction equal = byte_functions().equal;
    const std::uint8_t* kinds = scratch.classes.data() + 1;
    const std::size_t n_kinds = automaton_.n_run_kinds_;
    std::uint64_t before[TokenAutomaton::kMostRunKinds] = {};  // bit 0: the byte before is of it
    std::uint64_t single_before = 0;
    for (std::size_t b = 0; b <= text_.size / kBlock; ++b) {
        std::uint64_t begins = 0, ends = 0;
        for (std::size_t k = 0; k < n_kinds; ++k) {
            const std::uint64_t here =
                equal(kinds + b * kBlock, static_cast<std::uint8_t>(TokenAutomaton::kFirstRun + k));
            const std::uint64_t shifted = (here << 1) | before[k];
            before[k] = here >> 63;
            begins |= here & ~shifted;
            ends |= ~here & shifted;
        }
        if (automaton_.has_single_) {
            const std::uint64_t here = equal(kinds + b * kBlock, TokenAutomaton::kSingle);
            const std::uint64_t shifted = (here << 1) | single_before;
            single_before = here >> 63;
            std::uint64_t continued = 0;  // bytes that are not the first of their character
            if (!text_.is_ascii && (here | shifted) != 0) {
                for (std::size_t i = 0; i < kBlock; ++i) {
                    const std::size_t at = b * kBlock + i;
                    const bool inner = at < text_.size && (text_.bytes[at] & 0xC0) == 0x80;
                    continued |= static_cast<std::uint64_t>(inner) << i;
                }
            }
            begins |= here & ~continued;
            ends |= shifted & ~continued;
        }
        scratch.edges[b] = begins;
        scratch.ends[b] = ends;
    }
}

std::size_t AutomatonScanner::next_simple(Token* tokens) {
    const std::size_t n_blocks = text_.size / kBlock + 1;
    const std::uint8_t* bytes = text_.bytes.data();
    std::size_t ends[Token::kBatch + kBlock];
    std::size_t n_ends = 0;
    while (n_ends == 0 && block_ < n_blocks) {
        while (block_ < n_blocks && n_places_ + kBlock <= Token::kBatch) {
            n_places_ = append_places(edges_[block_], block_ * kBlock, places_, n_places_);
            n_ends = append_places(ends_[block_], block_ * kBlock, ends, n_ends);
            ++block_;
        }
    }
    for (std::size_t k = 0; k < n_ends; ++k) {
        tokens[k] = {bytes + places_[k], ends[k] - places_[k]};
    }
    // At most one has begun and not come to its end.
    if (n_places_ > n_ends) places_[0] = places_[n_ends];
    n_places_ -= n_ends;
    return n_ends;
}

// Makes places of some more edges, behind the last one; false if there are no more.
bool AutomatonScanner::find_places() {
    const std::size_t n_blocks = text_.size / kBlock + 1;
    std::copy(places_ + place_, places_ + n_places_, places_);
    n_places_ -= place_;
    place_ = 0;
    const std::size_t n_before = n_places_;
    while (block_ < n_blocks && n_places_ + kBlock <= Token::kBatch) {
        n_places_ = append_places(edges_[block_], block_ * kBlock, places_, n_places_);
        ++block_;
    }
    return n_places_ > n_before;
}

// Takes the runs from at_ on of which a rule says what comes of them, up to one that is left to
// the automaton.
template <bool is_ascii>
std::size_t AutomatonScanner::take_runs(Token* tokens, std::size_t n_tokens,
                                        Checkpoint& checkpoint) {
    using RunRule = TokenAutomaton::RunRule;
    const std::uint8_t* bytes = text_.bytes.data();
    const RunRule* rules = automaton_.rules_.data();
    const std::uint32_t* rows = automaton_.rule_rows_.data();
    const std::size_t stride = automaton_.n_classes_ + 1;
    for (;;) {
        while (place_ < n_places_ && places_[place_] < at_) ++place_;
        if (n_places_ - place_ < 2) {
            if (!find_places()) return n_tokens;
            checkpoint.step();
            continue;
        }
        if (places_[place_] != at_) return n_tokens;  // in the middle of a run
        std::size_t start = at_, place = place_;
        std::size_t before = *(classes_ + start - 1), here = classes_[start];
        bool is_left = false;
        while (place + 1 < n_places_ && n_tokens < Token::kBatch) {
            const std::size_t end = places_[place + 1];
            const std::size_t behind = classes_[end];
            const RunRule rule = rules[rows[before] + here * stride + behind];
            std::size_t length = std::min<std::size_t>(end - start, RunRule::kLongest);
            if constexpr (!is_ascii) {
                if (!rule.is_for_all()) {
                    length = 0;
                    for (std::size_t i = start; i < end && length < RunRule::kLongest; ++length) {
                        i += static_cast<std::size_t>(utf8_length(bytes[i]));
                    }
                }
            }
            is_left = length > rule.most;
            if (is_left) break;
            tokens[n_tokens] = {bytes + start, end - start};
            n_tokens += length >= rule.least;
            start = end;
            before = here;
            here = behind;
            ++place;
        }
        at_ = start;
        place_ = place;
        if (is_left || n_tokens == Token::kBatch) return n_tokens;
    }
}

template <bool is_ascii>
std::size_t AutomatonScanner::search(Token* tokens, Checkpoint& checkpoint) {
    constexpr std::size_t kPatience = 4096;  // steps between two looks at signals
    const std::size_t n = text_.size;
    const std::uint8_t* bytes = text_.bytes.data();
    const std::uint32_t* steps = automaton_.steps_.data();
    const std::uint32_t* first = automaton_.first_.data();
    const auto after = [&](std::size_t i) {
        if constexpr (is_ascii) return i + 1;
        return i + static_cast<std::size_t>(utf8_length(bytes[i]));
    };
    // Where the run that the character before i is in ends; i <= n.
    const auto run_end = [&](std::size_t i) {
        std::size_t block = i / kBlock;
        std::uint64_t edges = edges_[block] & (~std::uint64_t{0} << (i % kBlock));
        while (edges == 0) edges = edges_[++block];
        return block * kBlock + static_cast<std::size_t>(std::countr_zero(edges));
    };
    const bool has_rules = !automaton_.rules_.empty();
    std::size_t n_tokens = 0, n_steps = 0;
    for (;;) {
        if (has_rules) n_tokens = take_runs<is_ascii>(tokens, n_tokens, checkpoint);
        std::size_t start = at_;
        if (start >= n || n_tokens == Token::kBatch) return n_tokens;
        std::uint32_t state = first[*(classes_ + start - 1)];
        std::size_t at = start, end = start;
        std::uint32_t step;
        for (;;) {
            step = steps[state + classes_[at]];
            if ((step & TokenAutomaton::kAccept) != 0) end = at;
            state = step >> TokenAutomaton::kFlags;
            if (state == 0) break;
            const std::size_t character = at;
            at = after(at);
            if ((step & TokenAutomaton::kRun) != 0) {
                // The run may have ended with this character.
                at = run_end(at);
                if ((step & TokenAutomaton::kRunAccept) != 0) {
                    std::size_t last = at - 1;
                    if constexpr (!is_ascii) {
                        while ((bytes[last] & 0xC0) == 0x80) --last;
                    }
                    if (last > character) end = last;
                }
            }
            ++n_steps;
        }
        if (end > start) {
            n_tokens += take<is_ascii>(start, end, tokens[n_tokens]);
            start = end;
        } else if (at == start && (step & TokenAutomaton::kSkip) != 0) {
            start = run_end(start + 1);
        } else {
            start = after(start);
        }
        at_ = start;
        if (n_steps >= kPatience) {
            n_steps = 0;
            checkpoint();
        }
    }
}

// Cuts the part that is wanted out of a match; false if nothing is left of it.
template <bool is_ascii>
bool AutomatonScanner::take(std::size_t start, std::size_t end, Token& token) const {
    const TokenPart& part = automaton_.part_;
    const std::uint8_t* bytes = text_.bytes.data();
    const auto forward = [&](std::size_t from, std::uint32_t n) {
        if constexpr (is_ascii) return std::min<std::size_t>(end, from + n);
        for (; n > 0 && from < end; --n) from += static_cast<std::size_t>(utf8_length(bytes[from]));
        return from;
    };
    if ((part.skip | part.keep | part.drop) != 0) [[unlikely]] {
        start = forward(start, part.skip);
        if (part.keep > 0) {
            end = forward(start, part.keep);
        } else if constexpr (is_ascii) {
            end -= std::min<std::size_t>(end - start, part.drop);
        } else {
            for (std::uint32_t n = part.drop; n > 0 && end > start; --n) {
                do --end;
                while (end > start && (bytes[end] & 0xC0) == 0x80);
            }
        }
    }
    token = {bytes + start, end - start};
    return end > start;
}

std::size_t AutomatonScanner::next(Token* tokens, Checkpoint& checkpoint) {
    if (automaton_.is_simple()) return next_simple(tokens);
    return text_.is_ascii ? search<true>(tokens, checkpoint) : search<false>(tokens, checkpoint);
}

}  // namespace quire
