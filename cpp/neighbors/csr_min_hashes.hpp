// Small signatures of sparse rows, by which rows with nearly the same columns are found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/parallel.hpp"
#include "sparse/csr.hpp"

namespace quire {

// The most places that a signature can have.
inline constexpr std::size_t kMostMinHashes = 4096;

// What the signature of a row without entries is made of.
inline constexpr std::uint32_t kNoMinHash = 0xFFFFFFFFu;

// Fills out, of shape (n_rows, n_hashes), with the signature of the set of columns of each row that
// has a value other than 0. Every column has one hash h of 64 bits; its upper half says which place
// of the signature it belongs to, its lower half is what competes there, and the smallest stays.
// Two rows agree in a place as often as their sets overlap: intersection over union. A place to
// which no column belongs takes what another has; the others are asked in an order that depends on
// the place alone, so that equal sets stay equal.
//
// Equivalent, for a row with enough columns, to
//     h = scrambled(columns + 1)
//     [min(h[place == p] & 0xFFFFFFFF) for p in range(n_hashes)],  place = (h >> 32) * n_hashes >>
//     32
//
// One permutation hashing (Li, Owen and Zhang 2012), the empty places as in Shrivastava (2017).
template <class Value, class Index>
void csr_min_hashes(const CsrView<Value, Index>& X, std::size_t n_hashes,
                    std::span<std::uint32_t> out, const Execution& execution);

}  // namespace quire
