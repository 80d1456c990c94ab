// A block of vectors made orthogonal to a tall orthonormal basis.
#include "linear/block_project.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>

#include "bindings/base/arrays.hpp"
#include "bindings/base/filled.hpp"

namespace quire::bindings {

void bind_block_project(nb::module_& m) {
    m.def(
        "block_project",
        [](const Matrix<double>& Q, std::size_t n_used, const Matrix<double>& Z, int n_threads) {
            const std::size_t n_rows = Q.shape(0), width = Z.shape(1);
            if (n_used > Q.shape(1)) throw std::invalid_argument("Q must have n_used columns");
            auto H = unset<double>(n_used, width);
            auto out = filled<double>(Z.size(), n_threads, [&](auto Y, const auto& execution) {
                std::copy_n(as_span(Z).data(), Z.size(), Y.data());
                block_project(as_span(Q), n_rows, Q.shape(1), n_used, Y, width,
                              std::span<double>(H), execution);
            });
            return tuple_of(to_numpy(std::move(out), {Z.shape(0), width}),
                            to_numpy(std::move(H), {n_used, width}));
        },
        "Q"_exact, "n_used"_a, "Z"_exact, "n_threads"_a = 1);
}

}  // namespace quire::bindings
