// A sparse matrix with its frequent columns first, the most frequent of them dense: the same matrix
// for kernels that go over it again and again in single precision.
#pragma once

#include <cstddef>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "sparse/csr.hpp"

namespace quire {

// X[:, order] = [head 0] + tail. Text has a few words in most documents, a quarter of all entries:
// as a dense block they take no look-ups. Other frequent words, side by side, share cache lines.
template <class Index>
struct FrequentFirst {
    RawVector<Index> order;  // n_cols: the columns of X, those with about as many entries as stored
    std::size_t n_head = 0;  // a multiple of eight
    RawVector<float> head;   // n_rows x n_head
    RawVector<float> data;   // of the tail, whose columns are places in `order`
    RawVector<Index> indices;
    RawVector<Index> indptr;
};

// Columns with entries in more than a quarter of the rows are the head, as far as they make up
// eights, and 256 at most; the others follow by the number of binary digits of their count.
//
// Equivalent to
//     count = np.bincount(X.indices, minlength=p)
//     rank = np.where(count > n // 4, 64, [int(c).bit_length() for c in count])
//     order = np.argsort(-rank, kind="stable")
//     n_head = min((count > n // 4).sum(), 256) // 8 * 8
//     head, tail = X[:, order[:n_head]].toarray(), X[:, order] with its first n_head columns empty
template <class Value, class Index>
FrequentFirst<Index> csr_frequent_first(const CsrView<Value, Index>& X, const Execution& execution);

}  // namespace quire
