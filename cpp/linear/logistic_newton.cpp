#include "linear/logistic_newton.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/memory.hpp"
#include "base/simd.hpp"
#include "base/wide_rows.hpp"
#include "sparse/csr_columns.hpp"
#include "sparse/csr_vector.hpp"

namespace quire {

namespace {

// Parts of rows that hold about the same number of entries, whatever the number of threads.
class Parts {
  public:
    template <class Value, class Index>
    Parts(const CsrView<Value, Index>& X, std::size_t width) {
        const std::size_t wanted = std::max<std::size_t>(1, (std::size_t{1} << 17) / width);
        std::size_t filled = 0;
        for (std::size_t row = 0; row < X.n_rows(); ++row) {
            if (filled >= wanted) {
                first_.push_back(row);
                filled = 0;
            }
            filled += 8 + (X.end(row) - X.begin(row));
        }
        first_.push_back(X.n_rows());
    }
    std::size_t size() const { return first_.size() - 1; }
    std::size_t begin(std::size_t part) const { return first_[part]; }
    std::size_t end(std::size_t part) const { return first_[part + 1]; }

  private:
    std::vector<std::size_t> first_{0};
};

// What a component of the residual is multiplied by. The inverse of the diagonal itself would be
// best for the objective, and the identity for the size of the gradient, by which fits are judged:
// frequent words have large gradients and large diagonals. The root is between the two; on tf-idf
// it takes half of the products of the first, for either purpose.
template <class Real>
Real preconditioned(double diagonal) {
    return static_cast<Real>(diagonal > 0 ? 1.0 / std::sqrt(diagonal) : 0.0);
}

// Sum of a_i b_i, in four strands that do not wait for each other.
template <class Sum, class Real>
Sum strands_dot(const Real* a, const Real* b, std::size_t n) {
    constexpr std::size_t kStrands = 4;
    Sum sums[kStrands] = {};
    std::size_t i = 0;
    for (; i + kStrands <= n; i += kStrands) {
        for (std::size_t lane = 0; lane < kStrands; ++lane) {
            sums[lane] += static_cast<Sum>(a[i + lane]) * static_cast<Sum>(b[i + lane]);
        }
    }
    for (; i < n; ++i) sums[i % kStrands] += static_cast<Sum>(a[i]) * static_cast<Sum>(b[i]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double sum_of(const std::vector<double>& parts) {
    double sum = 0;
    for (const double part : parts) sum += part;
    return sum;
}

// Products with the Hessian for two classes: one pass over the rows of X, each of which is met
// twice while it is in the cache.
template <class Real, class Value, class Index>
class SigmoidProducts {
  public:
    SigmoidProducts(const LogisticHessian<Real, Value, Index>& H, const Execution& execution)
        : H_(H), execution_(execution), sums_(H.X, execution, true), scores_(H.X.n_rows()) {
        if (H.X.data.size() < (std::size_t{1} << 15)) execution_.n_threads = 1;
    }

    std::size_t stride() const { return 1; }
    std::size_t size() const { return static_cast<std::size_t>(H_.X.n_cols) + 1; }
    const RawVector<Real>& scores() const { return scores_; }  // of the last v
    const Execution& execution() const { return execution_; }

    // out = H v; returns v' H v.
    double operator()(const Real* v, Real* out) {
        const std::size_t p = size() - 1;
        const Real b = v[p], l2 = static_cast<Real>(H_.l2);
        std::vector<double> totals(sums_.n_parts(), 0.0), dots(sums_.n_blocks(), 0.0);
        sums_.add_rows([&](std::size_t part, std::size_t row, Real* sums) {
            const Real* const head = H_.head.data() + row * H_.n_head;
            const Real score = head_dot(head, v) + csr_row_dot(H_.X, row, v) + b;
            scores_[row] = score;
            const Real t = H_.curvature[row] * score;
            totals[part] += static_cast<double>(t);
            for (std::size_t i = 0; i < H_.n_head; ++i) sums[i] += t * head[i];
            return t;
        });
        sums_.for_columns([&](std::size_t block, std::size_t column, Real sum) {
            out[column] = sum + l2 * v[column];
            dots[block] += static_cast<double>(out[column]) * static_cast<double>(v[column]);
        });
        double last = 0;
        if (H_.has_intercept) last = sum_of(totals) + H_.intercept_l2 * static_cast<double>(b);
        out[p] = static_cast<Real>(last);
        return sum_of(dots) + last * static_cast<double>(b);
    }

    // From the diagonal that H would have if all rows had the mean curvature; 0 for features that
    // nothing depends on. The true one would take a pass and hardly help more.
    std::vector<Real> preconditioner() const {
        const std::size_t n = H_.X.n_rows(), p = size() - 1;
        double total = 0;
        for (const Real curvature : H_.curvature) total += static_cast<double>(curvature);
        const double mean = n > 0 ? total / static_cast<double>(n) : 0.0;
        std::vector<Real> inverse(p + 1);
        for (std::size_t column = 0; column < p; ++column) {
            inverse[column] = preconditioned<Real>(mean * H_.squares[column] + H_.l2);
        }
        inverse[p] = H_.has_intercept ? preconditioned<Real>(total + H_.intercept_l2) : Real{0};
        return inverse;
    }

  private:
    // The dense part of a row times a vector, in eight strands.
    Real head_dot(const Real* head, const Real* v) const {
        constexpr std::size_t kLanes = 8;
        Real sums[kLanes] = {};
        for (std::size_t i = 0; i < H_.n_head; i += kLanes) {
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                sums[lane] += head[i + lane] * v[i + lane];
            }
        }
        return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
               ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    }

    const LogisticHessian<Real, Value, Index>& H_;
    Execution execution_;
    ColumnSums<Real, Value, Index> sums_;
    RawVector<Real> scores_;
};

// The same for more classes, with two passes, and vectors whose rows are padded to `stride`
// numbers.
template <class Real, class Value, class Index>
class SoftmaxProducts {
  public:
    SoftmaxProducts(const LogisticHessian<Real, Value, Index>& H, const Execution& execution)
        : H_(H),
          execution_(execution),
          n_(H.X.n_rows()),
          p_(H.Xt.n_rows()),
          stride_((H.width + 3) / 4 * 4),
          rows_(H.X, stride_),
          columns_(H.Xt, stride_),
          add_(add_columns_at<Real, Value, Index>(simd_level())),
          scores_(n_ * stride_),
          middle_(n_ * stride_) {
        if (H.X.data.size() * stride_ < (std::size_t{1} << 15)) execution_.n_threads = 1;
    }

    std::size_t stride() const { return stride_; }
    std::size_t size() const { return (p_ + 1) * stride_; }
    const RawVector<Real>& scores() const { return scores_; }  // of the last v
    const Execution& execution() const { return execution_; }

    // out = H v; returns v' H v.
    double operator()(const Real* v, Real* out) {
        const std::size_t width = H_.width;
        const Real* v_intercept = v + p_ * stride_;
        std::vector<double> sums(rows_.size() * width, 0.0);
        for_rows(H_.X, rows_, [&](std::size_t part, std::size_t row, const auto& x) {
            Real* const z = scores_.data() + row * stride_;
            Real* const t = middle_.data() + row * stride_;
            multiply(x, v, z);
            curve(row, v_intercept, z, t);
            double* const own = sums.data() + part * width;
            for (std::size_t k = 0; k < width; ++k) own[k] += static_cast<double>(t[k]);
        });
        std::vector<double> dots(columns_.size(), 0.0);
        const Real l2 = static_cast<Real>(H_.l2);
        for_rows(H_.Xt, columns_, [&](std::size_t part, std::size_t column, const auto& x) {
            Real* const h = out + column * stride_;
            const Real* const own = v + column * stride_;
            multiply(x, middle_.data(), h);
            for (std::size_t k = 0; k < stride_; ++k) h[k] += l2 * own[k];
            dots[part] += strands_dot<double>(h, own, stride_);
        });
        double dot = sum_of(dots);
        Real* const last = out + p_ * stride_;
        std::fill(last, last + stride_, Real{0});
        for (std::size_t k = 0; H_.has_intercept && k < width; ++k) {
            double sum = H_.intercept_l2 * static_cast<double>(v_intercept[k]);
            for (std::size_t part = 0; part < rows_.size(); ++part) sum += sums[part * width + k];
            last[k] = static_cast<Real>(sum);
            dot += sum * static_cast<double>(v_intercept[k]);
        }
        return dot;
    }

    // From the diagonal of H, averaged over the classes: p numbers and one for the intercept.
    // Nothing is done about features that nothing depends on.
    std::vector<Real> preconditioner() const {
        const std::size_t width = H_.width;
        std::vector<Real> curves(n_);
        double total = 0;
        for (std::size_t row = 0; row < n_; ++row) {
            const Real* c = H_.curvature.data() + row * width;
            double mean = 0;
            for (std::size_t k = 0; k < width; ++k) {
                mean += static_cast<double>(c[k]) * (1.0 - static_cast<double>(c[k]));
            }
            mean *= weight(row) / static_cast<double>(width);
            curves[row] = static_cast<Real>(mean);
            total += mean;
        }
        std::vector<Real> inverse(p_ + 1);
        for_rows(H_.Xt, columns_, [&](std::size_t, std::size_t column, const auto& x) {
            double sum = H_.l2;
            for (std::size_t i = 0; i < x.size; ++i) {
                const auto value = static_cast<double>(x.values[i]);
                sum += value * value *
                       static_cast<double>(curves[static_cast<std::size_t>(x.columns[i])]);
            }
            inverse[column] = preconditioned<Real>(sum);
        });
        inverse[p_] = H_.has_intercept ? preconditioned<Real>(total + H_.intercept_l2) : Real{0};
        return inverse;
    }

  private:
    double weight(std::size_t row) const { return H_.weights.empty() ? 1.0 : H_.weights[row]; }

    template <class Body>
    void for_rows(const CsrView<Value, Index>& X, const Parts& parts, Body&& body) const {
        parallel_parts(parts.size(), execution_, [&](std::size_t part, int) {
            const std::size_t end = X.begin(parts.end(part));
            for (std::size_t row = parts.begin(part); row < parts.end(part); ++row) {
                const std::size_t begin = X.begin(row);
                body(part, row,
                     SparseRow<Value, Index>{X.data.data() + begin, X.indices.data() + begin,
                                             X.end(row) - begin, end - begin});
            }
        });
    }

    void multiply(const SparseRow<Value, Index>& x, const Real* dense, Real* out) const {
        for (std::size_t first = 0; first < stride_; first += kWideBlock) {
            add_(x, dense + first, stride_, std::min(kWideBlock, stride_ - first), out + first);
        }
    }

    // z += b; t = (second derivative of the loss of a row) z
    void curve(std::size_t row, const Real* b, Real* z, Real* t) const {
        const std::size_t width = H_.width;
        const Real* const c = H_.curvature.data() + row * width;
        for (std::size_t k = 0; k < width; ++k) z[k] += b[k];
        const Real mean = strands_dot<Real>(c, z, width);
        const Real scale = static_cast<Real>(weight(row));
        for (std::size_t k = 0; k < width; ++k) t[k] = scale * c[k] * (z[k] - mean);
        for (std::size_t k = width; k < stride_; ++k) t[k] = 0;
    }

    const LogisticHessian<Real, Value, Index>& H_;
    Execution execution_;
    std::size_t n_, p_, stride_;
    Parts rows_, columns_;
    AddColumns<Real, Value, Index> add_;
    RawVector<Real> scores_, middle_;  // n x stride
};

template <class Real, class Value, class Index>
void check(const LogisticHessian<Real, Value, Index>& H, std::size_t n_in, std::size_t n_out,
           const Execution& execution) {
    // Columns of X alone are looked at by the first product, row by row.
    if (H.width > 1) {
        csr_check_columns(H.X, execution);
    } else {
        csr_check_rows(H.X);
    }
    const std::size_t n = H.X.n_rows(), p = static_cast<std::size_t>(H.X.n_cols);
    if (H.width > 1) csr_check_columns(H.Xt, execution);
    if (H.width > 1 && (p != H.Xt.n_rows() || n != static_cast<std::size_t>(H.Xt.n_cols))) {
        throw std::invalid_argument("Xt must have the shape of the transpose of X");
    }
    if (H.width == 0 || H.curvature.size() != n_entries(n, H.width)) {
        throw std::invalid_argument("curvature must have n_rows * width entries");
    }
    if (H.n_head % 8 != 0 || H.n_head > p || (H.width > 1 && H.n_head > 0)) {
        throw std::invalid_argument("a head has a multiple of eight columns of X, and width 1");
    }
    if (H.head.size() != n_entries(n, H.n_head)) {
        throw std::invalid_argument("head must have n_rows * n_head entries");
    }
    if (!H.weights.empty() && H.weights.size() != n) {
        throw std::invalid_argument("weights must have n_rows entries");
    }
    if (n_in != n_entries(p + 1, H.width) || n_out != n_in) {
        throw std::invalid_argument("vectors must have (n_cols + 1) * width entries");
    }
}

// A sum over the rows of a vector, and the largest absolute value in it.
struct Totals {
    double sum = 0;
    double most = 0;
};

// body(row, totals) for the rows of a vector. Parts are added up in order.
template <class Body>
Totals total_over(std::size_t n_rows, std::size_t stride, const Execution& execution, Body&& body) {
    const std::size_t grain = std::max<std::size_t>(1, 16384 / stride);
    std::vector<Totals> parts(n_parts_of(n_rows, grain));
    // The help of a thread costs as much as some ten thousand additions.
    const int n_threads = n_rows * stride < (std::size_t{1} << 15) ? 1 : execution.n_threads;
    const Execution here{n_threads, execution.interrupted, execution.team};
    parallel_parts(parts.size(), here, [&](std::size_t part, int) {
        Totals own;
        const std::size_t end = std::min((part + 1) * grain, n_rows);
        for (std::size_t row = part * grain; row < end; ++row) body(row, own);
        parts[part] = own;
    });
    Totals all;
    for (const Totals& part : parts) {
        all.sum += part.sum;
        all.most = std::max(all.most, part.most);
    }
    return all;
}

// The largest absolute value, or `most` if that is larger; numbers that are none are passed over.
template <class Real>
double largest(const Real* values, std::size_t n, double most) {
    constexpr std::size_t kStrands = 4;
    Real here[kStrands] = {};
    std::size_t i = 0;
    for (; i + kStrands <= n; i += kStrands) {
        for (std::size_t lane = 0; lane < kStrands; ++lane) {
            const Real value = std::abs(values[i + lane]);
            here[lane] = value > here[lane] ? value : here[lane];
        }
    }
    for (; i < n; ++i) here[0] = std::max(here[0], std::abs(values[i]));
    for (const Real value : here) most = std::max(most, static_cast<double>(value));
    return most;
}

// Between rows of `width` and of `stride` numbers.
template <class Real>
void pad(std::span<const double> vector, std::size_t width, std::size_t stride, double scale,
         Real* out, const Execution& execution) {
    total_over(vector.size() / width, stride, execution, [&](std::size_t row, Totals&) {
        for (std::size_t k = 0; k < stride; ++k) {
            out[row * stride + k] =
                k < width ? static_cast<Real>(scale * vector[row * width + k]) : Real{0};
        }
    });
}
template <class Real>
void unpad(const Real* padded, std::size_t width, std::size_t stride, std::span<double> out,
           const Execution& execution) {
    total_over(out.size() / width, stride, execution, [&](std::size_t row, Totals&) {
        for (std::size_t k = 0; k < width; ++k) {
            out[row * width + k] = static_cast<double>(padded[row * stride + k]);
        }
    });
}
// The product of two vectors.
double dot(std::span<const double> a, std::span<const double> b, std::size_t width,
           const Execution& execution) {
    return total_over(a.size() / width, width, execution,
                      [&](std::size_t row, Totals& totals) {
                          const std::size_t first = row * width;
                          totals.sum +=
                              strands_dot<double>(a.data() + first, b.data() + first, width);
                      })
        .sum;
}

template <class Products, class Real, class Value, class Index>
void product_by(Products product, const LogisticHessian<Real, Value, Index>& H,
                std::span<const double> vector, std::span<double> out) {
    RawVector<Real> v(product.size()), h(product.size());
    pad(vector, H.width, product.stride(), 1.0, v.data(), product.execution());
    if (!H.has_intercept) std::fill_n(v.end() - product.stride(), product.stride(), Real{0});
    product(v.data(), h.data());
    unpad(h.data(), H.width, product.stride(), out, product.execution());
}

template <class Products, class Real, class Value, class Index>
ConjugateGradients solve_by(Products product, const LogisticHessian<Real, Value, Index>& H,
                            std::span<const double> gradient, const Enough& enough,
                            std::span<double> direction, std::span<double> scores) {
    const Execution& execution = product.execution();
    const std::size_t stride = product.stride(), n_rows = product.size() / stride;
    const std::size_t n = product.scores().size() / stride;
    const std::vector<Real> inverse = product.preconditioner();
    RawVector<Real> x(product.size()), r(product.size()), v(product.size()), h(product.size());
    RawVector<Real> z(product.scores().size());  // the scores of x
    std::fill(z.begin(), z.end(), Real{0});
    pad(gradient, H.width, stride, -1.0, r.data(), execution);
    const auto over_rows = [&](auto&& body) { return total_over(n_rows, stride, execution, body); };
    double rz = over_rows([&](std::size_t row, Totals& totals) {
                    const std::size_t first = row * stride;
                    for (std::size_t i = first; i < first + stride; ++i) {
                        x[i] = 0;
                        v[i] = inverse[row] * r[i];
                    }
                    totals.sum += strands_dot<double>(r.data() + first, v.data() + first, stride);
                }).sum;
    const double goal = enough.accuracy * enough.accuracy * rz, first = rz;
    ConjugateGradients done;
    while (done.n_products < enough.max_products && rz > goal) {
        const double curvature = product(v.data(), h.data());
        ++done.n_products;
        if (!(curvature > 0)) break;
        const Real step = static_cast<Real>(rz / curvature);
        const Totals left = over_rows([&](std::size_t row, Totals& totals) {
            Real* const own_x = x.data() + row * stride;
            Real* const own_r = r.data() + row * stride;
            const Real* const own_v = v.data() + row * stride;
            const Real* const own_h = h.data() + row * stride;
            for (std::size_t k = 0; k < stride; ++k) own_x[k] += step * own_v[k];
            for (std::size_t k = 0; k < stride; ++k) own_r[k] -= step * own_h[k];
            const Real sum = strands_dot<Real>(own_r, own_r, stride);
            totals.sum += static_cast<double>(inverse[row]) * static_cast<double>(sum);
            totals.most = largest(own_r, stride, totals.most);
        });
        total_over(n, stride, execution, [&](std::size_t row, Totals&) {
            const Real* const own_v = product.scores().data() + row * stride;
            Real* const own_z = z.data() + row * stride;
            for (std::size_t k = 0; k < stride; ++k) own_z[k] += step * own_v[k];
        });
        const Real turn = static_cast<Real>(left.sum / rz);
        rz = left.sum;
        if (rz <= goal || left.most <= enough.largest) break;
        over_rows([&](std::size_t row, Totals&) {
            Real* const own_v = v.data() + row * stride;
            const Real* const own_r = r.data() + row * stride;
            const Real scale = inverse[row];
            for (std::size_t k = 0; k < stride; ++k) {
                own_v[k] = scale * own_r[k] + turn * own_v[k];
            }
        });
    }
    unpad(x.data(), H.width, stride, direction, execution);
    unpad(z.data(), H.width, stride, scores, execution);
    done.slope = dot(direction, gradient, H.width, execution);
    done.residual = first > 0 ? std::sqrt(rz / first) : 0.0;
    return done;
}

}  // namespace

template <class Real, class Value, class Index>
void logistic_hessian_product(const LogisticHessian<Real, Value, Index>& H,
                              std::span<const double> vector, std::span<double> out,
                              const Execution& execution) {
    check(H, vector.size(), out.size(), execution);
    if (H.width == 1) return product_by(SigmoidProducts(H, execution), H, vector, out);
    product_by(SoftmaxProducts(H, execution), H, vector, out);
}

template <class Real, class Value, class Index>
ConjugateGradients logistic_newton(const LogisticHessian<Real, Value, Index>& H,
                                   std::span<const double> gradient, const Enough& enough,
                                   std::span<double> direction, std::span<double> scores,
                                   const Execution& execution) {
    check(H, gradient.size(), direction.size(), execution);
    if (scores.size() != n_entries(H.X.n_rows(), H.width)) {
        throw std::invalid_argument("scores must have n_rows * width entries");
    }
    if (H.width == 1 && H.squares.size() != static_cast<std::size_t>(H.X.n_cols)) {
        throw std::invalid_argument("squares must have n_cols entries");
    }
    ThreadTeam team(static_cast<std::size_t>(std::max(1, execution.n_threads)));
    const Execution here{execution.n_threads, execution.interrupted, &team};
    if (H.width == 1) {
        return solve_by(SigmoidProducts(H, here), H, gradient, enough, direction, scores);
    }
    return solve_by(SoftmaxProducts(H, here), H, gradient, enough, direction, scores);
}

template <class Real, class Value, class Index>
GradientSize logistic_gradient(const CsrView<Value, Index>& Xt, std::span<const double> residuals,
                               std::size_t width, std::span<const double> weights, double l2,
                               double intercept_l2, bool has_intercept, std::span<double> gradient,
                               const Execution& execution) {
    csr_check_rows(Xt);
    const std::size_t n = static_cast<std::size_t>(Xt.n_cols), p = Xt.n_rows();
    if (width == 0 || residuals.size() != n_entries(n, width)) {
        throw std::invalid_argument("residuals must have n_rows * width entries");
    }
    if (weights.size() != n_entries(p + 1, width) || gradient.size() != weights.size()) {
        throw std::invalid_argument("weights and gradient must have (n_cols + 1) * width entries");
    }
    constexpr std::size_t kColumnsChecked = 8;  // at a time, just before they are read
    const std::size_t stride = (width + 3) / 4 * 4;
    const auto add = add_columns_at<Real, Value, Index>(simd_level());
    Execution here = execution;
    if (Xt.data.size() * stride < (std::size_t{1} << 15)) here.n_threads = 1;
    RawVector<Real> padded(n * stride);
    pad(residuals, width, stride, 1.0, padded.data(), here);
    const Parts parts(Xt, stride);
    std::vector<Totals> totals(parts.size());
    parallel_parts(parts.size(), here, [&](std::size_t part, int) {
        RawVector<Real> product(stride);
        Totals own;
        const std::size_t end = Xt.begin(parts.end(part));
        for (std::size_t column = parts.begin(part); column < parts.end(part); ++column) {
            if ((column - parts.begin(part)) % kColumnsChecked == 0) {
                csr_check_range(Xt, column, std::min(column + kColumnsChecked, parts.end(part)));
            }
            const std::size_t begin = Xt.begin(column);
            const SparseRow<Value, Index> x{Xt.data.data() + begin, Xt.indices.data() + begin,
                                            Xt.end(column) - begin, end - begin};
            for (std::size_t first = 0; first < stride; first += kWideBlock) {
                add(x, padded.data() + first, stride, std::min(kWideBlock, stride - first),
                    product.data() + first);
            }
            const double* const w = weights.data() + column * width;
            double* const g = gradient.data() + column * width;
            for (std::size_t k = 0; k < width; ++k) {
                g[k] = static_cast<double>(product[k]) + l2 * w[k];
            }
            own.sum += strands_dot<double>(g, g, width);
            own.most = largest(g, width, own.most);
        }
        totals[part] = own;
    });
    GradientSize size;
    for (const Totals& part : totals) {
        size.square += part.sum;
        size.largest = std::max(size.largest, part.most);
    }
    double* const last = gradient.data() + p * width;
    std::fill(last, last + width, 0.0);
    if (!has_intercept) return size;
    for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t k = 0; k < width; ++k) last[k] += residuals[row * width + k];
    }
    for (std::size_t k = 0; k < width; ++k) last[k] += intercept_l2 * weights[p * width + k];
    size.largest = largest(last, width, size.largest);
    return size;
}

#define QUIRE_INSTANTIATE(Real, Value, Index)                                                \
    template GradientSize logistic_gradient<Real>(                                           \
        const CsrView<Value, Index>&, std::span<const double>, std::size_t,                  \
        std::span<const double>, double, double, bool, std::span<double>, const Execution&); \
    template void logistic_hessian_product(const LogisticHessian<Real, Value, Index>&,       \
                                           std::span<const double>, std::span<double>,       \
                                           const Execution&);                                \
    template ConjugateGradients logistic_newton(                                             \
        const LogisticHessian<Real, Value, Index>&, std::span<const double>, const Enough&,  \
        std::span<double>, std::span<double>, const Execution&);
#define QUIRE_INSTANTIATE_ALL(Real)               \
    QUIRE_INSTANTIATE(Real, float, std::int32_t)  \
    QUIRE_INSTANTIATE(Real, float, std::int64_t)  \
    QUIRE_INSTANTIATE(Real, double, std::int32_t) \
    QUIRE_INSTANTIATE(Real, double, std::int64_t)
QUIRE_INSTANTIATE_ALL(float)
QUIRE_INSTANTIATE_ALL(double)
#undef QUIRE_INSTANTIATE_ALL
#undef QUIRE_INSTANTIATE

}  // namespace quire
