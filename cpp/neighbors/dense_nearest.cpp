#include "neighbors/dense_nearest.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/memory.hpp"
#include "base/simd.hpp"
#include "neighbors/dense_nearest_tile.hpp"

namespace quire {

namespace {

constexpr std::size_t kPointsPerBlock = 8192;
constexpr std::size_t kQueriesPerPart = 8 * kTileQueries;

// sum of term(i) for i < n, in eight strands, which the compiler can vectorise.
template <class Term>
double sum_of(std::size_t n, Term&& term) {
    constexpr std::size_t kLanes = 8;
    double lanes[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(i + lane);
    }
    for (; i < n; ++i) lanes[i % kLanes] += term(i);
    double sum = 0.0;
    for (const double lane : lanes) sum += lane;
    return sum;
}

// Distances in double precision from one query.
template <class Value>
class Exact {
  public:
    Exact(const RowsView<Value>& X, const RowsView<Value>& Q, Distance distance)
        : X_(X), Q_(Q), distance_(distance) {}

    void set_first(std::size_t query) { first_ = query; }  // number of the pool's first query

    auto open(std::size_t query) const {
        const Value* const q = Q_.row(first_ + query);
        return [this, q](std::size_t point) {
            const Value* const x = X_.row(point);
            if (distance_ == Distance::cosine) {
                const double product = sum_of(X_.n_cols, [&](std::size_t i) {
                    return static_cast<double>(q[i]) * static_cast<double>(x[i]);
                });
                return std::clamp(1.0 - product, 0.0, 2.0);
            }
            const double square = sum_of(X_.n_cols, [&](std::size_t i) {
                const double difference = static_cast<double>(q[i]) - static_cast<double>(x[i]);
                return difference * difference;
            });
            return distance_ == Distance::euclidean ? std::sqrt(square) : square;
        };
    }
    void close(std::size_t) const {}

  private:
    const RowsView<Value>& X_;
    const RowsView<Value>& Q_;
    Distance distance_;
    std::size_t first_ = 0;
};

// About the middle of the points: any place near them will do.
template <class Value>
std::vector<double> middle_of(const RowsView<Value>& X, Distance distance) {
    std::vector<double> middle(X.n_cols, 0.0);
    if (distance == Distance::cosine) return middle;
    const std::size_t step = 1 + X.n_rows / 1024;
    double n = 0.0;
    for (std::size_t row = 0; row < X.n_rows; row += step, n += 1.0) {
        for (std::size_t i = 0; i < X.n_cols; ++i) middle[i] += static_cast<double>(X.row(row)[i]);
    }
    for (double& value : middle) value /= n;
    return middle;
}

template <class Value>
double length_from(const Value* row, const std::vector<double>& middle) {
    return std::sqrt(sum_of(middle.size(), [&](std::size_t i) {
        const double difference = static_cast<double>(row[i]) - middle[i];
        return difference * difference;
    }));
}

// Writes a row into its place of a panel of `width` rows: value after value, `width` apart.
template <class Value>
void pack(const Value* row, const std::vector<double>& middle, double scale, std::size_t width,
          float* place) {
    for (std::size_t i = 0; i < middle.size(); ++i) {
        place[i * width] = static_cast<float>((static_cast<double>(row[i]) - middle[i]) * scale);
    }
}

template <class Value>
class Search {
  public:
    Search(const RowsView<Value>& X, const RowsView<Value>& Q, Distance distance,
           const NearestOut& out, const Execution& execution)
        : X_(X),
          Q_(Q),
          distance_(distance),
          out_(out),
          execution_(execution),
          middle_(middle_of(X, distance)),
          depth_(X.n_cols + 2),
          lengths_(X.n_rows),
          workers_(static_cast<std::size_t>(std::max(1, execution.n_threads)),
                   Worker{Exact<Value>(X, Q, distance), {}}) {
        std::vector<double> lengths(X.n_rows);
        in_parts(X.n_rows, 1024,
                 [&](std::size_t i) { lengths[i] = length_from(X.row(i), middle_); });
        for (const double length : lengths) {
            largest_ = length > largest_ || std::isnan(length) ? length : largest_;
        }
        if (largest_ == 0.0) largest_ = 1.0;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            lengths_[i] = padded_length(lengths[i] / largest_);
        }
    }

    // Squares of huge numbers overflow; bounds say nothing then.
    bool is_finite() const {
        double longest = largest_;
        for (std::size_t row = 0; row < Q_.n_rows; ++row) {
            longest += length_from(Q_.row(row), middle_);
        }
        return std::isfinite(longest);
    }

    void operator()() {
        const std::size_t most = std::max<std::size_t>((std::size_t{64} << 20) / depth_, 1024);
        const std::size_t chunk = std::min(NearestPool::queries_at_a_time(out_.k), most);
        for (std::size_t first = 0; first < Q_.n_rows; first += chunk) {
            search_chunk(first, std::min(chunk, Q_.n_rows - first));
        }
    }

  private:
    struct Worker {
        Exact<Value> exact;
        NearestPool::Scratch scratch;
    };

    template <class Body>
    void in_parts(std::size_t n, std::size_t grain, Body&& body) const {
        parallel_parts(n_parts_of(n, grain), execution_, [&](std::size_t part, int) {
            const std::size_t end = std::min((part + 1) * grain, n);
            for (std::size_t i = part * grain; i < end; ++i) body(i);
        });
    }

    void search_chunk(std::size_t first, std::size_t n) {
        NearestPool pool(n, out_.k);
        for (Worker& worker : workers_) worker.exact.set_first(first);
        pack_queries(first, n);
        const std::size_t n_parts = n_parts_of(n, kQueriesPerPart);
        for (std::size_t point = 0; point < X_.n_rows; point += kPointsPerBlock) {
            const std::size_t size = std::min(kPointsPerBlock, X_.n_rows - point);
            pack_points(point, size);
            parallel_parts(n_parts, execution_,
                           [&](std::size_t part, int worker, Checkpoint& checkpoint) {
                               search_part(pool, part * kQueriesPerPart, n, point, size,
                                           workers_[static_cast<std::size_t>(worker)], checkpoint);
                           });
        }
        parallel_parts(n_parts, execution_,
                       [&](std::size_t part, int worker, Checkpoint& checkpoint) {
                           Worker& mine = workers_[static_cast<std::size_t>(worker)];
                           const std::size_t end = std::min((part + 1) * kQueriesPerPart, n);
                           for (std::size_t q = part * kQueriesPerPart; q < end; ++q) {
                               pool.finish(q, lengths_.data(), scales_[q].slack, mine.exact,
                                           mine.scratch, first + q, out_);
                               checkpoint.step();
                           }
                       });
    }

    // The last two values of a query meet what every point has beside its own: half its squared
    // length and its length, so that bounds come out of the product itself.
    void pack_queries(std::size_t first, std::size_t n) {
        scales_.resize(n);
        queries_.assign(n_parts_of(n, kTileQueries) * kTileQueries * depth_, 0.0f);
        in_parts(n, 256, [&](std::size_t q) {
            const Value* const row = Q_.row(first + q);
            const double length = length_from(row, middle_);
            const QueryScale scale(distance_, length, largest_, X_.n_cols);
            scales_[q] = scale;
            float* const place =
                queries_.data() + q / kTileQueries * kTileQueries * depth_ + q % kTileQueries;
            pack(row, middle_, scale.inverse_rho, kTileQueries, place);
            place[(depth_ - 2) * kTileQueries] = scale.centre;
            place[(depth_ - 1) * kTileQueries] = scale.slack;
        });
    }

    void pack_points(std::size_t first, std::size_t n) {
        points_.resize(n_parts_of(n, kTilePoints) * kTilePoints * depth_);
        in_parts(n_parts_of(n, kTilePoints), 16, [&](std::size_t panel) {
            float* const places = points_.data() + panel * kTilePoints * depth_;
            const std::size_t begin = panel * kTilePoints, size = std::min(kTilePoints, n - begin);
            if (size < kTilePoints) std::fill(places, places + kTilePoints * depth_, 0.0f);
            for (std::size_t i = 0; i < size; ++i) {
                const std::size_t point = first + begin + i;
                float* const place = places + i;
                pack(X_.row(point), middle_, 1.0 / largest_, kTilePoints, place);
                const float length = lengths_[point];
                place[(depth_ - 2) * kTilePoints] = -0.5f * length * length;
                place[(depth_ - 1) * kTilePoints] = length;
            }
        });
    }

    // Queries from `begin` on, of n, against the packed points.
    void search_part(NearestPool& pool, std::size_t begin, std::size_t n, std::size_t first_point,
                     std::size_t n_points, Worker& mine, Checkpoint& checkpoint) const {
        const SimdLevel level = simd_level();
        const std::size_t end = std::min(begin + kQueriesPerPart, n);
        for (std::size_t point = 0; point < n_points; point += kTilePoints) {
            const float* const points = points_.data() + point * depth_;
            const std::size_t size = std::min(kTilePoints, n_points - point);
            for (std::size_t q = begin; q < end; q += kTileQueries) {
                search_tile(level, pool, q, std::min(kTileQueries, end - q), points,
                            first_point + point, size, mine);
            }
            checkpoint.step();
        }
    }

    void search_tile(SimdLevel level, NearestPool& pool, std::size_t q, std::size_t n_queries,
                     const float* points, std::size_t first, std::size_t n_points,
                     Worker& mine) const {
        float thresholds[kTileQueries], upper[kTileQueries * kTilePoints];
        std::uint32_t passed[kTileQueries];
        std::fill(thresholds, thresholds + kTileQueries, std::numeric_limits<float>::infinity());
        for (std::size_t i = 0; i < n_queries; ++i) thresholds[i] = pool.threshold(q + i);
        if (!dense_nearest_tile(level, queries_.data() + q * depth_, points, depth_, thresholds,
                                upper, passed)) {
            return;
        }
        for (std::size_t i = 0; i < n_queries; ++i) {
            for (std::uint32_t bits = passed[i]; bits != 0; bits &= bits - 1) {
                const auto j = static_cast<std::size_t>(std::countr_zero(bits));
                if (j >= n_points) break;
                pool.add(q + i, {upper[i * kTilePoints + j], static_cast<std::uint32_t>(first + j)},
                         lengths_.data(), scales_[q + i].slack, mine.exact, mine.scratch);
            }
        }
    }

    const RowsView<Value>& X_;
    const RowsView<Value>& Q_;
    Distance distance_;
    const NearestOut& out_;
    const Execution& execution_;
    std::vector<double> middle_;
    std::size_t depth_;  // columns and two more
    double largest_ = 0.0;
    std::vector<float> lengths_;
    std::vector<Worker> workers_;
    std::vector<QueryScale> scales_;
    std::vector<float> queries_;  // panels x depth x kTileQueries
    RawVector<float> points_;     // panels x depth x kTilePoints
};

}  // namespace

template <class Value>
void dense_nearest(const RowsView<Value>& X, const RowsView<Value>& Q, Distance distance,
                   const NearestOut& out, const Execution& execution) {
    if (X.n_cols != Q.n_cols) throw std::invalid_argument("X and Q need the same columns");
    check_nearest(X.n_rows, Q.n_rows, out);
    if (Q.n_rows >= kFewQueries) {
        Search<Value> search(X, Q, distance, out, execution);
        if (search.is_finite()) return search();
    }
    search_directly(X.n_rows, Q.n_rows, Exact<Value>(X, Q, distance), out, execution);
}

template void dense_nearest(const RowsView<float>&, const RowsView<float>&, Distance,
                            const NearestOut&, const Execution&);
template void dense_nearest(const RowsView<double>&, const RowsView<double>&, Distance,
                            const NearestOut&, const Execution&);

}  // namespace quire
