#include "text/token_index.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "text/string_table.hpp"

namespace quire {

namespace {

// What a part of the documents holds, in the numbers of the worker that read it.
struct PartTokens {
    std::vector<std::uint32_t> numbers;
    std::vector<std::uint8_t> gaps;
    std::vector<std::int64_t> wide_tokens, wide_gaps;  // tokens counted from the part's first
    std::vector<std::uint32_t> lengths;                // tokens of each document
    std::size_t worker = 0;
};

// Reads documents with a vocabulary of its own; forms get numbers from 1 as they are met.
class IndexWorker {
  public:
    explicit IndexWorker(const AnalyzerOptions& options)
        : options_(options), normalizer_(false, Accents::keep) {}

    // Returns -1, or the offset of a malformed byte.
    std::int64_t read(const TextView& document, PartTokens& out, Checkpoint& checkpoint) {
        const std::int64_t bad = normalizer_(document, text_);
        if (bad >= 0) return bad;
        const std::size_t n_before = out.numbers.size();
        TokenScanner scanner(text_, options_, scratch_, checkpoint);
        Token tokens[Token::kBatch];
        const std::uint8_t* end = text_.bytes.data();
        while (const std::size_t n = scanner.next(tokens, checkpoint)) {
            strings_.reserve(n);
            StringKey keys[Token::kBatch];
            std::uint64_t hashes[Token::kBatch];
            for (std::size_t k = 0; k < n; ++k) {
                hashes[k] = StringTable::prepare(tokens[k].text, tokens[k].length, keys[k]);
                strings_.prefetch_slot(hashes[k]);
            }
            for (std::size_t k = 0; k < n; ++k) {
                StringTable::Slot& slot =
                    strings_.intern(tokens[k].text, tokens[k].length, keys[k], hashes[k]);
                if (slot.id == 0) slot.id = ++n_numbers_;
                out.numbers.push_back(slot.id);
                add_gap(tokens[k].text - end, out);
                end = tokens[k].text + tokens[k].length;
            }
            checkpoint.step();
        }
        out.lengths.push_back(static_cast<std::uint32_t>(out.numbers.size() - n_before));
        return -1;
    }

    std::uint32_t n_numbers() const { return n_numbers_; }
    const StringTable& strings() const { return strings_; }

  private:
    static void add_gap(std::ptrdiff_t gap, PartTokens& out) {
        if (gap >= TokenIndex::kWide) [[unlikely]] {
            out.wide_tokens.push_back(static_cast<std::int64_t>(out.gaps.size()));
            out.wide_gaps.push_back(gap);
            gap = TokenIndex::kWide;
        }
        out.gaps.push_back(static_cast<std::uint8_t>(gap));
    }

    AnalyzerOptions options_;
    Normalizer normalizer_;
    NormalizedText text_;
    TokenScratch scratch_;
    StringTable strings_;
    std::uint32_t n_numbers_ = 0;
};

// A form of a worker, to be sorted: its first eight bytes as a number decide most comparisons.
struct FormRef {
    std::uint64_t first;
    std::string_view text;
    std::uint32_t number;
    std::uint32_t worker;
};

bool comes_before(const FormRef& a, const FormRef& b) {
    return a.first != b.first ? a.first < b.first : a.text < b.text;
}

std::uint64_t first_bytes(std::string_view text) {
    std::uint64_t value = 0;
    std::memcpy(&value, text.data(), std::min<std::size_t>(text.size(), sizeof value));
    if constexpr (std::endian::native == std::endian::little) {
        std::uint64_t turned = 0;
        for (int k = 0; k < 8; ++k) turned |= ((value >> (8 * k)) & 0xFF) << (56 - 8 * k);
        return turned;
    }
    return value;
}

std::vector<FormRef> sorted_forms(const IndexWorker& worker, std::size_t number) {
    std::vector<FormRef> forms;
    forms.reserve(worker.n_numbers());
    for (const StringTable::Slot& slot : worker.strings().slots()) {
        if (slot.key.high == 0) continue;
        const std::string_view text = worker.strings().text_of(slot);
        forms.push_back({first_bytes(text), text, slot.id, static_cast<std::uint32_t>(number)});
    }
    std::sort(forms.begin(), forms.end(), comes_before);
    return forms;
}

using Places = std::vector<RawVector<std::int32_t>>;

// Joins the forms of all workers in string order, and says where the numbers of each went.
Places join_forms(const std::vector<std::unique_ptr<IndexWorker>>& workers, TokenIndex& index,
                  const Execution& execution) {
    std::vector<std::vector<FormRef>> by_worker(workers.size());
    parallel_parts(workers.size(), execution, [&](std::size_t part, int) {
        by_worker[part] = sorted_forms(*workers[part], part);
    });
    while (by_worker.size() > 1) {  // neighbours are merged until one list is left
        std::vector<std::vector<FormRef>> merged((by_worker.size() + 1) / 2);
        parallel_parts(merged.size(), execution, [&](std::size_t k, int) {
            std::vector<FormRef>& left = by_worker[2 * k];
            if (2 * k + 1 == by_worker.size()) {
                merged[k] = std::move(left);
                return;
            }
            const std::vector<FormRef>& right = by_worker[2 * k + 1];
            merged[k].resize(left.size() + right.size());
            std::merge(left.begin(), left.end(), right.begin(), right.end(), merged[k].begin(),
                       comes_before);
        });
        by_worker = std::move(merged);
    }
    Places places;
    for (const auto& worker : workers) places.emplace_back(worker->n_numbers() + std::size_t{1}, 0);
    index.word_offsets.assign(1, 0);
    const std::vector<FormRef>& all = by_worker[0];
    std::int64_t n_bytes = 0;
    std::size_t n_forms = 0;
    interruptible(execution, [&](Checkpoint& checkpoint) {
        for (std::size_t k = 0; k < all.size(); ++k) {
            checkpoint.step();
            if (k == 0 || all[k].first != all[k - 1].first || all[k].text != all[k - 1].text) {
                if (n_forms == 0x7FFFFFFF) throw std::length_error("more than 2 billion forms");
                ++n_forms;
                n_bytes += static_cast<std::int64_t>(all[k].text.size());
                index.words.insert(index.words.end(), all[k].text.begin(), all[k].text.end());
                index.word_offsets.push_back(n_bytes);
            }
            places[all[k].worker][all[k].number] = static_cast<std::int32_t>(n_forms - 1);
        }
    });
    return places;
}

// Puts the tokens of all parts one after the other, with the final numbers of their forms.
void join_parts(std::vector<PartTokens>& parts, const Places& places, TokenIndex& index,
                const Execution& execution) {
    std::vector<std::size_t> begins(parts.size() + 1, 0);
    index.bounds.assign(1, 0);
    std::int64_t n_tokens = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        begins[k + 1] = begins[k] + parts[k].numbers.size();
        for (const std::uint32_t length : parts[k].lengths) {
            index.bounds.push_back(n_tokens += length);
        }
        for (std::size_t w = 0; w < parts[k].wide_tokens.size(); ++w) {
            index.wide_tokens.push_back(static_cast<std::int64_t>(begins[k]) +
                                        parts[k].wide_tokens[w]);
            index.wide_gaps.push_back(parts[k].wide_gaps[w]);
        }
    }
    index.forms.resize(begins.back());
    index.gaps.resize(begins.back());
    parallel_parts(parts.size(), execution, [&](std::size_t k, int) {
        PartTokens part = std::move(parts[k]);  // its memory goes as soon as it has been read
        const RawVector<std::int32_t>& place = places[part.worker];
        std::int32_t* forms = index.forms.data() + begins[k];
        for (std::size_t t = 0; t < part.numbers.size(); ++t) forms[t] = place[part.numbers[t]];
        std::copy(part.gaps.begin(), part.gaps.end(), index.gaps.data() + begins[k]);
    });
}

}  // namespace

TokenIndex index_tokens(std::span<const TextView> documents, const AnalyzerOptions& options,
                        const Execution& execution) {
    if (options.kind != AnalyzerKind::word || options.lowercase ||
        options.accents != Accents::keep || options.negation != nullptr) {
        throw std::invalid_argument("an index holds words as they are written");
    }
    const std::vector<std::size_t> bounds = document_parts(documents);
    std::vector<PartTokens> parts(bounds.size() - 1);
    const auto n_workers = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
        execution.n_threads, 1, std::max<std::ptrdiff_t>(std::ssize(parts), 1)));
    std::vector<std::unique_ptr<IndexWorker>> workers;
    for (std::size_t k = 0; k < n_workers; ++k) {
        workers.push_back(std::make_unique<IndexWorker>(options));
    }
    Execution mine = execution;
    mine.n_threads = static_cast<int>(n_workers);
    parallel_parts(parts.size(), mine, [&](std::size_t part, int worker, Checkpoint& checkpoint) {
        parts[part].worker = static_cast<std::size_t>(worker);
        for (std::size_t i = bounds[part]; i < bounds[part + 1]; ++i) {
            const std::int64_t bad = workers[static_cast<std::size_t>(worker)]->read(
                documents[i], parts[part], checkpoint);
            if (bad >= 0) throw BadUtf8{i, bad};
        }
    });
    TokenIndex index;
    const Places places = join_forms(workers, index, mine);
    join_parts(parts, places, index, mine);
    return index;
}

}  // namespace quire
