#include "text_counter.hpp"

#include <stdexcept>
#include <string_view>

#include "term_sort.hpp"

namespace quire {

void TextCounter::check_open() const {
    if (finished_) throw std::logic_error("the counter is finished");
}

CountWorker& TextCounter::worker(std::size_t i) {
    while (workers_.size() <= i) {
        workers_.push_back(std::make_unique<CountWorker>(options_, stop_words_));
    }
    return *workers_[i];
}

void TextCounter::add_documents(std::span<const TextView> documents, const Execution& execution) {
    check_open();
    const std::vector<std::size_t> bounds = document_parts(documents);
    const std::size_t n_parts = bounds.size() - 1;
    const int n_workers = static_cast<int>(
        std::min<std::size_t>(std::max(1, execution.n_threads), std::max<std::size_t>(n_parts, 1)));
    worker(static_cast<std::size_t>(n_workers - 1));  // make them before the threads start
    RowCollector collector(rows_, keep_rows_ ? documents.size() : 0);
    parallel_parts(n_parts, {n_workers, execution.interrupted},
                   [&](std::size_t part, int number, Checkpoint& checkpoint) {
                       CountWorker& mine = *workers_[static_cast<std::size_t>(number)];
                       PartRows counted = collector.take();
                       for (std::size_t i = bounds[part]; i < bounds[part + 1]; ++i) {
                           const std::int64_t bad = mine.count(documents[i], checkpoint);
                           if (bad >= 0) throw BadUtf8{i, bad};
                           if (keep_rows_) counted.add(mine.row());
                       }
                       if (keep_rows_)
                           collector.put(part, static_cast<std::uint32_t>(number),
                                         std::move(counted));
                   });
}

void TextCounter::add_terms(const TermsView& terms, const Execution& execution) {
    check_open();
    worker(0);
    interruptible(execution, [&](Checkpoint& checkpoint) { add_terms(terms, checkpoint); });
}

void TextCounter::add_terms(const TermsView& terms, Checkpoint& checkpoint) {
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
        first.add_term(words, terms.document_frequency[t], terms.term_frequency[t]);
    }
}

Terms TextCounter::finish(const Execution& execution) {
    check_open();
    worker(0);
    finished_ = true;
    return sort_terms(workers_, options_, execution, term_of_number_);
}

}  // namespace quire
