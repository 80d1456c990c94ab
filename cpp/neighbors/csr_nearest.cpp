#include "neighbors/csr_nearest.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "base/simd.hpp"
#include "neighbors/csr_nearest_block.hpp"
#include "sparse/csr_columns.hpp"

namespace quire {

namespace {

constexpr std::size_t kBatch = 16;  // queries that share a pass over the tables of a block

template <class Value, class Index>
double squared_length(const CsrView<Value, Index>& X, std::size_t row) {
    double sum = 0.0;
    for (std::size_t i = X.begin(row); i < X.end(row); ++i) {
        sum += static_cast<double>(X.data[i]) * static_cast<double>(X.data[i]);
    }
    return sum;
}

// Distances in double precision from one query, which lies in an array with a place for each
// column. Sums go through the columns in their order.
template <class Value, class Index>
class Exact {
  public:
    Exact(const CsrView<Value, Index>& X, const CsrView<Value, Index>& Q, Distance distance)
        : X_(X), Q_(Q), distance_(distance) {}

    void set_first(std::size_t query) { first_ = query; }  // number of the pool's first query

    auto open(std::size_t query) {
        if (values_.empty()) {
            values_.assign(static_cast<std::size_t>(X_.n_cols), 0.0);
            if (distance_ != Distance::cosine) seen_.assign(values_.size(), 0);
        }
        row_ = first_ + query;
        for (std::size_t i = Q_.begin(row_); i < Q_.end(row_); ++i) {
            values_[static_cast<std::size_t>(Q_.indices[i])] = static_cast<double>(Q_.data[i]);
        }
        return [this](std::size_t point) {
            return distance_ == Distance::cosine ? cosine(point) : euclidean(point);
        };
    }

    void close(std::size_t) {
        for (std::size_t i = Q_.begin(row_); i < Q_.end(row_); ++i) {
            values_[static_cast<std::size_t>(Q_.indices[i])] = 0.0;
        }
    }

  private:
    double cosine(std::size_t point) const {
        double sum = 0.0;
        for (std::size_t i = X_.begin(point); i < X_.end(point); ++i) {
            sum +=
                static_cast<double>(X_.data[i]) * values_[static_cast<std::size_t>(X_.indices[i])];
        }
        return std::clamp(1.0 - sum, 0.0, 2.0);
    }

    double euclidean(std::size_t point) {
        if (++stamp_ == 0) {
            std::fill(seen_.begin(), seen_.end(), 0);
            stamp_ = 1;
        }
        double sum = 0.0;
        for (std::size_t i = X_.begin(point); i < X_.end(point); ++i) {
            const auto column = static_cast<std::size_t>(X_.indices[i]);
            const double difference = static_cast<double>(X_.data[i]) - values_[column];
            sum += difference * difference;
            seen_[column] = stamp_;
        }
        for (std::size_t i = Q_.begin(row_); i < Q_.end(row_); ++i) {
            const auto value = static_cast<double>(Q_.data[i]);
            const bool is_new = seen_[static_cast<std::size_t>(Q_.indices[i])] != stamp_;
            sum += is_new ? value * value : 0.0;
        }
        return distance_ == Distance::euclidean ? std::sqrt(sum) : sum;
    }

    const CsrView<Value, Index>& X_;
    const CsrView<Value, Index>& Q_;
    Distance distance_;
    std::size_t first_ = 0, row_ = 0;
    std::vector<double> values_;
    std::vector<std::uint32_t> seen_;
    std::uint32_t stamp_ = 0;
};

// What one worker needs to look at a batch of queries.
template <class Value, class Index>
struct Worker {
    Exact<Value, Index> exact;
    NearestPool::Scratch scratch;
    std::vector<float> sums;  // kBatch x kPointsPerBlock, zero between batches
    std::vector<NearestBlock::Term> terms[kBatch];
};

// All queries of a chunk against all points of a block.
template <class Value, class Index>
class Search {
  public:
    Search(const CsrView<Value, Index>& X, const CsrView<Value, Index>& Q, Distance distance,
           const NearestOut& out, const Execution& execution)
        : X_(X),
          Q_(Q),
          distance_(distance),
          out_(out),
          execution_(execution),
          lengths_(X.n_rows()),
          workers_(static_cast<std::size_t>(std::max(1, execution.n_threads)),
                   Worker<Value, Index>{Exact<Value, Index>(X, Q, distance), {}, {}, {}}) {
        std::vector<double> lengths(X.n_rows());
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            lengths[i] = std::sqrt(squared_length(X, i));
            largest_ = std::max(largest_, lengths[i]);
        }
        if (largest_ == 0.0) largest_ = 1.0;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            lengths_[i] = padded_length(lengths[i] / largest_);
        }
    }

    // Squares of huge numbers overflow; bounds say nothing then.
    bool is_finite() const {
        double longest = largest_;
        for (std::size_t row = 0; row < Q_.n_rows(); ++row) longest += squared_length(Q_, row);
        return std::isfinite(longest);
    }

    void operator()() {
        const std::size_t chunk = NearestPool::queries_at_a_time(out_.k);
        for (std::size_t first = 0; first < Q_.n_rows(); first += chunk) {
            search_chunk(first, std::min(first + chunk, Q_.n_rows()));
        }
    }

  private:
    void search_chunk(std::size_t first, std::size_t last) {
        NearestPool pool(last - first, out_.k);
        std::vector<QueryScale> scales(last - first);
        for (std::size_t q = 0; q < scales.size(); ++q) {
            const std::size_t row = first + q, n_terms = Q_.end(row) - Q_.begin(row);
            const double length = std::sqrt(squared_length(Q_, row));
            scales[q] = QueryScale(distance_, length, largest_, n_terms);
        }
        for (auto& worker : workers_) worker.exact.set_first(first);
        NearestBlock block(static_cast<std::size_t>(X_.n_cols));
        const std::size_t n_batches = n_parts_of(last - first, kBatch);
        for (std::size_t point = 0; point < X_.n_rows(); point += kPointsPerBlock) {
            const std::size_t end = std::min(point + kPointsPerBlock, X_.n_rows());
            block.fill(X_, point, end, 1.0 / largest_, lengths_.data(), execution_);
            parallel_parts(n_batches, execution_,
                           [&](std::size_t part, int worker, Checkpoint& checkpoint) {
                               const std::size_t begin = part * kBatch;
                               const std::size_t size = std::min(kBatch, last - first - begin);
                               search_batch(block, pool, scales, first, begin, size,
                                            workers_[static_cast<std::size_t>(worker)], checkpoint);
                           });
        }
        parallel_parts(n_batches, execution_,
                       [&](std::size_t part, int worker, Checkpoint& checkpoint) {
                           Worker<Value, Index>& mine = workers_[static_cast<std::size_t>(worker)];
                           const std::size_t end = std::min((part + 1) * kBatch, last - first);
                           for (std::size_t q = part * kBatch; q < end; ++q) {
                               pool.finish(q, lengths_.data(), scales[q].slack, mine.exact,
                                           mine.scratch, first + q, out_);
                               checkpoint.step();
                           }
                       });
    }

    void search_batch(const NearestBlock& block, NearestPool& pool,
                      const std::vector<QueryScale>& scales, std::size_t first, std::size_t begin,
                      std::size_t size, Worker<Value, Index>& mine, Checkpoint& checkpoint) const {
        const SimdLevel level = simd_level();
        mine.sums.resize(kBatch * kPointsPerBlock);
        for (std::size_t b = 0; b < size; ++b) {
            const std::size_t row = first + begin + b;
            block.add_lists(Q_, row, scales[begin + b], mine.sums.data() + b * kPointsPerBlock,
                            mine.terms[b]);
        }
        for (std::size_t tile = 0; tile < block.n_tiles(); ++tile) {
            for (std::size_t b = 0; b < size; ++b) {
                float* const sums = mine.sums.data() + b * kPointsPerBlock + tile * kPointsPerTile;
                const std::size_t q = begin + b;
                NearestBlock::Passed passed;
                block.add_rows(level, tile, mine.terms[b], pool.threshold(q), sums, passed);
                block.for_each_passed(tile, passed, [&](std::size_t place, std::uint32_t point) {
                    pool.add(q, {sums[place], point}, lengths_.data(), scales[q].slack, mine.exact,
                             mine.scratch);
                });
                std::fill(sums, sums + kPointsPerTile, 0.0f);
            }
            checkpoint();
        }
    }

    const CsrView<Value, Index>& X_;
    const CsrView<Value, Index>& Q_;
    Distance distance_;
    const NearestOut& out_;
    const Execution& execution_;
    double largest_ = 0.0;
    std::vector<float> lengths_;
    std::vector<Worker<Value, Index>> workers_;
};

}  // namespace

template <class Value, class Index>
void csr_nearest(const CsrView<Value, Index>& X, const CsrView<Value, Index>& Q, Distance distance,
                 const NearestOut& out, const Execution& execution) {
    if (X.n_cols != Q.n_cols) throw std::invalid_argument("X and Q need the same columns");
    csr_check_columns(X, execution);
    csr_check_columns(Q, execution);
    check_nearest(X.n_rows(), Q.n_rows(), out);
    if (Q.n_rows() >= kFewQueries) {
        Search<Value, Index> search(X, Q, distance, out, execution);
        if (search.is_finite()) return search();
    }
    search_directly(X.n_rows(), Q.n_rows(), Exact<Value, Index>(X, Q, distance), out, execution);
}

#define QUIRE_INSTANTIATE(Value, Index)                                                   \
    template void csr_nearest(const CsrView<Value, Index>&, const CsrView<Value, Index>&, \
                              Distance, const NearestOut&, const Execution&);
QUIRE_INSTANTIATE(float, std::int32_t)
QUIRE_INSTANTIATE(float, std::int64_t)
QUIRE_INSTANTIATE(double, std::int32_t)
QUIRE_INSTANTIATE(double, std::int64_t)
#undef QUIRE_INSTANTIATE

}  // namespace quire
