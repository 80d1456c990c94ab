// Linear support vector machines. Every matrix type is one overload.
#include "margins/csr_svm_descent.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "bindings/base/arrays.hpp"
#include "bindings/base/filled.hpp"

namespace quire::bindings {

namespace {

template <class Value, class Index>
void bind_csr_svm_descent_of(nb::module_& m) {
    m.def(
        "csr_svm_descent",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_cols, const Array<std::int32_t>& codes, const Array<double>& costs,
           const Array<std::int32_t>& positives, const Array<double>& positive_costs,
           const Array<double>& negative_costs, bool squared, double bias, double tol,
           std::size_t max_passes, std::uint64_t seed, int n_threads) {
            const auto X =
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_cols));
            const std::size_t n_problems = positives.size();
            RawVector<std::int64_t> n_passes(n_problems);
            auto W = filled<double>(
                (n_cols + 1) * n_problems, n_threads, [&](auto out, const auto& execution) {
                    csr_svm_descent(X, as_span(codes), as_span(costs), as_span(positives),
                                    as_span(positive_costs), as_span(negative_costs),
                                    {squared, bias, tol, max_passes, seed}, out,
                                    std::span<std::int64_t>(n_passes), execution);
                });
            return nb::make_tuple(to_numpy(std::move(W), {n_cols + 1, n_problems}),
                                  to_numpy(std::move(n_passes)));
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_cols"), nb::arg("codes").noconvert(), nb::arg("costs").noconvert(),
        nb::arg("positives").noconvert(), nb::arg("positive_costs").noconvert(),
        nb::arg("negative_costs").noconvert(), nb::arg("squared"), nb::arg("bias"), nb::arg("tol"),
        nb::arg("max_passes"), nb::arg("seed"), nb::arg("n_threads") = 1);
    m.def(
        "csr_svr_descent",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_cols, const Array<double>& y, const Array<double>& costs, double epsilon,
           bool squared, double bias, double tol, std::size_t max_passes, std::uint64_t seed) {
            const auto X =
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_cols));
            std::int64_t n_passes = 0;
            auto w = filled<double>(n_cols + 1, 1, [&](auto out, const auto& execution) {
                n_passes = csr_svr_descent(X, as_span(y), as_span(costs), epsilon,
                                           {squared, bias, tol, max_passes, seed}, out, execution);
            });
            return nb::make_tuple(to_numpy(std::move(w)), n_passes);
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_cols"), nb::arg("y").noconvert(), nb::arg("costs").noconvert(),
        nb::arg("epsilon"), nb::arg("squared"), nb::arg("bias"), nb::arg("tol"),
        nb::arg("max_passes"), nb::arg("seed"));
}

}  // namespace

void bind_csr_svm_descent(nb::module_& m) {
    bind_csr_svm_descent_of<float, std::int32_t>(m);
    bind_csr_svm_descent_of<float, std::int64_t>(m);
    bind_csr_svm_descent_of<double, std::int32_t>(m);
    bind_csr_svm_descent_of<double, std::int64_t>(m);
}

}  // namespace quire::bindings
