// Kernel machines: the kernel of rows, and the solver of the dual.
#include "margins/smo.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings/base/arrays.hpp"
#include "bindings/base/csr.hpp"
#include "bindings/base/filled.hpp"
#include "margins/kernel_rows.hpp"

namespace quire::bindings {

namespace {

template <class Value, class Index>
void bind_csr_gram_of(nb::module_& m) {
    m.def(
        "csr_gram",
        [](const CsrView<Value, Index>& X, const CsrView<Value, Index>& T, int n_threads) {
            const std::size_t n_rows = X.n_rows(), width = n_cols_of(T);
            return to_numpy(filled<double>(n_entries(n_rows, width), n_threads,
                                           [&](auto out, const auto& execution) {
                                               csr_gram(X, T, out, execution);
                                           }),
                            {n_rows, width});
        },
        "X"_a, "T"_a, "n_threads"_a = 1);
}

Kernel kernel_of(int kind, double gamma, double coef0, int degree) {
    if (kind < 0 || kind > 3) throw std::invalid_argument("kind must be 0, 1, 2 or 3");
    return {static_cast<KernelKind>(kind), gamma, coef0, degree};
}

template <class Out>
NumpyArray<void> rows_of(const Matrix<double>& products, const Array<double>& squares,
                         const Array<double>& other_squares, const Kernel& kernel, int n_threads) {
    auto out = filled<Out>(products.size(), n_threads, [&](auto to, const auto& execution) {
        kernel_rows<Out>(as_span(products), as_span(squares), as_span(other_squares), kernel, to,
                         execution);
    });
    return to_numpy(std::move(out), {products.shape(0), products.shape(1)});
}

}  // namespace

void bind_smo(nb::module_& m) {
    for_matrices<float, double>(
        [&]<class Value, class Index>() { bind_csr_gram_of<Value, Index>(m); });
    m.def(
        "kernel_rows",
        [](const Matrix<double>& products, const Array<double>& squares,
           const Array<double>& other_squares, int kind, double gamma, double coef0, int degree,
           bool single, int n_threads) {
            const Kernel kernel = kernel_of(kind, gamma, coef0, degree);
            return single ? rows_of<float>(products, squares, other_squares, kernel, n_threads)
                          : rows_of<double>(products, squares, other_squares, kernel, n_threads);
        },
        "products"_exact, "squares"_exact, "other_squares"_exact, "kind"_a, "gamma"_a, "coef0"_a,
        "degree"_a, "single"_a, "n_threads"_a = 1);
    m.def(
        "kernel_rows_into",
        [](const Matrix<double>& products, const Array<double>& squares,
           const Array<double>& other_squares, int kind, double gamma, double coef0, int degree,
           const Array<std::int64_t>& places, const MutableMatrix<float>& table, int n_threads) {
            const Kernel kernel = kernel_of(kind, gamma, coef0, degree);
            if (table.shape(1) != other_squares.size()) {
                throw std::invalid_argument("table must have a column for each other row");
            }
            check_apart({memory_of(writable(table))},
                        {memory_of(as_span(products)), memory_of(as_span(squares)),
                         memory_of(as_span(other_squares)), memory_of(as_span(places))});
            run(n_threads, [&](const Execution& execution) {
                kernel_rows_into(as_span(products), as_span(squares), as_span(other_squares),
                                 kernel, as_span(places), writable(table), execution);
            });
        },
        "products"_exact, "squares"_exact, "other_squares"_exact, "kind"_a, "gamma"_a, "coef0"_a,
        "degree"_a, "places"_exact, "table"_exact, "n_threads"_a = 1);
    m.def(
        "smo",
        [](const Matrix<float>& K, const Matrix<std::int64_t>& segments, const Array<double>& low,
           const Array<double>& high, double tol, std::int64_t max_iter, MutableArray<double> beta,
           MutableArray<double> slack) {
            if (segments.shape(1) != 2) throw std::invalid_argument("segments must have 2 columns");
            std::vector<SmoSegment> parts(segments.shape(0));
            std::size_t start = 0;
            for (std::size_t i = 0; i < parts.size(); ++i) {
                const auto one = as_span(segments).subspan(2 * i, 2);
                parts[i] = {start, static_cast<std::size_t>(one[0]),
                            static_cast<std::size_t>(one[1])};
                start += parts[i].size;
            }
            check_apart({memory_of(writable(beta)), memory_of(writable(slack))},
                        {memory_of(as_span(K)), memory_of(as_span(segments)),
                         memory_of(as_span(low)), memory_of(as_span(high))});
            const SmoResult found = run(1, [&](const Execution& execution) {
                return smo(as_span(K), K.shape(1), parts, as_span(low), as_span(high), tol,
                           max_iter, writable(beta), writable(slack), execution);
            });
            return tuple_of(found.n_iter, found.gap);
        },
        "K"_exact, "segments"_exact, "low"_exact, "high"_exact, "tol"_a, "max_iter"_a, "beta"_exact,
        "slack"_exact);
    m.def(
        "smo_slack",
        [](const Matrix<float>& table, const Array<std::int64_t>& which,
           const Array<double>& change, MutableArray<double> slack, int n_threads) {
            check_apart(
                {memory_of(writable(slack))},
                {memory_of(as_span(table)), memory_of(as_span(which)), memory_of(as_span(change))});
            run(n_threads, [&](const Execution& execution) {
                smo_slack(as_span(table), as_span(which), as_span(change), writable(slack),
                          execution);
            });
        },
        "table"_exact, "which"_exact, "change"_exact, "slack"_exact, "n_threads"_a = 1);
}

}  // namespace quire::bindings
