#include "rows_to_csr.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "radix_sort.hpp"

namespace quire {

namespace {

constexpr std::size_t kRowsPerPart = 256;
constexpr std::uint32_t kNoColumn = 0xFFFFFFFFu;

// Both steps of a ColumnMap in one, per worker.
class Columns {
  public:
    Columns(const ColumnMap& map, const Execution& execution)
        : direct_(map.term_of_number.empty()), map_(map) {
        if (direct_ || map.column_of_term.empty()) return;
        joined_.resize(map.term_of_number.size());
        for (std::size_t w = 0; w < joined_.size(); ++w) {
            const RawVector<std::uint32_t>& terms = map.term_of_number[w];
            joined_[w].resize(terms.size());
            constexpr std::size_t kGrain = std::size_t{1} << 16;
            parallel_parts(n_parts_of(terms.size(), kGrain), execution, [&](std::size_t p, int) {
                for (std::size_t i = p * kGrain; i < std::min(terms.size(), (p + 1) * kGrain);
                     ++i) {
                    const std::uint32_t term = terms[i];
                    joined_[w][i] = term == kNoColumn
                                        ? kNoColumn
                                        : static_cast<std::uint32_t>(map.column_of_term[term]);
                }
            });
        }
    }
    bool direct() const { return direct_; }
    bool drops() const { return !joined_.empty(); }
    const std::uint32_t* of(std::uint32_t worker) const {
        return joined_.empty() ? map_.term_of_number[worker].data() : joined_[worker].data();
    }

  private:
    bool direct_;
    const ColumnMap& map_;
    std::vector<RawVector<std::uint32_t>> joined_;
};

std::int32_t count_of(std::uint64_t item) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(item));
}

// Puts a row's entries with columns into `items` as (column << 32 | count), sorted; returns their
// number.
std::size_t sorted_row(const CountRow& row, const Columns& columns, int column_bits,
                       RawVector<std::uint64_t>& items, RawVector<std::uint64_t>& scratch) {
    if (items.size() < row.n_entries) {
        items.resize(row.n_entries + row.n_entries / 2);
        scratch.resize(items.size());
    }
    std::size_t n = 0;
    if (columns.direct()) {
        for (const Entry& entry : row.span()) {
            items[n++] = (static_cast<std::uint64_t>(entry.feature) << 32) |
                         static_cast<std::uint32_t>(entry.count);
        }
        return n;
    }
    const std::uint32_t* column = columns.of(row.worker);
    for (const Entry& entry : row.span()) {
        const std::uint32_t place = column[entry.feature];
        items[n] =
            (static_cast<std::uint64_t>(place) << 32) | static_cast<std::uint32_t>(entry.count);
        n += static_cast<std::int32_t>(place) >= 0;
    }
    if (n <= 48) {
        std::sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(n));
    } else {
        radix_sort<8>(items.data(), scratch.data(), n, column_bits,
                      [](std::uint64_t item) { return item >> 32; });
    }
    return n;
}

}  // namespace

RawVector<std::int64_t> row_pointers(std::span<const CountRow> rows, const ColumnMap& map,
                                     const Execution& execution) {
    RawVector<std::int64_t> indptr(rows.size() + 1);
    indptr[0] = 0;
    const Columns columns(map, execution);
    parallel_parts(n_parts_of(rows.size(), kRowsPerPart), execution, [&](std::size_t p, int) {
        for (std::size_t i = p * kRowsPerPart; i < std::min(rows.size(), (p + 1) * kRowsPerPart);
             ++i) {
            std::int64_t n = rows[i].n_entries;
            if (columns.drops()) {
                const std::uint32_t* column = columns.of(rows[i].worker);
                n = std::count_if(rows[i].span().begin(), rows[i].span().end(),
                                  [&](const Entry& e) {
                                      return static_cast<std::int32_t>(column[e.feature]) >= 0;
                                  });
            }
            indptr[i + 1] = n;
        }
    });
    for (std::size_t i = 0; i < rows.size(); ++i) indptr[i + 1] += indptr[i];
    return indptr;
}

template <class Value, class Index>
CsrArrays<Value, Index> rows_to_csr(std::span<const CountRow> rows, const ColumnMap& map,
                                    bool binary, std::span<const std::int64_t> indptr,
                                    const Execution& execution) {
    CsrArrays<Value, Index> out;
    const auto n_stored = static_cast<std::size_t>(indptr.back());
    out.data.resize(n_stored);
    out.indices.resize(n_stored);
    out.indptr.resize(indptr.size());
    std::transform(indptr.begin(), indptr.end(), out.indptr.begin(),
                   [](std::int64_t at) { return static_cast<Index>(at); });
    const Columns columns(map, execution);
    const int column_bits = static_cast<int>(std::bit_width(map.n_columns));
    struct Scratch {
        RawVector<std::uint64_t> items, other;
    };
    std::vector<Scratch> scratch(static_cast<std::size_t>(std::max(1, execution.n_threads)));
    parallel_parts(
        n_parts_of(rows.size(), kRowsPerPart), execution, [&](std::size_t p, int worker) {
            auto& [items, other] = scratch[static_cast<std::size_t>(worker)];
            for (std::size_t i = p * kRowsPerPart;
                 i < std::min(rows.size(), (p + 1) * kRowsPerPart); ++i) {
                const std::size_t n = sorted_row(rows[i], columns, column_bits, items, other);
                const auto start = static_cast<std::size_t>(indptr[i]);
                Value* data = out.data.data() + start;
                Index* indices = out.indices.data() + start;
                for (std::size_t k = 0; k < n; ++k) {
                    indices[k] = static_cast<Index>(items[k] >> 32);
                    data[k] = binary ? Value{1} : static_cast<Value>(count_of(items[k]));
                }
            }
        });
    return out;
}

#define QUIRE_INSTANTIATE(Value, Index)                                                       \
    template CsrArrays<Value, Index> rows_to_csr(std::span<const CountRow>, const ColumnMap&, \
                                                 bool, std::span<const std::int64_t>,         \
                                                 const Execution&);
QUIRE_INSTANTIATE(std::int32_t, std::int32_t)
QUIRE_INSTANTIATE(std::int32_t, std::int64_t)
QUIRE_INSTANTIATE(std::int64_t, std::int32_t)
QUIRE_INSTANTIATE(std::int64_t, std::int64_t)
QUIRE_INSTANTIATE(float, std::int32_t)
QUIRE_INSTANTIATE(float, std::int64_t)
QUIRE_INSTANTIATE(double, std::int32_t)
QUIRE_INSTANTIATE(double, std::int64_t)
#undef QUIRE_INSTANTIATE

}  // namespace quire
