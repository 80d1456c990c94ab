// The largest entries of the rows and of the columns of a matrix that comes in tiles.
#include "neighbors/tile_top_k.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "bindings/base/arrays.hpp"
#include "bindings/base/execution.hpp"

namespace quire::bindings {

namespace {

// A matrix that the kernel changes.
template <class T>
using State = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

}  // namespace

void bind_tile_top_k(nb::module_& m) {
    m.def(
        "tile_top_k",
        [](const Matrix<float>& tile, std::int64_t first_column, const Array<float>& penalty,
           const State<float>& best, const State<std::int64_t>& ids, int n_threads) {
            if (best.shape(1) != ids.shape(1)) throw std::invalid_argument("best and ids differ");
            run(n_threads, [&](const Execution& execution) {
                tile_top_k(as_span(tile), tile.shape(0), tile.shape(1), first_column,
                           as_span(penalty), {best.data(), best.size()}, {ids.data(), ids.size()},
                           best.shape(1), execution);
            });
        },
        nb::arg("tile").noconvert(), nb::arg("first_column"), nb::arg("penalty").noconvert(),
        nb::arg("best").noconvert(), nb::arg("ids").noconvert(), nb::arg("n_threads") = 1);
    m.def(
        "tile_top_k_columns",
        [](const Matrix<float>& tile, std::int64_t first_row, const State<float>& best,
           const State<std::int64_t>& ids, int n_threads) {
            if (best.shape(1) != ids.shape(1)) throw std::invalid_argument("best and ids differ");
            run(n_threads, [&](const Execution& execution) {
                tile_top_k_columns(as_span(tile), tile.shape(0), tile.shape(1), first_row,
                                   {best.data(), best.size()}, {ids.data(), ids.size()},
                                   best.shape(1), execution);
            });
        },
        nb::arg("tile").noconvert(), nb::arg("first_row"), nb::arg("best").noconvert(),
        nb::arg("ids").noconvert(), nb::arg("n_threads") = 1);
}

}  // namespace quire::bindings
