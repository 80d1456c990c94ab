// A block of vectors made orthogonal to a tall orthonormal basis: the inner step of block Lanczos.
#pragma once

#include <cstddef>
#include <span>

#include "base/parallel.hpp"

namespace quire {

// With Q the first n_used columns of a row-major matrix (n_rows x stride) and Z (n_rows x width),
//     H = Q'Z,   Z <- Z - QH
// H is n_used x width and overwritten.
//
// The basis is read twice and never packed, which is where a general matrix product loses its time
// when Z has few columns. Rows are cut into parts of fixed size whose products are added in order:
// the same bits with any number of threads and any instruction set.
//
// Equivalent to
//     H = Q[:, :n_used].T @ Z; Z -= Q[:, :n_used] @ H
void block_project(std::span<const double> Q, std::size_t n_rows, std::size_t stride,
                   std::size_t n_used, std::span<double> Z, std::size_t width, std::span<double> H,
                   const Execution& execution);

}  // namespace quire
