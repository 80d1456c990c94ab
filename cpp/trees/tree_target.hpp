// What a tree predicts: class shares or a mean, and how good a division of a node is.
//
// A target holds the sums of a node and of the samples that were moved to one side of it, and
// keeps the quality of the division up to date in O(1) for every sample moved. With sums n_k of the
// classes, N = sum n_k, and M, R the two sides, larger is better:
//
//     gini           sum_k M_k^2 / M + sum_k R_k^2 / R
//     entropy        sum_k M_k log2 M_k - M log2 M + sum_k R_k log2 R_k - R log2 R
//     squared error  (sum wy)_M^2 / M + (sum wy)_R^2 / R
//     Poisson        (sum wy)_M log mean_M + (sum wy)_R log mean_R
//
// These differ from the decrease of impurity by constants of the node only. Whole-number weights
// are summed as integers, so that classes have no rounding. Their logarithms are integers, too, in
// units of a small power of two, and that of a product is the sum of those of its factors:
// divisions that are equally good have the same quality to the last bit, in whatever order samples
// came.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace quire {

enum class TreeCriterion { gini, entropy, squared_error, poisson };

inline constexpr double kTreeEpsilon = std::numeric_limits<double>::epsilon();
inline constexpr double kTreeCertain = 1 - 64 * kTreeEpsilon;  // more than rounding can do

// Classes. Weight is int64_t for whole numbers below 2^16, else double. The payload of a sample is
// its class and its weight if `packed`, else its place in the node.
template <class Weight>
class ClassTarget {
  public:
    static constexpr bool packed = std::is_integral_v<Weight>;

    ClassTarget(std::span<const std::int32_t> codes, std::size_t n_classes,
                std::span<const double> weights, TreeCriterion criterion)
        : codes_(codes),
          weights_(weights),
          entropy_(criterion == TreeCriterion::entropy),
          total_(n_classes),
          moved_(n_classes) {
        if constexpr (packed) {
            if (entropy_) {
                double sum = 0;
                for (std::size_t i = 0; i < codes.size(); ++i) sum += weight_of(i);
                make_table(sum);
            }
        }
    }

    double weight_of(std::size_t sample) const { return weights_.empty() ? 1 : weights_[sample]; }

    // The sums of a node.
    void begin_node(std::span<const std::uint32_t> samples,
                    std::span<const std::uint32_t> payloads) {
        samples_ = samples;
        std::fill(total_.begin(), total_.end(), Weight{0});
        for (const std::uint32_t payload : payloads)
            total_[class_of(payload)] += weight_in(payload);
        total_weight_ = 0;
        total_square_ = 0;
        total_log_ = 0;
        for (const Weight n : total_) {
            total_weight_ += n;
            total_square_ += n * n;
            if (entropy_) total_log_ += x_log_x(n);
        }
        clear();
    }
    double weight() const { return static_cast<double>(total_weight_); }
    double impurity() const { return impurity_of(total_, weight()); }
    // Of the samples that were moved and of the others.
    double moved_impurity() const { return impurity_of(moved_, moved_weight()); }
    double rest_impurity() const {
        std::vector<Weight> rest(total_);
        for (std::size_t k = 0; k < rest.size(); ++k) rest[k] -= moved_[k];
        return impurity_of(rest, rest_weight());
    }

    // If packed.
    std::uint32_t payload(std::uint32_t sample) const {
        return static_cast<std::uint32_t>(codes_[sample]) << 16 |
               static_cast<std::uint32_t>(weight_of(sample));
    }

    void clear() {
        std::fill(moved_.begin(), moved_.end(), Weight{0});
        clear_sums();
    }
    // The same, where `clear_class` is called for the payloads that were moved.
    void clear_sums() {
        moved_weight_ = 0;
        moved_square_ = 0;
        rest_square_ = total_square_;
        log_sum_ = total_log_;
    }
    void clear_class(std::uint32_t payload) { moved_[class_of(payload)] = 0; }
    std::size_t n_sums() const { return moved_.size(); }
    void track(bool) {}

    void move(std::uint32_t payload) {
        const std::size_t k = class_of(payload);
        const Weight w = weight_in(payload);
        const Weight before = moved_[k], rest = total_[k] - before;
        moved_[k] = before + w;
        moved_weight_ += w;
        if (entropy_) {
            log_sum_ += x_log_x(before + w) - x_log_x(before) + x_log_x(rest - w) - x_log_x(rest);
        } else {
            moved_square_ += w * (2 * before + w);
            rest_square_ -= w * (2 * rest - w);
        }
    }
    // Orders of categories: by the share of a class. One is enough for two classes; else those of
    // the heaviest ones.
    void list_orders(std::vector<std::size_t>& out) const {
        constexpr std::size_t kMost = 16;
        out.clear();
        for (std::size_t k = total_.size() == 2 ? 1 : 0; k < total_.size(); ++k) {
            if (total_[k] > 0) out.push_back(k);
        }
        std::stable_sort(out.begin(), out.end(),
                         [&](std::size_t a, std::size_t b) { return total_[a] > total_[b]; });
        if (out.size() > kMost) out.resize(kMost);
    }
    double weight_in_order(std::uint32_t payload) const {
        return static_cast<double>(weight_in(payload));
    }
    double value_in_order(std::uint32_t payload, std::size_t by) const {
        return class_of(payload) == by ? weight_in_order(payload) : 0;
    }
    double moved_weight() const { return static_cast<double>(moved_weight_); }
    double rest_weight() const { return static_cast<double>(total_weight_ - moved_weight_); }
    // Whether quality() may be above `best`: says no only where that is certain, and then without
    // the divisions.
    bool may_beat(double best) const {
        if (entropy_) return true;
        const double m = moved_weight(), r = rest_weight();
        const double scaled =
            static_cast<double>(moved_square_) * r + static_cast<double>(rest_square_) * m;
        return !(scaled < best * (m * r) * kTreeCertain);
    }
    double quality() const {
        const double m = moved_weight(), r = rest_weight();
        if constexpr (packed) {
            if (entropy_) {
                return static_cast<double>(log_sum_ - x_log_x(moved_weight_) -
                                           x_log_x(total_weight_ - moved_weight_));
            }
        } else if (entropy_) {
            return log_sum_ - m * std::log2(m) - r * std::log2(r);
        }
        return static_cast<double>(moved_square_) / m + static_cast<double>(rest_square_) / r;
    }

  private:
    using Log = Weight;
    static constexpr double kLargestTable = 1 << 20;

    std::size_t class_of(std::uint32_t payload) const {
        if constexpr (packed) {
            return payload >> 16;
        } else {
            return static_cast<std::size_t>(codes_[samples_[payload]]);
        }
    }
    Weight weight_in(std::uint32_t payload) const {
        if constexpr (packed) {
            return static_cast<Weight>(payload & 0xFFFFu);
        } else {
            return weight_of(samples_[payload]);
        }
    }
    // Of whole numbers up to a sum, in units of 1 / scale_.
    void make_table(double sum) {
        // All terms of a node together stay below those of the sum, which must fit into 62 bits.
        const double largest = sum * std::log2(sum + 1) + 1;
        scale_ = std::exp2(std::min(50.0, std::floor(61 - std::log2(largest))));
        const auto n = static_cast<std::size_t>(std::min(sum, kLargestTable));
        table_.assign(n + 1, 0);  // logarithms first
        for (std::size_t p = 2; p <= n; ++p) {
            if (table_[p] != 0) continue;
            const Log log = logarithm(static_cast<double>(p));  // of a prime
            for (std::size_t power = p; power <= n; power *= p) {
                for (std::size_t x = power; x <= n; x += power) table_[x] += log;
            }
        }
        for (std::size_t x = 2; x <= n; ++x) table_[x] *= static_cast<Log>(x);
    }
    Log logarithm(double x) const { return static_cast<Log>(std::llround(std::log2(x) * scale_)); }
    Log x_log_x(Weight x) const {
        if constexpr (packed) {
            if (static_cast<std::size_t>(x) < table_.size()) {
                return table_[static_cast<std::size_t>(x)];
            }
            return x > 0 ? x * logarithm(static_cast<double>(x)) : 0;
        } else {
            return x > 0 ? x * std::log2(x) : 0;
        }
    }
    double impurity_of(const std::vector<Weight>& sums, double weight) const {
        double squares = 0, entropy = 0;
        for (const Weight sum : sums) {
            const auto n = static_cast<double>(sum);
            squares += n * n;
            if (entropy_ && n > 0) entropy -= n / weight * std::log2(n / weight);
        }
        return entropy_ ? entropy : 1 - squares / (weight * weight);
    }

    std::span<const std::int32_t> codes_;
    std::span<const double> weights_;
    std::span<const std::uint32_t> samples_;
    bool entropy_;
    double scale_ = 1;
    std::vector<Log> table_;  // x log2 x
    std::vector<Weight> total_, moved_;
    Weight total_weight_{}, total_square_{}, moved_weight_{}, moved_square_{}, rest_square_{};
    Log total_log_{}, log_sum_{};
};

// Numbers. The payload of a sample is its place in the node.
class ValueTarget {
  public:
    static constexpr bool packed = false;

    ValueTarget(std::span<const double> y, std::span<const double> weights, TreeCriterion criterion)
        : y_(y), weights_(weights), poisson_(criterion == TreeCriterion::poisson) {}

    double weight_of(std::size_t sample) const { return weights_.empty() ? 1 : weights_[sample]; }

    void begin_node(std::span<const std::uint32_t> samples, std::span<const std::uint32_t>) {
        samples_ = samples;
        local_.resize(samples.size());
        total_ = {};
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const double w = weight_of(samples[i]), y = y_[samples[i]];
            local_[i] = {w, w * y};
            total_.w += w;
            total_.wy += w * y;
            total_.wyy += poisson_ ? w * y_log_y(y) : w * y * y;
        }
        clear();
    }
    double weight() const { return total_.w; }
    double value() const { return total_.wy / total_.w; }
    double impurity() const { return impurity_of(total_); }
    double moved_impurity() const { return impurity_of(moved_whole()); }
    double rest_impurity() const {
        const Sums moved = moved_whole();
        return impurity_of({total_.w - moved.w, total_.wy - moved.wy, total_.wyy - moved.wyy});
    }

    std::uint32_t payload(std::uint32_t sample) const { return sample; }
    void clear() {
        moved_ = {};
        moved_square_ = 0;
    }
    void clear_sums() { clear(); }
    void clear_class(std::uint32_t) {}
    std::size_t n_sums() const { return 1; }
    void move(std::uint32_t i) {
        moved_.w += local_[i].w;
        moved_.wy += local_[i].wy;
        // Only read by the impurities, for the division that was chosen.
        const double y = y_[samples_[i]];
        if (track_) moved_square_ += poisson_ ? local_[i].w * y_log_y(y) : local_[i].wy * y;
    }
    // Whether the impurities of the sides will be asked for.
    void track(bool on) { track_ = on; }

    // Orders of categories: by the mean.
    void list_orders(std::vector<std::size_t>& out) const { out.assign(1, 0); }
    double weight_in_order(std::uint32_t i) const { return local_[i].w; }
    double value_in_order(std::uint32_t i, std::size_t) const { return local_[i].wy; }
    double moved_weight() const { return moved_.w; }
    double rest_weight() const { return total_.w - moved_.w; }
    bool may_beat(double best) const {
        if (poisson_) return true;
        const double m = moved_.wy, r = total_.wy - moved_.wy;
        const double rest = rest_weight();
        return !(m * m * rest + r * r * moved_.w < best * (moved_.w * rest) * kTreeCertain);
    }
    double quality() const {
        const double m = moved_.wy, r = total_.wy - moved_.wy;
        if (poisson_) {
            if (m <= kTreeEpsilon || r <= kTreeEpsilon) {
                return -std::numeric_limits<double>::infinity();
            }
            return m * std::log(m / moved_.w) + r * std::log(r / rest_weight());
        }
        return m * m / moved_.w + r * r / rest_weight();
    }

  private:
    struct Sums {
        double w, wy, wyy;
    };
    struct Moved {
        double w, wy;
    };
    static double y_log_y(double y) { return y > 0 ? y * std::log(y) : 0; }
    Sums moved_whole() const { return {moved_.w, moved_.wy, moved_square_}; }
    double impurity_of(const Sums& sums) const {
        const double mean = sums.wy / sums.w;
        if (!poisson_) return sums.wyy / sums.w - mean * mean;
        if (sums.wy <= kTreeEpsilon) return std::numeric_limits<double>::infinity();
        return (sums.wyy - sums.wy * std::log(mean)) / sums.w;
    }

    std::span<const double> y_, weights_;
    std::span<const std::uint32_t> samples_;
    bool poisson_, track_ = false;
    std::vector<Moved> local_;
    Sums total_{};
    Moved moved_{};
    double moved_square_{};
};

}  // namespace quire
