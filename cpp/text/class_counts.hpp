// Counts of features by class, added up while documents are counted: no row is kept.
//
// Every total is a whole number times a power of two, added as an integer and rounded once at the
// end, so that neither the order of the documents nor who counted them can change a bit, whatever
// their weights.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "text/count_rows.hpp"

namespace quire {

// An integer of 128 bits, as much of it as sums need.
struct Wide {
    std::uint64_t low = 0, high = 0;

    // Adds or takes away factor * times * 2^shift, shift < 64; the product must fit.
    void add(std::uint64_t factor, std::uint64_t times, int shift, bool negative);
    void add(const Wide& other);
    double value() const;
};

// A weight as a number that integers can be made of: (-1)^negative * mantissa * 2^(shift + 24 *
// window), where the mantissa has at most 53 bits and 0 <= shift < 24. Sums of one window share
// their unit; 53 + 23 bits leave 2^50 for the counts.
struct FixedWeight {
    explicit FixedWeight(double weight);
    static constexpr int kWindow = 24;

    std::uint64_t mantissa;
    int window, shift;
    bool negative;
};

// One worker's counts. A class holds, for each of its first kWeights weights (one, as a rule),
// integers of 32 bits by feature number; documents with further weights go to sums of 128 bits.
class ClassCounts {
  public:
    // What counts: how often a feature occurs in a document or, with a threshold (>= 0), 1 if it
    // occurs more often than that. Integers move to 64 bits when more than `limit` was added to
    // them; limit <= 2^31, because a count of one document can have 31 bits.
    explicit ClassCounts(std::optional<double> threshold = {}, std::uint64_t limit = kLimit)
        : limit_(limit) {
        if (!threshold) return;
        if (!(*threshold >= 0)) throw std::invalid_argument("threshold must be 0 or more");
        least_ = static_cast<std::int64_t>(std::min(*threshold, kMostThreshold)) + 1;
    }

    static constexpr std::uint64_t kLimit = std::uint64_t{1} << 31;

    // Adds a document of a class; n_numbers is above every feature of the row.
    void add(std::span<const Entry> row, std::size_t label, double weight, std::size_t n_numbers);
    std::size_t n_classes() const { return classes_.size(); }

    // Appends the weights of a class; false if there were more than are counted apart.
    bool add_weights(std::size_t label, std::vector<double>& weights) const;
    // Adds the counts of a class, whatever their weights, to totals[place_of_number[number]].
    void add_counts_to(std::size_t label, std::span<const std::uint32_t> place_of_number,
                       std::span<double> totals) const;
    // Appends the windows of the weights of a class.
    void add_windows(std::size_t label, std::vector<int>& windows) const;
    // Adds the weighted counts of a class in one window to totals[place_of_number[number]].
    void add_to(std::size_t label, int window, std::span<const std::uint32_t> place_of_number,
                std::span<Wide> totals) const;

  private:
    static constexpr std::size_t kWeights = 2;
    static constexpr double kMostThreshold = 2147483648.0;  // above every count

    struct Group {  // documents of equal weight
        double weight;
        std::vector<std::uint32_t> counts;
        std::vector<std::uint64_t> moved;
        std::uint64_t n_since_move = 0;
    };
    struct Sums {
        int window;
        std::vector<Wide> totals;
    };
    struct OneClass {
        std::vector<Group> groups;
        std::vector<Sums> sums;
    };

    std::uint32_t value_of(const Entry& entry) const {
        return static_cast<std::uint32_t>(least_ == 0 ? entry.count : entry.count >= least_);
    }
    static std::uint64_t count_of(const Group& group, std::size_t number) {
        return group.counts[number] + (number < group.moved.size() ? group.moved[number] : 0);
    }
    Group* group_of(OneClass& mine, double weight);
    Sums& sums_of(OneClass& mine, int window);
    static void move_counts(Group& group);

    std::int64_t least_ = 0;  // the lowest count that is present; 0: counts are added themselves
    std::uint64_t limit_;
    std::vector<OneClass> classes_;
};

// S_kt = sum over the documents of class k of their weight times the value of term t, into sums
// (n_classes x n_terms, row-major; what it held is overwritten): the counts of all workers, with
// the place of their feature numbers among the terms (0xFFFFFFFF: none).
//
// Equivalent to: csr_class_sums(X, labels, n_classes, weights), correctly rounded
void join_class_counts(std::span<const ClassCounts> workers,
                       std::span<const RawVector<std::uint32_t>> place_of_number,
                       std::size_t n_classes, std::size_t n_terms, std::span<double> sums,
                       const Execution& execution);

}  // namespace quire
