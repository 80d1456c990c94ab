// The E step of mixtures.
#include "cluster/responsibilities.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "bindings/base/arrays.hpp"
#include "bindings/base/dense_arrays.hpp"
#include "bindings/base/filled.hpp"

namespace quire::bindings {

namespace {

template <class Value>
void bind_dense_responsibilities(nb::module_& m) {
    m.def(
        "dense_responsibilities",
        [](const StridedMatrix<Value>& X, const Matrix<double>& means, const Array<double>& factors,
           const Array<double>& offsets, bool upper, double least,
           const MutableArray<std::int32_t>& likely, int n_threads) {
            const MixtureComponents components{as_span(means), as_span(factors), as_span(offsets),
                                               upper};
            check_apart({memory_of(writable(likely))},
                        {memory_of(as_span(means)), memory_of(as_span(factors)),
                         memory_of(as_span(offsets))});
            RawVector<double> norms(X.shape(0));
            auto logs =
                filled<double>(n_entries(X.shape(0), offsets.size()), n_threads,
                               [&](auto out, const auto& execution) {
                                   dense_responsibilities(as_dense(X), components, least,
                                                          writable(likely), out, norms, execution);
                               });
            return tuple_of(to_numpy(std::move(logs), {X.shape(0), offsets.size()}),
                            to_numpy(std::move(norms)));
        },
        "X"_exact, "means"_exact, "factors"_exact, "offsets"_exact, "upper"_a, "least"_a,
        "likely"_exact, "n_threads"_a = 1);
}

}  // namespace

void bind_responsibilities(nb::module_& m) {
    for_types<float, double>([&]<class Value>() { bind_dense_responsibilities<Value>(m); });
    m.def(
        "log_responsibilities",
        [](const Array<double>& offsets, const MutableMatrix<double>& logs, int n_threads) {
            check_apart({memory_of(writable(logs))}, {memory_of(as_span(offsets))});
            return to_numpy(
                filled<double>(logs.shape(0), n_threads, [&](auto norms, const auto& execution) {
                    log_responsibilities(as_span(offsets), writable(logs), norms, execution);
                }));
        },
        "offsets"_exact, "logs"_exact, "n_threads"_a = 1);
}

}  // namespace quire::bindings
