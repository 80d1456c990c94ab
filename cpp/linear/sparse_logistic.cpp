#include "linear/sparse_logistic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "linear/matrix_columns.hpp"
#include "linear/sparse_logistic_loss.hpp"
#include "linear/sparse_logistic_model.hpp"
#include "sparse/csr_matmul.hpp"

namespace quire {

namespace {

// The way down to a small penalty: no round asks for less than a share of the largest gradient, and
// rounds on the way are only roughly solved.
constexpr double kDownBinary = 0.3, kDownMultinomial = 0.1;
constexpr double kRough = 0.3;
constexpr std::size_t kStepsOnTheWay = 3;
// A round at the wanted penalty takes the largest breach down to this share.
constexpr double kRound = 0.1;
// A model is minimised until passes meet this share of the breaches that the first one met.
constexpr double kModelBinary = 0.5, kModelMultinomial = 0.25;
// New members of a working set: at least so many for each class, and in all.
constexpr std::size_t kNewPerClass = 100, kNew = 400;

constexpr double kSufficient = 0.01;  // share of the promised decrease that a step must bring
constexpr int kHalvings = 50;
constexpr int kShortHalvings = 4;  // then the Hessian is blended, so often:
constexpr int kBlends = 3;
constexpr double kRounding = 1e-13;  // of P
constexpr int kIdle = 3;             // rounds without progress, then it ends

void check_rows(std::size_t n_rows, const LogisticTask& task) {
    if (n_rows != task.codes.size()) {
        throw std::invalid_argument("codes must have a number for each row");
    }
}

template <class Columns>
class Solver final : public SparseLogistic {
  public:
    Solver(Columns X, const LogisticTask& task)
        : X_(std::move(X)),
          loss_(task.codes, task.n_classes, task.weights),
          fit_intercept_(task.fit_intercept),
          model_(X_, loss_, fit_intercept_),
          coef_(X_.n_cols() * loss_.width(), 0.0),
          gradient_(coef_.size(), 0.0),
          intercept_(loss_.null_scores(fit_intercept_)) {
        set_scores({});
    }

    double null_objective() const override { return loss_.null_loss(fit_intercept_); }

    double l1_max(const Execution& execution) override {
        // The null model takes the place of the present point for a moment.
        std::vector<double> coef(coef_.size(), 0.0), intercept = loss_.null_scores(fit_intercept_);
        coef.swap(coef_);
        intercept.swap(intercept_);
        set_scores(execution);
        loss_.move(0.0, execution);
        set_gradient(execution);
        double largest = 0;
        for (const double g : gradient_) largest = std::max(largest, std::abs(g));
        coef.swap(coef_);
        intercept.swap(intercept_);
        set_scores(execution);
        return largest;
    }

    void start(std::span<const double> coef, std::span<const double> intercept,
               const Execution& execution) override {
        if (coef.size() != coef_.size() || intercept.size() != intercept_.size()) {
            throw std::invalid_argument("coef must be n_cols x width, intercept of size width");
        }
        std::copy(coef.begin(), coef.end(), coef_.begin());
        if (fit_intercept_) std::copy(intercept.begin(), intercept.end(), intercept_.begin());
        set_scores(execution);
    }

    LogisticFit fit(double l1, double l2, double wanted, std::size_t max_iter, double l1_before,
                    const Execution& execution) override {
        set_penalty(l1, l2);
        n_iter_ = 0;
        double loss = loss_.move(0.0, execution), objective = 0;
        double best_dual = -std::numeric_limits<double>::infinity();
        double gap = -best_dual, least_gap = gap, least = gap, way = gap;
        int n_idle = 0;
        bool stalled = false, first = true;
        while (true) {
            set_penalty(l1, l2);
            double absolute = 0, squares = 0;
            for (const double w : coef_) {
                absolute += std::abs(w);
                squares += w * w;
            }
            objective = loss + l1 * absolute + 0.5 * l2 * squares;
            set_gradient(execution);
            Breach breach = find_breaches();
            const double c = breach.largest > l1 ? l1 / breach.largest : 1.0;
            best_dual =
                std::max(best_dual, loss_.dual_entropy(c, execution) - 0.5 * c * c * l2 * squares);
            gap = std::max(objective - best_dual, 0.0);
            // Below the rounding of P, the gap alone tells whether anything gets better.
            n_idle =
                gap < least_gap || objective < least * (1 - kRounding) || way > l1 ? 0 : n_idle + 1;
            least_gap = std::min(least_gap, gap);
            least = std::min(least, objective);
            if (gap <= wanted || n_iter_ >= max_iter || stalled || n_idle == kIdle) break;

            way = std::min(way, (binary() ? kDownBinary : kDownMultinomial) * breach.largest);
            const bool on_the_way = way > l1;
            if (on_the_way) {
                set_penalty(way, l2);
                breach = find_breaches();
            }
            choose_members(first ? l1_before : std::numeric_limits<double>::infinity());
            first = false;
            // What the gap asks for, should it keep falling with the largest breach.
            const double share = std::max(kRound, std::min(1.0, 0.5 * wanted / gap));
            stalled =
                on_the_way
                    ? !descend(kRough * breach.worst, kStepsOnTheWay, max_iter, loss, execution)
                    : !descend(share * breach.worst, max_iter, max_iter, loss, execution);
        }
        return result(objective, gap, gap <= wanted);
    }

  private:
    struct Breach {
        double largest;  // |gradient of the smooth part|
        double worst;    // breach of the conditions of optimality
    };

    bool binary() const { return loss_.width() == 1; }

    void set_penalty(double l1, double l2) {
        l1_ = l1;
        l2_ = l2;
        model_.set_penalty(l1, l2);
    }

    // z = b + X W
    void set_scores(const Execution& execution) {
        const std::size_t width = loss_.width(), n = X_.n_rows();
        std::fill_n(loss_.direction(0), width * n, 0.0);
        parallel_parts(width, execution, [&](std::size_t k, int, Checkpoint& checkpoint) {
            double* z = loss_.scores(k);
            std::fill_n(z, n, intercept_[k]);
            for (std::size_t j = 0; j < X_.n_cols(); ++j) {
                const double w = coef_[j * width + k];
                if (w == 0) continue;
                X_.add(j, w, z);
                checkpoint.step();
            }
        });
    }

    // gradient_ = X' (residuals of a point of the dual)
    void set_gradient(const Execution& execution) {
        const std::size_t width = loss_.width(), n = X_.n_rows();
        const std::span<const double> residuals = loss_.dual_residual(fit_intercept_, execution);
        if constexpr (Columns::is_sparse) {
            if (width > 1) {
                csr_matmul(X_.transposed(), residuals, width, std::span<const double>(),
                           std::nullopt, std::span<double>(gradient_), execution);
                return;
            }
        }
        std::vector<double> by_class(width > 1 ? residuals.size() : 0);
        for (std::size_t i = 0; i < by_class.size(); ++i) {
            by_class[i % width * n + i / width] = residuals[i];
        }
        const double* columns = width > 1 ? by_class.data() : residuals.data();
        constexpr std::size_t kGrain = 256, kWorthAThread = std::size_t{1} << 16;
        const bool small = X_.n_stored() * width < kWorthAThread;
        parallel_parts(n_parts_of(X_.n_cols(), kGrain),
                       {small ? 1 : execution.n_threads, execution.interrupted},
                       [&](std::size_t part, int, Checkpoint& checkpoint) {
                           const std::size_t end = std::min((part + 1) * kGrain, X_.n_cols());
                           for (std::size_t j = part * kGrain; j < end; ++j) {
                               for (std::size_t k = 0; k < width; ++k) {
                                   gradient_[j * width + k] = X_.dot(j, columns + k * n);
                               }
                               checkpoint.step();
                           }
                       });
    }

    // Looks at all coefficients; keeps the places of zeros that should not be.
    Breach find_breaches() {
        Breach found{0, 0};
        breaching_.clear();
        n_support_ = 0;
        for (std::size_t at = 0; at < coef_.size(); ++at) {
            const double w = coef_[at], g = gradient_[at] + l2_ * w, size = std::abs(g);
            found.largest = std::max(found.largest, size);
            if (w != 0) {
                ++n_support_;
                found.worst = std::max(found.worst, std::abs(g + (w > 0 ? l1_ : -l1_)));
            } else if (size > l1_) {
                breaching_.push_back(at);
                found.worst = std::max(found.worst, size - l1_);
            }
        }
        return found;
    }

    // The working set: what is not zero, and about as many of the worst of the others. After a
    // solution for l1_before: all that the sequential strong rule does not rule out.
    void choose_members(double l1_before) {
        const std::size_t width = loss_.width();
        std::size_t room = std::max({n_support_, kNew, kNewPerClass * width});
        if (std::isfinite(l1_before)) {
            const double bound = 2 * l1_ - l1_before;
            for (std::size_t at = 0; at < coef_.size(); ++at) {
                const double size = std::abs(gradient_[at]);
                if (coef_[at] == 0 && size >= bound && size <= l1_) breaching_.push_back(at);
            }
        }
        if (breaching_.size() > room) {
            const auto worse = [&](std::size_t a, std::size_t b) {
                const double first = std::abs(gradient_[a]), second = std::abs(gradient_[b]);
                return first != second ? first > second : a < b;
            };
            std::nth_element(breaching_.begin(),
                             breaching_.begin() + static_cast<std::ptrdiff_t>(room),
                             breaching_.end(), worse);
            breaching_.resize(room);
        }
        for (std::size_t at = 0; at < coef_.size(); ++at) {
            if (coef_[at] != 0) breaching_.push_back(at);
        }
        std::sort(breaching_.begin(), breaching_.end());
        model_.set_members(breaching_);
    }

    // Newton steps on the working set until no condition is broken by more than target, or there
    // were enough. Returns whether anything moved.
    bool descend(double target, std::size_t enough, std::size_t max_iter, double& loss,
                 const Execution& execution) {
        for (std::size_t n_steps = 0;; ++n_steps) {
            const double worst = model_.make(coef_, execution);
            if (n_steps > 0 && (worst <= target || n_steps >= enough)) return true;
            if (n_iter_ >= max_iter) return n_steps > 0;
            const double share = binary() ? kModelBinary : kModelMultinomial;
            if (!step(std::max(share, 0.3 * target / worst), loss, execution)) return n_steps > 0;
            ++n_iter_;
        }
    }

    // One Newton step. Where the loss bends so much more on the way than at its start that the step
    // would have to be very short, the model is made anew with a Hessian that knows of it.
    bool step(double share, double& loss, const Execution& execution) {
        for (int n_blends = 0;; ++n_blends) {
            interruptible(execution,
                          [&](Checkpoint& checkpoint) { model_.minimise(share, checkpoint); });
            const bool last = n_blends == kBlends;
            if (line_search(loss, last ? kHalvings : kShortHalvings, execution)) return true;
            if (last) {
                loss = loss_.move(0.0, execution);
                return false;
            }
            loss_.move(1.0, execution);
            loss_.blend(execution);
            model_.make(coef_, execution);
        }
    }

    // Halves the step until P falls by a share of what the model promises; false if it does not.
    bool line_search(double& loss, int n_halvings, const Execution& execution) {
        const double before = model_.penalty(0.0);
        const double promised = model_.slope() + model_.penalty(1.0) - before;
        const double rounding = kRounding * (loss + before);
        double step = 1.0;
        for (int halving = 0; halving < n_halvings && promised <= rounding;
             ++halving, step *= 0.5) {
            const double moved = loss_.move(step, execution);
            const double rise = (moved - loss) + (model_.penalty(step) - before);
            if (rise <= kSufficient * step * promised + rounding) {
                loss = moved;
                loss_.keep(step, execution);
                model_.apply(step, coef_, intercept_);
                return true;
            }
        }
        return false;
    }

    LogisticFit result(double objective, double gap, bool converged) const {
        LogisticFit fit{coef_, intercept_, objective, gap, n_iter_, converged};
        if (fit.intercept.size() > 1 && fit_intercept_) {  // only differences matter
            double mean = 0;
            for (const double b : fit.intercept) mean += b;
            mean /= static_cast<double>(fit.intercept.size());
            for (double& b : fit.intercept) b -= mean;
        }
        return fit;
    }

    const Columns X_;
    LogisticLoss loss_;
    bool fit_intercept_;
    LogisticModel<Columns> model_;
    std::vector<double> coef_, gradient_;  // n_cols x width
    std::vector<double> intercept_;        // width
    double l1_ = 0, l2_ = 0;
    std::size_t n_iter_ = 0, n_support_ = 0;
    std::vector<std::size_t> breaching_;  // places in coef_
};

}  // namespace

template <class Value, class Index>
std::unique_ptr<SparseLogistic> csr_sparse_logistic(const CsrView<Value, Index>& X,
                                                    const LogisticTask& task,
                                                    const Execution& execution) {
    using Columns = SparseColumns<Value, Index>;
    check_rows(X.n_rows(), task);
    return std::make_unique<Solver<Columns>>(Columns(X, execution), task);
}

template <class Value>
std::unique_ptr<SparseLogistic> dense_sparse_logistic(std::span<const Value> columns,
                                                      std::size_t n_rows, std::size_t n_cols,
                                                      const LogisticTask& task) {
    using Columns = DenseColumns<Value>;
    check_rows(n_rows, task);
    if (columns.size() != n_entries(n_rows, n_cols)) {
        throw std::invalid_argument("columns must have n_rows * n_cols entries");
    }
    return std::make_unique<Solver<Columns>>(Columns(columns, n_rows, n_cols), task);
}

#define QUIRE_INSTANTIATE(Value, Index)                           \
    template std::unique_ptr<SparseLogistic> csr_sparse_logistic( \
        const CsrView<Value, Index>&, const LogisticTask&, const Execution&);
QUIRE_INSTANTIATE(float, std::int32_t)
QUIRE_INSTANTIATE(float, std::int64_t)
QUIRE_INSTANTIATE(double, std::int32_t)
QUIRE_INSTANTIATE(double, std::int64_t)
#undef QUIRE_INSTANTIATE
template std::unique_ptr<SparseLogistic> dense_sparse_logistic(std::span<const float>, std::size_t,
                                                               std::size_t, const LogisticTask&);
template std::unique_ptr<SparseLogistic> dense_sparse_logistic(std::span<const double>, std::size_t,
                                                               std::size_t, const LogisticTask&);

}  // namespace quire
