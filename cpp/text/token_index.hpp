// Every token of a corpus in its place: which form it has, and where it stands in the text.
//
// A form is a token as it is written, with its capitals and accents. What is done to words, such as
// lower case or stems, is therefore done to forms and never to texts, and the length of a token is
// known from its form. A place is kept as the number of bytes between a token and the one before
// it, which hardly ever needs more than a byte.
#pragma once

#include <cstdint>
#include <span>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "text/analyze.hpp"
#include "text/documents.hpp"

namespace quire {

struct TokenIndex {
    static constexpr std::uint8_t kWide = 255;  // a gap that does not fit is among the wide ones

    RawVector<std::uint8_t> words;         // the forms in string order, UTF-8
    RawVector<std::int64_t> word_offsets;  // n_forms + 1
    RawVector<std::int32_t> forms;         // of each token
    RawVector<std::uint8_t> gaps;          // of each token, from the end of the one before it
    RawVector<std::int64_t> wide_tokens;   // tokens whose gap is wide, rising
    RawVector<std::int64_t> wide_gaps;     // and those gaps
    RawVector<std::int64_t> bounds;        // of documents among tokens, n_documents + 1
};

// Cuts documents into words as the options say. These must be for words as they are written:
// std::invalid_argument if they change letters or mark words. Throws BadUtf8, and
// std::length_error if there are 2 billion forms.
//
// Equivalent to: [[(m.group(), m.start()) for m in re.finditer(pattern, text)] for text in texts]
TokenIndex index_tokens(std::span<const TextView> documents, const AnalyzerOptions& options,
                        const Execution& execution);

}  // namespace quire
