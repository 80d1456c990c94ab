// Kernel machines: the kernel of rows, and the solver of the dual.
#include "margins/smo.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings/base/arrays.hpp"
#include "bindings/base/filled.hpp"
#include "margins/kernel_rows.hpp"

namespace quire::bindings {

namespace {

using MutableTable = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::span<double> as_mutable(const MutableArray<double>& array) {
    return {array.data(), array.size()};
}

template <class Value, class Index>
void bind_csr_gram_of(nb::module_& m) {
    m.def(
        "csr_gram",
        [](const Array<Value>& data, const Array<Index>& indices, const Array<Index>& indptr,
           std::size_t n_cols, const Array<Value>& t_data, const Array<Index>& t_indices,
           const Array<Index>& t_indptr, std::size_t width, int n_threads) {
            const auto X =
                as_csr<Value, Index>(data, indices, indptr, static_cast<std::int64_t>(n_cols));
            const auto T =
                as_csr<Value, Index>(t_data, t_indices, t_indptr, static_cast<std::int64_t>(width));
            const std::size_t n_rows = indptr.size() == 0 ? 0 : indptr.size() - 1;
            return to_numpy(filled<double>(n_rows * width, n_threads,
                                           [&](auto out, const auto& execution) {
                                               csr_gram(X, T, out, execution);
                                           }),
                            {n_rows, width});
        },
        nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_cols"), nb::arg("t_data").noconvert(), nb::arg("t_indices").noconvert(),
        nb::arg("t_indptr").noconvert(), nb::arg("width"), nb::arg("n_threads") = 1);
}

template <class Out>
nb::object rows_of(const Matrix<double>& products, const Array<double>& squares,
                   const Array<double>& other_squares, const Kernel& kernel, int n_threads) {
    auto out = filled<Out>(products.size(), n_threads, [&](auto to, const auto& execution) {
        kernel_rows<Out>(as_span(products), as_span(squares), as_span(other_squares), kernel, to,
                         execution);
    });
    return to_numpy(std::move(out), {products.shape(0), products.shape(1)});
}

}  // namespace

void bind_smo(nb::module_& m) {
    bind_csr_gram_of<float, std::int32_t>(m);
    bind_csr_gram_of<float, std::int64_t>(m);
    bind_csr_gram_of<double, std::int32_t>(m);
    bind_csr_gram_of<double, std::int64_t>(m);
    m.def(
        "kernel_rows",
        [](const Matrix<double>& products, const Array<double>& squares,
           const Array<double>& other_squares, int kind, double gamma, double coef0, int degree,
           bool single, int n_threads) {
            const Kernel kernel{static_cast<KernelKind>(kind), gamma, coef0, degree};
            return single ? rows_of<float>(products, squares, other_squares, kernel, n_threads)
                          : rows_of<double>(products, squares, other_squares, kernel, n_threads);
        },
        nb::arg("products").noconvert(), nb::arg("squares").noconvert(),
        nb::arg("other_squares").noconvert(), nb::arg("kind"), nb::arg("gamma"), nb::arg("coef0"),
        nb::arg("degree"), nb::arg("single"), nb::arg("n_threads") = 1);
    m.def(
        "kernel_rows_into",
        [](const Matrix<double>& products, const Array<double>& squares,
           const Array<double>& other_squares, int kind, double gamma, double coef0, int degree,
           const Array<std::int64_t>& places, MutableTable table, int n_threads) {
            const Kernel kernel{static_cast<KernelKind>(kind), gamma, coef0, degree};
            if (table.shape(1) != other_squares.size()) {
                throw std::invalid_argument("table must have a column for each other row");
            }
            run(n_threads, [&](const Execution& execution) {
                kernel_rows_into(as_span(products), as_span(squares), as_span(other_squares),
                                 kernel, as_span(places), {table.data(), table.size()}, execution);
            });
        },
        nb::arg("products").noconvert(), nb::arg("squares").noconvert(),
        nb::arg("other_squares").noconvert(), nb::arg("kind"), nb::arg("gamma"), nb::arg("coef0"),
        nb::arg("degree"), nb::arg("places").noconvert(), nb::arg("table").noconvert(),
        nb::arg("n_threads") = 1);
    m.def(
        "smo",
        [](const Matrix<float>& K, const Matrix<std::int64_t>& segments, const Array<double>& low,
           const Array<double>& high, double tol, std::int64_t max_iter, MutableArray<double> beta,
           MutableArray<double> slack) {
            std::vector<SmoSegment> parts(segments.shape(0));
            if (segments.shape(1) != 2) throw std::invalid_argument("segments must have 2 columns");
            std::size_t start = 0;
            for (std::size_t i = 0; i < parts.size(); ++i) {
                const auto* const one = segments.data() + 2 * i;
                parts[i] = {start, static_cast<std::size_t>(one[0]),
                            static_cast<std::size_t>(one[1])};
                start += parts[i].size;
            }
            const SmoResult found = run(1, [&](const Execution& execution) {
                return smo(as_span(K), K.shape(1), parts, as_span(low), as_span(high), tol,
                           max_iter, as_mutable(beta), as_mutable(slack), execution);
            });
            return nb::make_tuple(found.n_iter, found.gap);
        },
        nb::arg("K").noconvert(), nb::arg("segments").noconvert(), nb::arg("low").noconvert(),
        nb::arg("high").noconvert(), nb::arg("tol"), nb::arg("max_iter"),
        nb::arg("beta").noconvert(), nb::arg("slack").noconvert());
    m.def(
        "smo_slack",
        [](const Matrix<float>& table, const Array<std::int64_t>& which,
           const Array<double>& change, MutableArray<double> slack, int n_threads) {
            run(n_threads, [&](const Execution& execution) {
                smo_slack(as_span(table), as_span(which), as_span(change), as_mutable(slack),
                          execution);
            });
        },
        nb::arg("table").noconvert(), nb::arg("which").noconvert(), nb::arg("change").noconvert(),
        nb::arg("slack").noconvert(), nb::arg("n_threads") = 1);
}

}  // namespace quire::bindings
