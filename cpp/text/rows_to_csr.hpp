// From counted documents to the arrays of a sparse matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "text/count_rows.hpp"

namespace quire {

// Where features go: column = column_of_term[term_of_number[worker][feature]]. Either step may be
// missing (empty); a negative column or an unknown term drops the entry. Without the first step
// rows must be sorted. Where terms share a column (`joins`), their counts in a row are added up.
struct ColumnMap {
    std::span<const RawVector<std::uint32_t>> term_of_number;
    std::span<const std::int32_t> column_of_term;
    std::size_t n_columns = 0;
    bool joins = false;
};

// Whether several terms share a column, of columns below n_columns.
bool shares_columns(std::span<const std::int32_t> column_of_term, std::size_t n_columns);

template <class Value, class Index>
struct CsrArrays {
    GrowBuffer<Value> data;
    RawVector<Index> indices;
    RawVector<Index> indptr;
};

// Throws std::invalid_argument unless all columns of the map are below n_columns. n_terms: how many
// there are where features are numbers of terms.
void check_column_map(const CountRows& rows, const ColumnMap& map, std::size_t n_terms);

// The row pointers of the matrix: how many entries of each row have a column, summed up.
RawVector<std::int64_t> row_pointers(const CountRows& rows, const ColumnMap& map,
                                     const Execution& execution);

// The matrix, with sorted columns in each row; every stored value is 1 if binary. Index must be
// able to hold row_pointers().back(). Takes the entries away from `rows`: if they have the size of
// the values and none is dropped, the values are written in their place.
//
// Equivalent to: csr_matrix((counts, columns, indptr)).sum_duplicates()
template <class Value, class Index>
CsrArrays<Value, Index> rows_to_csr(CountRows& rows, const ColumnMap& map, bool binary,
                                    std::span<const std::int64_t> indptr,
                                    const Execution& execution);

}  // namespace quire
