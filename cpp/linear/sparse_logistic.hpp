// Logistic regression with an L1 or elastic-net penalty: working sets, Newton, coordinate descent.
//
//     P(W, b) = sum_i s_i loss(code_i, x_i W + b) + l1 |W|_1 + l2/2 |W|^2
//
// with the logistic loss of class 1 for two classes (W has one column) and the softmax loss for
// more (W has n_classes columns). The intercepts b are not penalised.
//
// 1. A pass over all columns gives the gradient, a point of the dual and with it the gap, a bound
//    on how far P is from its minimum. The coefficients that break the conditions of optimality
//    most join those that are not zero: the working set.
// 2. On the working set P is replaced by its second-order model with the exact Hessian,
//    s_i (diag(p_i) - p_i p_i'), which cyclic coordinate descent minimises class by class: with the
//    other classes fixed, a class is a weighted lasso. A line search on the scores makes the step.
//    Passes that converge slowly are extrapolated.
// 3. Step 2 is repeated until the working set is solved well enough to look at all columns again.
// 4. From far away l1 comes down in stages that are only roughly solved, so that no step goes far.
//
// The dual: with residuals theta = c s (y - q), q probabilities whose sums by class are those of y
// (where there are intercepts), and c in [0, 1] such that |x_j' theta_k - c l2 w_jk| <= l1,
//
//     P(W*, b*) >= sum_i s_i H((1 - c) y_i + c q_i) - c^2 l2/2 |W|^2,    H the entropy.
//
// Equivalent to (slowly)
//     for _ in range(many): W = soft(W - X.T @ (s * (p - Y)) / L - l2 / L * W, l1 / L), and b
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "sparse/csr.hpp"

namespace quire {

struct LogisticTask {
    std::span<const std::int32_t> codes;  // n_rows: classes as numbers
    std::size_t n_classes;
    std::span<const double> weights;  // n_rows, or empty for ones
    bool fit_intercept;
};

struct LogisticFit {
    std::vector<double> coef;       // n_cols x width, row-major
    std::vector<double> intercept;  // width
    double objective;
    double gap;
    std::size_t n_iter;  // Newton steps taken
    bool converged;
};

// Keeps the matrix by columns and the last solution, from which the next call of fit starts.
class SparseLogistic {
  public:
    virtual ~SparseLogistic() = default;

    // The smallest l1 for which all coefficients are zero:
    //     max |X' s (y - shares of the classes)|, or y - 1 / n_classes without intercepts.
    virtual double l1_max(const Execution& execution) = 0;

    // Where the next fit starts. coef is n_cols x width, intercept has width entries.
    virtual void start(std::span<const double> coef, std::span<const double> intercept,
                       const Execution& execution) = 0;

    // Minimises P until the gap is at most `wanted`. `l1_before` is the penalty that the starting
    // point is the solution for, or infinity if it is none: the sequential strong rule then says
    // which columns come first.
    virtual LogisticFit fit(double l1, double l2, double wanted, std::size_t max_iter,
                            double l1_before, const Execution& execution) = 0;

    // P at zero coefficients and the best intercepts.
    virtual double null_objective() const = 0;
};

// The task and the CSR matrix are copied, the dense one (by columns, n_rows x n_cols) is borrowed.
// Rows must not hold a column twice.
template <class Value, class Index>
std::unique_ptr<SparseLogistic> csr_sparse_logistic(const CsrView<Value, Index>& X,
                                                    const LogisticTask& task,
                                                    const Execution& execution);
template <class Value>
std::unique_ptr<SparseLogistic> dense_sparse_logistic(std::span<const Value> columns,
                                                      std::size_t n_rows, std::size_t n_cols,
                                                      const LogisticTask& task);

}  // namespace quire
