// Counting the features of documents in a vocabulary that is fixed: the core of transform.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "text/analyze.hpp"
#include "text/count_rows.hpp"
#include "text/documents.hpp"
#include "text/pair_table.hpp"
#include "text/string_table.hpp"
#include "text/terms.hpp"

namespace quire {

// Reads documents in parallel: each thread has a reader from make_reader(), whose read(document,
// checkpoint) leaves sorted entries in row() or returns the offset of a malformed byte;
// check(reader, i) may refuse document i. Throws BadUtf8.
template <class MakeReader, class Check>
CountRows count_each(std::span<const TextView> documents, const Execution& execution,
                     MakeReader&& make_reader, Check&& check) {
    const std::vector<std::size_t> bounds = document_parts(documents);
    const std::size_t n_parts = bounds.size() - 1;
    const int n_workers = static_cast<int>(
        std::min<std::size_t>(std::max(1, execution.n_threads), std::max<std::size_t>(n_parts, 1)));
    using Reader = decltype(make_reader());
    std::deque<Reader> readers;
    for (int w = 0; w < n_workers; ++w) readers.push_back(make_reader());
    CountRows rows;
    RowCollector collector(rows, documents.size());
    parallel_parts(n_parts, {n_workers, execution.interrupted},
                   [&](std::size_t part, int worker, Checkpoint& checkpoint) {
                       Reader& mine = readers[static_cast<std::size_t>(worker)];
                       PartRows counted = collector.take();
                       for (std::size_t i = bounds[part]; i < bounds[part + 1]; ++i) {
                           const std::int64_t bad = mine.read(documents[i], checkpoint);
                           if (bad >= 0) throw BadUtf8{i, bad};
                           check(mine, i);
                           counted.add(mine.row());
                       }
                       collector.put(part, static_cast<std::uint32_t>(worker), std::move(counted));
                   });
    return rows;
}

class TextLookup {
  public:
    // Term t of `terms` goes to columns[t].
    TextLookup(const AnalyzerOptions& options, std::span<const std::string> stop_words,
               const TermsView& terms, std::span<const std::int32_t> columns,
               const Execution& execution);

    // Counts documents. Throws BadUtf8.
    CountRows count(std::span<const TextView> documents, const Execution& execution) const;

  private:
    class Reader;  // one thread's scratch space

    void add_terms(const TermsView& terms, std::span<const std::int32_t> columns,
                   Checkpoint& checkpoint);
    template <class Slot>
    std::uint32_t number_of(Slot& slot) {
        if (slot.id == 0) slot.id = ++n_numbers_;
        return slot.id;
    }

    AnalyzerOptions options_;
    StringTable strings_;  // a slot's position is its column + 1, or 0
    PairTable pairs_;
    std::uint32_t n_numbers_ = 0;  // given to words and n-grams, from 1
    std::uint32_t n_stop_ = 0;     // stop words have the first
    std::size_t n_columns_ = 0;    // the largest column, + 1
    int column_bits_ = 1;
};

}  // namespace quire
