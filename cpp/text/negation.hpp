// Words after a negation get a mark: "not good at all." has the words not, not_good, not_at and
// not_all. A mark holds until the next punctuation that ends a part of a sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/memory.hpp"
#include "text/normalize.hpp"
#include "text/string_table.hpp"
#include "text/token.hpp"

namespace quire {

// The words that negate. Words that end with n't do, too, wherever a pattern cuts them.
class Negation {
  public:
    explicit Negation(std::span<const std::string> words);

    bool has(const Token& token) const;

  private:
    StringTable words_;
};

// The tokens of a document with their marks, reused from document to document.
struct MarkedTokens {
    std::vector<Token> tokens;
    RawVector<std::uint8_t> bytes;  // of the marked ones; 16 more may be read
    std::size_t next = 0;           // to be handed out

    static constexpr char kMark[] = "not_";

    // Gives `tokens`, which are in the order of the text, their marks.
    //
    // Equivalent to: negation_marks (tests/reference/text/negation.py)
    void mark(const NormalizedText& text, const Negation& negation);

    // The next tokens, at most Token::kBatch of them; none at the end.
    std::size_t take(Token* out);
};

}  // namespace quire
