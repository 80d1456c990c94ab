#include "text/rows_to_csr.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/radix_sort.hpp"

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

// Calls f(row, worker) for all rows.
template <class F>
void for_row_parts(const CountRows& rows, const Execution& execution, F&& f) {
    const std::size_t n_rows = rows.n_rows();
    parallel_parts(n_parts_of(n_rows, kRowsPerPart), execution, [&](std::size_t p, int worker) {
        const std::size_t stop = std::min(n_rows, (p + 1) * kRowsPerPart);
        for (std::size_t i = p * kRowsPerPart; i < stop; ++i) f(i, worker);
    });
}

std::int32_t count_of(std::uint64_t item) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(item));
}

// Puts a row's entries with columns into `items` as (column << 32 | count), sorted; returns their
// number.
std::size_t sorted_row(std::span<const Entry> row, const std::uint32_t* column, int column_bits,
                       RawVector<std::uint64_t>& items, RawVector<std::uint64_t>& scratch) {
    if (items.size() < row.size()) {
        items.resize(row.size() + row.size() / 2);
        scratch.resize(items.size());
    }
    std::size_t n = 0;
    if (column == nullptr) {  // columns already, and sorted
        for (const Entry& entry : row) {
            items[n++] = (static_cast<std::uint64_t>(entry.feature) << 32) |
                         static_cast<std::uint32_t>(entry.count);
        }
        return n;
    }
    for (const Entry& entry : row) {
        const std::uint32_t place = column[entry.feature];
        items[n] =
            (static_cast<std::uint64_t>(place) << 32) | static_cast<std::uint32_t>(entry.count);
        n += static_cast<std::int32_t>(place) >= 0;
    }
    sort_row<32>(items.data(), scratch.data(), n, 32 + column_bits);
    return n;
}

// Adds up the counts of each column in sorted items; returns how many are left.
std::size_t join_columns(std::uint64_t* items, std::size_t n) {
    std::size_t size = 0;
    for (std::size_t k = 0; k < n; ++k) {
        if (size > 0 && items[size - 1] >> 32 == items[k] >> 32) {
            const std::uint32_t sum =
                static_cast<std::uint32_t>(items[size - 1]) + static_cast<std::uint32_t>(items[k]);
            items[size - 1] = ((items[k] >> 32) << 32) | sum;
        } else {
            items[size++] = items[k];
        }
    }
    return size;
}

struct Scratch {
    RawVector<std::uint64_t> items, other;
};

std::vector<Scratch> scratch_of(const Execution& execution) {
    return std::vector<Scratch>(static_cast<std::size_t>(std::max(1, execution.n_threads)));
}

}  // namespace

bool shares_columns(std::span<const std::int32_t> column_of_term, std::size_t n_columns) {
    std::vector<bool> taken(n_columns, false);
    for (const std::int32_t column : column_of_term) {
        if (column < 0) continue;
        if (taken[static_cast<std::size_t>(column)]) return true;
        taken[static_cast<std::size_t>(column)] = true;
    }
    return false;
}

void check_column_map(const CountRows& rows, const ColumnMap& map, std::size_t n_terms) {
    if (map.n_columns > 0x7FFFFFFFu) throw std::invalid_argument("more than 2 billion columns");
    const bool is_direct = map.term_of_number.empty();
    const bool is_mapped = !is_direct && map.column_of_term.data() != nullptr;
    if (is_mapped && map.column_of_term.size() != n_terms) {
        throw std::invalid_argument("column_of_term must have an entry for each term");
    }
    std::size_t n_needed = is_direct ? rows.n_columns : n_terms;
    if (is_mapped) {
        std::int32_t largest = -1;
        for (const std::int32_t column : map.column_of_term) largest = std::max(largest, column);
        n_needed = static_cast<std::size_t>(largest + std::int64_t{1});
    }
    if (n_needed > map.n_columns) {
        throw std::invalid_argument("there are columns up to " + std::to_string(n_needed - 1) +
                                    ", not below " + std::to_string(map.n_columns));
    }
}

RawVector<std::int64_t> row_pointers(const CountRows& rows, const ColumnMap& map,
                                     const Execution& execution) {
    const Columns columns(map, execution);
    if (!columns.drops()) return rows.indptr;
    RawVector<std::int64_t> indptr(rows.indptr.size());
    indptr[0] = 0;
    const int column_bits = static_cast<int>(std::bit_width(map.n_columns));
    std::vector<Scratch> scratch = scratch_of(execution);
    for_row_parts(rows, execution, [&](std::size_t i, int worker) {
        const std::uint32_t* column = columns.of(rows.worker[i]);
        const std::span<const Entry> row = rows.row(i);
        if (map.joins) {
            auto& [items, other] = scratch[static_cast<std::size_t>(worker)];
            const std::size_t n = sorted_row(row, column, column_bits, items, other);
            indptr[i + 1] = static_cast<std::int64_t>(join_columns(items.data(), n));
            return;
        }
        indptr[i + 1] = std::count_if(row.begin(), row.end(), [&](const Entry& entry) {
            return static_cast<std::int32_t>(column[entry.feature]) >= 0;
        });
    });
    for (std::size_t i = 0; i < rows.n_rows(); ++i) indptr[i + 1] += indptr[i];
    return indptr;
}

template <class Value, class Index>
CsrArrays<Value, Index> rows_to_csr(CountRows& rows, const ColumnMap& map, bool binary,
                                    std::span<const std::int64_t> indptr,
                                    const Execution& execution) {
    const auto n_stored = static_cast<std::size_t>(indptr.back());
    CsrArrays<Value, Index> out;
    out.indices.resize(n_stored);
    out.indptr.resize(indptr.size());
    std::transform(indptr.begin(), indptr.end(), out.indptr.begin(),
                   [](std::int64_t at) { return static_cast<Index>(at); });
    const bool in_place = sizeof(Value) == sizeof(Entry) && n_stored == rows.entries.size();
    if (!in_place) out.data = GrowBuffer<Value>(n_stored);
    Value* data = in_place ? reinterpret_cast<Value*>(rows.entries.data()) : out.data.data();

    const Columns columns(map, execution);
    const int column_bits = static_cast<int>(std::bit_width(map.n_columns));
    std::vector<Scratch> scratch = scratch_of(execution);
    for_row_parts(rows, execution, [&](std::size_t i, int worker) {
        auto& [items, other] = scratch[static_cast<std::size_t>(worker)];
        const std::uint32_t* column = columns.direct() ? nullptr : columns.of(rows.worker[i]);
        std::size_t n = sorted_row(rows.row(i), column, column_bits, items, other);
        if (map.joins) n = join_columns(items.data(), n);
        const auto start = static_cast<std::size_t>(indptr[i]);
        for (std::size_t k = 0; k < n; ++k) {
            const Value value = binary ? Value{1} : static_cast<Value>(count_of(items[k]));
            std::memcpy(data + start + k, &value, sizeof value);
            out.indices[start + k] = static_cast<Index>(items[k] >> 32);
        }
    });
    if constexpr (sizeof(Value) == sizeof(Entry)) {
        if (in_place) out.data = std::move(rows.entries).template take_as<Value>();
    }
    rows = CountRows();
    rows.taken = true;
    return out;
}

#define QUIRE_INSTANTIATE(Value, Index)                                              \
    template CsrArrays<Value, Index> rows_to_csr(CountRows&, const ColumnMap&, bool, \
                                                 std::span<const std::int64_t>, const Execution&);
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
