// Support vector regression, the second kernel of csr_svm_descent.hpp.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "margins/csr_svm_descent.hpp"
#include "margins/svm_rows.hpp"
#include "sparse/csr_columns.hpp"

namespace quire {

namespace {

// A coordinate of the dual, min ||sum_i b_i x_i||^2 / 2 + sum_i (d_i b_i^2 / 2 - y_i b_i + epsilon
// |b_i|), -U_i <= b_i <= U_i: how far it is from its optimum, and where that lies.
struct Coordinate {
    double b, upper, slope, curvature, epsilon;

    double right() const { return slope + epsilon; }  // the slope towards larger b
    double left() const { return slope - epsilon; }

    double violation() const {
        if (b == 0.0) return std::max({-right(), left(), 0.0});
        if (b >= upper) return std::max(right(), 0.0);
        if (b <= -upper) return std::max(-left(), 0.0);
        return std::abs(b > 0.0 ? right() : left());
    }
    // Whether it is so safely at a corner that it may be left out.
    bool is_settled(double largest) const {
        if (b == 0.0) return right() > largest && left() < -largest;
        if (b >= upper) return right() < -largest;
        if (b <= -upper) return left() > largest;
        return false;
    }
    double best() const {
        double next = 0.0;
        if (right() < curvature * b) {
            next = b - right() / curvature;
        } else if (left() > curvature * b) {
            next = b - left() / curvature;
        }
        return std::clamp(next, -upper, upper);
    }
};

}  // namespace

template <class Value, class Index>
std::int64_t csr_svr_descent(const CsrView<Value, Index>& X, std::span<const double> y,
                             std::span<const double> costs, double epsilon,
                             const SvmDescent& options, std::span<double> w,
                             const Execution& execution) {
    csr_check_columns(X, execution);
    const std::size_t n = X.n_rows(), n_cols = static_cast<std::size_t>(X.n_cols);
    if (y.size() != n || costs.size() != n) {
        throw std::invalid_argument("y and costs must have n_rows entries");
    }
    if (w.size() != n_cols + 1) throw std::invalid_argument("w must have n_cols + 1 entries");
    const std::vector<double> squares = svm_squares(X, options.bias);
    std::fill(w.begin(), w.end(), 0.0);
    std::vector<double> b(n, 0.0);
    std::vector<char> active(n);
    std::vector<std::uint32_t> order(n);
    const auto look_at_all = [&] {
        for (std::size_t i = 0; i < n; ++i) active[i] = costs[i] > 0.0;
    };
    std::size_t number = 0;
    interruptible(execution, [&](Checkpoint& checkpoint) {
        double largest_before = kSvmInfinity, total_at_first = -1.0;
        look_at_all();
        while (number < options.max_passes) {
            svm_shuffle(options.seed, number++, order);
            double largest = 0.0, total = 0.0;
            bool some_left_out = false;
            for (std::size_t at = 0; at < n; ++at) {
                const std::size_t i = order[at];
                if (at + 2 < n) svm_expect(X, order[at + 2]);
                if (!active[i]) {
                    some_left_out |= costs[i] > 0.0;
                    continue;
                }
                const SparseRow<Value, Index> x = svm_row(X, i);
                double score;
                svm_scores<1>(x, w.data(), &score);
                const double diagonal = options.squared ? 0.5 / costs[i] : 0.0;
                const Coordinate one{b[i], options.squared ? kSvmInfinity : costs[i],
                                     score + options.bias * w[n_cols] - y[i] + diagonal * b[i],
                                     squares[i] + diagonal, epsilon};
                if (one.is_settled(largest_before)) {
                    active[i] = 0;
                    some_left_out = true;
                    continue;
                }
                const double violation = one.violation();
                largest = std::max(largest, violation);
                total += violation;
                const double step = one.best() - one.b;
                if (std::abs(step) > 1e-12) {
                    b[i] += step;
                    svm_move<1>(x, &step, w.data());
                    w[n_cols] += options.bias * step;
                }
                checkpoint.step();
            }
            if (total_at_first < 0.0) total_at_first = total;
            if (total <= options.tol * total_at_first) {
                if (!some_left_out) return;
                look_at_all();
                largest_before = kSvmInfinity;
            } else {
                largest_before = largest;
            }
        }
    });
    return static_cast<std::int64_t>(number);
}

#define QUIRE_INSTANTIATE(Value, Index)                                                          \
    template std::int64_t csr_svr_descent(const CsrView<Value, Index>&, std::span<const double>, \
                                          std::span<const double>, double, const SvmDescent&,    \
                                          std::span<double>, const Execution&);
QUIRE_INSTANTIATE(float, std::int32_t)
QUIRE_INSTANTIATE(float, std::int64_t)
QUIRE_INSTANTIATE(double, std::int32_t)
QUIRE_INSTANTIATE(double, std::int64_t)
#undef QUIRE_INSTANTIATE

}  // namespace quire
