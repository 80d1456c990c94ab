#include "text/text_hasher.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/radix_sort.hpp"
#include "text/string_table.hpp"

namespace quire {

std::int32_t murmur3_32(const std::uint8_t* data, std::size_t n, std::uint32_t seed) {
    constexpr std::uint32_t c1 = 0xCC9E2D51, c2 = 0x1B873593;
    std::uint32_t h = seed;
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        std::uint32_t k;
        std::memcpy(&k, data + i, 4);
        h ^= std::rotl(k * c1, 15) * c2;
        h = std::rotl(h, 13) * 5 + 0xE6546B64;
    }
    std::uint32_t k = 0;
    switch (n - i) {
        case 3:
            k ^= static_cast<std::uint32_t>(data[i + 2]) << 16;
            [[fallthrough]];
        case 2:
            k ^= static_cast<std::uint32_t>(data[i + 1]) << 8;
            [[fallthrough]];
        case 1:
            k ^= data[i];
            h ^= std::rotl(k * c1, 15) * c2;
            break;
        default:
            break;
    }
    h ^= static_cast<std::uint32_t>(n);
    h = (h ^ (h >> 16)) * 0x85EBCA6B;
    h = (h ^ (h >> 13)) * 0xC2B2AE35;
    return static_cast<std::int32_t>(h ^ (h >> 16));
}

namespace {

// One thread's hashing of documents.
class Hasher {
  public:
    Hasher(const AnalyzerOptions& options, std::span<const std::string> stop_words,
           const HasherOptions& hasher)
        : options_(options), hasher_(hasher), normalizer_(options.lowercase, options.accents) {
        for (const std::string& word : stop_words) {
            if (!word.empty()) stop_.intern(word);
        }
        power_of_two_ = std::has_single_bit(static_cast<std::uint64_t>(hasher.n_features));
    }

    // Leaves the sorted entries of a document in row(); returns -1 or the offset of a malformed
    // byte.
    std::int64_t read(const TextView& text, Checkpoint& checkpoint) {
        checkpoint_ = &checkpoint;
        items_.clear();
        const std::int64_t bad = normalizer_(text, text_);
        if (bad >= 0) return bad;
        surrogate_ = false;
        const auto add = [this](const std::uint8_t* feature, std::size_t length) {
            add_feature(feature, length);
        };
        switch (options_.kind) {
            case AnalyzerKind::word:
                read_words();
                break;
            case AnalyzerKind::character:
                collapse_spaces(text_, spaced_);
                find_surrogate();
                character_offsets(spaced_.bytes.data(), spaced_.size, offsets_);
                for_each_character_ngram(spaced_.bytes.data(), offsets_, options_.min_n,
                                         options_.max_n, add);
                break;
            case AnalyzerKind::character_in_word:
                space_words(text_, spaced_);
                find_surrogate();
                for_each_spaced_word(spaced_, [&](const std::uint8_t* word, std::size_t length) {
                    character_offsets(word, length, offsets_);
                    for_each_word_ngram(word, offsets_, options_.min_n, options_.max_n, add);
                });
                break;
        }
        surrogate_ = surrogate_ && !items_.empty();  // a text too short for n-grams has none
        collect();
        return -1;
    }
    std::span<const Entry> row() const { return row_; }
    bool surrogate() const { return surrogate_; }

  private:
    static constexpr std::uint32_t kGo = 1, kStop = 2;
    static constexpr std::size_t kMostKnown = std::size_t{1} << 18;

    // The column of a feature and its sign: (column << 1) | negative.
    std::uint32_t item_of(const std::uint8_t* feature, std::size_t length) const {
        const std::int32_t h = murmur3_32(feature, length, 0);
        std::uint64_t size = static_cast<std::uint64_t>(h < 0 ? -static_cast<std::int64_t>(h) : h);
        if (h == std::numeric_limits<std::int32_t>::min()) {
            size = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max() -
                                              (hasher_.n_features - 1));
        }
        const auto n_features = static_cast<std::uint64_t>(hasher_.n_features);
        const std::uint64_t column = power_of_two_ ? size & (n_features - 1) : size % n_features;
        return static_cast<std::uint32_t>((column << 1) | (h < 0 && hasher_.alternate_sign));
    }
    void add_feature(const std::uint8_t* feature, std::size_t length) {
        if (items_.size() % 256 == 0) checkpoint_->step();
        items_.push_back(item_of(feature, length));
    }

    bool is_stop_word(const Token& token) const {
        if (stop_.size() == 0) return false;
        if (token.length > StringTable::kLongestInline) {
            return stop_.find_long(token.text, token.length,
                                   StringTable::hash_of_long(token.text, token.length)) != nullptr;
        }
        const StringKey key = StringTable::short_key(token.text, token.length);
        return stop_.finder()(key, StringTable::hash_of(key)) != nullptr;
    }

    // Words repeat: their items are remembered, which is faster than hashing them again. The memory
    // is emptied when it is full.
    void read_words() {
        TokenScanner scanner(text_, options_, token_scratch_, *checkpoint_);
        Token batch[Token::kBatch];
        StringKey keys[Token::kBatch];
        std::uint64_t hashes[Token::kBatch];
        const bool ngrams = options_.max_n > 1;
        const bool counted = options_.min_n == 1;
        tokens_.clear();
        if (known_.size() > kMostKnown) known_.clear();
        while (const std::size_t n = scanner.next(batch, *checkpoint_)) {
            known_.reserve(n);
            checkpoint_->step();
            for (std::size_t k = 0; k < n; ++k) {
                if (batch[k].length > StringTable::kLongestInline) continue;
                keys[k] = StringTable::short_key(batch[k].text, batch[k].length);
                hashes[k] = StringTable::hash_of(keys[k]);
                known_.prefetch_slot(hashes[k]);
            }
            for (std::size_t k = 0; k < n; ++k) {
                std::uint32_t item;
                bool stop;
                if (batch[k].length <= StringTable::kLongestInline) {
                    StringTable::Slot& slot = known_.intern(keys[k], hashes[k]);
                    if (slot.id == 0) {
                        slot.id = is_stop_word(batch[k]) ? kStop : kGo;
                        slot.position = item_of(batch[k].text, batch[k].length);
                    }
                    item = slot.position;
                    stop = slot.id == kStop;
                } else {
                    item = item_of(batch[k].text, batch[k].length);
                    stop = is_stop_word(batch[k]);
                }
                if (stop) continue;
                if (!text_.is_ascii) find_surrogate(batch[k].text, batch[k].length);
                if (counted) items_.push_back(item);
                if (ngrams) tokens_.push_back(batch[k]);
            }
        }
        if (ngrams) read_word_ngrams();
    }

    void read_word_ngrams() {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            joined_.assign(reinterpret_cast<const char*>(tokens_[i].text), tokens_[i].length);
            const std::size_t stop =
                std::min(tokens_.size(), i + static_cast<std::size_t>(options_.max_n));
            for (std::size_t j = i + 1; j < stop; ++j) {
                joined_ += ' ';
                joined_.append(reinterpret_cast<const char*>(tokens_[j].text), tokens_[j].length);
                if (static_cast<int>(j - i) + 1 >= options_.min_n) {
                    add_feature(reinterpret_cast<const std::uint8_t*>(joined_.data()),
                                joined_.size());
                }
            }
        }
    }

    // Lone surrogates are no word characters, but n-grams of characters and other tokens can hold
    // them.
    void find_surrogate(const std::uint8_t* text, std::size_t length) {
        for (std::size_t i = 0; i + 1 < length; ++i) {
            surrogate_ |= text[i] == 0xED && text[i + 1] >= 0xA0;
        }
    }
    void find_surrogate() {
        if (!spaced_.is_ascii) find_surrogate(spaced_.bytes.data(), spaced_.size);
    }

    // Sorts the items and adds up the signs of each column.
    void collect() {
        const std::size_t n = items_.size();
        scratch_.resize(n);
        const int bits =
            1 +
            static_cast<int>(std::bit_width(static_cast<std::uint64_t>(hasher_.n_features - 1)));
        sort_row<1>(items_.data(), scratch_.data(), n, bits);
        row_.resize(n);
        std::size_t size = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const bool repeat = i > 0 && items_[i] >> 1 == items_[i - 1] >> 1;
            const std::int32_t value = 1 - 2 * static_cast<std::int32_t>(items_[i] & 1);
            size += !repeat;
            row_[size - 1] = {items_[i] >> 1, repeat ? row_[size - 1].count + value : value};
        }
        row_.resize(size);
    }

    AnalyzerOptions options_;
    HasherOptions hasher_;
    Normalizer normalizer_;
    StringTable stop_;
    StringTable known_;  // a slot's position is the item of the word, its id kGo or kStop
    bool power_of_two_ = false;
    bool surrogate_ = false;
    NormalizedText text_, spaced_;
    TokenScratch token_scratch_;
    std::vector<std::uint32_t> offsets_;
    std::vector<Token> tokens_;
    std::string joined_;
    std::vector<std::uint32_t> items_, scratch_;
    std::vector<Entry> row_;
    Checkpoint* checkpoint_ = nullptr;  // of the call at hand
};

}  // namespace

CountRows hash_documents(std::span<const TextView> documents, const AnalyzerOptions& options,
                         std::span<const std::string> stop_words, const HasherOptions& hasher,
                         const Execution& execution) {
    if (hasher.n_features < 1 || hasher.n_features > std::numeric_limits<std::int32_t>::max()) {
        throw std::invalid_argument("n_features must be between 1 and 2**31 - 1");
    }
    CountRows rows = count_each(
        documents, execution, [&] { return Hasher(options, stop_words, hasher); },
        [](const Hasher& mine, std::size_t i) {
            if (mine.surrogate()) throw SurrogateFound{i};
        });
    rows.n_columns = static_cast<std::size_t>(hasher.n_features);
    return rows;
}

}  // namespace quire
