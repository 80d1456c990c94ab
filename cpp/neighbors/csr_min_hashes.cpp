#include "neighbors/csr_min_hashes.hpp"

#include <algorithm>
#include <stdexcept>

#include "sparse/csr_columns.hpp"

namespace quire {

namespace {

// The finaliser of MurmurHash3: every bit of x changes half of the others.
std::uint64_t scrambled(std::uint64_t x) {
    x ^= x >> 33;
    x *= 0xFF51AFD7ED558CCDull;
    x ^= x >> 33;
    x *= 0xC4CEB9FE1A85EC53ull;
    return x ^ (x >> 33);
}

std::size_t place_of(std::uint64_t hash, std::size_t n_hashes) {
    return static_cast<std::size_t>(((hash >> 32) * n_hashes) >> 32);
}

// Fills the places of a signature to which no column belongs; at least one place is filled.
// `is_filled` is scratch space.
void fill_empty(std::uint32_t* row, std::size_t n_hashes, std::uint8_t* is_filled) {
    std::size_t n_filled = 0, last = 0;
    for (std::size_t p = 0; p < n_hashes; ++p) {
        is_filled[p] = row[p] != kNoMinHash;
        if (is_filled[p]) last = p, ++n_filled;
    }
    if (n_filled == 1) return std::fill(row, row + n_hashes, row[last]);  // who else is asked
    for (std::size_t p = 0; p < n_hashes; ++p) {
        if (is_filled[p]) continue;
        std::size_t from = p;
        for (std::uint64_t attempt = 1; !is_filled[from]; ++attempt) {
            from = place_of(scrambled((static_cast<std::uint64_t>(p) << 32) + attempt), n_hashes);
        }
        row[p] = row[from];
    }
}

}  // namespace

template <class Value, class Index>
void csr_min_hashes(const CsrView<Value, Index>& X, std::size_t n_hashes,
                    std::span<std::uint32_t> out, const Execution& execution) {
    csr_check_rows(X);
    if (n_hashes < 1 || n_hashes > kMostMinHashes) {
        throw std::invalid_argument("n_hashes must be in [1, 4096]");
    }
    if (out.size() / n_hashes != X.n_rows() || out.size() % n_hashes != 0) {
        throw std::invalid_argument("out must have n_hashes entries for each row");
    }
    constexpr std::size_t grain = 256;
    const int n_threads = X.data.size() < (std::size_t{1} << 15) ? 1 : execution.n_threads;
    parallel_parts(n_parts_of(X.n_rows(), grain), {n_threads, execution.interrupted},
                   [&](std::size_t part, int, Checkpoint& checkpoint) {
                       std::uint8_t is_filled[kMostMinHashes];
                       const std::size_t end = std::min((part + 1) * grain, X.n_rows());
                       csr_check_range(X, part * grain, end);
                       for (std::size_t row = part * grain; row < end; ++row) {
                           std::uint32_t* const signature = out.data() + row * n_hashes;
                           std::fill(signature, signature + n_hashes, kNoMinHash);
                           bool is_empty = true;
                           for (std::size_t i = X.begin(row); i < X.end(row); ++i) {
                               if (X.data[i] == Value{0}) continue;
                               const auto column = static_cast<std::uint64_t>(X.indices[i]);
                               const std::uint64_t hash = scrambled(column + 1);
                               // One less than what marks an empty place.
                               const auto low =
                                   std::min(static_cast<std::uint32_t>(hash), kNoMinHash - 1);
                               std::uint32_t& least = signature[place_of(hash, n_hashes)];
                               least = std::min(least, low);
                               is_empty = false;
                           }
                           if (!is_empty) fill_empty(signature, n_hashes, is_filled);
                           checkpoint.step();
                       }
                   });
}

#define QUIRE_INSTANTIATE(Value, Index)                                     \
    template void csr_min_hashes(const CsrView<Value, Index>&, std::size_t, \
                                 std::span<std::uint32_t>, const Execution&);
QUIRE_INSTANTIATE(float, std::int32_t)
QUIRE_INSTANTIATE(float, std::int64_t)
QUIRE_INSTANTIATE(double, std::int32_t)
QUIRE_INSTANTIATE(double, std::int64_t)
#undef QUIRE_INSTANTIATE

}  // namespace quire
