// The loss of logistic regression at scores that move along a line, and its dual.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"

namespace quire {

// Scores z, probabilities p and a direction t, one array of n_rows numbers for each column of the
// model: one column for two classes (z belongs to class 1), n_classes columns for more.
//
//     loss = sum_i s_i (log sum_k exp z_ik - z_i,code(i))         (a class with z = 0 where width
//     is 1)
//
// Sums over rows are taken in parts of a fixed size, which are added up in order.
class LogisticLoss {
  public:
    // Weights may be empty, for ones. Throws std::invalid_argument for sizes that do not fit.
    LogisticLoss(std::span<const std::int32_t> codes, std::size_t n_classes,
                 std::span<const double> weights);

    std::size_t n_rows() const { return codes_.size(); }
    std::size_t n_classes() const { return n_classes_; }
    std::size_t width() const { return width_; }
    double weight(std::size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }
    std::span<const double> class_weights() const { return class_weights_; }

    double* scores(std::size_t k) { return scores_.data() + k * n_rows(); }
    double* direction(std::size_t k) { return direction_.data() + k * n_rows(); }
    const double* probabilities(std::size_t k) const {
        return probabilities_.data() + k * n_rows();
    }

    // The loss at z + step t; the probabilities become those at that point.
    double move(double step, const Execution& execution);
    // z += step t, after move(step). A blend fades: h goes half the way to p, and after some steps
    // h = p.
    void keep(double step, const Execution& execution);

    // The probabilities h of the Hessian s (diag(h) - h h'): those at z, until the loss turned out
    // to bend more on the way than it does there.
    const double* bend(std::size_t k) const {
        return (age_ > 0 ? blend_.data() : probabilities_.data()) + k * n_rows();
    }
    // After move(step) went too far: h becomes the mean of h and the probabilities where it went,
    // and the probabilities are those at z again. A row that went from one certainty to another has
    // passed the point where the loss bends most, and now the Hessian knows.
    void blend(const Execution& execution);

    // Of column k, over all rows:
    //     residual_i = s_i (p_ik - [code(i) = k]),  curvature_i = s_i h_ik (1 - h_ik)
    void residual(std::size_t k, double* out) const;
    void curvature(std::size_t k, double* out) const;

    // The scores of the model without features: what the intercepts are, and its loss.
    std::vector<double> null_scores(bool fit_intercept) const;
    double null_loss(bool fit_intercept) const;

    // A point that the intercepts allow in the dual: probabilities q near p with
    // sum_i s_i q_ik = sum_i s_i [code(i) = k] for each class k. Classes that have too much are
    // scaled down, and what a row loses goes to the classes that have too little, to each in
    // proportion to its lack. Without intercepts q = p. Writes s (q - y), by rows
    // (n_rows x width), over the direction and returns it.
    std::span<const double> dual_residual(bool fit_intercept, const Execution& execution);

    // sum_i s_i H((1 - c) y_i + c q_i), H the entropy, with q of the last dual_residual.
    double dual_entropy(double c, const Execution& execution) const;

  private:
    void blend_with_probabilities(const Execution& execution);
    template <class Body>
    double sum_over_rows(const Execution& execution, Body&& body) const;

    std::vector<std::int32_t> codes_;  // a copy: what was checked must stay as it is
    std::vector<double> weights_;      // empty for ones; copied, too
    std::size_t n_classes_, width_;
    std::vector<double> class_weights_;  // n_classes: sum of s in each class
    RawVector<double> scores_, probabilities_, direction_, blend_;  // width x n_rows
    int age_ = 0;  // more than 0: blend_ counts for so many more steps
};

}  // namespace quire
