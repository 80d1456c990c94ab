// Signatures of sparse rows. Every type of matrix is one overload.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "bindings/base/arrays.hpp"
#include "bindings/base/csr.hpp"
#include "bindings/base/filled.hpp"
#include "neighbors/csr_min_hashes.hpp"

namespace quire::bindings {

namespace {

template <class Value, class Index>
void bind_csr_min_hashes_of(nb::module_& m) {
    m.def(
        "csr_min_hashes",
        [](const CsrView<Value, Index>& X, std::size_t n_hashes, int n_threads) {
            if (n_hashes < 1 || n_hashes > kMostMinHashes) {  // before room is made
                throw std::invalid_argument("n_hashes must be in [1, 4096]");
            }
            return to_numpy(filled<std::uint32_t>(n_entries(X.n_rows(), n_hashes), n_threads,
                                                  [&](auto out, const auto& execution) {
                                                      csr_min_hashes(X, n_hashes, out, execution);
                                                  }),
                            {X.n_rows(), n_hashes});
        },
        "X"_a, "n_hashes"_a, "n_threads"_a = 1);
}

}  // namespace

void bind_min_hashes(nb::module_& m) {
    for_matrices<float, double>(
        [&]<class Value, class Index>() { bind_csr_min_hashes_of<Value, Index>(m); });
}

}  // namespace quire::bindings
