// Where patterns of one or more words occur among the tokens of a corpus.
//
// What a word of a pattern may be is a set of types, found out before (a glob, a regular
// expression, a list); here sets are numbers. One pass over the tokens finds all patterns, however
// many there are: a token is asked which sets its type is in, and a set which patterns begin with
// it.
#pragma once

#include <cstdint>
#include <span>

#include "base/memory.hpp"
#include "base/parallel.hpp"

namespace quire {

// Tokens of documents, one document after the other: tokens[bounds[d], bounds[d + 1]) are the types
// of document d. A negative type is that of no pattern.
struct TokenRows {
    std::span<const std::int32_t> tokens;
    std::span<const std::int64_t> bounds;

    std::size_t n_documents() const { return bounds.size() - 1; }
    // Throws std::invalid_argument unless bounds rise from 0 to the number of tokens.
    void check() const;
};

struct TokenPatterns {
    static constexpr std::int32_t kAny = -1;  // in place of a set: any token

    std::span<const std::int64_t> type_bounds;     // n_types + 1
    std::span<const std::int32_t> type_sets;       // of each type the sets that it is in, rising
    std::span<const std::int64_t> pattern_bounds;  // n_patterns + 1
    std::span<const std::int32_t> pattern_sets;    // of each pattern the set of each of its words

    std::size_t n_types() const { return type_bounds.size() - 1; }
    std::size_t n_patterns() const { return pattern_bounds.size() - 1; }
    // Throws std::invalid_argument unless bounds and sets are sound; no pattern may be empty or
    // begin with any token.
    void check() const;
};

struct TokenMatches {
    RawVector<std::int64_t> tokens;    // the first token of each match, rising
    RawVector<std::int32_t> patterns;  // which pattern, rising where the token is the same
};

// Finds all matches; none crosses the end of a document. With `longest` there is at most one for a
// token: the longest that begins at the first token free, the first pattern among equals.
//
// Equivalent to: [(t, p) for d in documents for t in d for p in patterns if matches(p, d, t)]
TokenMatches token_matches(const TokenRows& rows, const TokenPatterns& patterns, bool longest,
                           const Execution& execution);

}  // namespace quire
