#include "text/text_counter.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>

#include "text/term_sort.hpp"

namespace quire {

void TextCounter::check_open() const {
    if (finished_) throw std::logic_error("the counter is finished");
}

void TextCounter::check_sorted() const {
    if (!sorted_) throw std::logic_error("the counter is not finished");
}

CountWorker& TextCounter::worker(std::size_t i) {
    while (workers_.size() <= i) {
        workers_.push_back(std::make_unique<CountWorker>(options_, stop_words_));
        classes_.push_back(no_classes_);
    }
    return *workers_[i];
}

template <class Body>
void TextCounter::in_parts(std::span<const TextView> documents, const Execution& execution,
                           Body&& body) {
    const std::vector<std::size_t> bounds = document_parts(documents);
    const std::size_t n_parts = bounds.size() - 1;
    const int n_workers = static_cast<int>(
        std::min<std::size_t>(std::max(1, execution.n_threads), std::max<std::size_t>(n_parts, 1)));
    worker(static_cast<std::size_t>(n_workers - 1));  // make them before the threads start
    parallel_parts(n_parts, {n_workers, execution.interrupted},
                   [&](std::size_t part, int number, Checkpoint& checkpoint) {
                       body(part, static_cast<std::size_t>(number), bounds[part], bounds[part + 1],
                            checkpoint);
                   });
}

void TextCounter::count(CountWorker& worker, std::span<const TextView> documents, std::size_t i,
                        Checkpoint& checkpoint) {
    const std::int64_t bad = worker.count(documents[i], checkpoint);
    if (bad >= 0) throw BadUtf8{i, bad};
}

void TextCounter::add_documents(std::span<const TextView> documents, const Execution& execution) {
    check_open();
    RowCollector collector(rows_, keep_rows_ ? documents.size() : 0);
    in_parts(documents, execution,
             [&](std::size_t part, std::size_t number, std::size_t begin, std::size_t end,
                 Checkpoint& checkpoint) {
                 CountWorker& mine = *workers_[number];
                 PartRows counted = collector.take();
                 for (std::size_t i = begin; i < end; ++i) {
                     count(mine, documents, i, checkpoint);
                     if (keep_rows_) counted.add(mine.row());
                 }
                 if (keep_rows_)
                     collector.put(part, static_cast<std::uint32_t>(number), std::move(counted));
             });
}

void TextCounter::add_labelled(std::span<const TextView> documents,
                               std::span<const std::int32_t> labels,
                               std::span<const double> weights, const Execution& execution) {
    check_open();
    const std::string n_documents = std::to_string(documents.size());
    if (labels.size() != documents.size())
        throw std::invalid_argument("labels has " + std::to_string(labels.size()) +
                                    " entries for " + n_documents + " documents");
    if (!weights.empty() && weights.size() != documents.size())
        throw std::invalid_argument("weights has " + std::to_string(weights.size()) +
                                    " entries for " + n_documents + " documents");
    const auto is_label = [](std::int32_t label) { return label >= 0 && label < kMostClasses; };
    if (!std::all_of(labels.begin(), labels.end(), is_label))
        throw std::invalid_argument("a label is negative, or one of more than 4 million classes");
    if (!std::all_of(weights.begin(), weights.end(), [](double w) { return std::isfinite(w); }))
        throw std::invalid_argument("a weight is not finite");
    in_parts(documents, execution,
             [&](std::size_t, std::size_t number, std::size_t begin, std::size_t end,
                 Checkpoint& checkpoint) {
                 CountWorker& mine = *workers_[number];
                 for (std::size_t i = begin; i < end; ++i) {
                     count(mine, documents, i, checkpoint);
                     classes_[number].add(mine.row(), static_cast<std::size_t>(labels[i]),
                                          weights.empty() ? 1.0 : weights[i], mine.n_numbers());
                 }
             });
}

void TextCounter::class_counts(std::size_t n_classes, std::span<double> sums,
                               const Execution& execution) const {
    check_sorted();
    if (n_classes > kMostClasses) throw std::invalid_argument("there are too many classes");
    for (const ClassCounts& counts : classes_) {
        if (counts.n_classes() > n_classes)
            throw std::invalid_argument("there are labels up to " +
                                        std::to_string(counts.n_classes() - 1) + ", not below " +
                                        std::to_string(n_classes));
    }
    if (sums.empty()) return;  // no terms, in however many classes
    join_class_counts(classes_, term_of_number_, n_classes, n_terms_, sums, execution);
}

RawVector<std::uint32_t> TextCounter::add_terms(const TermsView& terms,
                                                const Execution& execution) {
    check_open();
    terms.check();
    const std::size_t n_terms = terms.n_terms();
    if (terms.document_frequency.size() != n_terms || terms.term_frequency.size() != n_terms) {
        throw std::invalid_argument("there must be frequencies for each term");
    }
    const auto is_possible = [](std::int64_t n) { return n >= 1 && n <= 0xFFFFFFFFu; };
    const auto is_count = [](std::int64_t n) { return n >= 0 && n >> 62 == 0; };
    if (!std::all_of(terms.document_frequency.begin(), terms.document_frequency.end(),
                     is_possible) ||
        !std::all_of(terms.term_frequency.begin(), terms.term_frequency.end(), is_count)) {
        throw std::invalid_argument("a frequency is not that of a term that occurred");
    }
    worker(0);
    RawVector<std::uint32_t> numbers(n_terms);
    interruptible(execution,
                  [&](Checkpoint& checkpoint) { add_terms(terms, numbers, checkpoint); });
    return numbers;
}

void TextCounter::add_terms(const TermsView& terms, std::span<std::uint32_t> numbers,
                            Checkpoint& checkpoint) {
    CountWorker& first = *workers_[0];
    std::vector<std::string_view> words;
    for (std::size_t t = 0; t < terms.n_terms(); ++t) {
        checkpoint.step();
        words.clear();
        if (terms.width == 1) {
            words.push_back(terms.word(t));
        } else {
            const auto gram = terms.grams.subspan(t * static_cast<std::size_t>(terms.width),
                                                  static_cast<std::size_t>(terms.width));
            for (const std::int32_t word : gram) {
                if (word >= 0) words.push_back(terms.word(static_cast<std::size_t>(word)));
            }
        }
        numbers[t] = first.add_term(words, terms.document_frequency[t], terms.term_frequency[t]);
    }
}

Terms TextCounter::finish(const Execution& execution) {
    check_open();
    worker(0);
    finished_ = true;
    Terms terms = sort_terms(workers_, options_, execution, term_of_number_);
    n_terms_ = terms.document_frequency.size();
    sorted_ = true;
    return terms;
}

RawVector<std::int64_t> TextCounter::places_of(std::span<const std::uint32_t> numbers) const {
    check_sorted();
    RawVector<std::int64_t> places(numbers.size());
    const std::span<const std::uint32_t> known = term_of_number_[0];
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] >= known.size() || known[numbers[i]] == kNoTerm) {
            throw std::invalid_argument("no term has the number " + std::to_string(numbers[i]));
        }
        places[i] = known[numbers[i]];
    }
    return places;
}

}  // namespace quire
