// How often types occur in the documents of a corpus of tokens, and in groups of documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "corpus/token_matches.hpp"

namespace quire {

// The column of each type, -1 for those that are not counted.
struct TokenColumns {
    std::span<const std::int32_t> of_type;
    std::int32_t n_columns = 0;

    // Throws std::invalid_argument unless every column is there or -1, and no more than types.
    void check() const;
};

struct TokenCounts {
    RawVector<std::int32_t> data;     // counts
    RawVector<std::int32_t> indices;  // columns, rising in each document
    RawVector<std::int64_t> indptr;   // n_documents + 1
};

// Counts documents by column; tokens with a negative type are left out. Throws
// std::invalid_argument if a token has a type that there is not.
//
// Equivalent to: scipy.sparse.csr_array((ones, columns[tokens], bounds)) with duplicates summed
TokenCounts token_counts(const TokenRows& rows, const TokenColumns& columns,
                         const Execution& execution);

struct TokenGroupCounts {
    RawVector<std::int64_t> tokens;     // n_groups x n_columns: how often
    RawVector<std::int64_t> documents;  // n_groups x n_columns: in how many documents
};

// Counts groups of documents by column; a document with a negative group is in none. Memory is in
// proportion to groups times columns times threads.
//
// Equivalent to: for each group counts[groups == g].sum(axis=0) and (counts[groups == g] > 0).sum()
TokenGroupCounts token_group_counts(const TokenRows& rows, const TokenColumns& columns,
                                    std::span<const std::int32_t> groups, std::int32_t n_groups,
                                    const Execution& execution);

}  // namespace quire
