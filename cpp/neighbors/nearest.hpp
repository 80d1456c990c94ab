// What searches for nearest points share: distances, and the few candidates of each query.
//
// A search looks at every pair of a query and a point in single precision, and knows how far its
// numbers can be off. Of each pair it has an upper bound on a key that grows as the distance falls;
// the bound less a slack is a lower bound. A point whose upper bound is below k lower bounds cannot
// be among the k nearest; all others are candidates, and their distances are computed in double
// precision from the data as they were given. The result is therefore that of a computation in
// double precision, whatever the instructions, the blocks and the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"

namespace quire {

// Cosine distances are those of rows that have length 1 (or 0): 1 - <x, y>, within [0, 2].
enum class Distance : int { euclidean = 0, sqeuclidean = 1, cosine = 2 };

struct Neighbor {
    double distance;
    std::uint32_t point;
    // Of points at the same distance the first one is nearer: results are stable. What is no number
    // is farthest, so that there is always an order to sort by.
    bool operator<(const Neighbor& other) const {
        if (distance < other.distance) return true;
        if (distance > other.distance) return false;
        const bool is_none = distance != distance, other_is_none = other.distance != other.distance;
        return is_none != other_is_none ? other_is_none : point < other.point;
    }
};

// Where the k nearest points of each query are written, nearest first.
struct NearestOut {
    std::size_t k;
    std::span<double> distances;     // n_queries x k
    std::span<std::int64_t> points;  // n_queries x k

    void write(std::size_t query, const std::vector<Neighbor>& sorted) const {
        for (std::size_t i = 0; i < k; ++i) {
            distances[query * k + i] = sorted[i].distance;
            points[query * k + i] = sorted[i].point;
        }
    }
};

// How the key of a pair is scaled, so that single precision neither overflows nor vanishes:
//     key = <q, x> / (rho S) - centre |x|^2 / (2 S^2),   S the largest length of a point,
// with rho = max(|q|, S) and centre = S / rho for euclidean distances, rho = |q| and centre = 0 for
// cosine ones. The computed key is off by at most slack |x| / S.
struct QueryScale {
    double inverse_rho = 1.0;
    float centre = 0.0f;
    float slack = 0.0f;

    QueryScale() = default;
    QueryScale(Distance distance, double length, double largest, std::size_t n_terms) {
        constexpr double kUnit = 0x1p-24;
        const bool is_cosine = distance == Distance::cosine;
        double rho = is_cosine ? length : std::max(length, largest);
        if (!(rho > 0.0)) rho = 1.0;
        inverse_rho = 1.0 / rho;
        const double c = is_cosine ? 0.0 : largest / rho;
        const double bound = (static_cast<double>(n_terms) + 16.0) * kUnit * (length / rho + c);
        centre = static_cast<float>(c);
        slack = static_cast<float>(bound * 1.01);
    }
};

// The length of a point over the largest one, as the slack of its keys sees it: never too small.
inline float padded_length(double length) {
    return static_cast<float>(length * (1.0 + 0x1p-22) + 1e-25);
}

// The candidates of many queries. Calls for different queries may run side by side.
class NearestPool {
  public:
    struct Candidate {
        float upper;
        std::uint32_t point;
    };
    struct Scratch {
        std::vector<float> lowers;
        std::vector<Neighbor> neighbors;
    };

    NearestPool(std::size_t n_queries, std::size_t k)
        : k_(k),
          room_(room_for(k)),
          places_(n_queries * room_),
          counts_(n_queries, 0),
          thresholds_(n_queries, -std::numeric_limits<float>::infinity()) {}

    // How many queries share a pass over the points: as many as have room for candidates.
    static std::size_t queries_at_a_time(std::size_t k) {
        return std::max<std::size_t>(kBytes / (sizeof(Candidate) * room_for(k)), 1024);
    }

    // Points with an upper bound below this one need not be added.
    float threshold(std::size_t query) const { return thresholds_[query]; }

    // lengths: padded, of all points; slack: of the query. exact has open(query), which returns a
    // function from a point to its distance.
    template <class Exact>
    void add(std::size_t query, Candidate candidate, const float* lengths, float slack,
             Exact& exact, Scratch& scratch) {
        if (candidate.upper < thresholds_[query]) return;
        places_[query * room_ + counts_[query]++] = candidate;
        if (counts_[query] < room_) return;
        raise_threshold(query, lengths, slack, scratch);
        if (counts_[query] > room_ - room_ / 4) keep_nearest(query, lengths, slack, exact, scratch);
    }

    template <class Exact>
    void finish(std::size_t query, const float* lengths, float slack, Exact& exact,
                Scratch& scratch, std::size_t out_query, const NearestOut& out) {
        raise_threshold(query, lengths, slack, scratch);
        measure(query, exact, scratch);
        out.write(out_query, scratch.neighbors);
    }

  private:
    static constexpr std::size_t kBytes = std::size_t{96} << 20;

    static std::size_t room_for(std::size_t k) { return 2 * k + 64; }

    Candidate* begin(std::size_t query) { return places_.data() + query * room_; }

    static float lower(const Candidate& c, const float* lengths, float slack) {
        return c.upper - 2.0f * slack * lengths[c.point];
    }

    void raise_threshold(std::size_t query, const float* lengths, float slack, Scratch& scratch) {
        if (counts_[query] < k_) return;
        Candidate* const first = begin(query);
        std::vector<float>& lowers = scratch.lowers;
        lowers.clear();
        for (std::size_t i = 0; i < counts_[query]; ++i) {
            const float bound = lower(first[i], lengths, slack);
            lowers.push_back(bound == bound ? bound : -std::numeric_limits<float>::infinity());
        }
        const auto kth = lowers.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
        std::nth_element(lowers.begin(), kth, lowers.end(), std::greater<>());
        const float threshold = thresholds_[query] = std::max(thresholds_[query], *kth);
        Candidate* const end = std::remove_if(
            first, first + counts_[query], [&](const Candidate& c) { return c.upper < threshold; });
        counts_[query] = static_cast<std::size_t>(end - first);
    }

    // The k nearest of the candidates, in scratch.neighbors.
    template <class Exact>
    void measure(std::size_t query, Exact& exact, Scratch& scratch) {
        const auto distance = exact.open(query);
        scratch.neighbors.clear();
        for (std::size_t i = 0; i < counts_[query]; ++i) {
            const std::uint32_t point = begin(query)[i].point;
            scratch.neighbors.push_back({distance(point), point});
        }
        exact.close(query);
        if (scratch.neighbors.size() < k_) {
            throw std::invalid_argument(
                "X or Q has numbers that are not finite, or too large to be squared");
        }
        const auto kth = scratch.neighbors.begin() + static_cast<std::ptrdiff_t>(k_);
        std::partial_sort(scratch.neighbors.begin(), kth, scratch.neighbors.end());
        scratch.neighbors.resize(k_);
    }

    // Too many bounds overlap, as among duplicates: distances decide at once.
    template <class Exact>
    void keep_nearest(std::size_t query, const float* lengths, float slack, Exact& exact,
                      Scratch& scratch) {
        measure(query, exact, scratch);
        std::vector<Neighbor>& kept = scratch.neighbors;
        std::sort(kept.begin(), kept.end(),
                  [](const Neighbor& a, const Neighbor& b) { return a.point < b.point; });
        const auto is_dropped = [&](const Candidate& c) {
            const auto at = std::lower_bound(
                kept.begin(), kept.end(), c.point,
                [](const Neighbor& a, std::uint32_t point) { return a.point < point; });
            return at == kept.end() || at->point != c.point;
        };
        Candidate* const first = begin(query);
        Candidate* const end = std::remove_if(first, first + counts_[query], is_dropped);
        counts_[query] = static_cast<std::size_t>(end - first);
        float lowest = std::numeric_limits<float>::infinity();
        for (const Candidate* c = first; c != end; ++c) {
            lowest = std::min(lowest, lower(*c, lengths, slack));
        }
        thresholds_[query] = std::max(thresholds_[query], lowest);
    }

    std::size_t k_, room_;
    RawVector<Candidate> places_;
    std::vector<std::size_t> counts_;
    std::vector<float> thresholds_;
};

inline constexpr std::size_t kFewQueries = 8;  // fewer are searched directly

// For few queries: the distances of all points. exact is copied for each worker.
template <class Exact>
void search_directly(std::size_t n_points, std::size_t n_queries, const Exact& exact,
                     const NearestOut& out, const Execution& execution) {
    constexpr std::size_t grain = 4096;
    const std::size_t n_blocks = n_parts_of(n_points, grain);
    std::vector<std::vector<Neighbor>> found(n_queries * n_blocks);
    std::vector<Exact> exacts(static_cast<std::size_t>(std::max(1, execution.n_threads)), exact);
    parallel_parts(found.size(), execution,
                   [&](std::size_t part, int worker, Checkpoint& checkpoint) {
                       Exact& mine = exacts[static_cast<std::size_t>(worker)];
                       const std::size_t first = part % n_blocks * grain;
                       const std::size_t last = std::min(first + grain, n_points);
                       const auto measure = mine.open(part / n_blocks);
                       std::vector<Neighbor>& near = found[part];
                       for (std::size_t point = first; point < last; ++point) {
                           near.push_back({measure(point), static_cast<std::uint32_t>(point)});
                           checkpoint.step();
                       }
                       mine.close(part / n_blocks);
                       const auto k = static_cast<std::ptrdiff_t>(std::min(out.k, near.size()));
                       std::partial_sort(near.begin(), near.begin() + k, near.end());
                       near.resize(static_cast<std::size_t>(k));
                   });
    for (std::size_t query = 0; query < n_queries; ++query) {
        std::vector<Neighbor> all;
        for (std::size_t block = 0; block < n_blocks; ++block) {
            const std::vector<Neighbor>& near = found[query * n_blocks + block];
            all.insert(all.end(), near.begin(), near.end());
        }
        std::sort(all.begin(), all.end());
        out.write(query, all);
    }
}

inline void check_nearest(std::size_t n_points, std::size_t n_queries, const NearestOut& out) {
    if (out.k < 1 || out.k > n_points) throw std::invalid_argument("k must be in [1, n_rows]");
    if (n_points > std::numeric_limits<std::uint32_t>::max()) {
        throw std::invalid_argument("X has too many rows");
    }
    if (out.distances.size() != n_entries(n_queries, out.k) ||
        out.points.size() != out.distances.size()) {
        throw std::invalid_argument("distances and points need k entries for each row of Q");
    }
}

}  // namespace quire
