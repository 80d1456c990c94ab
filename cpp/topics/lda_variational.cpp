#include "topics/lda_variational.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/lane_vector.hpp"
#include "base/memory.hpp"
#include "base/simd.hpp"
#include "base/vector_steps.hpp"
#include "sparse/csr_columns.hpp"
#include "topics/exp_digamma.hpp"
#include "topics/lda_tile.hpp"

namespace quire {

namespace {

constexpr std::size_t kDocumentsPerPart = 16;

// out_k = exp(psi(scale x_k + shift) - psi(total_k)), the latter given by its parts.
template <class Real>
struct ExpectedRow {
    const Real* x;
    double scale, shift;
    const double* inverse_scale;
    const double* total_power;
    std::size_t n;
    Real* out;
};

template <int bytes, class Real>
[[gnu::always_inline]] inline void expected_body(const ExpectedRow<Real>& row) {
    constexpr std::size_t lanes = bytes / sizeof(double);
    for (std::size_t k = 0; k < row.n; k += lanes) {
        const std::size_t n = std::min(lanes, row.n - k);
        alignas(64) double x[lanes], inverse_scale[lanes] = {}, total_power[lanes] = {};
        for (std::size_t i = 0; i < lanes; ++i) x[i] = 1.0;
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = row.scale * static_cast<double>(row.x[k + i]) + row.shift;
            inverse_scale[i] = row.inverse_scale[k + i];
            total_power[i] = row.total_power[k + i];
        }
        Vector<double, bytes> xs, inverse_scales, powers, out;
        load_vector(x, xs);
        load_vector(inverse_scale, inverse_scales);
        load_vector(total_power, powers);
        exp_digamma_ratio(xs, inverse_scales, powers, out);
        store_vector(out, x);
        for (std::size_t i = 0; i < n; ++i) row.out[k + i] = static_cast<Real>(x[i]);
    }
}

// The same for a document, where all topics have one total and n is a multiple of eight.
template <int bytes>
[[gnu::always_inline]] inline void weights_body(const double* x, std::size_t n, double total,
                                                double* out) {
    double total_scale, total_power;
    exp_digamma(total, total_scale, total_power);
    const Vector<double, bytes> inverse_scales = Vector<double, bytes>{} + 1.0 / total_scale;
    const Vector<double, bytes> powers = Vector<double, bytes>{} + total_power;
    for (std::size_t k = 0; k < n; k += bytes / sizeof(double)) {
        Vector<double, bytes> xs, found;
        load_vector(x + k, xs);
        exp_digamma_ratio(xs, inverse_scales, powers, found);
        store_vector(found, out + k);
    }
}

#if QUIRE_X86
QUIRE_TARGET_AVX2 void weights_avx2(const double* x, std::size_t n, double total, double* out) {
    weights_body<32>(x, n, total, out);
}
QUIRE_TARGET_AVX512 void weights_avx512(const double* x, std::size_t n, double total, double* out) {
    weights_body<64>(x, n, total, out);
}
template <class Real>
QUIRE_TARGET_AVX2 void expected_avx2(const ExpectedRow<Real>& row) {
    expected_body<32>(row);
}
template <class Real>
QUIRE_TARGET_AVX512 void expected_avx512(const ExpectedRow<Real>& row) {
    expected_body<64>(row);
}
#endif

void expected_weights(SimdLevel level, const double* x, std::size_t n, double total, double* out) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return weights_avx512(x, n, total, out);
    if (level == SimdLevel::avx2) return weights_avx2(x, n, total, out);
#else
    (void)level;
#endif
    weights_body<kPortableBytes<double>>(x, n, total, out);
}

template <class Real>
void expected_row(SimdLevel level, const ExpectedRow<Real>& row) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return expected_avx512(row);
    if (level == SimdLevel::avx2) return expected_avx2(row);
#else
    (void)level;
#endif
    expected_body<kPortableBytes<double>>(row);
}

// How many numbers are worked on for n of them: whole vectors.
std::size_t in_lanes(std::size_t n) {
    return (n + kLanes<double> - 1) / kLanes<double> * kLanes<double>;
}

// What the update of a document works on. Topics that are still in play come first and keep their
// order: position a is topic active[a].
template <class Real>
struct Scratch {
    std::vector<std::int32_t> active;
    std::vector<double> gamma, prior, weights;  // by position
    std::vector<Real> tile_weights;             // the same weights as the tiles read them
    std::vector<Real> sums;                     // of a step, in lanes, by position
    RawVector<Real> ratios;                     // of the words, padded to whole vectors
    TileBuffer<Real> tiles;
    std::vector<double> all_gamma, all_weights;

    explicit Scratch(std::size_t n_topics)
        : active(n_topics),
          gamma(in_lanes(n_topics), 1.0),
          prior(n_topics),
          weights(in_lanes(n_topics)),
          tile_weights(n_topics),
          sums(n_topics * kLanes<Real>),
          all_gamma(in_lanes(n_topics), 1.0),
          all_weights(in_lanes(n_topics)) {}
};

template <class Real>
class DocumentUpdate {
  public:
    DocumentUpdate(std::span<const Real> topics, std::span<const double> prior, const LdaStop& stop)
        : topics_(topics.data()),
          prior_(prior),
          stop_(stop),
          n_topics_(prior.size()),
          level_(simd_level()) {
        for (const double alpha : prior) prior_sum_ += alpha;
        prior_weights_.resize(n_topics_);
        for (std::size_t k = 0; k < n_topics_; ++k) {
            prior_weights_[k] = std::exp(digamma(prior[k]) - digamma(prior_sum_));
        }
    }

    // Updates one document; weights and ratios may be null.
    template <class Index>
    void operator()(const Real* counts, const Index* words, std::size_t n_words, Real* gamma,
                    Real* weights, Real* ratios, Scratch<Real>& scratch) const {
        const TileWords<Real> tiles =
            fill_tiles(topics_, n_topics_, counts, words, n_words, scratch.tiles);
        start(gamma, scratch);
        std::size_t n_active = n_topics_;
        double length = 0;
        for (std::size_t i = 0; i < n_words; ++i) length += static_cast<double>(counts[i]);
        for (int step = 0; step < stop_.max_iter; ++step) {
            tile_sums(level_, tiles, scratch.active.data(), scratch.tile_weights.data(), n_active,
                      scratch.sums.data());
            const double change = move(scratch, n_active);
            if (change / static_cast<double>(n_topics_) < stop_.tol) break;
            n_active = keep_alive(scratch, n_active, length);
        }
        finish(n_active, gamma, weights, scratch);
        if (ratios != nullptr) {
            scratch.ratios.resize(std::max(scratch.ratios.size(), n_words + kLanes<Real>));
            tile_ratios(level_, tiles, scratch.active.data(), scratch.tile_weights.data(), n_active,
                        scratch.ratios.data());
            std::copy_n(scratch.ratios.begin(), n_words, ratios);
        }
    }

  private:
    void start(const Real* gamma, Scratch<Real>& scratch) const {
        for (std::size_t k = 0; k < n_topics_; ++k) {
            scratch.active[k] = static_cast<std::int32_t>(k);
            scratch.gamma[k] = static_cast<double>(gamma[k]);
            scratch.prior[k] = prior_[k];
        }
        double total = 0;
        for (std::size_t k = 0; k < n_topics_; ++k) total += scratch.gamma[k];
        update_weights(scratch, n_topics_, total);
    }

    void update_weights(Scratch<Real>& scratch, std::size_t n_active, double total) const {
        const std::size_t padded = in_lanes(n_active);
        expected_weights(level_, scratch.gamma.data(), padded, total, scratch.weights.data());
        for (std::size_t a = 0; a < n_active; ++a) {
            scratch.tile_weights[a] = static_cast<Real>(scratch.weights[a]);
        }
    }

    // From the sums of a step to the next gamma and weights; returns by how much gamma changed.
    double move(Scratch<Real>& scratch, std::size_t n_active) const {
        constexpr std::size_t lanes = kLanes<Real>;
        double change = 0, total = 0, active_prior = 0;
        for (std::size_t a = 0; a < n_active; ++a) {
            const Real sum = sum_of_strands(scratch.sums.data() + a * lanes);
            const double next = scratch.weights[a] * static_cast<double>(sum) + scratch.prior[a];
            change += std::abs(next - scratch.gamma[a]);
            scratch.gamma[a] = next;
            total += next;
            active_prior += scratch.prior[a];
        }
        if (n_active < n_topics_) total += prior_sum_ - active_prior;
        update_weights(scratch, n_active, total);
        return change;
    }

    // Leaves out the topics that are at their prior for good; returns how many stay.
    std::size_t keep_alive(Scratch<Real>& scratch, std::size_t n_active, double length) const {
        constexpr double nothing = 1e-10;
        const double most = length / static_cast<double>(std::numeric_limits<Real>::epsilon());
        std::size_t kept = 0;
        for (std::size_t a = 0; a < n_active; ++a) {
            const auto k = static_cast<std::size_t>(scratch.active[a]);
            const bool dead = scratch.gamma[a] == scratch.prior[a] &&
                              prior_weights_[k] * most <= nothing * scratch.prior[a];
            if (dead) continue;
            scratch.active[kept] = scratch.active[a];
            scratch.gamma[kept] = scratch.gamma[a];
            scratch.prior[kept] = scratch.prior[a];
            scratch.weights[kept] = scratch.weights[a];
            scratch.tile_weights[kept] = scratch.tile_weights[a];
            ++kept;
        }
        return kept;
    }

    void finish(std::size_t n_active, Real* gamma, Real* weights, Scratch<Real>& scratch) const {
        std::copy(prior_.begin(), prior_.end(), scratch.all_gamma.begin());
        for (std::size_t a = 0; a < n_active; ++a) {
            scratch.all_gamma[static_cast<std::size_t>(scratch.active[a])] = scratch.gamma[a];
        }
        double total = 0;
        for (std::size_t k = 0; k < n_topics_; ++k) {
            gamma[k] = static_cast<Real>(scratch.all_gamma[k]);
            total += scratch.all_gamma[k];
        }
        if (weights == nullptr) return;
        const std::size_t padded = in_lanes(n_topics_);
        expected_weights(level_, scratch.all_gamma.data(), padded, total,
                         scratch.all_weights.data());
        for (std::size_t k = 0; k < n_topics_; ++k) {
            weights[k] = static_cast<Real>(scratch.all_weights[k]);
        }
    }

    const Real* topics_;
    std::span<const double> prior_;
    LdaStop stop_;
    std::size_t n_topics_;
    SimdLevel level_;
    double prior_sum_ = 0;
    std::vector<double> prior_weights_;  // exp(E[log theta]) of a document without words
};

void check_size(std::size_t size, std::size_t wanted, const char* message) {
    if (size != wanted) throw std::invalid_argument(message);
}

}  // namespace

template <class Real, class Index>
void lda_variational_documents(const CsrView<Real, Index>& X, std::span<const Real> topics,
                               std::span<const double> prior, const LdaStop& stop,
                               const LdaDocuments<Real>& out, const Execution& execution) {
    csr_check_columns(X, execution);
    const std::size_t n_topics = prior.size(), n_documents = X.n_rows();
    if (n_topics == 0) throw std::invalid_argument("prior must have an entry for each topic");
    check_size(topics.size(), n_entries(static_cast<std::size_t>(X.n_cols), n_topics),
               "topics must have n_cols * n_topics entries");
    check_size(out.gamma.size(), n_entries(n_documents, n_topics),
               "gamma must have n_documents * n_topics entries");
    const bool learn = !out.weights.empty() || !out.ratios.empty();
    if (learn) {
        check_size(out.weights.size(), out.gamma.size(), "weights must be as large as gamma");
        check_size(out.ratios.size(), X.data.size(), "ratios must be as large as data");
    }
    const DocumentUpdate<Real> update(topics, prior, stop);
    const auto n_workers = static_cast<std::size_t>(std::max(1, execution.n_threads));
    std::vector<Scratch<Real>> scratches(n_workers, Scratch<Real>(n_topics));
    parallel_parts(n_parts_of(n_documents, kDocumentsPerPart), execution,
                   [&](std::size_t part, int worker, Checkpoint& checkpoint) {
                       auto& scratch = scratches[static_cast<std::size_t>(worker)];
                       const std::size_t end =
                           std::min((part + 1) * kDocumentsPerPart, n_documents);
                       for (std::size_t d = part * kDocumentsPerPart; d < end; ++d) {
                           const std::size_t first = X.begin(d), n_words = X.end(d) - first;
                           update(X.data.data() + first, X.indices.data() + first, n_words,
                                  out.gamma.data() + d * n_topics,
                                  learn ? out.weights.data() + d * n_topics : nullptr,
                                  learn ? out.ratios.data() + first : nullptr, scratch);
                           checkpoint();
                       }
                   });
}

template <class Real>
void lda_expected_topics(std::span<const Real> lambda, std::span<const std::int64_t> words,
                         double scale, double shift, std::span<const double> totals,
                         std::span<Real> out, const Execution& execution) {
    const std::size_t n_topics = totals.size();
    if (n_topics == 0) throw std::invalid_argument("totals must have an entry for each topic");
    const std::size_t n_known = lambda.size() / n_topics;
    const std::size_t n_words = words.empty() ? n_known : words.size();
    check_size(lambda.size(), n_entries(n_known, n_topics),
               "lambda must have n_words * n_topics entries");
    check_size(out.size(), n_entries(n_words, n_topics), "out must have a row for each word");
    for (const std::int64_t word : words) {
        if (static_cast<std::uint64_t>(word) >= n_known) {
            throw std::invalid_argument("words has " + std::to_string(word) +
                                        ", which is outside [0, " + std::to_string(n_known) + ")");
        }
    }
    std::vector<double> inverse_scale(n_topics), total_power(n_topics);
    for (std::size_t k = 0; k < n_topics; ++k) {
        double scale_of_total;
        exp_digamma(totals[k], scale_of_total, total_power[k]);
        inverse_scale[k] = 1.0 / scale_of_total;
    }
    const SimdLevel level = simd_level();
    constexpr std::size_t grain = 128;
    parallel_parts(n_parts_of(n_words, grain), execution, [&](std::size_t part, int) {
        const std::size_t end = std::min((part + 1) * grain, n_words);
        for (std::size_t i = part * grain; i < end; ++i) {
            const std::size_t word = words.empty() ? i : static_cast<std::size_t>(words[i]);
            expected_row(level, ExpectedRow<Real>{lambda.data() + word * n_topics, scale, shift,
                                                  inverse_scale.data(), total_power.data(),
                                                  n_topics, out.data() + i * n_topics});
        }
    });
}

namespace {

// log sum_k exp(E[log theta_k] + E[log phi_wk]), by logarithms throughout.
double log_mixture(const double* gamma, double gamma_total, const double* lambda,
                   std::span<const double> totals, std::vector<double>& terms) {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < totals.size(); ++k) {
        terms[k] = digamma(gamma[k]) - gamma_total + digamma(lambda[k]) - digamma(totals[k]);
        largest = std::max(largest, terms[k]);
    }
    if (!std::isfinite(largest)) return largest;
    double sum = 0;
    for (std::size_t k = 0; k < totals.size(); ++k) sum += std::exp(terms[k] - largest);
    return largest + std::log(sum);
}

}  // namespace

template <class Index>
double lda_variational_bound(const CsrView<double, Index>& X, std::span<const double> gamma,
                             const LdaTopics& topics, const Execution& execution) {
    constexpr double tiny = 1e-280;  // below it products may have lost digits, or all of them
    csr_check_columns(X, execution);
    const std::size_t n_topics = topics.totals.size(), n_documents = X.n_rows();
    if (n_topics == 0) throw std::invalid_argument("totals must have an entry for each topic");
    check_size(topics.lambda.size(), n_entries(static_cast<std::size_t>(X.n_cols), n_topics),
               "lambda must have n_cols * n_topics entries");
    check_size(topics.expected.size(), topics.lambda.size(), "expected must be as large as lambda");
    check_size(gamma.size(), n_entries(n_documents, n_topics),
               "gamma must have n_documents * n_topics entries");
    const SimdLevel level = simd_level();
    const std::size_t n_parts = n_parts_of(n_documents, kDocumentsPerPart);
    std::vector<double> sums(n_parts, 0.0);
    parallel_parts(n_parts, execution, [&](std::size_t part, int, Checkpoint& checkpoint) {
        std::vector<double> own(in_lanes(n_topics), 1.0), weights(own.size()), terms(n_topics);
        const std::size_t end = std::min((part + 1) * kDocumentsPerPart, n_documents);
        double sum = 0;
        for (std::size_t d = part * kDocumentsPerPart; d < end; ++d) {
            std::copy_n(gamma.begin() + static_cast<std::ptrdiff_t>(d * n_topics), n_topics,
                        own.begin());
            double total = 0;
            for (std::size_t k = 0; k < n_topics; ++k) total += own[k];
            expected_weights(level, own.data(), own.size(), total, weights.data());
            for (std::size_t i = X.begin(d); i < X.end(d); ++i) {
                if (X.data[i] == 0) continue;
                const std::size_t row = static_cast<std::size_t>(X.indices[i]) * n_topics;
                const double mixture =
                    dot_in_lanes(weights.data(), topics.expected.data() + row, n_topics);
                const double log_probability =
                    mixture > tiny ? std::log(mixture)
                                   : log_mixture(own.data(), digamma(total),
                                                 topics.lambda.data() + row, topics.totals, terms);
                sum += X.data[i] * log_probability;
            }
            checkpoint();
        }
        sums[part] = sum;
    });
    double bound = 0;
    for (const double sum : sums) bound += sum;
    return bound;
}

#define QUIRE_INSTANTIATE(Real, Index)                                                          \
    template void lda_variational_documents(const CsrView<Real, Index>&, std::span<const Real>, \
                                            std::span<const double>, const LdaStop&,            \
                                            const LdaDocuments<Real>&, const Execution&);
QUIRE_INSTANTIATE(float, std::int32_t)
QUIRE_INSTANTIATE(float, std::int64_t)
QUIRE_INSTANTIATE(double, std::int32_t)
QUIRE_INSTANTIATE(double, std::int64_t)
#undef QUIRE_INSTANTIATE
template void lda_expected_topics(std::span<const float>, std::span<const std::int64_t>, double,
                                  double, std::span<const double>, std::span<float>,
                                  const Execution&);
template void lda_expected_topics(std::span<const double>, std::span<const std::int64_t>, double,
                                  double, std::span<const double>, std::span<double>,
                                  const Execution&);
template double lda_variational_bound(const CsrView<double, std::int32_t>&, std::span<const double>,
                                      const LdaTopics&, const Execution&);
template double lda_variational_bound(const CsrView<double, std::int64_t>&, std::span<const double>,
                                      const LdaTopics&, const Execution&);

}  // namespace quire
