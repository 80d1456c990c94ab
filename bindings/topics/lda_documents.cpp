// Documents under known topics: shares of topics and likelihoods.
#include "topics/lda_documents.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "bindings/base/arrays.hpp"
#include "bindings/base/filled.hpp"

namespace quire::bindings {

namespace {

CountRows rows_of(const Array<std::int64_t>& indptr, const Array<std::int32_t>& indices,
                  const Array<std::int32_t>& counts, const Matrix<float>& phi) {
    return {as_span(indptr), as_span(indices), as_span(counts), phi.shape(0)};
}

KnownTopics topics_of(const Matrix<float>& phi, const Array<float>& alpha, std::size_t n_topics) {
    return {as_span(phi), as_span(alpha), n_topics};
}

}  // namespace

void bind_lda_documents(nb::module_& m) {
    m.def(
        "lda_infer",
        [](const Array<std::int64_t>& indptr, const Array<std::int32_t>& indices,
           const Array<std::int32_t>& counts, const Matrix<float>& phi, const Array<float>& alpha,
           std::size_t n_topics, std::size_t max_iter, double tol, int n_threads) {
            const CountRows X = rows_of(indptr, indices, counts, phi);
            const KnownTopics topics = topics_of(phi, alpha, n_topics);
            auto theta = filled<double>(n_entries(X.n_docs(), n_topics), n_threads,
                                        [&](auto out, const auto& execution) {
                                            lda_infer(X, topics, max_iter, tol, out, execution);
                                        });
            return to_numpy(std::move(theta), {X.n_docs(), n_topics});
        },
        "indptr"_exact, "indices"_exact, "counts"_exact, "phi"_exact, "alpha"_exact, "n_topics"_a,
        "max_iter"_a, "tol"_a, "n_threads"_a = 1);
    m.def(
        "lda_left_to_right",
        [](const Array<std::int64_t>& indptr, const Array<std::int32_t>& indices,
           const Array<std::int32_t>& counts, const Matrix<float>& phi, const Array<float>& alpha,
           std::size_t n_topics, std::size_t n_particles, std::uint64_t seed, int n_threads) {
            const CountRows X = rows_of(indptr, indices, counts, phi);
            const KnownTopics topics = topics_of(phi, alpha, n_topics);
            return to_numpy(
                filled<double>(X.n_docs(), n_threads, [&](auto out, const auto& execution) {
                    lda_left_to_right(X, topics, n_particles, seed, out, execution);
                }));
        },
        "indptr"_exact, "indices"_exact, "counts"_exact, "phi"_exact, "alpha"_exact, "n_topics"_a,
        "n_particles"_a, "seed"_a, "n_threads"_a = 1);
    m.def(
        "lda_completion",
        [](const Array<std::int64_t>& indptr, const Array<std::int32_t>& indices,
           const Array<std::int32_t>& counts, const Matrix<float>& phi, const Array<float>& alpha,
           std::size_t n_topics, std::size_t n_samples, std::uint64_t seed, int n_threads) {
            const CountRows X = rows_of(indptr, indices, counts, phi);
            const KnownTopics topics = topics_of(phi, alpha, n_topics);
            RawVector<std::int64_t> n_scored(X.n_docs());
            auto found =
                filled<double>(X.n_docs(), n_threads, [&](auto out, const auto& execution) {
                    lda_completion(X, topics, n_samples, seed, out, n_scored, execution);
                });
            return tuple_of(to_numpy(std::move(found)), to_numpy(std::move(n_scored)));
        },
        "indptr"_exact, "indices"_exact, "counts"_exact, "phi"_exact, "alpha"_exact, "n_topics"_a,
        "n_samples"_a, "seed"_a, "n_threads"_a = 1);
}

}  // namespace quire::bindings
