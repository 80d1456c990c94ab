// Variational Bayes for latent Dirichlet allocation. Every matrix type is one overload.
#include "topics/lda_variational.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "bindings/base/arrays.hpp"
#include "bindings/base/csr.hpp"
#include "bindings/base/filled.hpp"

namespace quire::bindings {

namespace {

template <class Real, class Index>
void bind_documents_of(nb::module_& m) {
    m.def(
        "lda_variational_documents",
        [](const CsrView<Real, Index>& X, const Matrix<Real>& topics, const Array<double>& prior,
           const MutableMatrix<Real>& gamma, int max_iter, double tol, bool learn, int n_threads) {
            const std::size_t n_documents = gamma.shape(0), n_topics = gamma.shape(1);
            RawVector<Real> weights, ratios;
            check_apart({memory_of(writable(gamma))},
                        {memory_of(X.data), memory_of(X.indices), memory_of(X.indptr),
                         memory_of(as_span(topics)), memory_of(as_span(prior))});
            run(n_threads, [&](const Execution& execution) {
                if (learn) {
                    weights.resize(gamma.size());
                    ratios.resize(X.data.size());
                }
                lda_variational_documents(X, as_span(topics), as_span(prior), {max_iter, tol},
                                          LdaDocuments<Real>{writable(gamma), weights, ratios},
                                          execution);
            });
            return learn ? std::optional(
                               tuple_of(to_numpy(std::move(weights), {n_documents, n_topics}),
                                        to_numpy(std::move(ratios))))
                         : std::nullopt;
        },
        "X"_a, "topics"_exact, "prior"_exact, "gamma"_exact, "max_iter"_a, "tol"_a, "learn"_a,
        "n_threads"_a = 1);
}

template <class Real>
void bind_topics_of(nb::module_& m) {
    m.def(
        "lda_expected_topics",
        [](const Matrix<Real>& topics, const Array<std::int64_t>& words, double scale, double shift,
           const Array<double>& totals, int n_threads) {
            const std::size_t n_topics = topics.shape(1);
            if (totals.size() != n_topics) {
                throw std::invalid_argument("totals must have an entry for each topic");
            }
            const std::size_t n_words = words.size() == 0 ? topics.shape(0) : words.size();
            auto out =
                filled<Real>(n_entries(n_words, n_topics), n_threads,
                             [&](auto expected, const Execution& execution) {
                                 lda_expected_topics(as_span(topics), as_span(words), scale, shift,
                                                     as_span(totals), expected, execution);
                             });
            return to_numpy(std::move(out), {n_words, n_topics});
        },
        "topics"_exact, "words"_exact, "scale"_a, "shift"_a, "totals"_exact, "n_threads"_a = 1);
}

template <class Index>
void bind_bound_of(nb::module_& m) {
    m.def(
        "lda_variational_bound",
        [](const CsrView<double, Index>& X, const Matrix<double>& gamma,
           const Matrix<double>& topics, const Array<double>& totals,
           const Matrix<double>& expected, int n_threads) {
            return run(n_threads, [&](const Execution& execution) {
                return lda_variational_bound(X, as_span(gamma),
                                             {as_span(topics), as_span(totals), as_span(expected)},
                                             execution);
            });
        },
        "X"_a, "gamma"_exact, "topics"_exact, "totals"_exact, "expected"_exact, "n_threads"_a = 1);
}

}  // namespace

void bind_lda_variational(nb::module_& m) {
    for_matrices<float, double>(
        [&]<class Value, class Index>() { bind_documents_of<Value, Index>(m); });
    for_types<float, double>([&]<class Value>() { bind_topics_of<Value>(m); });
    for_types<std::int32_t, std::int64_t>([&]<class Value>() { bind_bound_of<Value>(m); });
}

}  // namespace quire::bindings
