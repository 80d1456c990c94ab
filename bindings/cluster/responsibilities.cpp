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
            RawVector<double> norms(X.shape(0));
            auto logs = filled<double>(
                X.shape(0) * offsets.size(), n_threads, [&](auto out, const auto& execution) {
                    dense_responsibilities(as_dense(X), components, least,
                                           {likely.data(), likely.size()}, out, norms, execution);
                });
            return nb::make_tuple(to_numpy(std::move(logs), {X.shape(0), offsets.size()}),
                                  to_numpy(std::move(norms)));
        },
        nb::arg("X").noconvert(), nb::arg("means").noconvert(), nb::arg("factors").noconvert(),
        nb::arg("offsets").noconvert(), nb::arg("upper"), nb::arg("least"),
        nb::arg("likely").noconvert(), nb::arg("n_threads") = 1);
}

using Logs = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

}  // namespace

void bind_responsibilities(nb::module_& m) {
    bind_dense_responsibilities<float>(m);
    bind_dense_responsibilities<double>(m);
    m.def(
        "log_responsibilities",
        [](const Array<double>& offsets, const Logs& logs, int n_threads) {
            return to_numpy(
                filled<double>(logs.shape(0), n_threads, [&](auto norms, const auto& execution) {
                    log_responsibilities(as_span(offsets), {logs.data(), logs.size()}, norms,
                                         execution);
                }));
        },
        nb::arg("offsets").noconvert(), nb::arg("logs").noconvert(), nb::arg("n_threads") = 1);
}

}  // namespace quire::bindings
