#include "corpus/token_counts.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "corpus/token_parts.hpp"

namespace quire {

namespace {

// The column of a token, -1 if it is not counted.
std::int32_t column_of(std::int32_t type, const TokenColumns& columns) {
    if (type < 0) return -1;
    const auto t = static_cast<std::size_t>(type);
    if (t >= columns.of_type.size()) {
        throw std::invalid_argument("a token has the type " + std::to_string(type) +
                                    ", which there is not");
    }
    return columns.of_type[t];
}

// A worker's counter: a cell for each column, zero but for the document at hand.
class DocumentCounter {
  public:
    explicit DocumentCounter(std::int32_t n_columns)
        : counts_(static_cast<std::size_t>(n_columns), 0) {}

    void count(std::span<const std::int32_t> tokens, const TokenColumns& columns,
               TokenCounts& out) {
        met_.clear();
        for (const std::int32_t type : tokens) {
            const std::int32_t column = column_of(type, columns);
            if (column < 0) continue;
            if (counts_[static_cast<std::size_t>(column)]++ == 0) met_.push_back(column);
        }
        std::sort(met_.begin(), met_.end());
        for (const std::int32_t column : met_) {
            out.indices.push_back(column);
            out.data.push_back(std::exchange(counts_[static_cast<std::size_t>(column)], 0));
        }
        out.indptr.push_back(static_cast<std::int64_t>(met_.size()));  // of this document alone
    }

  private:
    std::vector<std::int32_t> counts_;
    std::vector<std::int32_t> met_;
};

std::span<const std::int32_t> document(const TokenRows& rows, std::size_t d) {
    const auto begin = static_cast<std::size_t>(rows.bounds[d]);
    return rows.tokens.subspan(begin, static_cast<std::size_t>(rows.bounds[d + 1]) - begin);
}

}  // namespace

void TokenColumns::check() const {
    if (n_columns < 0) throw std::invalid_argument("n_columns is negative");
    if (static_cast<std::size_t>(n_columns) > of_type.size()) {
        throw std::invalid_argument("there are more columns than types");
    }
    for (const std::int32_t column : of_type) {
        if (column < -1 || column >= n_columns) {
            throw std::invalid_argument("a type has the column " + std::to_string(column) +
                                        ", which there is not");
        }
    }
}

TokenCounts token_counts(const TokenRows& rows, const TokenColumns& columns,
                         const Execution& execution) {
    rows.check();
    columns.check();
    const std::vector<std::size_t> parts = token_parts(rows.bounds);
    std::vector<TokenCounts> counted(parts.size() - 1);
    std::vector<std::vector<DocumentCounter>> counters(
        static_cast<std::size_t>(std::max(1, execution.n_threads)));
    parallel_parts(counted.size(), execution, [&](std::size_t part, int worker, Checkpoint&) {
        auto& mine = counters[static_cast<std::size_t>(worker)];
        if (mine.empty()) mine.emplace_back(columns.n_columns);
        for (std::size_t d = parts[part]; d < parts[part + 1]; ++d) {
            mine.front().count(document(rows, d), columns, counted[part]);
        }
    });
    TokenCounts all;
    all.indptr.assign(1, 0);
    all.indptr.reserve(rows.bounds.size());
    std::vector<std::size_t> begins{0};
    for (const TokenCounts& one : counted) {
        for (const std::int64_t n : one.indptr) all.indptr.push_back(all.indptr.back() + n);
        begins.push_back(begins.back() + one.data.size());
    }
    all.data.resize(begins.back());
    all.indices.resize(begins.back());
    parallel_parts(counted.size(), execution, [&](std::size_t part, int) {
        const TokenCounts one = std::move(counted[part]);
        std::copy(one.data.begin(), one.data.end(), all.data.data() + begins[part]);
        std::copy(one.indices.begin(), one.indices.end(), all.indices.data() + begins[part]);
    });
    return all;
}

TokenGroupCounts token_group_counts(const TokenRows& rows, const TokenColumns& columns,
                                    std::span<const std::int32_t> groups, std::int32_t n_groups,
                                    const Execution& execution) {
    rows.check();
    columns.check();
    if (groups.size() != rows.n_documents()) {
        throw std::invalid_argument("groups has " + std::to_string(groups.size()) +
                                    " entries for " + std::to_string(rows.n_documents()) +
                                    " documents");
    }
    if (n_groups < 0) throw std::invalid_argument("n_groups is negative");
    if (static_cast<std::size_t>(n_groups) > rows.n_documents()) {  // memory is taken for each
        throw std::invalid_argument("there are more groups than documents");
    }
    for (const std::int32_t group : groups) {
        if (group >= n_groups) {
            throw std::invalid_argument("a document is in group " + std::to_string(group) +
                                        ", which there is not");
        }
    }
    const auto n_columns = static_cast<std::size_t>(columns.n_columns);
    const std::size_t n_cells = n_entries(static_cast<std::size_t>(n_groups), n_columns);
    const std::vector<std::size_t> parts = token_parts(rows.bounds);

    struct Worker {
        RawVector<std::int64_t> tokens, documents;
        std::vector<std::int64_t> last;  // by column, the document in which it was met last
    };
    std::vector<Worker> workers(static_cast<std::size_t>(std::max(1, execution.n_threads)));
    parallel_parts(parts.size() - 1, execution, [&](std::size_t part, int number, Checkpoint&) {
        Worker& mine = workers[static_cast<std::size_t>(number)];
        if (mine.tokens.size() != n_cells) {
            mine.tokens.assign(n_cells, 0);
            mine.documents.assign(n_cells, 0);
        }
        if (mine.last.empty()) mine.last.assign(n_columns, -1);
        for (std::size_t d = parts[part]; d < parts[part + 1]; ++d) {
            const std::int32_t group = groups[d];
            const std::size_t row = group < 0 ? 0 : static_cast<std::size_t>(group) * n_columns;
            for (const std::int32_t type : document(rows, d)) {
                const std::int32_t column = column_of(type, columns);
                if (column < 0 || group < 0) continue;
                const auto c = static_cast<std::size_t>(column);
                ++mine.tokens[row + c];
                if (mine.last[c] != static_cast<std::int64_t>(d)) {
                    mine.last[c] = static_cast<std::int64_t>(d);
                    ++mine.documents[row + c];
                }
            }
        }
    });
    TokenGroupCounts all;
    all.tokens.assign(n_cells, 0);
    all.documents.assign(n_cells, 0);
    for (const Worker& one : workers) {
        for (std::size_t k = 0; k < one.tokens.size(); ++k) {
            all.tokens[k] += one.tokens[k];
            all.documents[k] += one.documents[k];
        }
    }
    return all;
}

}  // namespace quire
