// The tokens of a corpus on a grid, so that threads can sample topics without sharing anything.
//
// Documents are dealt into P parts and words into P parts, both balanced by tokens. A block is the
// tokens of one part of the documents and one part of the words. The P blocks (i, (i + e) mod P) of
// epoch e have no document and no word in common. P depends on the data alone.
//
// Inside a block the tokens lie word by word (a run), and by document in a run. Documents and
// words get internal numbers, so that those of a part are neighbours in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/memory.hpp"

namespace quire {

constexpr std::uint16_t kNoTopic = 0xFFFF;

// Counts of words in documents: rows of a CSR matrix with whole numbers.
struct CountRows {
    std::span<const std::int64_t> indptr;
    std::span<const std::int32_t> indices;
    std::span<const std::int32_t> counts;
    std::size_t n_words;
    std::size_t n_docs() const { return indptr.size() - 1; }
};

// Throws std::invalid_argument unless the arrays are counts of n_words words.
void check_count_rows(const CountRows& X);

[[noreturn]] inline void throw_counts_changed() {
    throw std::invalid_argument("the counts have changed since they were given");
}

class LdaCorpus {
  public:
    struct Run {
        std::int32_t word;   // internal number
        std::int64_t begin;  // of its tokens; the next run begins where it ends
    };

    // n_parts 0 means as many as fit the number of tokens.
    LdaCorpus(const CountRows& X, std::size_t n_parts);

    std::size_t n_docs() const { return internal_.size(); }
    std::size_t n_words() const { return word_tokens_.size(); }
    std::size_t n_tokens() const { return docs_.size(); }
    std::size_t n_parts() const { return n_parts_; }

    // The runs of block (i, j), and one more that says where the last one ends.
    std::span<const Run> block(std::size_t i, std::size_t j) const {
        const std::size_t at = i * n_parts_ + j;
        const std::size_t begin = block_begin_[at];
        return {runs_.data() + begin, block_begin_[at + 1] - begin + 1};
    }
    const std::int32_t* docs() const { return docs_.data(); }  // by token: internal number
    std::uint16_t* topics() { return topics_.data(); }         // by token
    const std::uint16_t* topics() const { return topics_.data(); }

    std::int64_t word_tokens(std::size_t word) const { return word_tokens_[word]; }  // by column
    std::size_t column(std::size_t word) const { return columns_[word]; }  // of an internal number
    std::int64_t doc_tokens(std::size_t doc) const { return doc_tokens_[doc]; }  // by caller's row
    std::int32_t internal(std::size_t doc) const { return internal_[doc]; }
    std::size_t longest() const { return longest_; }

    // Calls visit(row, place) for every token in the order of the rows of X, the tokens of an entry
    // of X one after the other; place indexes docs() and topics(). X must be what the corpus was
    // made of; since it is the caller's memory, that is looked at again.
    template <class Visit>
    void in_row_order(const CountRows& X, Visit&& visit) const {
        check_count_rows(X);
        std::vector<std::int64_t> next = run_begin_;
        for (std::size_t row = 0; row < X.n_docs(); ++row) {
            std::int64_t* const cursor = next.data() + part_of_doc_[row] * n_words();
            const auto end = static_cast<std::size_t>(X.indptr[row + 1]);
            std::int64_t left = doc_tokens_[row];
            for (auto i = static_cast<std::size_t>(X.indptr[row]); i < end; ++i) {
                std::int64_t& place = cursor[X.indices[i]];
                left -= X.counts[i];
                if (left < 0 || place + X.counts[i] > static_cast<std::int64_t>(n_tokens())) {
                    throw_counts_changed();
                }
                for (std::int32_t n = 0; n < X.counts[i]; ++n) {
                    visit(row, static_cast<std::size_t>(place++));
                }
            }
            if (left != 0) throw_counts_changed();
        }
    }

  private:
    std::size_t n_parts_ = 1;
    std::size_t longest_ = 0;
    std::vector<std::int64_t> word_tokens_, doc_tokens_;
    std::vector<std::int32_t> internal_;     // by row
    std::vector<std::uint32_t> columns_;     // by internal number of a word
    std::vector<std::uint8_t> part_of_doc_;  // by row
    std::vector<std::int64_t> run_begin_;    // parts x columns: the first token of the run
    std::vector<Run> runs_;
    std::vector<std::size_t> block_begin_;
    RawVector<std::int32_t> docs_;
    RawVector<std::uint16_t> topics_;
};

}  // namespace quire
