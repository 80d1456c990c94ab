#include "text/term_sort.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string_view>

#include "base/bits.hpp"
#include "base/radix_sort.hpp"
#include "text/string_table.hpp"

namespace quire {

namespace {

constexpr std::uint32_t kNoTerm = 0xFFFFFFFFu;
constexpr std::size_t kMergeParts = 32;

// A word is sorted where it lies: its slot of the table, with the key made comparable. key.low are
// the first 8 bytes, big-endian; key.high is the rest with the length in the last byte or, of a
// long word, the address of its text, which `position` then tells.
using WordRecord = StringTable::Slot;
constexpr std::uint32_t kShort = 0, kLong = 1;

struct PairRecord {
    std::uint64_t key;  // (place of the (n-1)-gram, place of the last word)
    std::uint64_t terms;
    std::uint32_t id, documents;
};

// The bytes of a word; a short one is written to `bytes`.
std::string_view text_of(const WordRecord& record, std::uint64_t (&bytes)[2]) {
    if (record.position == kLong) {
        const auto* text =
            reinterpret_cast<const char*>(static_cast<std::uintptr_t>(record.key.high));
        std::uint32_t length;
        std::memcpy(&length, text - sizeof length, sizeof length);
        return {text, length};
    }
    bytes[0] = byte_swap(record.key.low);
    bytes[1] = byte_swap(record.key.high);
    return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(record.key.high & 0xFF)};
}

bool before(const WordRecord& a, const WordRecord& b) {
    if (a.key.low != b.key.low) return a.key.low < b.key.low;
    if ((a.position | b.position) == kShort) return a.key.high < b.key.high;
    std::uint64_t a_bytes[2], b_bytes[2];
    return text_of(a, a_bytes) < text_of(b, b_bytes);
}
bool before(const PairRecord& a, const PairRecord& b) {
    return a.key < b.key;
}

// One level of the vocabulary: the words, or the n-grams for one n, without repeats and in order.
struct Level {
    RawVector<std::uint32_t> parent,
        word;  // places: of the (n-1)-gram and of the last word (n >= 2)
    RawVector<std::int64_t> documents, terms;
    std::size_t size() const { return documents.size(); }
};

// Makes the key of a slot comparable.
void make_record(const StringTable& table, WordRecord& slot) {
    const std::string_view text = table.text_of(slot);
    if (slot.key.high >= StringTable::kLongMark) {
        std::memcpy(&slot.key.low, text.data(), sizeof slot.key.low);
        slot.key.high = reinterpret_cast<std::uintptr_t>(text.data());
        slot.position = kLong;
    } else {
        slot.key.high = byte_swap(slot.key.high);
        slot.position = kShort;
    }
    slot.key.low = byte_swap(slot.key.low);
}

// The words of one worker, in the memory of its table.
std::span<const WordRecord> sorted_words(CountWorker& worker, Checkpoint& checkpoint) {
    StringTable& table = worker.strings();
    const std::span<WordRecord> slots = table.compact();
    const auto end = std::remove_if(slots.begin(), slots.end(), [&](const WordRecord& slot) {
        return slot.id <= worker.n_stop();
    });
    for (auto slot = slots.begin(); slot != end; ++slot) make_record(table, *slot);
    std::sort(slots.begin(), end, [&](const WordRecord& a, const WordRecord& b) {
        checkpoint.step();
        return before(a, b);
    });
    return {slots.begin(), end};
}

// The n-grams of one worker for one n. `place` gives the places of shorter n-grams by number.
RawVector<PairRecord> sorted_pairs(CountWorker& worker, int n, std::span<const std::uint32_t> place,
                                   std::size_t n_parents, std::size_t n_words, bool is_last,
                                   Checkpoint& checkpoint) {
    RawVector<PairRecord> records;
    records.reserve(worker.pairs().size());
    const int word_bits = std::bit_width(n_words);
    for (const PairTable::Slot& slot : worker.pairs().slots()) {
        if (slot.id == 0 || worker.level(slot.id) != n) continue;
        const std::uint64_t parent = place[slot.first];
        const auto [documents, n_terms] = worker.frequency(slot);
        records.push_back(
            {(parent << word_bits) | place[slot.second], n_terms, slot.id, documents});
    }
    if (is_last) worker.drop_pairs();
    RawVector<PairRecord> scratch(records.size());
    radix_sort<11>(
        records.data(), scratch.data(), records.size(),
        word_bits + static_cast<int>(std::bit_width(n_parents)),
        [](const PairRecord& record) { return record.key; }, checkpoint);
    return records;
}

// Walks several sorted lists together: f(record, worker, is_new) in order.
template <class Record, class F>
void merge(std::vector<std::span<const Record>> lists, F&& f) {
    const Record* last = nullptr;
    for (;;) {
        std::size_t best = lists.size();
        for (std::size_t w = 0; w < lists.size(); ++w) {
            if (lists[w].empty()) continue;
            if (best == lists.size() || before(lists[w].front(), lists[best].front())) best = w;
        }
        if (best == lists.size()) return;
        const Record& record = lists[best].front();
        f(record, best, last == nullptr || before(*last, record));
        last = &record;
        lists[best] = lists[best].subspan(1);
    }
}

// Joins the workers' sorted lists: fills place[worker][number] and the sums of the frequencies,
// which frequency(worker, record) gives, and calls emit(place, record) once for each distinct
// record. Cut into ranges of keys that go in parallel; resize(n) is called in between with the
// number of distinct records.
template <class Record, class Frequency, class Resize, class Emit>
void join(const std::vector<std::span<const Record>>& lists, const Execution& execution,
          std::vector<RawVector<std::uint32_t>>& place, Level& level, Frequency&& frequency,
          Resize&& resize, Emit&& emit) {
    const auto longest = std::max_element(lists.begin(), lists.end(),
                                          [](auto& a, auto& b) { return a.size() < b.size(); });
    const std::size_t n_parts =
        std::max<std::size_t>(1, std::min(kMergeParts, longest->size() / 1024));
    std::vector<std::vector<std::span<const Record>>> parts(n_parts);
    std::vector<std::size_t> starts(lists.size(), 0);
    for (std::size_t p = 0; p < n_parts; ++p) {
        for (std::size_t w = 0; w < lists.size(); ++w) {
            std::size_t stop = lists[w].size();
            if (p + 1 < n_parts) {
                const Record& bound = (*longest)[(p + 1) * longest->size() / n_parts];
                stop = static_cast<std::size_t>(
                    std::lower_bound(
                        lists[w].begin(), lists[w].end(), bound,
                        [](const Record& a, const Record& b) { return before(a, b); }) -
                    lists[w].begin());
            }
            parts[p].emplace_back(lists[w].data() + starts[w], stop - starts[w]);
            starts[w] = stop;
        }
    }
    std::vector<std::size_t> first(n_parts + 1, 0);
    parallel_parts(n_parts, execution, [&](std::size_t p, int) {
        std::size_t n = 0;
        merge(parts[p], [&](const Record&, std::size_t, bool is_new) { n += is_new; });
        first[p + 1] = n;
    });
    for (std::size_t p = 0; p < n_parts; ++p) first[p + 1] += first[p];
    if (first[n_parts] >= kNoTerm) throw std::length_error("more than 4 billion distinct terms");
    level.documents.resize(first[n_parts]);
    level.terms.resize(first[n_parts]);
    resize(first[n_parts]);
    parallel_parts(n_parts, execution, [&](std::size_t p, int) {
        std::size_t at = first[p] - 1;
        merge(parts[p], [&](const Record& record, std::size_t w, bool is_new) {
            if (is_new) {
                ++at;
                level.documents[at] = level.terms[at] = 0;
                emit(at, record);
            }
            const auto [documents, n_terms] = frequency(w, record);
            level.documents[at] += documents;
            level.terms[at] += static_cast<std::int64_t>(n_terms);
            place[w][record.id] = static_cast<std::uint32_t>(at);
        });
    });
}

// The words of all workers, without repeats, as bytes and offsets in `terms`.
Level join_words(const std::vector<std::unique_ptr<CountWorker>>& workers,
                 const Execution& execution, std::vector<RawVector<std::uint32_t>>& place,
                 Terms& terms) {
    std::vector<std::span<const WordRecord>> lists(workers.size());
    parallel_parts(workers.size(), execution, [&](std::size_t w, int, Checkpoint& checkpoint) {
        lists[w] = sorted_words(*workers[w], checkpoint);
    });
    Level level;
    RawVector<std::int64_t>& offsets = terms.word_offsets;
    join(
        lists, execution, place, level,
        [&](std::size_t w, const WordRecord& record) { return workers[w]->frequency(record); },
        [&](std::size_t n) { offsets.resize(n + 1); },
        [&](std::size_t at, const WordRecord& record) {
            std::uint64_t bytes[2];
            offsets[at + 1] = static_cast<std::int64_t>(text_of(record, bytes).size());
        });
    offsets[0] = 0;
    for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
    terms.words.resize(static_cast<std::size_t>(offsets.back()));
    // A word that several workers have is written as often: cheaper than a list of where it is.
    for (std::size_t w = 0; w < lists.size(); ++w) {
        for (const WordRecord& record : lists[w]) {
            std::uint64_t bytes[2];
            const std::string_view text = text_of(record, bytes);
            std::memcpy(terms.words.data() + offsets[place[w][record.id]], text.data(),
                        text.size());
        }
    }
    for (const auto& worker : workers) worker->drop_strings();
    return level;
}

// The place of every node of the tree of n-grams among all terms: a node before its children,
// children in order. position[k][i] is kNoTerm where node i of level k is not a term itself.
std::vector<RawVector<std::uint32_t>> tree_order(const std::vector<Level>& levels, int min_n,
                                                 std::size_t* n_terms) {
    const std::size_t n_levels = levels.size();
    const auto is_term = [&](std::size_t k, std::size_t i) {
        return static_cast<int>(k) + 1 >= min_n && levels[k].documents[i] > 0;
    };
    // size: how many terms are in the node's subtree.
    std::vector<RawVector<std::uint32_t>> size(n_levels), position(n_levels);
    for (std::size_t k = n_levels; k-- > 0;) {
        size[k].resize(levels[k].size());
        for (std::size_t i = 0; i < levels[k].size(); ++i) size[k][i] = is_term(k, i);
        if (k + 1 < n_levels) {
            for (std::size_t c = 0; c < levels[k + 1].size(); ++c) {
                size[k][levels[k + 1].parent[c]] += size[k + 1][c];
            }
        }
    }
    // next: where the next child of each node of the level above goes.
    RawVector<std::uint32_t> next;
    std::size_t sum = 0;
    for (std::size_t k = 0; k < n_levels; ++k) {
        position[k].resize(levels[k].size());
        RawVector<std::uint32_t> children(k + 1 < n_levels ? levels[k].size() : 0);
        for (std::size_t i = 0; i < levels[k].size(); ++i) {
            std::uint32_t start;
            if (k == 0) {
                start = static_cast<std::uint32_t>(sum);
                sum += size[0][i];
            } else {
                std::uint32_t& place = next[levels[k].parent[i]];
                start = place;
                place += size[k][i];
            }
            const bool term = is_term(k, i);
            position[k][i] = term ? start : kNoTerm;
            if (!children.empty()) children[i] = start + term;
        }
        next = std::move(children);
    }
    if (sum > 0x7FFFFFFFu) throw std::length_error("more than 2 billion distinct terms");
    *n_terms = sum;
    return position;
}

// Where the order of words and the order of these words before a blank differ: words with
// characters that sort before a blank (controls). Empty if there are none.
std::vector<std::uint32_t> ranks_before_blank(const Terms& terms) {
    const auto begin = terms.words.begin();
    if (std::none_of(begin, terms.words.end(), [](std::uint8_t c) { return c < ' '; })) return {};
    std::vector<std::uint32_t> words(terms.word_offsets.size() - 1), ranks(words.size());
    std::iota(words.begin(), words.end(), 0u);
    const auto text = [&](std::uint32_t word) {
        const auto start = static_cast<std::size_t>(terms.word_offsets[word]);
        return std::string_view(reinterpret_cast<const char*>(terms.words.data()) + start,
                                static_cast<std::size_t>(terms.word_offsets[word + 1]) - start);
    };
    std::sort(words.begin(), words.end(), [&](std::uint32_t a, std::uint32_t b) {
        const std::string_view first = text(a), second = text(b);
        const std::size_t n = std::min(first.size(), second.size());
        const int order = first.substr(0, n).compare(second.substr(0, n));
        if (order != 0 || first.size() == second.size()) return order < 0;
        const std::string_view longer = first.size() > n ? first : second;
        return (static_cast<std::uint8_t>(longer[n]) < ' ') == (first.size() > n);
    });
    for (std::size_t i = 0; i < words.size(); ++i) {
        ranks[words[i]] = static_cast<std::uint32_t>(i);
    }
    return ranks;
}

// Puts n-grams that were sorted word by word into the order of their strings, which is another one
// if words hold characters before a blank. Words themselves are in the order of their strings.
void sort_as_strings(Terms& terms, std::vector<RawVector<std::uint32_t>>& term_of_number,
                     const Execution& execution) {
    const std::vector<std::uint32_t> rank = ranks_before_blank(terms);
    if (rank.empty()) return;
    const auto width = static_cast<std::size_t>(terms.width);
    const std::size_t n_terms = terms.document_frequency.size();
    std::vector<std::uint32_t> order(n_terms), place(n_terms);
    std::iota(order.begin(), order.end(), 0u);
    interruptible(execution, [&](Checkpoint& checkpoint) {
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            checkpoint.step();
            const std::int32_t* first = terms.grams.data() + a * width;
            const std::int32_t* second = terms.grams.data() + b * width;
            std::size_t k = 0;
            while (k < width && first[k] == second[k]) ++k;
            if (k == width) return false;
            if (first[k] < 0 || second[k] < 0) return first[k] < 0;  // one begins with the other
            const auto ends = [&](const std::int32_t* gram) {
                return k + 1 == width || gram[k + 1] < 0;
            };
            const auto u = static_cast<std::size_t>(first[k]);
            const auto v = static_cast<std::size_t>(second[k]);
            // The end of a string sorts before everything, a blank after controls.
            if (ends(first) && (ends(second) || u < v)) return u < v;
            if (ends(second) && v < u) return false;
            return rank[u] < rank[v];
        });
    });
    const auto reorder = [&](RawVector<std::int64_t>& values) {
        RawVector<std::int64_t> moved(n_terms);
        for (std::size_t i = 0; i < n_terms; ++i) moved[i] = values[order[i]];
        values = std::move(moved);
    };
    reorder(terms.document_frequency);
    reorder(terms.term_frequency);
    RawVector<std::int32_t> grams(terms.grams.size());
    for (std::size_t i = 0; i < n_terms; ++i) {
        std::copy_n(terms.grams.data() + order[i] * width, width, grams.data() + i * width);
        place[order[i]] = static_cast<std::uint32_t>(i);
    }
    terms.grams = std::move(grams);
    for (RawVector<std::uint32_t>& places : term_of_number) {
        for (std::uint32_t& at : places) {
            if (at != kNoTerm) at = place[at];
        }
    }
}

}  // namespace

Terms sort_terms(const std::vector<std::unique_ptr<CountWorker>>& workers,
                 const AnalyzerOptions& options, const Execution& execution,
                 std::vector<RawVector<std::uint32_t>>& term_of_number) {
    const bool ngrams = options.kind == AnalyzerKind::word && options.max_n > 1;
    Terms terms;
    terms.width = ngrams ? options.max_n : 1;
    term_of_number.resize(workers.size());
    for (std::size_t w = 0; w < workers.size(); ++w) {
        term_of_number[w].assign(workers[w]->n_numbers(), kNoTerm);
    }
    std::vector<Level> levels;
    levels.push_back(join_words(workers, execution, term_of_number, terms));
    if (!ngrams) {
        terms.document_frequency = std::move(levels[0].documents);
        terms.term_frequency = std::move(levels[0].terms);
        return terms;
    }
    // Until the end term_of_number holds places within the level.
    const std::size_t n_words = levels[0].size();
    for (int n = 2; n <= options.max_n; ++n) {
        std::vector<RawVector<PairRecord>> records(workers.size());
        const std::size_t n_parents = levels.back().size();
        parallel_parts(workers.size(), execution, [&](std::size_t w, int, Checkpoint& checkpoint) {
            records[w] = sorted_pairs(*workers[w], n, term_of_number[w], n_parents, n_words,
                                      n == options.max_n, checkpoint);
        });
        const std::vector<std::span<const PairRecord>> lists(records.begin(), records.end());
        Level level;
        const int word_bits = std::bit_width(n_words);
        join(
            lists, execution, term_of_number, level,
            [](std::size_t, const PairRecord& record) {
                return CountWorker::Frequency{record.documents, record.terms};
            },
            [&](std::size_t size) {
                level.parent.resize(size);
                level.word.resize(size);
            },
            [&](std::size_t at, const PairRecord& record) {
                level.parent[at] = static_cast<std::uint32_t>(record.key >> word_bits);
                level.word[at] =
                    static_cast<std::uint32_t>(record.key & ((std::uint64_t{1} << word_bits) - 1));
            });
        levels.push_back(std::move(level));
    }
    std::size_t n_terms = 0;
    const auto position = tree_order(levels, options.min_n, &n_terms);
    const auto width = static_cast<std::size_t>(terms.width);
    terms.grams.resize(n_terms * width);
    terms.document_frequency.resize(n_terms);
    terms.term_frequency.resize(n_terms);
    constexpr std::size_t kGrain = 1 << 16;
    for (std::size_t k = 0; k < levels.size(); ++k) {
        const std::size_t size = levels[k].size();
        parallel_parts(n_parts_of(size, kGrain), execution, [&](std::size_t p, int) {
            for (std::size_t i = p * kGrain; i < std::min(size, (p + 1) * kGrain); ++i) {
                const std::uint32_t at = position[k][i];
                if (at == kNoTerm) continue;
                terms.document_frequency[at] = levels[k].documents[i];
                terms.term_frequency[at] = levels[k].terms[i];
                std::int32_t* gram = terms.grams.data() + at * width;
                std::fill(gram + k + 1, gram + width, -1);
                std::size_t node = i;
                for (std::size_t up = k; up > 0; --up) {
                    gram[up] = static_cast<std::int32_t>(levels[up].word[node]);
                    node = levels[up].parent[node];
                }
                gram[0] = static_cast<std::int32_t>(node);
            }
        });
    }
    for (std::size_t w = 0; w < workers.size(); ++w) {
        RawVector<std::uint32_t>& place = term_of_number[w];
        parallel_parts(n_parts_of(place.size(), kGrain), execution, [&](std::size_t p, int) {
            for (std::size_t i = p * kGrain; i < std::min(place.size(), (p + 1) * kGrain); ++i) {
                if (place[i] == kNoTerm) continue;
                const auto level =
                    static_cast<std::size_t>(workers[w]->level(static_cast<std::uint32_t>(i)));
                place[i] = position[level - 1][place[i]];
            }
        });
    }
    sort_as_strings(terms, term_of_number, execution);
    return terms;
}

}  // namespace quire
