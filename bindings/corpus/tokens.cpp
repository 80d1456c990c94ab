// Tokens of a corpus: where patterns match, and how often types occur.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>

#include "bindings/base/arrays.hpp"
#include "bindings/base/execution.hpp"
#include "corpus/token_counts.hpp"
#include "corpus/token_matches.hpp"

namespace quire::bindings {

void bind_tokens(nb::module_& m) {
    m.def(
        "token_matches",
        [](const Array<std::int32_t>& tokens, const Array<std::int64_t>& bounds,
           const Array<std::int64_t>& type_bounds, const Array<std::int32_t>& type_sets,
           const Array<std::int64_t>& pattern_bounds, const Array<std::int32_t>& pattern_sets,
           bool longest, int n_threads) {
            const TokenRows rows{as_span(tokens), as_span(bounds)};
            const TokenPatterns patterns{as_span(type_bounds), as_span(type_sets),
                                         as_span(pattern_bounds), as_span(pattern_sets)};
            auto found = run(n_threads, [&](const Execution& execution) {
                return token_matches(rows, patterns, longest, execution);
            });
            return tuple_of(to_numpy(std::move(found.tokens)), to_numpy(std::move(found.patterns)));
        },
        "tokens"_exact, "bounds"_exact, "type_bounds"_exact, "type_sets"_exact,
        "pattern_bounds"_exact, "pattern_sets"_exact, "longest"_a, "n_threads"_a);
    m.def(
        "token_counts",
        [](const Array<std::int32_t>& tokens, const Array<std::int64_t>& bounds,
           const Array<std::int32_t>& columns, std::int32_t n_columns, int n_threads) {
            const TokenRows rows{as_span(tokens), as_span(bounds)};
            auto counted = run(n_threads, [&](const Execution& execution) {
                return token_counts(rows, {as_span(columns), n_columns}, execution);
            });
            return tuple_of(to_numpy(std::move(counted.data)), to_numpy(std::move(counted.indices)),
                            to_numpy(std::move(counted.indptr)));
        },
        "tokens"_exact, "bounds"_exact, "columns"_exact, "n_columns"_a, "n_threads"_a);
    m.def(
        "token_group_counts",
        [](const Array<std::int32_t>& tokens, const Array<std::int64_t>& bounds,
           const Array<std::int32_t>& columns, std::int32_t n_columns,
           const Array<std::int32_t>& groups, std::int32_t n_groups, int n_threads) {
            const TokenRows rows{as_span(tokens), as_span(bounds)};
            auto counted = run(n_threads, [&](const Execution& execution) {
                return token_group_counts(rows, {as_span(columns), n_columns}, as_span(groups),
                                          n_groups, execution);
            });
            const std::size_t shape[] = {static_cast<std::size_t>(n_groups),
                                         static_cast<std::size_t>(n_columns)};
            return tuple_of(to_numpy(std::move(counted.tokens), shape),
                            to_numpy(std::move(counted.documents), shape));
        },
        "tokens"_exact, "bounds"_exact, "columns"_exact, "n_columns"_a, "groups"_exact,
        "n_groups"_a, "n_threads"_a);
}

}  // namespace quire::bindings
