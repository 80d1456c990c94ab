#include "text/count_worker.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace quire {

namespace {

// Words longer than this are not worth remembering, and the memory of them is emptied when it is
// full.
constexpr std::size_t kLongestCached = 64;
constexpr std::size_t kMostCached = std::size_t{1} << 20;
constexpr std::size_t kBatch = Token::kBatch;
constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();

// Adds occurrences of features to a row. A slot remembers where in the row its feature was last
// put; whether that was in this row is checked there. Without branches: half of all words are
// repeats, and which ones cannot be foreseen.
class RowWriter {
  public:
    RowWriter(Entry* row, std::size_t size) : row_(row), size_(static_cast<std::uint32_t>(size)) {}

    // Adds to a feature that was last put at `last`: where it is now, and whether it is new in this
    // row.
    std::pair<std::uint32_t, bool> add(std::uint32_t feature, std::uint32_t last,
                                       std::int32_t times) {
        const bool fresh = !((last < size_) & (row_[last].feature == feature));
        const std::uint32_t place = fresh ? size_ : last;
        row_[place] = {feature, fresh ? times : row_[place].count + times};
        size_ += fresh;
        return {place, fresh};
    }
    template <class Slot>
    void add(Slot& slot) {
        const auto [place, fresh] = add(slot.id, slot.position, 1);
        slot.position = place;
        slot.document_frequency += fresh;
        ++slot.term_frequency;
    }
    std::size_t size() const { return size_; }

  private:
    Entry* row_;
    std::uint32_t size_;
};

}  // namespace

CountWorker::CountWorker(const AnalyzerOptions& options, std::span<const std::string> stop_words)
    : options_(options), level_(1, 0), normalizer_(options.lowercase, options.accents), parts_(1) {
    for (const std::string& word : stop_words) {
        if (!word.empty()) number_of(strings_.intern(word), 1);
    }
    n_stop_ = n_numbers() - 1;
}

template <class Slot>
std::uint32_t CountWorker::number_of(Slot& slot, int level) {
    if (slot.id == 0) {
        if (level_.size() >= kMost32)
            throw std::length_error("more than 4 billion distinct features");
        slot.id = static_cast<std::uint32_t>(level_.size());
        level_.push_back(static_cast<std::uint8_t>(level));
    }
    return slot.id;
}

void CountWorker::make_room(std::size_t n) {
    if (row_.size() < n_row_ + n) {
        row_.resize(std::max(n_row_ + n, row_.size() + row_.size() / 2), Entry{});
    }
}

StringTable::Slot& CountWorker::intern(const std::uint8_t* text, std::size_t length) {
    StringKey key;
    const std::uint64_t hash = StringTable::prepare(text, length, key);
    strings_.reserve(1);
    return strings_.intern(text, length, key, hash);
}

std::int64_t CountWorker::count(const TextView& text, Checkpoint& checkpoint) {
    n_row_ = 0;
    const std::int64_t bad = normalizer_(text, text_);
    if (bad >= 0) return bad;
    // No feature can occur more often in a document than there are n-grams in it.
    const std::uint64_t most = text_.size * static_cast<std::uint64_t>(options_.max_n) + 1;
    if (n_since_move_ + most > kMost32) move_term_frequencies();
    n_since_move_ += most;
    switch (options_.kind) {
        case AnalyzerKind::word:
            count_words(checkpoint);
            break;
        case AnalyzerKind::character:
            count_characters(checkpoint);
            break;
        case AnalyzerKind::character_in_word:
            count_characters_in_words(checkpoint);
            break;
    }
    return -1;
}

void CountWorker::count_words(Checkpoint& checkpoint) {
    TokenScanner scanner(text_, options_, token_scratch_, checkpoint);
    Token tokens[kBatch];
    StringKey keys[kBatch];
    std::uint64_t hashes[kBatch];
    const bool ngrams = options_.max_n > 1;
    const bool counted = options_.min_n == 1;
    const std::uint32_t n_stop = n_stop_;
    numbers_.clear();
    while (const std::size_t n = scanner.next(tokens, checkpoint)) {
        // First the hashes of the whole batch, so that memory answers while the rest is worked out.
        strings_.reserve(n);
        for (std::size_t k = 0; k < n; ++k) {
            hashes[k] = StringTable::prepare(tokens[k].text, tokens[k].length, keys[k]);
            strings_.prefetch_slot(hashes[k]);
        }
        make_room(n);
        const auto find = strings_.finder();
        RowWriter row(row_.data(), n_row_);
        for (std::size_t k = 0; k < n; ++k) {
            StringTable::Slot* slot = nullptr;
            if (tokens[k].length <= StringTable::kLongestInline) [[likely]] {
                slot = find(keys[k], hashes[k]);
                if (slot == nullptr) [[unlikely]] {
                    slot = &strings_.intern(keys[k], hashes[k]);
                }
            } else {
                slot = &strings_.intern_long(tokens[k].text, tokens[k].length, hashes[k]);
            }
            if (slot->id == 0) [[unlikely]]
                number_of(*slot, 1);
            if (slot->id <= n_stop) continue;
            if (counted) row.add(*slot);
            if (ngrams) numbers_.push_back(slot->id);
        }
        n_row_ = row.size();
        checkpoint.step();
    }
    if (ngrams) count_word_ngrams(checkpoint);
}

void CountWorker::count_word_ngrams(Checkpoint& checkpoint) {
    std::uint64_t hashes[kBatch];
    prefixes_ = numbers_;
    // Before round n, prefixes_[i] is the number of the (n-1)-gram that starts at word i.
    for (int n = 2; n <= options_.max_n && numbers_.size() >= static_cast<std::size_t>(n); ++n) {
        const std::size_t n_grams = numbers_.size() - static_cast<std::size_t>(n) + 1;
        const std::uint32_t* last = numbers_.data() + (n - 1);
        const bool counted = n >= options_.min_n;
        for (std::size_t start = 0; start < n_grams; start += kBatch) {
            const std::size_t size = std::min(kBatch, n_grams - start);
            pairs_.reserve(size);
            for (std::size_t k = 0; k < size; ++k) {
                hashes[k] = PairTable::hash_of(prefixes_[start + k], last[start + k]);
                pairs_.prefetch_slot(hashes[k]);
            }
            make_room(size);
            RowWriter row(row_.data(), n_row_);
            for (std::size_t k = 0; k < size; ++k) {
                PairTable::Slot& slot =
                    pairs_.intern(prefixes_[start + k], last[start + k], hashes[k]);
                prefixes_[start + k] = number_of(slot, n);
                if (counted) row.add(slot);
            }
            n_row_ = row.size();
            checkpoint.step();
        }
    }
}

void CountWorker::count_characters(Checkpoint& checkpoint) {
    collapse_spaces(text_, spaced_);
    character_offsets(spaced_.bytes.data(), spaced_.size, offsets_);
    // The same two steps as for words: hash a batch, then look it up.
    Token tokens[kBatch];
    StringKey keys[kBatch];
    std::uint64_t hashes[kBatch];
    std::size_t n = 0;
    const auto flush = [&] {
        strings_.reserve(n);
        make_room(n);
        RowWriter row(row_.data(), n_row_);
        for (std::size_t k = 0; k < n; ++k) {
            StringTable::Slot& slot =
                strings_.intern(tokens[k].text, tokens[k].length, keys[k], hashes[k]);
            number_of(slot, 1);
            row.add(slot);
        }
        n_row_ = row.size();
        n = 0;
        checkpoint.step();
    };
    for_each_character_ngram(spaced_.bytes.data(), offsets_, options_.min_n, options_.max_n,
                             [&](const std::uint8_t* text, std::size_t length) {
                                 tokens[n] = {text, length};
                                 hashes[n] = StringTable::prepare(text, length, keys[n]);
                                 strings_.prefetch_slot(hashes[n]);
                                 if (++n == kBatch) flush();
                             });
    flush();
}

void CountWorker::cut_word(const std::uint8_t* word, std::size_t length,
                           std::vector<std::uint32_t>& parts) {
    character_offsets(word, length, offsets_);
    for_each_word_ngram(word, offsets_, options_.min_n, options_.max_n,
                        [&](const std::uint8_t* text, std::size_t n_bytes) {
                            parts.push_back(number_of(intern(text, n_bytes), 1));
                        });
    parts_.resize(level_.size());
}

void CountWorker::add_parts(std::span<const std::uint32_t> parts, std::int32_t times) {
    make_room(parts.size());
    RowWriter row(row_.data(), n_row_);
    for (const std::uint32_t number : parts) {
        Part& part = parts_[number];
        const auto [place, fresh] = row.add(number, part.position, times);
        part.position = place;
        part.documents += fresh;
        part.terms += static_cast<std::uint64_t>(times);
    }
    n_row_ = row.size();
}

void CountWorker::count_characters_in_words(Checkpoint& checkpoint) {
    space_words(text_, spaced_);
    if (word_cache_.size() > kMostCached) {
        word_cache_.clear();
        cached_parts_.clear();
        cached_ranges_.clear();
    }
    words_here_.clear();
    uncached_parts_.clear();
    for_each_spaced_word(spaced_, [&](const std::uint8_t* word, std::size_t length) {
        checkpoint.step();
        if (length > kLongestCached) {
            cut_word(word, length, uncached_parts_);
            return;
        }
        StringKey key;
        const std::uint64_t hash = StringTable::prepare(word, length, key);
        word_cache_.reserve(1);
        StringTable::Slot* slot = &word_cache_.intern(word, length, key, hash);
        if (slot->id == 0) {
            const std::size_t start = cached_parts_.size();
            cut_word(word, length, cached_parts_);
            cached_ranges_.emplace_back(start, cached_parts_.size());
            slot->id = static_cast<std::uint32_t>(cached_ranges_.size());
        }
        if (slot->position < words_here_.size() && words_here_[slot->position].first == slot->id) {
            ++words_here_[slot->position].second;
        } else {
            slot->position = static_cast<std::uint32_t>(words_here_.size());
            words_here_.emplace_back(slot->id, 1);
        }
    });
    for (const auto& [number, times] : words_here_) {
        const auto [start, stop] = cached_ranges_[number - 1];
        add_parts(std::span(cached_parts_).subspan(start, stop - start), times);
    }
    add_parts(uncached_parts_, 1);
}

template <class Slot>
void CountWorker::credit(Slot& slot, std::int64_t documents, std::int64_t terms) {
    if (options_.kind == AnalyzerKind::character_in_word) {
        parts_.resize(level_.size());
        parts_[slot.id].documents += static_cast<std::uint32_t>(documents);
        parts_[slot.id].terms += static_cast<std::uint64_t>(terms);
        return;
    }
    slot.document_frequency += static_cast<std::uint32_t>(documents);
    if (moved_terms_.size() < level_.size()) moved_terms_.resize(level_.size(), 0);
    moved_terms_[slot.id] += static_cast<std::uint64_t>(terms);
}

std::uint32_t CountWorker::add_term(std::span<const std::string_view> words, std::int64_t documents,
                                    std::int64_t terms) {
    StringTable::Slot& first = strings_.intern(words[0]);
    std::uint32_t number = number_of(first, 1);
    if (words.size() == 1) {
        credit(first, documents, terms);
        return number;
    }
    if (number <= n_stop_) throw std::invalid_argument("a term begins with a stop word");
    for (std::size_t n = 2; n <= words.size(); ++n) {
        const std::uint32_t last = number_of(strings_.intern(words[n - 1]), 1);
        if (last <= n_stop_) throw std::invalid_argument("a term holds a stop word");
        pairs_.reserve(1);
        PairTable::Slot& slot = pairs_.intern(number, last, PairTable::hash_of(number, last));
        number = number_of(slot, static_cast<int>(n));
        if (n == words.size()) credit(slot, documents, terms);
    }
    return number;
}

void CountWorker::move_term_frequencies() {
    moved_terms_.resize(level_.size(), 0);
    const auto move = [&](auto& slot) {
        moved_terms_[slot.id] += slot.term_frequency;
        slot.term_frequency = 0;
    };
    for (StringTable::Slot& slot : strings_.slots()) move(slot);
    for (PairTable::Slot& slot : pairs_.slots()) move(slot);
    n_since_move_ = 0;
}

}  // namespace quire
