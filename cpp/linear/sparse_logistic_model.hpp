// The second-order model of a penalised logistic loss on a working set, and its minimum by
// coordinate descent.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/lanes.hpp"
#include "base/parallel.hpp"
#include "linear/extrapolation.hpp"
#include "linear/matrix_columns.hpp"
#include "linear/sparse_logistic_loss.hpp"

namespace quire {

// The members of the working set in one class, and the model of P in them.
struct ModelBlock {
    std::vector<std::size_t> features;  // rising
    std::vector<double> value;          // w
    std::vector<double> gradient;       // of the loss at w
    std::vector<double> curvature;      // diagonal of the Hessian, with the best intercept
    std::vector<double> mass;           // x_j' v, v the weights of the rows
    std::vector<double> change;         // the step d so far
    std::vector<double> added;          // the part of it that the scores do not have yet
    std::vector<std::uint32_t> active;  // places that take part in short passes
    double intercept_gradient = 0, intercept_change = 0;
    double total = 0;  // sum of v; 0 without intercepts
    double met = 0;    // sum of u: what the steps so far do to the gradient of the intercept

    // How the intercept moves with the coefficients, beside what u knows of: always to its best.
    double offset() const { return total > 0 ? -(intercept_gradient + met) / total : 0.0; }
};

// With the scores' step t = X d + e for steps d of the coefficients and e of the intercepts, and h
// the probabilities of the Hessian (LogisticLoss::bend):
//
//     Q(d, e) = residuals' t + 1/2 sum_i s_i (sum_k h_ik t_ik^2 - (sum_k h_ik t_ik)^2)
//               + l1 |w + d|_1 + l2/2 |w + d|^2
//
// Within one class, u = s h (t - sum_k h_k t_k) is all that coordinate descent has to know: a step
// in column j adds step * v * x_j to it, v = s h (1 - h). The intercept is never stepped in on its
// own. It is eliminated: every step of a coefficient takes the best intercept with it, which costs
// one multiplication and makes columns that have a mean far easier to descend in.
template <class Columns>
class LogisticModel {
  public:
    LogisticModel(const Columns& X, LogisticLoss& loss, bool fit_intercept)
        : X_(X),
          loss_(loss),
          fit_intercept_(fit_intercept),
          blocks_(loss.width()),
          weights_(X.n_rows()),
          u_(X.n_rows()) {
        if (loss.width() > 1) mean_.resize(X.n_rows());
    }

    void set_penalty(double l1, double l2) {
        l1_ = l1;
        l2_ = l2;
    }

    // Takes new members, as rising places j * width + k in the coefficients.
    void set_members(std::span<const std::size_t> places) {
        for (ModelBlock& block : blocks_) block.features.clear();
        const std::size_t width = loss_.width();
        for (const std::size_t place : places) {
            blocks_[place % width].features.push_back(place / width);
        }
    }

    // Makes the model at the present point; returns the largest breach of the conditions of
    // optimality among the members.
    double make(std::span<const double> coef, const Execution& execution);

    // Coordinate descent until a pass meets breaches that sum to no more than a share of those that
    // the first pass met. Leaves the steps of the scores in the direction of the loss.
    void minimise(double share, Checkpoint& checkpoint) {
        std::fill_n(loss_.direction(0), loss_.width() * X_.n_rows(), 0.0);
        if (loss_.width() == 1) {
            minimise_binary(share, checkpoint);
        } else {
            minimise_multinomial(share, checkpoint);
        }
    }

    // l1 |w + step d|_1 + l2/2 |w + step d|^2
    double penalty(double step) const {
        double sum = 0;
        for (const ModelBlock& block : blocks_) {
            for (std::size_t m = 0; m < block.value.size(); ++m) {
                const double w = block.value[m] + step * block.change[m];
                sum += l1_ * std::abs(w) + 0.5 * l2_ * w * w;
            }
        }
        return sum;
    }

    // gradient' (d, e)
    double slope() const {
        double sum = 0;
        for (const ModelBlock& block : blocks_) {
            sum += block.intercept_gradient * block.intercept_change;
            for (std::size_t m = 0; m < block.change.size(); ++m) {
                sum += block.gradient[m] * block.change[m];
            }
        }
        return sum;
    }

    void apply(double step, std::span<double> coef, std::span<double> intercept) const {
        const std::size_t width = loss_.width();
        for (std::size_t k = 0; k < width; ++k) {
            const ModelBlock& block = blocks_[k];
            intercept[k] += step * block.intercept_change;
            for (std::size_t m = 0; m < block.value.size(); ++m) {
                coef[block.features[m] * width + k] = block.value[m] + step * block.change[m];
            }
        }
    }

  private:
    static constexpr int kPasses = 50;         // at most, for a model
    static constexpr int kPassesPerVisit = 6;  // of a class, before its neighbour's turn
    static constexpr double kLeastCurvature = 1e-12;
    static constexpr double kLeastShare = 1e-10;  // of a column's square that centring leaves

    static double soft(double v, double threshold) {
        if (v > threshold) return v - threshold;
        return v < -threshold ? v + threshold : 0.0;
    }
    static double sum(const std::vector<double>& values) {
        return sum_in_lanes(std::span<const double>(values));
    }

    void prepare(ModelBlock& block, const double* residual, const double* weights) const;
    void measure(ModelBlock& block, std::size_t begin, std::size_t end, const double* residual,
                 const double* weights) const;
    double set_values(ModelBlock& block, std::size_t k, std::span<const double> coef) const;

    double pass(ModelBlock& block, bool all, Checkpoint& checkpoint);
    bool add_changes(ModelBlock& block, double* t, Checkpoint& checkpoint) const;
    double penalised(const ModelBlock& block) const;

    void minimise_binary(double share, Checkpoint& checkpoint);
    void remember_binary();
    double binary_model() const;

    void minimise_multinomial(double share, Checkpoint& checkpoint);
    double visit_class(std::size_t k, bool all, double tolerance, Checkpoint& checkpoint);
    void remember_multinomial();
    void set_mean();
    double multinomial_model() const;

    const Columns& X_;
    LogisticLoss& loss_;
    bool fit_intercept_;
    double l1_ = 0, l2_ = 0;
    std::vector<ModelBlock> blocks_;          // width
    std::vector<double> weights_, u_, mean_;  // n_rows: v, u and sum_k h_k t_k
    std::vector<double> scratch_;             // arrays of n_rows
    Extrapolation history_;
    std::vector<double> point_, jump_;  // of the history
};

template <class Columns>
double LogisticModel<Columns>::make(std::span<const double> coef, const Execution& execution) {
    const std::size_t n = X_.n_rows(), width = loss_.width();
    const auto n_workers = static_cast<std::size_t>(std::max(1, execution.n_threads));
    if (width == 1) {  // the members are cut into parts
        constexpr std::size_t kGrain = 64;
        scratch_.resize(n);
        double* residual = scratch_.data();
        ModelBlock& block = blocks_[0];
        loss_.residual(0, residual);
        loss_.curvature(0, weights_.data());
        prepare(block, residual, weights_.data());
        parallel_parts(
            n_parts_of(block.features.size(), kGrain), execution, [&](std::size_t part, int) {
                measure(block, part * kGrain, (part + 1) * kGrain, residual, weights_.data());
            });
        return set_values(block, 0, coef);
    }
    if (scratch_.size() < 2 * n * n_workers) scratch_.resize(2 * n * n_workers);
    std::vector<double> worst(width, 0.0);
    parallel_parts(width, execution, [&](std::size_t k, int worker) {
        double* residual = scratch_.data() + 2 * n * static_cast<std::size_t>(worker);
        double* weights = residual + n;
        loss_.residual(k, residual);
        loss_.curvature(k, weights);
        ModelBlock& block = blocks_[k];
        prepare(block, residual, weights);
        measure(block, 0, block.features.size(), residual, weights);
        worst[k] = set_values(block, k, coef);
    });
    return *std::max_element(worst.begin(), worst.end());
}

template <class Columns>
void LogisticModel<Columns>::prepare(ModelBlock& block, const double* residual,
                                     const double* weights) const {
    const std::size_t size = block.features.size();
    const auto total = [&](const double* values) {
        return fit_intercept_ ? sum_in_lanes(std::span<const double>(values, X_.n_rows())) : 0.0;
    };
    block.value.resize(size);
    block.gradient.resize(size);
    block.curvature.resize(size);
    block.mass.resize(size);
    block.change.assign(size, 0.0);
    block.added.assign(size, 0.0);
    block.intercept_gradient = total(residual);
    block.intercept_change = 0;
    block.total = total(weights);
    block.met = 0;
}

template <class Columns>
void LogisticModel<Columns>::measure(ModelBlock& block, std::size_t begin, std::size_t end,
                                     const double* residual, const double* weights) const {
    for (std::size_t m = begin; m < std::min(end, block.features.size()); ++m) {
        const ColumnMoments moments = X_.moments(block.features[m], residual, weights);
        double square = moments.square;
        if (block.total > 0) {
            square =
                std::max(square - moments.mass * moments.mass / block.total, kLeastShare * square);
        }
        block.gradient[m] = moments.residual;
        block.mass[m] = moments.mass;
        block.curvature[m] = square + l2_ + kLeastCurvature;
    }
}

// Reads the coefficients; returns the largest breach among them.
template <class Columns>
double LogisticModel<Columns>::set_values(ModelBlock& block, std::size_t k,
                                          std::span<const double> coef) const {
    double worst = std::abs(block.intercept_gradient);
    for (std::size_t m = 0; m < block.features.size(); ++m) {
        const double w = coef[block.features[m] * loss_.width() + k];
        const double g = block.gradient[m] + l2_ * w;
        block.value[m] = w;
        worst = std::max(worst, w == 0 ? std::abs(g) - l1_ : std::abs(g + (w > 0 ? l1_ : -l1_)));
    }
    return worst;
}

// One pass over a block: all of it, or what the last whole pass found moving or not zero. Returns
// the sum of the breaches that it found.
template <class Columns>
double LogisticModel<Columns>::pass(ModelBlock& block, bool all, Checkpoint& checkpoint) {
    double breach = 0;
    double* u = u_.data();
    const auto descend = [&](std::size_t m) {
        const std::size_t j = block.features[m];
        const double w = block.value[m] + block.change[m], h = block.curvature[m];
        const double g =
            block.gradient[m] + X_.dot(j, u) + block.offset() * block.mass[m] + l2_ * w;
        const double moved = soft(h * w - g, l1_) / h;
        const double step = moved - w;
        if (step != 0) {
            block.change[m] = moved == 0 ? -block.value[m] : block.change[m] + step;
            block.added[m] += step;
            block.met += step * block.mass[m];
            X_.add(j, step, weights_.data(), u);
            breach += std::abs(step) * h;
        }
        checkpoint.step();
        return step != 0 || moved != 0;
    };
    if (all) {
        block.active.clear();
        for (std::size_t m = 0; m < block.features.size(); ++m) {
            if (descend(m)) block.active.push_back(static_cast<std::uint32_t>(m));
        }
    } else {
        for (const std::uint32_t m : block.active) descend(m);
    }
    return breach;
}

// t += steps since the last call; returns whether there were any.
template <class Columns>
bool LogisticModel<Columns>::add_changes(ModelBlock& block, double* t,
                                         Checkpoint& checkpoint) const {
    const double offset = block.offset();
    bool any = offset != 0;
    if (any) {
        for (std::size_t i = 0; i < X_.n_rows(); ++i) t[i] += offset;
    }
    block.intercept_change += offset;
    for (std::size_t m = 0; m < block.features.size(); ++m) {
        if (block.added[m] == 0) continue;
        X_.add(block.features[m], block.added[m], t);
        block.added[m] = 0;
        any = true;
        checkpoint.step();
    }
    return any;
}

// The part of Q that is linear in the coefficients, and the penalty.
template <class Columns>
double LogisticModel<Columns>::penalised(const ModelBlock& block) const {
    double sum = 0;
    for (std::size_t m = 0; m < block.change.size(); ++m) {
        const double w = block.value[m] + block.change[m];
        sum += block.gradient[m] * block.change[m] + l1_ * std::abs(w) + 0.5 * l2_ * w * w;
    }
    return sum;
}

// ---- two classes: s (1 - h) h t^2 is all there is, and u = v X d, without the intercept

template <class Columns>
void LogisticModel<Columns>::minimise_binary(double share, Checkpoint& checkpoint) {
    ModelBlock& block = blocks_[0];
    std::fill(u_.begin(), u_.end(), 0.0);
    int n_passes = 0;
    double tolerance = 0;
    while (n_passes++ < kPasses) {
        const double breach = pass(block, true, checkpoint);
        if (n_passes == 1) tolerance = share * breach;
        if (breach <= tolerance) break;
        history_.clear();
        while (n_passes++ < kPasses && pass(block, false, checkpoint) > tolerance) {
            remember_binary();
        }
    }
    block.added = block.change;
    add_changes(block, loss_.direction(0), checkpoint);
}

// Keeps the steps of the active members, and jumps now and then to where they seem to lead, if Q is
// lower there.
template <class Columns>
void LogisticModel<Columns>::remember_binary() {
    ModelBlock& block = blocks_[0];
    const auto scatter = [&](const std::vector<double>& point) {
        for (std::size_t a = 0; a < point.size(); ++a) block.change[block.active[a]] = point[a];
    };
    point_.resize(block.active.size());
    for (std::size_t a = 0; a < point_.size(); ++a) point_[a] = block.change[block.active[a]];
    history_.add(point_, u_);
    if (!history_.full()) return;
    const std::vector<double> here = point_;
    jump_.resize(u_.size());
    if (history_.combine(point_, jump_)) {
        const double before = binary_model(), met = block.met;
        scatter(point_);
        u_.swap(jump_);
        block.met = 0;
        for (std::size_t m = 0; m < block.change.size(); ++m) {
            block.met += block.change[m] * block.mass[m];
        }
        if (!(binary_model() < before)) {
            scatter(here);
            u_.swap(jump_);
            block.met = met;
        }
    }
    history_.clear();
}

template <class Columns>
double LogisticModel<Columns>::binary_model() const {
    const ModelBlock& block = blocks_[0];
    const double offset = block.offset();
    double squares = 0;
    for (std::size_t i = 0; i < u_.size(); ++i) {
        if (weights_[i] > 0) squares += u_[i] * u_[i] / weights_[i];
    }
    return 0.5 * (squares + 2 * offset * block.met + offset * offset * block.total) +
           offset * block.intercept_gradient + penalised(block);
}

// ---- more classes: one after the other, while the others stay

template <class Columns>
void LogisticModel<Columns>::minimise_multinomial(double share, Checkpoint& checkpoint) {
    std::fill(mean_.begin(), mean_.end(), 0.0);
    bool all = true;
    double tolerance = 0;
    for (int n_passes = 0; n_passes < kPasses; ++n_passes) {
        double breach = 0;
        for (std::size_t k = 0; k < loss_.width(); ++k) {
            breach +=
                visit_class(k, all, tolerance / static_cast<double>(loss_.width()), checkpoint);
        }
        if (n_passes == 0) tolerance = share * breach;
        if (breach <= tolerance) {
            if (all) break;
            all = true;
        } else {
            if (all) history_.clear();
            all = false;
            remember_multinomial();
        }
    }
}

template <class Columns>
double LogisticModel<Columns>::visit_class(std::size_t k, bool all, double tolerance,
                                           Checkpoint& checkpoint) {
    const std::size_t n = X_.n_rows();
    ModelBlock& block = blocks_[k];
    const double* h = loss_.bend(k);
    double* t = loss_.direction(k);
    loss_.curvature(k, weights_.data());
    for (std::size_t i = 0; i < n; ++i) u_[i] = loss_.weight(i) * h[i] * (t[i] - mean_[i]);
    if (fit_intercept_) block.met = sum(u_);
    // What the other classes did to the intercept counts as well.
    const double unsettled = fit_intercept_ ? std::abs(block.intercept_gradient + block.met) : 0.0;
    double last = pass(block, all, checkpoint);
    const double breach = last + unsettled;
    for (int n_passes = 1; n_passes < kPassesPerVisit && last > tolerance; ++n_passes) {
        last = pass(block, false, checkpoint);
    }
    jump_.assign(n, 0.0);
    if (add_changes(block, jump_.data(), checkpoint)) {
        for (std::size_t i = 0; i < n; ++i) {
            t[i] += jump_[i];
            mean_[i] += h[i] * jump_[i];
        }
    }
    return breach;
}

template <class Columns>
void LogisticModel<Columns>::remember_multinomial() {
    const std::span<double> t(loss_.direction(0), X_.n_rows() * loss_.width());
    const auto scatter = [&](const std::vector<double>& point) {
        auto next = point.begin();
        for (ModelBlock& block : blocks_) {
            for (const std::uint32_t m : block.active) block.change[m] = *next++;
            block.intercept_change = *next++;
        }
        set_mean();
    };
    point_.clear();
    for (const ModelBlock& block : blocks_) {
        for (const std::uint32_t m : block.active) point_.push_back(block.change[m]);
        point_.push_back(block.intercept_change);
    }
    history_.add(point_, t);
    if (!history_.full()) return;
    const std::vector<double> here = point_;
    const double before = multinomial_model();
    jump_.assign(t.begin(), t.end());
    if (history_.combine(point_, t)) {
        scatter(point_);
        if (!(multinomial_model() < before)) {
            std::copy(jump_.begin(), jump_.end(), t.begin());
            scatter(here);
        }
    }
    history_.clear();
}

template <class Columns>
void LogisticModel<Columns>::set_mean() {
    std::fill(mean_.begin(), mean_.end(), 0.0);
    for (std::size_t k = 0; k < loss_.width(); ++k) {
        const double* h = loss_.bend(k);
        const double* t = loss_.direction(k);
        for (std::size_t i = 0; i < mean_.size(); ++i) mean_[i] += h[i] * t[i];
    }
}

template <class Columns>
double LogisticModel<Columns>::multinomial_model() const {
    double sum = 0;
    for (std::size_t i = 0; i < mean_.size(); ++i) sum -= loss_.weight(i) * mean_[i] * mean_[i];
    for (std::size_t k = 0; k < loss_.width(); ++k) {
        const double* h = loss_.bend(k);
        const double* t = loss_.direction(k);
        for (std::size_t i = 0; i < mean_.size(); ++i) sum += loss_.weight(i) * h[i] * t[i] * t[i];
    }
    sum *= 0.5;
    for (const ModelBlock& block : blocks_) {
        sum += block.intercept_gradient * block.intercept_change + penalised(block);
    }
    return sum;
}

}  // namespace quire
