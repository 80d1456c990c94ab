// Counting the features of documents while the vocabulary grows: the core of CountVectorizer.fit.
//
// Each worker thread has its own vocabulary and gives features its own numbers. finish() sorts and
// joins the vocabularies; only then do features get their final place, which is their rank in
// string order and so does not depend on which worker saw what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "count_rows.hpp"
#include "count_worker.hpp"
#include "documents.hpp"
#include "parallel.hpp"
#include "terms.hpp"

namespace quire {

class TextCounter {
  public:
    // With keep_rows the counts of each document are kept for a matrix, otherwise only the
    // frequencies.
    TextCounter(const AnalyzerOptions& options, std::vector<std::string> stop_words, bool keep_rows)
        : options_(options), stop_words_(std::move(stop_words)), keep_rows_(keep_rows) {}
    TextCounter(const TextCounter&) = delete;
    TextCounter& operator=(const TextCounter&) = delete;

    // Counts more documents. Throws BadUtf8.
    void add_documents(std::span<const TextView> documents, const Execution& execution);
    // Takes over the terms of an earlier count.
    void add_terms(const TermsView& terms, const Execution& execution);
    // The terms in their final order. The workers' vocabularies are given up on the way, to save
    // memory: nothing can be added afterwards.
    Terms finish(const Execution& execution);

    // Of the last finish(): per worker, the place of its numbers among the terms.
    static constexpr std::uint32_t kNoTerm = 0xFFFFFFFFu;
    std::span<const RawVector<std::uint32_t>> term_of_number() const { return term_of_number_; }
    CountRows& rows() { return rows_; }

  private:
    void check_open() const;
    CountWorker& worker(std::size_t i);
    void add_terms(const TermsView& terms, Checkpoint& checkpoint);

    AnalyzerOptions options_;
    std::vector<std::string> stop_words_;
    bool keep_rows_;
    bool finished_ = false;
    CountRows rows_;
    std::vector<std::unique_ptr<CountWorker>> workers_;
    std::vector<RawVector<std::uint32_t>> term_of_number_;
};

}  // namespace quire
