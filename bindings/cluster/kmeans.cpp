// k-means: sparse and dense rows, float and double, are overloads of one name each.
#include "cluster/kmeans.hpp"

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "bindings/base/arrays.hpp"
#include "bindings/base/csr.hpp"
#include "bindings/base/dense_arrays.hpp"
#include "bindings/base/execution.hpp"
#include "bindings/base/filled.hpp"

namespace quire::bindings {

namespace {

// The centres as arguments: sums, factor, norms, operand, scale.
KMeansCentres as_centres(const Matrix<double>& sums, const Array<double>& factor,
                         const Array<double>& norms, const Matrix<float>& operand, double scale) {
    return {sums.shape(0),  sums.shape(1),    as_span(sums), as_span(factor),
            as_span(norms), as_span(operand), scale};
}

// Where a matrix keeps what places are made of: a dense one has none.
template <class Value>
std::array<Memory, 2> places_of(const CsrView<Value, std::int32_t>& X) {
    return {memory_of(X.indices), memory_of(X.indptr)};
}
template <class Value>
std::array<Memory, 2> places_of(const DenseView<Value>&) {
    return {};
}

// Binds the three kernels for one kind of matrix. `view` makes what they take of the argument X.
template <class Value, class Rows, class View>
struct Overloads {
    // A sparse matrix keeps its values whatever is done to its arrays; a dense one must have its
    // type.
    static auto rows_argument() {
        if constexpr (std::is_same_v<Rows, CsrView<Value, std::int32_t>>) {
            return "X"_a;
        } else {
            return "X"_exact;
        }
    }

    static void assign(nb::module_& m, const char* name, View view, auto kernel) {
        m.def(
            name,
            [view, kernel](const Rows& X, const Array<double>& lengths, const Matrix<double>& sums,
                           const Array<double>& factor, const Array<double>& norms,
                           const Matrix<float>& operand, double scale, const Array<double>& drift,
                           const MutableArray<std::int32_t>& labels,
                           const MutableArray<double>& slack, int n_threads) {
                const auto centres = as_centres(sums, factor, norms, operand, scale);
                const auto places = places_of(view(X));
                check_apart(
                    {memory_of(writable(labels)), memory_of(writable(slack))},
                    {places[0], places[1], memory_of(as_span(lengths)), memory_of(centres.sums),
                     memory_of(centres.factor), memory_of(centres.norms),
                     memory_of(centres.operand), memory_of(as_span(drift))});
                run(n_threads, [&](const Execution& execution) {
                    kernel(view(X), as_span(lengths), centres, as_span(drift), writable(labels),
                           writable(slack), execution);
                });
            },
            rows_argument(), "lengths"_exact, "sums"_exact, "factor"_exact, "norms"_exact,
            "operand"_exact, "scale"_a, "drift"_exact, "labels"_exact, "slack"_exact,
            "n_threads"_a = 1);
    }

    static void update(nb::module_& m, const char* name, View view, auto kernel) {
        m.def(
            name,
            [view, kernel](const Rows& X, const Array<double>& weights,
                           const Array<std::int32_t>& before, const Array<std::int32_t>& labels,
                           const Array<std::uint8_t>& rebuild, const Array<double>& totals,
                           bool cosine, double scale, const MutableMatrix<double>& sums,
                           const MutableArray<double>& factor, const MutableArray<double>& norms,
                           const MutableMatrix<float>& operand, int n_threads) {
                const auto places = places_of(view(X));
                check_apart({memory_of(writable(sums)), memory_of(writable(factor)),
                             memory_of(writable(norms)), memory_of(writable(operand))},
                            {places[0], places[1], memory_of(as_span(weights)),
                             memory_of(as_span(before)), memory_of(as_span(labels)),
                             memory_of(as_span(rebuild)), memory_of(as_span(totals))});
                auto shift = filled<double>(totals.size(), n_threads,
                                            [&](auto out, const Execution& execution) {
                                                const KMeansUpdate update{as_span(weights),
                                                                          as_span(before),
                                                                          as_span(labels),
                                                                          as_span(rebuild),
                                                                          as_span(totals),
                                                                          cosine,
                                                                          scale,
                                                                          writable(sums),
                                                                          writable(factor),
                                                                          writable(norms),
                                                                          writable(operand),
                                                                          out};
                                                kernel(view(X), update, execution);
                                            });
                return to_numpy(std::move(shift));
            },
            rows_argument(), "weights"_exact, "before"_exact, "labels"_exact, "rebuild"_exact,
            "totals"_exact, "cosine"_a, "scale"_a, "sums"_exact, "factor"_exact, "norms"_exact,
            "operand"_exact, "n_threads"_a = 1);
    }

    static void distances(nb::module_& m, const char* name, View view, auto kernel) {
        m.def(
            name,
            [view, kernel](const Rows& X, const Matrix<double>& sums, const Array<double>& factor,
                           const Array<double>& norms, const Array<std::int32_t>& labels,
                           int n_threads) {
                const KMeansCentres centres{sums.shape(0),   sums.shape(1),  as_span(sums),
                                            as_span(factor), as_span(norms), {}};
                auto out = filled<double>(
                    labels.size(), n_threads, [&](auto numbers, const Execution& execution) {
                        kernel(view(X), centres, as_span(labels), numbers, execution);
                    });
                return to_numpy(std::move(out));
            },
            rows_argument(), "sums"_exact, "factor"_exact, "norms"_exact, "labels"_exact,
            "n_threads"_a = 1);
    }
};

template <class Value>
void bind_csr(nb::module_& m) {
    const auto view = [](const CsrView<Value, std::int32_t>& X) { return X; };
    using Kernels = Overloads<Value, CsrView<Value, std::int32_t>, decltype(view)>;
    Kernels::assign(m, "csr_kmeans_assign", view,
                    [](auto&&... arguments) { csr_kmeans_assign<Value>(arguments...); });
    Kernels::update(m, "csr_kmeans_update", view,
                    [](auto&&... arguments) { csr_kmeans_update<Value>(arguments...); });
    Kernels::distances(m, "csr_kmeans_distances", view,
                       [](auto&&... arguments) { csr_kmeans_distances<Value>(arguments...); });
}

template <class Value>
void bind_dense(nb::module_& m) {
    const auto view = [](const StridedMatrix<Value>& X) { return as_dense(X); };
    using Kernels = Overloads<Value, StridedMatrix<Value>, decltype(view)>;
    Kernels::assign(m, "dense_kmeans_assign", view,
                    [](auto&&... arguments) { dense_kmeans_assign<Value>(arguments...); });
    Kernels::update(m, "dense_kmeans_update", view,
                    [](auto&&... arguments) { dense_kmeans_update<Value>(arguments...); });
    Kernels::distances(m, "dense_kmeans_distances", view,
                       [](auto&&... arguments) { dense_kmeans_distances<Value>(arguments...); });
    m.def(
        "dense_kmeans_candidates",
        [](const StridedMatrix<Value>& X, const Array<double>& squares,
           const Array<double>& weights, const Array<double>& closest,
           const Array<std::int64_t>& chosen, int n_threads) {
            const std::size_t n = chosen.size(), n_rows = X.shape(0);
            RawVector<double> potentials(n);
            auto left = filled<double>(
                n_entries(n, n_rows), n_threads, [&](auto out, const Execution& execution) {
                    dense_kmeans_candidates(as_dense(X),
                                            {as_span(squares), as_span(weights), as_span(closest),
                                             as_span(chosen), out, potentials},
                                            execution);
                });
            return tuple_of(to_numpy(std::move(left), {n, n_rows}),
                            to_numpy(std::move(potentials)));
        },
        "X"_exact, "squares"_exact, "weights"_exact, "closest"_exact, "chosen"_exact,
        "n_threads"_a = 1);
}

}  // namespace

void bind_kmeans(nb::module_& m) {
    m.def(
        "kmeans_operand",
        [](const Matrix<double>& sums, double scale, int n_threads) {
            const std::size_t stride = kmeans_stride(sums.shape(0));
            auto operand = filled<float>(n_entries(sums.shape(1), stride), n_threads,
                                         [&](auto out, const Execution& execution) {
                                             kmeans_operand(as_span(sums), sums.shape(0), scale,
                                                            out, execution);
                                         });
            return to_numpy(std::move(operand), {sums.shape(1), stride});
        },
        "sums"_exact, "scale"_a, "n_threads"_a = 1);
    for_types<float, double>([&]<class Value>() {
        bind_csr<Value>(m);
        bind_dense<Value>(m);
    });
}

}  // namespace quire::bindings
