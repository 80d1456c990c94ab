#include "text/text_lookup.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string_view>

#include "base/radix_sort.hpp"

namespace quire {

namespace {
constexpr std::size_t kBatch = Token::kBatch;
}

TextLookup::TextLookup(const AnalyzerOptions& options, std::span<const std::string> stop_words,
                       const TermsView& terms, std::span<const std::int32_t> columns,
                       const Execution& execution)
    : options_(options) {
    terms.check();
    if (columns.size() != terms.n_terms()) {
        throw std::invalid_argument("columns must have an entry for each term");
    }
    if (std::any_of(columns.begin(), columns.end(), [](std::int32_t c) { return c < 0; })) {
        throw std::invalid_argument("a column is negative");
    }
    const auto largest = std::max_element(columns.begin(), columns.end());
    n_columns_ = largest == columns.end() ? 0 : static_cast<std::size_t>(*largest) + 1;
    column_bits_ = largest == columns.end()
                       ? 1
                       : static_cast<int>(std::bit_width(static_cast<std::uint32_t>(*largest) + 1));
    for (const std::string& word : stop_words) {
        if (!word.empty()) number_of(strings_.intern(word));
    }
    n_stop_ = n_numbers_;
    strings_.reserve(3 * terms.n_words());  // at most a quarter full: there is only one table
    interruptible(execution,
                  [&](Checkpoint& checkpoint) { add_terms(terms, columns, checkpoint); });
}

void TextLookup::add_terms(const TermsView& terms, std::span<const std::int32_t> columns,
                           Checkpoint& checkpoint) {
    for (std::size_t t = 0; t < terms.n_terms(); ++t) {
        checkpoint.step();
        const auto column = static_cast<std::uint32_t>(columns[t]) + 1;
        if (terms.width == 1) {
            StringTable::Slot& slot = strings_.intern(terms.word(t));
            if (number_of(slot) > n_stop_) slot.position = column;
            continue;
        }
        const auto width = static_cast<std::size_t>(terms.width);
        const auto gram = terms.grams.subspan(t * width, width);
        const auto intern_word = [&](std::int32_t word) -> StringTable::Slot& {
            return strings_.intern(terms.word(static_cast<std::size_t>(word)));
        };
        StringTable::Slot& first = intern_word(gram[0]);
        std::uint32_t prefix = number_of(first);
        if (width == 1 || gram[1] < 0) {
            if (prefix > n_stop_) first.position = column;
            continue;
        }
        for (std::size_t n = 1; n < width && gram[n] >= 0; ++n) {
            const std::uint32_t last = number_of(intern_word(gram[n]));
            pairs_.reserve(1);
            PairTable::Slot& slot = pairs_.intern(prefix, last, PairTable::hash_of(prefix, last));
            prefix = number_of(slot);
            if (n + 1 == width || gram[n + 1] < 0) slot.position = column;
        }
    }
}

// Reads documents with a vocabulary shared by all threads.
class TextLookup::Reader {
  public:
    explicit Reader(const TextLookup& lookup)
        : lookup_(lookup),
          find_short_(lookup.strings_.finder()),
          normalizer_(lookup.options_.lowercase, lookup.options_.accents) {}

    // Leaves the sorted entries of a document in row(); returns -1 or the offset of a malformed
    // byte.
    std::int64_t read(const TextView& text, Checkpoint& checkpoint) {
        checkpoint_ = &checkpoint;
        columns_.clear();
        const std::int64_t bad = normalizer_(text, text_);
        if (bad >= 0) return bad;
        const auto look_up = [this](const std::uint8_t* string, std::size_t length) {
            read_string(string, length);
        };
        switch (lookup_.options_.kind) {
            case AnalyzerKind::word:
                read_words();
                break;
            case AnalyzerKind::character:
                collapse_spaces(text_, spaced_);
                character_offsets(spaced_.bytes.data(), spaced_.size, offsets_);
                for_each_character_ngram(spaced_.bytes.data(), offsets_, lookup_.options_.min_n,
                                         lookup_.options_.max_n, look_up);
                break;
            case AnalyzerKind::character_in_word:
                space_words(text_, spaced_);
                for_each_spaced_word(spaced_, [&](const std::uint8_t* word, std::size_t length) {
                    character_offsets(word, length, offsets_);
                    for_each_word_ngram(word, offsets_, lookup_.options_.min_n,
                                        lookup_.options_.max_n, look_up);
                });
                break;
        }
        flush();
        collect();
        return -1;
    }
    std::span<const Entry> row() const { return row_; }

  private:
    // Queues a character n-gram for look-up.
    void read_string(const std::uint8_t* text, std::size_t length) {
        tokens_[n_] = {text, length};
        hash(n_);
        if (++n_ == kBatch) flush();
    }
    void hash(std::size_t k) {
        const Token& token = tokens_[k];
        hashes_[k] = StringTable::prepare(token.text, token.length, keys_[k]);
        lookup_.strings_.prefetch_slot(hashes_[k]);
    }
    const StringTable::Slot* find(std::size_t k) const {
        const Token& token = tokens_[k];
        return token.length <= StringTable::kLongestInline
                   ? find_short_(keys_[k], hashes_[k])
                   : lookup_.strings_.find_long(token.text, token.length, hashes_[k]);
    }
    // Character n-grams: looks up what is queued.
    void flush() {
        checkpoint_->step();
        for (std::size_t k = 0; k < n_; ++k) {
            const StringTable::Slot* slot = find(k);
            if (slot != nullptr && slot->position != 0) columns_.push_back(slot->position - 1);
        }
        n_ = 0;
    }

    void read_words() {
        TokenScanner scanner(text_, lookup_.options_, token_scratch_, *checkpoint_);
        const bool ngrams = lookup_.options_.max_n > 1;
        const std::uint32_t counted = lookup_.options_.min_n == 1 ? ~std::uint32_t{0} : 0;
        const std::uint32_t n_stop = lookup_.n_stop_;
        std::size_t n_columns = 0;
        numbers_.clear();
        while (const std::size_t n = scanner.next(tokens_, *checkpoint_)) {
            for (std::size_t k = 0; k < n; ++k) hash(k);
            checkpoint_->step();
            columns_.resize(n_columns + n);
            for (std::size_t k = 0; k < n; ++k) {
                const StringTable::Slot* slot = find(k);
                const std::uint32_t number = slot != nullptr ? slot->id : 0;
                // Stop words have no column; what is no term has none either.
                const std::uint32_t position = slot != nullptr ? slot->position & counted : 0;
                columns_[n_columns] = position - 1;
                n_columns += position != 0;
                if (ngrams && (number == 0 || number > n_stop)) numbers_.push_back(number);
            }
        }
        columns_.resize(n_columns);
        if (ngrams) read_word_ngrams();
    }

    void read_word_ngrams() {
        prefixes_ = numbers_;
        for (int n = 2;
             n <= lookup_.options_.max_n && numbers_.size() >= static_cast<std::size_t>(n); ++n) {
            const std::size_t n_grams = numbers_.size() - static_cast<std::size_t>(n) + 1;
            const std::uint32_t* last = numbers_.data() + (n - 1);
            const bool counted = n >= lookup_.options_.min_n;
            for (std::size_t start = 0; start < n_grams; start += kBatch) {
                const std::size_t size = std::min(kBatch, n_grams - start);
                checkpoint_->step();
                for (std::size_t k = 0; k < size; ++k) {
                    hashes_[k] = PairTable::hash_of(prefixes_[start + k], last[start + k]);
                    lookup_.pairs_.prefetch_slot(hashes_[k]);
                }
                for (std::size_t k = 0; k < size; ++k) {
                    // Number 0, an unknown word or prefix, is in no pair.
                    const PairTable::Slot* slot =
                        lookup_.pairs_.find(prefixes_[start + k], last[start + k], hashes_[k]);
                    prefixes_[start + k] = slot != nullptr ? slot->id : 0;
                    if (counted && slot != nullptr && slot->position != 0) {
                        columns_.push_back(slot->position - 1);
                    }
                }
            }
        }
    }

    // Sorts the columns met and counts repeats.
    void collect() {
        const std::size_t n = columns_.size();
        scratch_.resize(n);
        sort_row<0>(columns_.data(), scratch_.data(), n, lookup_.column_bits_);
        row_.resize(n);
        std::size_t size = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const bool repeat = i > 0 && columns_[i] == columns_[i - 1];
            size += !repeat;
            row_[size - 1] = {columns_[i], repeat ? row_[size - 1].count + 1 : 1};
        }
        row_.resize(size);
    }

    const TextLookup& lookup_;
    StringTable::Finder<const StringTable::Slot> find_short_;
    Normalizer normalizer_;
    NormalizedText text_, spaced_;
    TokenScratch token_scratch_;
    std::vector<std::uint32_t> offsets_, numbers_, prefixes_, columns_, scratch_;
    std::vector<Entry> row_;
    Token tokens_[kBatch];
    StringKey keys_[kBatch];
    std::uint64_t hashes_[kBatch];
    std::size_t n_ = 0;
    Checkpoint* checkpoint_ = nullptr;  // of the call at hand
};

CountRows TextLookup::count(std::span<const TextView> documents, const Execution& execution) const {
    CountRows rows = count_each(
        documents, execution, [&] { return Reader(*this); }, [](const Reader&, std::size_t) {});
    rows.n_columns = n_columns_;
    return rows;
}

}  // namespace quire
