// Tokens found by a regular expression that was made into an automaton over classes of characters.
//
// A token begins at the first place where the expression fits and is what a backtracking matcher
// would take there; the next search begins where it ends. The automaton reads a character's class
// and goes to its next state; that a token ends is known one character later, so that what comes
// after it can have a say (word boundaries). What makes automata fast here: text is cut into runs
// of characters of one class first, and a run that leaves the state as it is costs one step. Most
// runs need no step, since the runs beside them tell that they are a token or part of none: a rule
// for each three classes in a row says so. Where tokens are nothing but whole runs of some classes
// and single characters of others (\w+|[^\w\s]), their edges are bits of masks.
//
// Equivalent to: [match[group] for match in re.finditer(pattern, text)]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "text/normalize.hpp"
#include "text/token.hpp"

namespace quire {

// Which part of what was matched is the token, in characters: the first `skip` are dropped, then
// `keep` are taken or, if that is 0, all but the last `drop`.
struct TokenPart {
    std::uint32_t skip = 0, keep = 0, drop = 0;
};

class TokenAutomaton {
  public:
    // Characters from starts[i] up to starts[i + 1] are of classes[i]. States are rows of `next`
    // and `accepts`, which have a column for each class and a last one for the end of the text;
    // state 0 has failed. accepts[s][c] tells that what was read up to state s is a token if a
    // character of class c follows. A search after a character of class c begins in first[c], one
    // at the beginning of the text in first[n_classes]. Throws std::invalid_argument.
    TokenAutomaton(std::span<const std::int32_t> starts, std::span<const std::uint8_t> classes,
                   std::size_t n_classes, std::span<const std::uint16_t> next,
                   std::span<const std::uint8_t> accepts, std::span<const std::uint16_t> first,
                   TokenPart part);

    std::uint8_t class_of(char32_t c) const { return blocks_[block_[c >> 8] * 256u + (c & 255u)]; }

    // Whether tokens are whole runs of some classes, of which there are few, and single characters
    // of others.
    bool is_simple() const { return n_run_kinds_ > 0 || has_single_; }

  private:
    friend class AutomatonScanner;

    // What a class is to simple tokens: not in any, one by itself, or the first kind of runs.
    static constexpr std::uint8_t kNone = 0, kSingle = 1, kFirstRun = 2;
    static constexpr std::size_t kMostRunKinds = 4;

    void find_kinds(std::span<const std::uint16_t> next, std::span<const std::uint8_t> accepts,
                    std::span<const std::uint16_t> first);

    // What comes of a run of one class at whose beginning a search begins, by its number of
    // characters, kLongest standing for all above it: up to `most`, runs of `least` characters and
    // more are a token and shorter ones part of none; longer ones are left to the automaton.
    struct RunRule {
        std::uint8_t least = 0, most = 0;

        static constexpr std::uint8_t kLongest = 254, kNever = 255;
        // Whether it does not matter how long a run is.
        bool is_for_all() const { return most == kLongest && (least <= 1 || least == kNever); }
    };

    void find_rules(std::span<const std::uint16_t> next, std::span<const std::uint8_t> accepts,
                    std::span<const std::uint16_t> first);

    // A step: the row of the next state above kFlags bits.
    static constexpr std::uint32_t kAccept = 1;     // a token ends before this character
    static constexpr std::uint32_t kRun = 2;        // the rest of its run changes nothing
    static constexpr std::uint32_t kRunAccept = 4;  // but a token may end before its last one
    static constexpr std::uint32_t kSkip = 8;       // at the start: no token begins in this run
    static constexpr int kFlags = 4;

    std::size_t n_classes_;
    std::vector<std::uint32_t> steps_;     // n_states x (n_classes + 1)
    std::vector<std::uint32_t> first_;     // n_classes + 1 rows
    std::array<std::uint8_t, 128> ascii_;  // classes or, of simple tokens, kinds
    std::vector<std::uint8_t> kinds_;      // of classes, if tokens are simple
    std::size_t n_run_kinds_ = 0;
    bool has_single_ = false;
    std::vector<RunRule> rules_;            // of the class of a run and of that behind it
    std::vector<std::uint32_t> rule_rows_;  // where those begin, by the class before the run
    std::vector<std::uint16_t> block_;
    std::vector<std::uint8_t> blocks_;
    TokenPart part_;
};

// What a search keeps of a text, reused from document to document.
struct AutomatonScratch {
    RawVector<std::uint8_t> classes;  // of each byte, from place 1 on
    RawVector<std::uint64_t> edges;   // bits: where the class is another one than before
    RawVector<std::uint64_t> ends;    // bits: where simple tokens end; edges are where they begin
};

// Cuts normalised text into tokens, a batch at a time.
class AutomatonScanner {
  public:
    AutomatonScanner(const NormalizedText& text, const TokenAutomaton& automaton,
                     AutomatonScratch& scratch);

    // As WordScanner::next.
    std::size_t next(Token* tokens, Checkpoint& checkpoint);

  private:
    void find_classes(AutomatonScratch& scratch);
    void find_edges(AutomatonScratch& scratch);
    void find_simple(AutomatonScratch& scratch);
    std::size_t next_simple(Token* tokens);
    bool find_places();
    template <bool is_ascii>
    std::size_t take_runs(Token* tokens, std::size_t n_tokens, Checkpoint& checkpoint);
    template <bool is_ascii>
    std::size_t search(Token* tokens, Checkpoint& checkpoint);
    template <bool is_ascii>
    bool take(std::size_t start, std::size_t end, Token& token) const;

    const NormalizedText& text_;
    const TokenAutomaton& automaton_;
    const std::uint8_t* classes_;
    const std::uint64_t* edges_;
    const std::uint64_t* ends_ = nullptr;
    std::size_t at_ = 0;     // where the search goes on
    std::size_t block_ = 0;  // whose edges are the next to be made places
    // Where runs begin, those from place_ on being still of use; of simple tokens, where tokens
    // do, of which the last may be open.
    std::size_t place_ = 0, n_places_ = 0;
    std::size_t places_[Token::kBatch + 64];
};

}  // namespace quire
