#include "text/class_counts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/bits.hpp"

namespace quire {

namespace {

constexpr std::uint32_t kNoTerm = 0xFFFFFFFFu;

// Zeros up to n, with some room: features keep coming.
template <class T>
void extend(std::vector<T>& values, std::size_t n) {
    if (values.size() >= n) return;
    if (values.capacity() < n) values.reserve(n + n / 8 + 64);
    values.resize(n);
}

}  // namespace

void Wide::add(std::uint64_t factor, std::uint64_t times, int shift, bool negative) {
    Wide product;
    product.low = multiply_128(factor, times, &product.high);
    if (shift > 0) {
        product.high = (product.high << shift) | (product.low >> (64 - shift));
        product.low <<= shift;
    }
    if (negative) {
        product.high = ~product.high + (product.low == 0);
        product.low = ~product.low + 1;
    }
    add(product);
}

void Wide::add(const Wide& other) {
    low += other.low;
    high += other.high + (low < other.low);
}

double Wide::value() const {
    if (high >> 63) {
        const Wide size{~low + 1, ~high + (low == 0)};
        return -size.value();
    }
    // What is below the highest 64 bits only matters as "something is there": rounding to 53 bits
    // sees the same. So the sum is rounded once.
    const int shift = static_cast<int>(std::bit_width(high));  // below 64
    if (shift == 0) return static_cast<double>(low);
    const std::uint64_t top = (high << (64 - shift)) | (low >> shift);
    const std::uint64_t rest = low << (64 - shift);
    return std::ldexp(static_cast<double>(top | (rest != 0)), shift);
}

FixedWeight::FixedWeight(double weight) : negative(weight < 0) {
    int exponent = 0;
    mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::abs(weight), &exponent), 53));
    exponent -= 53;
    window = exponent >= 0 ? exponent / kWindow : -((-exponent + kWindow - 1) / kWindow);
    shift = exponent - window * kWindow;
}

ClassCounts::Group* ClassCounts::group_of(OneClass& mine, double weight) {
    for (Group& group : mine.groups) {
        if (group.weight == weight) return &group;
    }
    if (mine.groups.size() == kWeights) return nullptr;
    mine.groups.push_back({weight, {}, {}});
    return &mine.groups.back();
}

ClassCounts::Sums& ClassCounts::sums_of(OneClass& mine, int window) {
    for (Sums& sums : mine.sums) {
        if (sums.window == window) return sums;
    }
    mine.sums.push_back({window, {}});
    return mine.sums.back();
}

void ClassCounts::add(std::span<const Entry> row, std::size_t label, double weight,
                      std::size_t n_numbers) {
    if (classes_.size() <= label) classes_.resize(label + 1);
    OneClass& mine = classes_[label];
    if (Group* group = group_of(mine, weight)) {
        extend(group->counts, n_numbers);
        std::uint32_t* counts = group->counts.data();
        std::uint64_t sum = 0;
        for (const Entry& entry : row) {
            const std::uint32_t value = value_of(entry);
            counts[entry.feature] += value;
            sum += value;
        }
        group->n_since_move += sum;
        if (group->n_since_move > limit_) move_counts(*group);
        return;
    }
    const FixedWeight fixed(weight);
    Sums& sums = sums_of(mine, fixed.window);
    extend(sums.totals, n_numbers);
    for (const Entry& entry : row) {
        sums.totals[entry.feature].add(fixed.mantissa, value_of(entry), fixed.shift,
                                       fixed.negative);
    }
}

void ClassCounts::move_counts(Group& group) {
    extend(group.moved, group.counts.size());
    for (std::size_t i = 0; i < group.counts.size(); ++i) group.moved[i] += group.counts[i];
    std::fill(group.counts.begin(), group.counts.end(), 0);
    group.n_since_move = 0;
}

bool ClassCounts::add_weights(std::size_t label, std::vector<double>& weights) const {
    if (label >= classes_.size()) return true;
    for (const Group& group : classes_[label].groups) weights.push_back(group.weight);
    return classes_[label].sums.empty();
}

void ClassCounts::add_counts_to(std::size_t label, std::span<const std::uint32_t> place_of_number,
                                std::span<double> totals) const {
    if (label >= classes_.size()) return;
    for (const Group& group : classes_[label].groups) {
        for (std::size_t i = 0; i < group.counts.size(); ++i) {
            const std::uint32_t place = place_of_number[i];
            if (place != kNoTerm) totals[place] += static_cast<double>(count_of(group, i));
        }
    }
}

void ClassCounts::add_windows(std::size_t label, std::vector<int>& windows) const {
    if (label >= classes_.size()) return;
    for (const Group& group : classes_[label].groups) {
        windows.push_back(FixedWeight(group.weight).window);
    }
    for (const Sums& sums : classes_[label].sums) windows.push_back(sums.window);
}

void ClassCounts::add_to(std::size_t label, int window,
                         std::span<const std::uint32_t> place_of_number,
                         std::span<Wide> totals) const {
    if (label >= classes_.size()) return;
    for (const Group& group : classes_[label].groups) {
        const FixedWeight fixed(group.weight);
        if (fixed.window != window) continue;
        for (std::size_t i = 0; i < group.counts.size(); ++i) {
            const std::uint32_t place = place_of_number[i];
            if (place == kNoTerm) continue;
            totals[place].add(fixed.mantissa, count_of(group, i), fixed.shift, fixed.negative);
        }
    }
    for (const Sums& sums : classes_[label].sums) {
        if (sums.window != window) continue;
        for (std::size_t i = 0; i < sums.totals.size(); ++i) {
            if (place_of_number[i] != kNoTerm) totals[place_of_number[i]].add(sums.totals[i]);
        }
    }
}

void join_class_counts(std::span<const ClassCounts> workers,
                       std::span<const RawVector<std::uint32_t>> place_of_number,
                       std::size_t n_classes, std::size_t n_terms, std::span<double> sums,
                       const Execution& execution) {
    const auto make_distinct = [](auto& values) {
        std::sort(values.begin(), values.end());
        values.erase(std::unique(values.begin(), values.end()), values.end());
    };
    parallel_parts(n_classes, execution, [&](std::size_t k, int, Checkpoint& checkpoint) {
        const std::span<double> out = sums.subspan(k * n_terms, n_terms);
        std::fill(out.begin(), out.end(), 0.0);
        std::vector<double> weights;
        bool all_apart = true;
        for (const ClassCounts& worker : workers) all_apart &= worker.add_weights(k, weights);
        make_distinct(weights);
        if (all_apart && weights.size() <= 1) {
            // One weight for all, as a rule: counts are exact in a double, the product is rounded.
            for (std::size_t w = 0; w < workers.size(); ++w) {
                checkpoint();
                workers[w].add_counts_to(k, place_of_number[w], out);
            }
            for (double& total : out) total *= weights.empty() ? 1.0 : weights[0];
            return;
        }
        std::vector<int> windows;
        for (const ClassCounts& worker : workers) worker.add_windows(k, windows);
        make_distinct(windows);
        for (const int window : windows) {
            std::vector<Wide> totals(n_terms);
            for (std::size_t w = 0; w < workers.size(); ++w) {
                checkpoint();
                workers[w].add_to(k, window, place_of_number[w], totals);
            }
            for (std::size_t t = 0; t < n_terms; ++t) {
                out[t] += std::ldexp(totals[t].value(), window * FixedWeight::kWindow);
            }
        }
    });
}

}  // namespace quire
