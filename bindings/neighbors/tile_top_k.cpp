// The largest entries of the rows and of the columns of a matrix that comes in tiles.
#include "neighbors/tile_top_k.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "bindings/base/arrays.hpp"
#include "bindings/base/execution.hpp"

namespace quire::bindings {

void bind_tile_top_k(nb::module_& m) {
    m.def(
        "tile_top_k",
        [](const Matrix<float>& tile, std::int64_t first_column, const Array<float>& penalty,
           const MutableMatrix<float>& best, const MutableMatrix<std::int64_t>& ids,
           int n_threads) {
            if (best.shape(1) != ids.shape(1)) throw std::invalid_argument("best and ids differ");
            check_apart({memory_of(writable(best)), memory_of(writable(ids))},
                        {memory_of(as_span(tile)), memory_of(as_span(penalty))});
            run(n_threads, [&](const Execution& execution) {
                tile_top_k(as_span(tile), tile.shape(0), tile.shape(1), first_column,
                           as_span(penalty), writable(best), writable(ids), best.shape(1),
                           execution);
            });
        },
        "tile"_exact, "first_column"_a, "penalty"_exact, "best"_exact, "ids"_exact,
        "n_threads"_a = 1);
    m.def(
        "tile_top_k_columns",
        [](const Matrix<float>& tile, std::int64_t first_row, const MutableMatrix<float>& best,
           const MutableMatrix<std::int64_t>& ids, int n_threads) {
            if (best.shape(1) != ids.shape(1)) throw std::invalid_argument("best and ids differ");
            check_apart({memory_of(writable(best)), memory_of(writable(ids))},
                        {memory_of(as_span(tile))});
            run(n_threads, [&](const Execution& execution) {
                tile_top_k_columns(as_span(tile), tile.shape(0), tile.shape(1), first_row,
                                   writable(best), writable(ids), best.shape(1), execution);
            });
        },
        "tile"_exact, "first_row"_a, "best"_exact, "ids"_exact, "n_threads"_a = 1);
}

}  // namespace quire::bindings
