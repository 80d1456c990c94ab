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

#include "base/parallel.hpp"
#include "text/class_counts.hpp"
#include "text/count_rows.hpp"
#include "text/count_worker.hpp"
#include "text/documents.hpp"
#include "text/terms.hpp"

namespace quire {

class TextCounter {
  public:
    // With keep_rows the counts of each document are kept for a matrix, otherwise only the
    // frequencies. Of documents with labels, `classes` counts in its way (see ClassCounts).
    TextCounter(const AnalyzerOptions& options, std::vector<std::string> stop_words, bool keep_rows,
                ClassCounts classes = ClassCounts())
        : options_(options),
          stop_words_(std::move(stop_words)),
          keep_rows_(keep_rows),
          no_classes_(std::move(classes)) {}
    TextCounter(const TextCounter&) = delete;
    TextCounter& operator=(const TextCounter&) = delete;

    // Counts more documents. Throws BadUtf8.
    void add_documents(std::span<const TextView> documents, const Execution& execution);
    // Counts more documents and adds their features to the counts of their classes: labels are
    // from 0, and there may be new ones at any time. No weights (an empty span) means 1; they must
    // be finite. Rows are not kept. Throws BadUtf8, and std::invalid_argument if labels or weights
    // do not fit the documents.
    void add_labelled(std::span<const TextView> documents, std::span<const std::int32_t> labels,
                      std::span<const double> weights, const Execution& execution);
    // Takes over the terms of an earlier count. Returns the number of each in the first worker.
    RawVector<std::uint32_t> add_terms(const TermsView& terms, const Execution& execution);
    // The terms in their final order. The workers' vocabularies are given up on the way, to save
    // memory: nothing can be added afterwards.
    Terms finish(const Execution& execution);

    static constexpr std::int32_t kMostClasses = 1 << 22;

    // Throws std::logic_error before finish().
    void check_sorted() const;

    // Of the last finish(): per worker, the place of its numbers among the terms.
    static constexpr std::uint32_t kNoTerm = 0xFFFFFFFFu;
    std::span<const RawVector<std::uint32_t>> term_of_number() const { return term_of_number_; }
    // The same for numbers that add_terms() gave.
    RawVector<std::int64_t> places_of(std::span<const std::uint32_t> numbers) const;
    std::size_t n_terms() const { return n_terms_; }
    CountRows& rows() { return rows_; }
    // After finish(): the counts of each class (see join_class_counts). Throws
    // std::invalid_argument if a label was n_classes or more.
    void class_counts(std::size_t n_classes, std::span<double> sums,
                      const Execution& execution) const;

  private:
    // Calls body(part, worker's number, begin, end, checkpoint) for ranges of documents.
    template <class Body>
    void in_parts(std::span<const TextView> documents, const Execution& execution, Body&& body);
    // Counts documents[i]: the worker then has its row.
    static void count(CountWorker& worker, std::span<const TextView> documents, std::size_t i,
                      Checkpoint& checkpoint);
    void check_open() const;
    CountWorker& worker(std::size_t i);
    void add_terms(const TermsView& terms, std::span<std::uint32_t> numbers,
                   Checkpoint& checkpoint);

    AnalyzerOptions options_;
    std::vector<std::string> stop_words_;
    bool keep_rows_;
    ClassCounts no_classes_;  // nothing counted yet: a copy is where each worker begins
    bool finished_ = false;
    bool sorted_ = false;  // finish() came to its end
    std::size_t n_terms_ = 0;
    CountRows rows_;
    std::vector<std::unique_ptr<CountWorker>> workers_;
    std::vector<ClassCounts> classes_;  // of each worker
    std::vector<RawVector<std::uint32_t>> term_of_number_;
};

}  // namespace quire
