#include "linear/coordinate_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/memory.hpp"
#include "linear/enet_designs.hpp"
#include "linear/extrapolation.hpp"
#include "linear/working_gram.hpp"
#include "sparse/csr_columns.hpp"

namespace quire {

namespace {

// The inner problem is solved a little better than the whole one must be.
constexpr double kInner = 0.3;
constexpr std::size_t kFewest = 100;  // columns that may join a working set whatever its size
// A small problem is swept whole: to choose would cost more than it saves.
constexpr std::size_t kSmallFeatures = 256, kSmallStored = std::size_t{1} << 20;
// Sweeps before extrapolation is tried. Where a sweep costs little, most problems are solved
// before.
constexpr std::size_t kPatience = 5, kPatienceIfSmall = 100;

struct Penalty {
    double l1, l2;
    bool positive;

    // The w_j that minimises P along a column with x_j'x_j = square, x_j'(r + w_j x_j) = z.
    double minimizer(double z, double square) const {
        const double size = std::abs(z) - l1;
        if (size <= 0 || (positive && z < 0)) return 0.0;
        return std::copysign(size, z) / (square + l2);
    }
};

// Sums over the support and over columns that the objective and the gap are made of.
struct Sums {
    double norm1 = 0, norm2 = 0;     // of w: sum |w_j|, sum w_j^2
    double dual = 0, gradient2 = 0;  // max |x_j'r - l2 w_j|, sum (x_j'r)^2
    void add_coefficient(double w) {
        norm1 += std::abs(w);
        norm2 += w * w;
    }
    void add_gradient(double g, double w, const Penalty& penalty) {
        const double a = g - penalty.l2 * w;
        dual = std::max(dual, penalty.positive ? a : std::abs(a));
        gradient2 += g * g;
    }
};

double objective(const Penalty& p, const Moments& m, const Sums& s) {
    return 0.5 * (m.rr + p.l2 * s.norm2) + p.l1 * s.norm1;
}

double duality_gap(const Penalty& p, const Moments& m, const Sums& s) {
    if (p.l1 == 0 && p.l2 == 0) return s.gradient2;
    if (p.l1 == 0) return m.rr + 0.5 * p.l2 * s.norm2 - m.ry + s.gradient2 / (2 * p.l2);
    const double scale = s.dual > p.l1 ? p.l1 / s.dual : 1.0;
    const double dual = scale * m.ry - 0.5 * scale * scale * (m.rr + p.l2 * s.norm2);
    return objective(p, m, s) - dual;
}

// What a sweep changed: whether its largest step is small beside the largest coefficient.
struct Change {
    double step = 0, size = 0;
    void note(double before, double after) {
        step = std::max(step, std::abs(after - before));
        size = std::max(size, std::abs(after));
    }
    bool small(double tol) const { return size == 0 || step <= tol * size; }
};

template <class Design>
class PathSolver {
  public:
    PathSolver(Design& design, const EnetPath& path, const Execution& execution)
        : design_(design),
          path_(path),
          execution_(execution),
          p_(design.n_features()),
          w_(p_, 0.0),
          gradient_(p_),
          in_set_(p_, 0),
          gram_(p_) {
        const std::size_t n = path.l1.size();
        if (path.l2.size() != n || path.gaps.size() != n || path.n_iter.size() != n) {
            throw std::invalid_argument("l1, l2, gaps and n_iter must have one length");
        }
        if (path.coefs.size() != n_entries(n, p_) ||
            (!path.start.empty() && path.start.size() != p_)) {
            throw std::invalid_argument("coefs and start must have n_features columns");
        }
        std::size_t stored = 0;
        for (std::size_t j = 0; j < p_; ++j) stored += design.n_stored(j);
        small_ = p_ <= kSmallFeatures && stored <= kSmallStored;
    }

    void solve() {
        refresh();
        Xy_ = gradient_;
        yy_ = design_.moments(w_, support_).ry;
        double last_l1 = 0;
        for (const double g : Xy_) last_l1 = std::max(last_l1, path_.positive ? g : std::abs(g));
        if (!path_.start.empty()) {
            for (std::size_t j = 0; j < p_; ++j) {
                w_[j] = design_.square_norm(j) > 0 ? path_.start[j] : 0.0;
            }
            last_l1 = 0;
            refresh();
        }
        for (std::size_t k = 0; k < path_.l1.size(); ++k) {
            const Penalty penalty{path_.l1[k], path_.l2[k], path_.positive};
            if (!through_gram_ && k >= 2) predict(penalty, k);
            solve_one(penalty, last_l1, k);
            last_l1 = penalty.l1;
            std::copy(w_.begin(), w_.end(),
                      path_.coefs.begin() + static_cast<std::ptrdiff_t>(k * p_));
        }
    }

  private:
    // The residual and the gradient of all columns, anew from w.
    void refresh() {
        support_.clear();
        for (std::size_t j = 0; j < p_; ++j) {
            if (w_[j] != 0) support_.push_back(static_cast<std::uint32_t>(j));
        }
        design_.reset(w_, support_);
        design_.gradient(gradient_);
    }

    // Goes on along the line through the last two solutions, on which the path of the lasso lies as
    // long as its support does not change, if that lowers P. It costs a pass over all columns.
    void predict(const Penalty& penalty, std::size_t k) {
        const double last_step = path_.l1[k - 1] - path_.l1[k - 2];
        const double ratio = (penalty.l1 - path_.l1[k - 1]) / last_step;
        if (!(last_step < 0) || !(ratio > 0) || support_.empty()) return;
        const double* const last = &path_.coefs[(k - 1) * p_];
        const double* const before = &path_.coefs[(k - 2) * p_];
        const double now = objective_of_support(penalty);
        for (const std::uint32_t j : support_) {
            const double ahead = last[j] + ratio * (last[j] - before[j]);
            w_[j] = ahead * last[j] > 0 ? ahead : 0.0;
        }
        refresh();
        if (objective_of_support(penalty) < now) return;
        std::copy(last, last + p_, w_.begin());
        refresh();
    }

    double objective_of_support(const Penalty& penalty) {
        Sums sums;
        for (const std::uint32_t j : support_) sums.add_coefficient(w_[j]);
        return objective(penalty, design_.moments(w_, support_), sums);
    }

    double full_gap(const Penalty& penalty, Sums& sums) {
        for (const std::uint32_t j : support_) sums.add_coefficient(w_[j]);
        for (std::size_t j = 0; j < p_; ++j) sums.add_gradient(gradient_[j], w_[j], penalty);
        return duality_gap(penalty, design_.moments(w_, support_), sums);
    }

    void solve_one(const Penalty& penalty, double last_l1, std::size_t k) {
        const double tol = path_.tol * yy_;
        std::size_t n_iter = 0, least = 1;
        double gap = 0, before = std::numeric_limits<double>::infinity();
        set_.clear();
        whole_ = small_ || penalty.l1 == 0;
        bool still = false;  // the last sweep of the inner problem moved nothing
        for (std::size_t round = 0;; ++round) {
            Sums sums;
            gap = full_gap(penalty, sums);
            if (gap <= tol || n_iter >= path_.max_iter || std::isnan(gap)) break;
            const std::size_t size = set_.size();
            const bool all = choose(penalty, sums, round == 0 ? last_l1 : 0.0);
            if (still && set_.size() == size) break;  // as good as the arithmetic allows
            if (set_.empty()) break;
            least = gap > 0.5 * before ? std::min<std::size_t>(2 * least, 64) : 1;
            before = gap;
            const double target = whole_ ? tol
                                  : all  ? kInner * tol
                                         : std::max(kInner * tol, 0.05 * gap);
            interruptible(execution_, [&](Checkpoint& checkpoint) {
                through_gram_ = gram_.hold(set_, design_);
                n_iter +=
                    through_gram_
                        ? sweep_gram(penalty, target, path_.max_iter - n_iter, still, checkpoint)
                        : sweep(penalty, least, path_.max_iter - n_iter, still, checkpoint);
            });
            refresh();
        }
        for (const std::uint32_t j : set_) in_set_[j] = 0;
        path_.gaps[k] = gap;
        path_.n_iter[k] = static_cast<std::int64_t>(n_iter);
    }

    // Adds columns to the working set. First the support and the columns of the strong rule,
    // |x_j'r| >= 2 l1 - last_l1; later those with |x_j'r| > l1, those nearest to their bound
    // first. Returns whether no such column was left out.
    bool choose(const Penalty& penalty, const Sums& sums, double last_l1) {
        if (set_.empty()) {
            set_ = support_;
            for (const std::uint32_t j : set_) in_set_[j] = 1;
        }
        const double bound = whole_           ? -std::numeric_limits<double>::infinity()
                             : last_l1 == 0.0 ? penalty.l1
                                              : std::min(penalty.l1, 2 * penalty.l1 - last_l1);
        const double scale = std::max(penalty.l1, sums.dual);
        std::vector<std::pair<double, std::uint32_t>> found;
        std::size_t n_breaking = 0;
        for (std::size_t j = 0; j < p_; ++j) {
            const double square = design_.square_norm(j);
            if (in_set_[j] || square <= 0) continue;
            const double a = penalty.positive ? gradient_[j] : std::abs(gradient_[j]);
            if (!(a >= bound)) continue;
            n_breaking += a > penalty.l1;
            const double distance = (scale - a) / std::sqrt(square + penalty.l2);
            if (distance != distance) continue;  // numbers that are none have no order
            found.emplace_back(distance, static_cast<std::uint32_t>(j));
        }
        std::size_t room = std::max(kFewest, set_.size());
        if (whole_) room = p_;
        if (found.size() > room) {
            std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(room),
                             found.end());
            found.resize(room);
        }
        for (const auto& [distance, j] : found) {
            set_.push_back(j);
            in_set_[j] = 1;
        }
        std::sort(set_.begin(), set_.end());
        return n_breaking <= room;
    }

    // Sweeps over the working set through its Gram matrix, until its own gap is at the target.
    std::size_t sweep_gram(const Penalty& penalty, double target, std::size_t most, bool& still,
                           Checkpoint& checkpoint) {
        const Features& slots = gram_.slots();
        const std::size_t m = slots.size();
        std::vector<double> w(m), g(m), trial_w(m), trial_g(m);
        std::vector<std::size_t> at;
        for (std::size_t s = 0; s < m; ++s) {
            w[s] = w_[slots[s]];
            g[s] = gradient_[slots[s]];
        }
        for (const std::uint32_t j : set_) at.push_back(gram_.slot(j));
        const auto moments = [&](const std::vector<double>& v, const std::vector<double>& vg,
                                 Sums& sums) {
            double with_Xy = 0, with_gradient = 0;
            for (const std::size_t s : at) {
                with_Xy += v[s] * Xy_[slots[s]];
                with_gradient += v[s] * vg[s];
                sums.add_coefficient(v[s]);
                sums.add_gradient(vg[s], v[s], penalty);
            }
            return Moments{yy_ - with_Xy - with_gradient, yy_ - with_Xy};
        };
        Extrapolation history;
        std::size_t n_sweeps = 0;
        still = false;
        while (n_sweeps < most) {
            Change change;
            for (const std::size_t s : at) {
                checkpoint.step();
                const double square = design_.square_norm(slots[s]), before = w[s];
                const double after = penalty.minimizer(g[s] + before * square, square);
                change.note(before, after);
                if (after == before) continue;
                w[s] = after;
                subtract_multiple(after - before, gram_.row(s), g.data(), m);
            }
            ++n_sweeps;
            still = change.step == 0;
            if (still) break;
            if (change.small(path_.tol)) {
                Sums sums;
                const Moments now = moments(w, g, sums);
                if (duality_gap(penalty, now, sums) <= target) break;
            }
            if (n_sweeps >= patience() && history.add(w, g)) {
                if (history.combine(trial_w, trial_g) && allowed(trial_w)) {
                    Sums sums, trial_sums;
                    const Moments now = moments(w, g, sums);
                    const Moments trial = moments(trial_w, trial_g, trial_sums);
                    if (objective(penalty, trial, trial_sums) < objective(penalty, now, sums)) {
                        w.swap(trial_w);
                        g.swap(trial_g);
                    }
                }
                history.add(w, g);
            }
        }
        for (const std::size_t s : at) w_[slots[s]] = w[s];
        return n_sweeps;
    }

    // Sweeps over the working set through the residual, at least `least` of them.
    std::size_t sweep(const Penalty& penalty, std::size_t least, std::size_t most, bool& still,
                      Checkpoint& checkpoint) {
        const std::size_t m = set_.size();
        std::vector<double> w(m), trial_w(m), trial_r(design_.residual().size());
        for (std::size_t k = 0; k < m; ++k) w[k] = w_[set_[k]];
        Extrapolation history;
        std::size_t n_sweeps = 0;
        still = false;
        while (n_sweeps < most) {
            Change change;
            for (std::size_t k = 0; k < m; ++k) {
                checkpoint.step();
                const std::uint32_t j = set_[k];
                const double square = design_.square_norm(j), before = w[k];
                const double after = penalty.minimizer(design_.dot(j) + before * square, square);
                change.note(before, after);
                if (after == before) continue;
                w[k] = after;
                design_.move(j, after - before);
            }
            ++n_sweeps;
            still = change.step == 0;
            if (still || (n_sweeps >= least && change.small(path_.tol))) break;
            if (n_sweeps >= patience() && history.add(w, design_.residual())) {
                if (history.combine(trial_w, trial_r) && allowed(trial_w)) {
                    const double now = objective_at(penalty, w);
                    swap_residual(trial_r);
                    if (objective_at(penalty, trial_w) < now) {
                        w.swap(trial_w);
                    } else {
                        swap_residual(trial_r);
                    }
                }
                history.add(w, design_.residual());
            }
        }
        for (std::size_t k = 0; k < m; ++k) w_[set_[k]] = w[k];
        return n_sweeps;
    }

    double objective_at(const Penalty& penalty, const std::vector<double>& w) {
        Sums sums;
        for (std::size_t k = 0; k < set_.size(); ++k) {
            sums.add_coefficient(w[k]);
            w_[set_[k]] = w[k];
        }
        return objective(penalty, design_.moments(w_, set_), sums);
    }

    void swap_residual(std::vector<double>& other) {
        const std::span<double> r = design_.residual();
        std::swap_ranges(r.begin(), r.end(), other.begin());
    }

    std::size_t patience() const { return small_ ? kPatienceIfSmall : kPatience; }

    bool allowed(const std::vector<double>& w) const {
        return !path_.positive || std::all_of(w.begin(), w.end(), [](double x) { return x >= 0; });
    }

    Design& design_;
    const EnetPath& path_;
    Execution execution_;
    std::size_t p_;
    std::vector<double> w_, gradient_, Xy_;
    std::vector<char> in_set_;
    Features support_, set_;
    WorkingGram<Design> gram_;
    double yy_ = 0;
    bool small_ = false, whole_ = false;
    bool through_gram_ = true;  // where sweeps cost little
};

}  // namespace

template <class Value, class Index>
void csc_enet_path(const CsrView<Value, Index>& columns, std::span<const double> means,
                   std::span<const double> root_weights, std::span<const double> y,
                   const EnetPath& path, const Execution& execution) {
    csr_check(columns, execution);
    if (y.size() != static_cast<std::size_t>(columns.n_cols) ||
        (!root_weights.empty() && root_weights.size() != y.size()) ||
        (!means.empty() && means.size() != columns.n_rows())) {
        throw std::invalid_argument("y, root_weights and means must fit X");
    }
    SparseDesign<Value, Index> design(columns, means, root_weights, y, execution);
    PathSolver<SparseDesign<Value, Index>>(design, path, execution).solve();
}

template <class Value>
void dense_enet_path(const DenseView<Value>& X, std::span<const double> y, const EnetPath& path,
                     const Execution& execution) {
    if (y.size() != X.n_rows) throw std::invalid_argument("y must have n_samples entries");
    if (X.row_stride != 1 && X.n_rows > 1) {
        throw std::invalid_argument("each column of X must lie in one piece");
    }
    DenseDesign<Value> design(X, y, execution);
    PathSolver<DenseDesign<Value>>(design, path, execution).solve();
}

void gram_enet_path(std::span<const double> gram, std::span<const double> Xy, double yy,
                    const EnetPath& path, const Execution& execution) {
    if (gram.size() != n_entries(Xy.size(), Xy.size())) {
        throw std::invalid_argument("gram must be n_features x n_features");
    }
    GramDesign design(gram, Xy, yy);
    PathSolver<GramDesign>(design, path, execution).solve();
}

#define QUIRE_INSTANTIATE(Value)                                                                   \
    template void csc_enet_path(const CsrView<Value, std::int32_t>&, std::span<const double>,      \
                                std::span<const double>, std::span<const double>, const EnetPath&, \
                                const Execution&);                                                 \
    template void csc_enet_path(const CsrView<Value, std::int64_t>&, std::span<const double>,      \
                                std::span<const double>, std::span<const double>, const EnetPath&, \
                                const Execution&);                                                 \
    template void dense_enet_path(const DenseView<Value>&, std::span<const double>,                \
                                  const EnetPath&, const Execution&);
QUIRE_INSTANTIATE(float)
QUIRE_INSTANTIATE(double)
#undef QUIRE_INSTANTIATE

}  // namespace quire
