// Variational Bayes for latent Dirichlet allocation. Every matrix type is one overload.
#include "topics/lda_variational.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "bindings/base/arrays.hpp"
#include "bindings/base/filled.hpp"

namespace quire::bindings {

namespace {

template <class T>
using MutableMatrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Real, class Index>
void bind_documents_of(nb::module_& m) {
    m.def(
        "lda_variational_documents",
        [](const Array<Real>& data, const Array<Index>& indices, const Array<Index>& indptr,
           const Matrix<Real>& topics, const Array<double>& prior, const MutableMatrix<Real>& gamma,
           int max_iter, double tol, bool learn, int n_threads) -> nb::object {
            const auto X = as_csr<Real, Index>(data, indices, indptr,
                                               static_cast<std::int64_t>(topics.shape(0)));
            const std::size_t n_documents = gamma.shape(0), n_topics = gamma.shape(1);
            RawVector<Real> weights, ratios;
            run(n_threads, [&](const Execution& execution) {
                if (learn) {
                    weights.resize(gamma.size());
                    ratios.resize(data.size());
                }
                lda_variational_documents(
                    X, as_span(topics), as_span(prior), {max_iter, tol},
                    LdaDocuments<Real>{{gamma.data(), gamma.size()}, weights, ratios}, execution);
            });
            if (!learn) return nb::none();
            return nb::make_tuple(to_numpy(std::move(weights), {n_documents, n_topics}),
                                  to_numpy(std::move(ratios)));
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("topics").noconvert(), nb::arg("prior").noconvert(), nb::arg("gamma").noconvert(),
        nb::arg("max_iter"), nb::arg("tol"), nb::arg("learn"), nb::arg("n_threads") = 1);
}

template <class Real>
void bind_topics_of(nb::module_& m) {
    m.def(
        "lda_expected_topics",
        [](const Matrix<Real>& topics, const Array<std::int64_t>& words, double scale, double shift,
           const Array<double>& totals, int n_threads) {
            const std::size_t n_topics = topics.shape(1);
            const std::size_t n_words = words.size() == 0 ? topics.shape(0) : words.size();
            auto out = filled<Real>(
                n_words * n_topics, n_threads, [&](auto expected, const Execution& execution) {
                    lda_expected_topics(as_span(topics), as_span(words), scale, shift,
                                        as_span(totals), expected, execution);
                });
            return to_numpy(std::move(out), {n_words, n_topics});
        },
        nb::arg("topics").noconvert(), nb::arg("words").noconvert(), nb::arg("scale"),
        nb::arg("shift"), nb::arg("totals").noconvert(), nb::arg("n_threads") = 1);
}

template <class Index>
void bind_bound_of(nb::module_& m) {
    m.def(
        "lda_variational_bound",
        [](const Array<double>& data, const Array<Index>& indices, const Array<Index>& indptr,
           const Matrix<double>& gamma, const Matrix<double>& topics, const Array<double>& totals,
           const Matrix<double>& expected, int n_threads) {
            const auto X = as_csr<double, Index>(data, indices, indptr,
                                                 static_cast<std::int64_t>(topics.shape(0)));
            return run(n_threads, [&](const Execution& execution) {
                return lda_variational_bound(X, as_span(gamma),
                                             {as_span(topics), as_span(totals), as_span(expected)},
                                             execution);
            });
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("gamma").noconvert(), nb::arg("topics").noconvert(), nb::arg("totals").noconvert(),
        nb::arg("expected").noconvert(), nb::arg("n_threads") = 1);
}

}  // namespace

void bind_lda_variational(nb::module_& m) {
    bind_documents_of<float, std::int32_t>(m);
    bind_documents_of<float, std::int64_t>(m);
    bind_documents_of<double, std::int32_t>(m);
    bind_documents_of<double, std::int64_t>(m);
    bind_topics_of<float>(m);
    bind_topics_of<double>(m);
    bind_bound_of<std::int32_t>(m);
    bind_bound_of<std::int64_t>(m);
}

}  // namespace quire::bindings
