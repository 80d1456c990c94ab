// From normalised text to features: words, characters, characters within word boundaries.
//
// Equivalent to scikit-learn's analyzers. With the patterns (?u)\b\w{n,}\b a word is a longest run
// of word characters with at least n of them; other patterns come as an automaton.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "text/negation.hpp"
#include "text/normalize.hpp"
#include "text/token.hpp"
#include "text/token_automaton.hpp"

namespace quire {

enum class AnalyzerKind : std::uint8_t { word, character, character_in_word };

struct AnalyzerOptions {
    AnalyzerKind kind = AnalyzerKind::word;
    bool lowercase = true;
    Accents accents = Accents::keep;
    int shortest_word = 2;  // in code points
    int min_n = 1;
    int max_n = 1;
    // What a word is, if it is not a run of word characters.
    std::shared_ptr<const TokenAutomaton> automaton = nullptr;
    // Which words negate those behind them, if these are to be marked.
    std::shared_ptr<const Negation> negation = nullptr;
};

// What cutting keeps of a text, reused from document to document. Tokens may point to it.
struct TokenScratch {
    AutomatonScratch automaton;
    MarkedTokens marked;
};

// Cuts normalised text into words, a batch at a time.
class WordScanner {
  public:
    static constexpr std::size_t kBatch = Token::kBatch;

    WordScanner(const NormalizedText& text, int shortest_word)
        : text_(text), shortest_(static_cast<std::size_t>(shortest_word)) {}

    // The next words, at most kBatch of them; none when the text is at its end. Pointers stay valid
    // as long as the text, and 16 bytes may be read from each.
    std::size_t next(Token* tokens) {
        const std::size_t n_words = text_.size / 64 + 1;
        std::size_t n_tokens = 0;
        // Edges of the mask are where runs of word characters start and stop, by turns. The mask
        // ends with a zero bit, so that the last run is closed.
        while (n_tokens == 0 && block_ < n_words) {
            while (block_ < n_words && n_edges_ + 64 <= kEdges) {
                const std::uint64_t mask = text_.word_mask[block_];
                std::uint64_t edges = mask ^ ((mask << 1) | carry_);
                carry_ = mask >> 63;
                const auto base = static_cast<std::size_t>(block_ * 64);
                ++block_;
                while (edges != 0) {
                    edges_[n_edges_++] = base + static_cast<std::size_t>(std::countr_zero(edges));
                    edges &= edges - 1;
                }
            }
            const std::size_t n_whole = n_edges_ & ~std::size_t{1};
            for (std::size_t k = 0; k < n_whole; k += 2) {
                const std::uint8_t* start = text_.bytes.data() + edges_[k];
                const std::size_t length = edges_[k + 1] - edges_[k];
                tokens[n_tokens] = {start, length};
                n_tokens += length >= shortest_ && (text_.is_ascii || long_enough(start, length));
            }
            edges_[0] = n_edges_ > n_whole ? edges_[n_whole] : 0;
            n_edges_ -= n_whole;
        }
        return n_tokens;
    }

  private:
    static constexpr std::size_t kEdges = 2 * kBatch;  // at most kBatch whole runs

    bool long_enough(const std::uint8_t* text, std::size_t length) const {
        std::size_t n_characters = 0;
        for (std::size_t i = 0; i < length && n_characters < shortest_; ++i) {
            n_characters += (text[i] & 0xC0) != 0x80;
        }
        return n_characters >= shortest_;
    }

    const NormalizedText& text_;
    std::size_t shortest_;
    std::size_t block_ = 0;
    std::uint64_t carry_ = 0;
    std::size_t n_edges_ = 0;
    std::size_t edges_[kEdges + 1];
};

// Cuts normalised text into what the options say words are.
class TokenScanner {
  public:
    TokenScanner(const NormalizedText& text, const AnalyzerOptions& options, TokenScratch& scratch,
                 Checkpoint& checkpoint)
        : words_(text, options.shortest_word) {
        if (options.automaton != nullptr) {
            automaton_.emplace(text, *options.automaton, scratch.automaton);
        }
        if (options.negation == nullptr) return;
        marked_ = &scratch.marked;
        marked_->tokens.clear();
        Token tokens[Token::kBatch];
        while (const std::size_t n = cut(tokens, checkpoint)) {
            marked_->tokens.insert(marked_->tokens.end(), tokens, tokens + n);
            checkpoint.step();
        }
        marked_->mark(text, *options.negation);
    }
    // As WordScanner::next.
    std::size_t next(Token* tokens, Checkpoint& checkpoint) {
        return marked_ != nullptr ? marked_->take(tokens) : cut(tokens, checkpoint);
    }

  private:
    std::size_t cut(Token* tokens, Checkpoint& checkpoint) {
        return automaton_ ? automaton_->next(tokens, checkpoint) : words_.next(tokens);
    }

    MarkedTokens* marked_ = nullptr;
    WordScanner words_;
    std::optional<AutomatonScanner> automaton_;
};

// White space as the character analyzers see it, written to `out` (its word mask is not kept).
// Replaces each run of two or more by one blank. Equivalent to re.sub(r"\s\s+", " ", text).
void collapse_spaces(const NormalizedText& text, NormalizedText& out);
// Words between blanks: " " + " ".join(text.split()) + " ", or nothing if there are no words.
void space_words(const NormalizedText& text, NormalizedText& out);

// Where the characters of UTF-8 bytes start, and the end: n + 1 offsets.
void character_offsets(const std::uint8_t* text, std::size_t n_bytes,
                       std::vector<std::uint32_t>& offsets);

// Calls f(text, n_bytes) for each n-gram of characters given by offsets, n in [min_n, max_n].
template <class F>
void for_each_character_ngram(const std::uint8_t* text, const std::vector<std::uint32_t>& offsets,
                              int min_n, int max_n, F&& f) {
    const auto n_characters = static_cast<std::int64_t>(offsets.size()) - 1;
    for (std::int64_t n = min_n; n <= std::min<std::int64_t>(max_n, n_characters); ++n) {
        for (std::int64_t i = 0; i + n <= n_characters; ++i) {
            f(text + offsets[i], offsets[i + n] - offsets[i]);
        }
    }
}

// The same within one word that has a blank on each side; a word shorter than n counts once, whole.
template <class F>
void for_each_word_ngram(const std::uint8_t* text, const std::vector<std::uint32_t>& offsets,
                         int min_n, int max_n, F&& f) {
    const auto n_characters = static_cast<std::int64_t>(offsets.size()) - 1;
    for (std::int64_t n = min_n; n <= max_n; ++n) {
        if (n >= n_characters) {
            f(text, static_cast<std::size_t>(offsets.back()));
            return;
        }
        for (std::int64_t i = 0; i + n <= n_characters; ++i) {
            f(text + offsets[i], offsets[i + n] - offsets[i]);
        }
    }
}

// Calls f(text, n_bytes) for each word with its two blanks, in text made by space_words.
template <class F>
void for_each_spaced_word(const NormalizedText& text, F&& f) {
    std::size_t start = 0;
    for (std::size_t i = 1; i < text.size; ++i) {
        if (text.bytes[i] == ' ') {
            f(text.bytes.data() + start, i + 1 - start);
            start = i;
        }
    }
}

}  // namespace quire
