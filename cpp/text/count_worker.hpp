// One thread's share of counting: its own growing vocabulary, one document at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "text/analyze.hpp"
#include "text/count_rows.hpp"
#include "text/pair_table.hpp"
#include "text/string_table.hpp"

namespace quire {

class CountWorker {
  public:
    // How often a feature occurs: in how many documents, and how many times in all.
    struct Frequency {
        std::uint32_t documents;
        std::uint64_t terms;
    };

    // Features get numbers from 1 in the order in which they are met; stop words have the first
    // n_stop().
    CountWorker(const AnalyzerOptions& options, std::span<const std::string> stop_words);

    // Counts a document: its entries are in row() until the next call. Returns -1, or the offset of
    // a malformed byte.
    std::int64_t count(const TextView& text, Checkpoint& checkpoint);
    std::span<const Entry> row() const { return {row_.data(), n_row_}; }

    // Takes over the frequencies of a term given by its words (one string for character n-grams).
    // Returns its number.
    std::uint32_t add_term(std::span<const std::string_view> words, std::int64_t documents,
                           std::int64_t terms);

    StringTable& strings() { return strings_; }  // words, or character n-grams
    PairTable& pairs() { return pairs_; }        // word n-grams, n >= 2
    // Once their terms are taken over, the tables are only in the way.
    void drop_strings() { strings_ = StringTable(); }
    void drop_pairs() { pairs_ = PairTable(); }
    std::uint32_t n_stop() const { return n_stop_; }
    std::uint32_t n_numbers() const { return static_cast<std::uint32_t>(level_.size()); }
    int level(std::uint32_t number) const {
        return level_[number];
    }  // n of an n-gram, 1 of a string
    template <class Slot>
    Frequency frequency(const Slot& slot) const {
        if (options_.kind == AnalyzerKind::character_in_word) {
            if (slot.id >= parts_.size()) return {0, 0};  // memory ran out as it was met
            return {parts_[slot.id].documents, parts_[slot.id].terms};
        }
        const std::uint64_t moved = slot.id < moved_terms_.size() ? moved_terms_[slot.id] : 0;
        return {slot.document_frequency, slot.term_frequency + moved};
    }

  private:
    // The frequencies of a character n-gram that is counted through the words that contain it.
    struct Part {
        std::uint32_t position, documents;
        std::uint64_t terms;
    };

    template <class Slot>
    std::uint32_t number_of(Slot& slot, int level);
    StringTable::Slot& intern(const std::uint8_t* text, std::size_t length);
    void make_room(std::size_t n);

    void count_words(Checkpoint& checkpoint);
    void count_word_ngrams(Checkpoint& checkpoint);
    void count_characters(Checkpoint& checkpoint);
    void count_characters_in_words(Checkpoint& checkpoint);
    void cut_word(const std::uint8_t* word, std::size_t length, std::vector<std::uint32_t>& parts);
    void add_parts(std::span<const std::uint32_t> parts, std::int32_t times);
    template <class Slot>
    void credit(Slot& slot, std::int64_t documents, std::int64_t terms);
    void move_term_frequencies();

    AnalyzerOptions options_;
    StringTable strings_;
    PairTable pairs_;
    std::vector<std::uint8_t> level_;  // by number; level_[0] is unused
    std::uint32_t n_stop_ = 0;
    RawVector<Entry> row_;  // the document at hand: row_[0, n_row_)
    std::size_t n_row_ = 0;

    // The slots' term frequencies have 32 bits; before they can overflow they move here, by number.
    std::vector<std::uint64_t> moved_terms_;
    std::uint64_t n_since_move_ = 0;

    Normalizer normalizer_;
    NormalizedText text_, spaced_;
    TokenScratch token_scratch_;
    std::vector<std::uint32_t> offsets_;
    std::vector<std::uint32_t> numbers_,
        prefixes_;  // of a document's words, and of its (n-1)-grams

    // Character n-grams in words. A word that was met before is not cut up again.
    StringTable word_cache_;
    std::vector<std::uint32_t> cached_parts_;
    std::vector<std::pair<std::size_t, std::size_t>>
        cached_ranges_;  // by cache number: of cached_parts_
    std::vector<std::pair<std::uint32_t, std::int32_t>> words_here_;  // (cache number, times)
    std::vector<std::uint32_t> uncached_parts_;
    std::vector<Part> parts_;  // by number
};

}  // namespace quire
