// A vocabulary with its frequencies, in the order of the columns of a matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/memory.hpp"

namespace quire {

// Terms in string order. With width 1 the terms are the words themselves. With width N > 1 a term
// is a row of `grams`: up to N word numbers, the rest -1; since a blank sorts before every word
// character, the order of these rows is the order of the words joined by blanks.
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
    std::string_view word(std::size_t i) const {
        const auto start = static_cast<std::size_t>(word_offsets[i]);
        const auto stop = static_cast<std::size_t>(word_offsets[i + 1]);
        return {reinterpret_cast<const char*>(words.data()) + start, stop - start};
    }
};

}  // namespace quire
