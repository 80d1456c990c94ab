// Logistic regression: losses from scores, and Newton directions.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "bindings/base/arrays.hpp"
#include "bindings/base/csr.hpp"
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
auto state(const LogisticRows& rows, std::size_t n, int n_threads) {
    RawVector<double> residuals(rows.scores.size());
    double loss = 0;
    auto curvature =
        filled<Real>(rows.scores.size(), n_threads, [&](auto out, const auto& execution) {
            loss = logistic_state<Real>(rows, residuals, out, execution);
        });
    return tuple_of(loss, to_numpy(std::move(residuals), {n, rows.width}),
                    NumpyArray<void>(to_numpy(std::move(curvature), {n, rows.width})));
}

template <class Real, class Value, class Index>
void bind_newton_of(nb::module_& m) {
    m.def(
        "logistic_newton",
        [](const CsrView<Value, Index>& X, const CsrView<Value, Index>& Xt,
           const Matrix<Real>& curvature, const Array<double>& weights, double l2,
           double intercept_l2, bool has_intercept, const Array<double>& squares,
           const Matrix<Real>& head, const Matrix<double>& gradient, double accuracy,
           double largest, std::size_t max_products, int n_threads) {
            const LogisticHessian<Real, Value, Index> H{X,
                                                        Xt,
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
            return tuple_of(to_numpy(std::move(direction), {gradient.shape(0), gradient.shape(1)}),
                            to_numpy(std::move(scores), {curvature.shape(0), curvature.shape(1)}),
                            done.n_products, done.residual, done.slope);
        },
        "X"_a, "Xt"_a, "curvature"_exact, "weights"_exact, "l2"_a, "intercept_l2"_a,
        "has_intercept"_a, "squares"_exact, "head"_exact, "gradient"_exact, "accuracy"_a,
        "largest"_a, "max_products"_a, "n_threads"_a = 1);
    m.def(
        "logistic_hessian_product",
        [](const CsrView<Value, Index>& X, const CsrView<Value, Index>& Xt,
           const Matrix<Real>& curvature, const Array<double>& weights, double l2,
           double intercept_l2, bool has_intercept, const Matrix<Real>& head,
           const Matrix<double>& vector, int n_threads) {
            const LogisticHessian<Real, Value, Index> H{X,
                                                        Xt,
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
        "X"_a, "Xt"_a, "curvature"_exact, "weights"_exact, "l2"_a, "intercept_l2"_a,
        "has_intercept"_a, "head"_exact, "vector"_exact, "n_threads"_a = 1);
}

template <class Value, class Index>
void bind_of(nb::module_& m) {
    m.def(
        "logistic_gradient",
        [](const CsrView<Value, Index>& Xt, const Matrix<double>& residuals,
           const Matrix<double>& weights, double l2, double intercept_l2, bool has_intercept,
           bool single, int n_threads) {
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
            return tuple_of(to_numpy(std::move(gradient), {weights.shape(0), weights.shape(1)}),
                            size.largest, size.square);
        },
        "Xt"_a, "residuals"_exact, "weights"_exact, "l2"_a, "intercept_l2"_a, "has_intercept"_a,
        "single"_a, "n_threads"_a = 1);
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
        "scores"_exact, "codes"_exact, "weights"_exact, "direction"_exact, "step"_a,
        "n_threads"_a = 1);
    m.def(
        "logistic_state",
        [](const Matrix<double>& scores, const Array<std::int32_t>& codes,
           const Array<double>& weights, bool single, int n_threads) {
            const LogisticRows rows = as_rows(scores, codes, weights);
            return single ? state<float>(rows, scores.shape(0), n_threads)
                          : state<double>(rows, scores.shape(0), n_threads);
        },
        "scores"_exact, "codes"_exact, "weights"_exact, "single"_a, "n_threads"_a = 1);
    for_matrices<float, double>([&]<class Value, class Index>() { bind_of<Value, Index>(m); });
}

}  // namespace quire::bindings
