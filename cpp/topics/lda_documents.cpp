#include "topics/lda_documents.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "base/memory.hpp"
#include "base/random.hpp"
#include "base/simd_regions.hpp"
#include "topics/lda_gibbs_block.hpp"

#if QUIRE_X86
#include <immintrin.h>
#endif

namespace quire {

namespace {

// What a worker needs for one document.
struct Scratch {
    std::vector<std::int32_t> words;    // of the tokens, in the order drawn
    std::vector<std::uint16_t> topics;  // of the tokens
    std::vector<std::uint32_t> counts;  // of the topics
    std::vector<float> chunks, expected, shares;
    std::vector<double> theta, weights;
};

namespace portable {
#define QUIRE_ISA 0
#include "topics/lda_gibbs_lanes.inc"

#include "topics/lda_documents_loops.inc"
#undef QUIRE_ISA
}  // namespace portable

#if QUIRE_X86
QUIRE_BEGIN_AVX2
namespace avx2 {
#define QUIRE_ISA 2
#include "topics/lda_gibbs_lanes.inc"

#include "topics/lda_documents_loops.inc"
#undef QUIRE_ISA
}  // namespace avx2
QUIRE_END_TARGET
QUIRE_BEGIN_AVX512
namespace avx512 {
#define QUIRE_ISA 512
#include "topics/lda_gibbs_lanes.inc"

#include "topics/lda_documents_loops.inc"
#undef QUIRE_ISA
}  // namespace avx512
QUIRE_END_TARGET
#endif

// Calls the version of a function for the instruction set in use.
#if QUIRE_X86
#define QUIRE_CALL(level, function, ...)                          \
    ((level) == SimdLevel::avx512 ? avx512::function(__VA_ARGS__) \
     : (level) == SimdLevel::avx2 ? avx2::function(__VA_ARGS__)   \
                                  : portable::function(__VA_ARGS__))
#else
#define QUIRE_CALL(level, function, ...) portable::function(__VA_ARGS__)
#endif

void check_topics(const CountRows& X, const KnownTopics& topics) {
    if (topics.n_topics == 0 || topics.n_topics > 65000 || topics.alpha.size() % kLanes != 0 ||
        topics.alpha.size() < topics.n_topics ||
        topics.phi.size() != n_entries(X.n_words, topics.alpha.size())) {
        throw std::invalid_argument("phi must be n_words x width and alpha width long");
    }
    check_count_rows(X);
}

// Calls body(row, scratch, alpha_sum) for every document.
template <class Body>
void for_each_document(const CountRows& X, const KnownTopics& topics, const Execution& execution,
                       Body&& body) {
    check_topics(X, topics);
    double alpha_sum = 0.0;
    for (const float a : topics.alpha) alpha_sum += static_cast<double>(a);
    const auto n_workers = static_cast<std::size_t>(std::max(1, execution.n_threads));
    std::vector<Scratch> scratches(n_workers);
    constexpr std::size_t kDocsPerPart = 8;
    parallel_parts(n_parts_of(X.n_docs(), kDocsPerPart), execution,
                   [&](std::size_t part, int worker, Checkpoint& checkpoint) {
                       Scratch& s = scratches[static_cast<std::size_t>(worker)];
                       s.chunks.resize(topics.alpha.size());
                       s.counts.resize(topics.alpha.size());
                       const std::size_t end = std::min(X.n_docs(), (part + 1) * kDocsPerPart);
                       for (std::size_t row = part * kDocsPerPart; row < end; ++row) {
                           body(row, s, alpha_sum);
                           checkpoint();
                       }
                   });
}

constexpr std::size_t kMostTokens = std::size_t{1} << 27;

// The tokens of a document in random order.
void shuffle_tokens(const CountRows& X, std::size_t row, Philox& random, Scratch& s) {
    s.words.clear();
    std::size_t n_tokens = 0;
    for (auto i = static_cast<std::size_t>(X.indptr[row]);
         i < static_cast<std::size_t>(X.indptr[row + 1]); ++i) {
        n_tokens += static_cast<std::size_t>(X.counts[i]);
    }
    if (n_tokens > kMostTokens) {
        throw std::invalid_argument("document " + std::to_string(row) + " has " +
                                    std::to_string(n_tokens) + " tokens; at most 2**27 are drawn");
    }
    for (auto i = static_cast<std::size_t>(X.indptr[row]);
         i < static_cast<std::size_t>(X.indptr[row + 1]); ++i) {
        s.words.insert(s.words.end(), static_cast<std::size_t>(X.counts[i]), X.indices[i]);
    }
    for (std::size_t n = s.words.size(); n > 1; --n) {
        std::swap(s.words[n - 1], s.words[random.integer(n)]);
    }
    s.topics.resize(s.words.size());
}

Xoshiro stream_of(Philox& random) {
    return Xoshiro({random.raw(), random.raw(), random.raw(), random.raw()});
}

}  // namespace

void lda_infer(const CountRows& X, const KnownTopics& topics, std::size_t max_iter, double tol,
               std::span<double> theta, const Execution& execution) {
    if (theta.size() != n_entries(X.n_docs(), topics.n_topics)) {
        throw std::invalid_argument("theta must have n_docs * n_topics entries");
    }
    const SimdLevel level = simd_level();
    for_each_document(X, topics, execution, [&](std::size_t row, Scratch& s, double alpha_sum) {
        QUIRE_CALL(level, infer, X, row, topics, alpha_sum, max_iter, tol, s,
                   theta.data() + row * topics.n_topics);
    });
}

void lda_left_to_right(const CountRows& X, const KnownTopics& topics, std::size_t n_particles,
                       std::uint64_t seed, std::span<double> log_likelihood,
                       const Execution& execution) {
    if (log_likelihood.size() != X.n_docs() || n_particles == 0) {
        throw std::invalid_argument("log_likelihood must have n_docs entries; n_particles > 0");
    }
    const SimdLevel level = simd_level();
    for_each_document(X, topics, execution, [&](std::size_t row, Scratch& s, double alpha_sum) {
        Philox random(seed, row);
        Xoshiro draws = stream_of(random);
        shuffle_tokens(X, row, random, s);
        log_likelihood[row] =
            QUIRE_CALL(level, left_to_right, topics, alpha_sum, n_particles, s, draws);
    });
}

void lda_completion(const CountRows& X, const KnownTopics& topics, std::size_t n_samples,
                    std::uint64_t seed, std::span<double> log_likelihood,
                    std::span<std::int64_t> n_scored, const Execution& execution) {
    if (log_likelihood.size() != X.n_docs() || n_scored.size() != X.n_docs() || n_samples == 0) {
        throw std::invalid_argument("outputs must have n_docs entries; n_samples > 0");
    }
    const SimdLevel level = simd_level();
    for_each_document(X, topics, execution, [&](std::size_t row, Scratch& s, double alpha_sum) {
        Philox random(seed, row);
        Xoshiro draws = stream_of(random);
        shuffle_tokens(X, row, random, s);
        log_likelihood[row] = QUIRE_CALL(level, completion, topics, alpha_sum, n_samples, s, draws);
        n_scored[row] = static_cast<std::int64_t>(s.words.size() - s.words.size() / 2);
    });
}

}  // namespace quire
