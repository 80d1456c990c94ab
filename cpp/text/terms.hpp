// A vocabulary with its frequencies, in the order of the columns of a matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/memory.hpp"

namespace quire {

// Terms in string order. With width 1 the terms are the words themselves. With width N > 1 a term
// is a row of `grams`: up to N word numbers, the rest -1. Words are in string order, too: since a
// blank sorts before every word character, the order of these rows is that of the words joined by
// blanks, unless words hold controls.
struct Terms {
    RawVector<std::uint8_t> words;         // UTF-8, one after the other
    RawVector<std::int64_t> word_offsets;  // n_words + 1
    int width = 1;
    RawVector<std::int32_t> grams;               // n_terms x width, empty if width == 1
    RawVector<std::int64_t> document_frequency;  // n_terms
    RawVector<std::int64_t> term_frequency;      // n_terms
};

// The same, borrowed; the frequencies may be empty.
struct TermsView {
    std::span<const std::uint8_t> words;
    std::span<const std::int64_t> word_offsets;
    int width = 1;
    std::span<const std::int32_t> grams;
    std::span<const std::int64_t> document_frequency;
    std::span<const std::int64_t> term_frequency;

    std::size_t n_words() const { return word_offsets.size() - 1; }
    std::size_t n_terms() const {
        return width == 1 ? n_words() : grams.size() / static_cast<std::size_t>(width);
    }
    // Throws std::invalid_argument unless every word lies within `words` and has a letter, and
    // every term names words that there are: past this line nothing needs to be looked at again.
    // Whoever kept these arrays, a file or a caller, may have changed any of them.
    void check() const {
        constexpr int kMostWidth = 255;
        if (width < 1 || width > kMostWidth) {
            throw std::invalid_argument("width must be between 1 and 255");
        }
        if (word_offsets.empty() || word_offsets.front() != 0) {
            throw std::invalid_argument("word_offsets must begin with 0");
        }
        for (std::size_t i = 0; i + 1 < word_offsets.size(); ++i) {
            if (word_offsets[i] >= word_offsets[i + 1]) {
                throw std::invalid_argument("word_offsets must rise: word " + std::to_string(i) +
                                            " has no letters");
            }
        }
        if (static_cast<std::uint64_t>(word_offsets.back()) > words.size()) {
            throw std::invalid_argument("word_offsets end beyond the words");
        }
        if (n_words() > 0x7FFFFFFFu) throw std::invalid_argument("more than 2 billion words");
        if (width > 1) check_grams();
    }
    void check_grams() const {
        const auto n = static_cast<std::size_t>(width);
        if (grams.size() % n != 0) {
            throw std::invalid_argument("grams must have `width` numbers for each term");
        }
        const auto n_known = static_cast<std::int32_t>(n_words());
        for (std::size_t t = 0; t < grams.size(); t += n) {
            // A term begins with a word, and after its last one there is nothing but -1.
            bool is_over = false, is_sound = grams[t] >= 0;
            for (const std::int32_t word : grams.subspan(t, n)) {
                is_sound &= word >= -1 && word < n_known && !(is_over && word >= 0);
                is_over |= word < 0;
            }
            if (!is_sound) {
                throw std::invalid_argument("term " + std::to_string(t / n) +
                                            " names a word that there is not");
            }
        }
    }
    std::string_view word(std::size_t i) const {
        const auto start = static_cast<std::size_t>(word_offsets[i]);
        const auto stop = static_cast<std::size_t>(word_offsets[i + 1]);
        return {reinterpret_cast<const char*>(words.data()) + start, stop - start};
    }
};

}  // namespace quire
