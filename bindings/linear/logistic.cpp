// Logistic regression: losses from scores, and Newton directions.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "bindings/base/arrays.hpp"
#include "bindings/base/filled.hpp"
#include "linear/logistic.hpp"
#include "linear/logistic_newton.hpp"

namespace quire::bindings {

namespace {

LogisticRows as_rows(const Matrix<double>& scores, const Array<std::int32_t>& codes,
                     const Array<double>& weights) {
    return {as_span(scores), as_span(codes), as_span(weights), scores.shape(1)};
}

template <class Real>
nb::tuple state(const LogisticRows& rows, std::size_t n, int n_threads) {
    RawVector<double> residuals(rows.scores.size());
    double loss = 0;
    auto curvature =
        filled<Real>(rows.scores.size(), n_threads, [&](auto out, const auto& execution) {
            loss = logistic_state<Real>(rows, residuals, out, execution);
        });
    return nb::make_tuple(loss, to_numpy(std::move(residuals), {n, rows.width}),
                          to_numpy(std::move(curvature), {n, rows.width}));
}

template <class Real, class Value, class Index>
void bind_newton_of(nb::module_& m) {
    m.def(
        "logistic_newton",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_cols, const Array<Value>& t_data, const Array<Index>& t_indices,
           const Array<Index>& t_indptr, std::size_t n_rows, const Matrix<Real>& curvature,
           const Array<double>& weights, double l2, double intercept_l2, bool has_intercept,
           const Array<double>& squares, const Matrix<Real>& head, const Matrix<double>& gradient,
           double accuracy, double largest, std::size_t max_products, int n_threads) {
            const LogisticHessian<Real, Value, Index> H{
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_cols)),
                as_csr<Value, Index>(t_data, t_indices, t_indptr,
                                     static_cast<std::int64_t>(n_rows)),
                as_span(curvature),
                as_span(weights),
                gradient.shape(1),
                l2,
                intercept_l2,
                has_intercept,
                as_span(squares),
                as_span(head),
                head.shape(1)};
            ConjugateGradients done;
            RawVector<double> scores(curvature.size());
            auto direction =
                filled<double>(gradient.size(), n_threads, [&](auto out, const auto& execution) {
                    done = logistic_newton(H, as_span(gradient), {accuracy, largest, max_products},
                                           out, std::span<double>(scores), execution);
                });
            return nb::make_tuple(
                to_numpy(std::move(direction), {gradient.shape(0), gradient.shape(1)}),
                to_numpy(std::move(scores), {curvature.shape(0), curvature.shape(1)}),
                done.n_products, done.residual, done.slope);
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_cols"), nb::arg("t_data").noconvert(), nb::arg("t_indices").noconvert(),
        nb::arg("t_indptr").noconvert(), nb::arg("n_rows"), nb::arg("curvature").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("l2"), nb::arg("intercept_l2"),
        nb::arg("has_intercept"), nb::arg("squares").noconvert(), nb::arg("head").noconvert(),
        nb::arg("gradient").noconvert(), nb::arg("accuracy"), nb::arg("largest"),
        nb::arg("max_products"), nb::arg("n_threads") = 1);
    m.def(
        "logistic_hessian_product",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_cols, const Array<Value>& t_data, const Array<Index>& t_indices,
           const Array<Index>& t_indptr, std::size_t n_rows, const Matrix<Real>& curvature,
           const Array<double>& weights, double l2, double intercept_l2, bool has_intercept,
           const Matrix<Real>& head, const Matrix<double>& vector, int n_threads) {
            const LogisticHessian<Real, Value, Index> H{
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_cols)),
                as_csr<Value, Index>(t_data, t_indices, t_indptr,
                                     static_cast<std::int64_t>(n_rows)),
                as_span(curvature),
                as_span(weights),
                vector.shape(1),
                l2,
                intercept_l2,
                has_intercept,
                {},
                as_span(head),
                head.shape(1)};
            auto out =
                filled<double>(vector.size(), n_threads, [&](auto product, const auto& execution) {
                    logistic_hessian_product(H, as_span(vector), product, execution);
                });
            return to_numpy(std::move(out), {vector.shape(0), vector.shape(1)});
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_cols"), nb::arg("t_data").noconvert(), nb::arg("t_indices").noconvert(),
        nb::arg("t_indptr").noconvert(), nb::arg("n_rows"), nb::arg("curvature").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("l2"), nb::arg("intercept_l2"),
        nb::arg("has_intercept"), nb::arg("head").noconvert(), nb::arg("vector").noconvert(),
        nb::arg("n_threads") = 1);
}

template <class Value, class Index>
void bind_of(nb::module_& m) {
    m.def(
        "logistic_gradient",
        [](const Array<Value>& t_data, const Array<Index>& t_indices, const Array<Index>& t_indptr,
           std::size_t n_rows, const Matrix<double>& residuals, const Matrix<double>& weights,
           double l2, double intercept_l2, bool has_intercept, bool single, int n_threads) {
            const auto Xt = as_csr<Value, Index>(t_data, t_indices, t_indptr,
                                                 static_cast<std::int64_t>(n_rows));
            GradientSize size;
            auto gradient =
                filled<double>(weights.size(), n_threads, [&](auto out, const auto& execution) {
                    const auto fill = [&]<class Real>(Real) {
                        return logistic_gradient<Real>(Xt, as_span(residuals), residuals.shape(1),
                                                       as_span(weights), l2, intercept_l2,
                                                       has_intercept, out, execution);
                    };
                    size = single ? fill(float{}) : fill(double{});
                });
            return nb::make_tuple(
                to_numpy(std::move(gradient), {weights.shape(0), weights.shape(1)}), size.largest,
                size.square);
        },
        nb::arg("t_data").noconvert(), nb::arg("t_indices").noconvert(),
        nb::arg("t_indptr").noconvert(), nb::arg("n_rows"), nb::arg("residuals").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("l2"), nb::arg("intercept_l2"),
        nb::arg("has_intercept"), nb::arg("single"), nb::arg("n_threads") = 1);
    bind_newton_of<float, Value, Index>(m);
    bind_newton_of<double, Value, Index>(m);
}

}  // namespace

void bind_logistic(nb::module_& m) {
    m.def(
        "logistic_loss",
        [](const Matrix<double>& scores, const Array<std::int32_t>& codes,
           const Array<double>& weights, const Matrix<double>& direction, double step,
           int n_threads) {
            return run(n_threads, [&](const Execution& execution) {
                return logistic_loss(as_rows(scores, codes, weights), as_span(direction), step,
                                     execution);
            });
        },
        nb::arg("scores").noconvert(), nb::arg("codes").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("direction").noconvert(), nb::arg("step"), nb::arg("n_threads") = 1);
    m.def(
        "logistic_state",
        [](const Matrix<double>& scores, const Array<std::int32_t>& codes,
           const Array<double>& weights, bool single, int n_threads) {
            const LogisticRows rows = as_rows(scores, codes, weights);
            return single ? state<float>(rows, scores.shape(0), n_threads)
                          : state<double>(rows, scores.shape(0), n_threads);
        },
        nb::arg("scores").noconvert(), nb::arg("codes").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("single"), nb::arg("n_threads") = 1);
    bind_of<float, std::int32_t>(m);
    bind_of<float, std::int64_t>(m);
    bind_of<double, std::int32_t>(m);
    bind_of<double, std::int64_t>(m);
}

}  // namespace quire::bindings
