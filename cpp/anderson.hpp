// Anderson's extrapolation of the last iterates of a fixed-point method.
//
// With differences d_k = w_{k+1} - w_k, the weights c = z / sum(z), (D D') z = 1, make
// ||sum c_k d_k|| least under sum c_k = 1; the extrapolated point is sum c_k w_{k+1}. Whatever is
// affine in w (residuals, gradients) is extrapolated with the same weights.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "vector_steps.hpp"

namespace quire {

class Anderson {
  public:
    static constexpr std::size_t kDepth = 5;

    // For points of n_w numbers with n_along more that are affine in them.
    Anderson(std::size_t n_w, std::size_t n_along) : n_w_(n_w), n_along_(n_along) {
        points_.resize((kDepth + 1) * n_w);
        along_.resize((kDepth + 1) * n_along);
    }

    // Notes a point. True once there are enough to extrapolate from.
    bool push(std::span<const double> w, std::span<const double> along) {
        std::copy(w.begin(), w.end(), points_.begin() + offset(n_ * n_w_));
        std::copy(along.begin(), along.end(), along_.begin() + offset(n_ * n_along_));
        return ++n_ == kDepth + 1;
    }

    // Writes the extrapolated point and forgets the noted ones. False if there is none.
    bool extrapolate(std::span<double> w, std::span<double> along) {
        n_ = 0;
        std::array<std::array<double, kDepth + 1>, kDepth> system{};
        std::vector<double> steps(kDepth * n_w_);
        for (std::size_t i = 0; i < kDepth * n_w_; ++i) steps[i] = points_[i + n_w_] - points_[i];
        double trace = 0;
        for (std::size_t a = 0; a < kDepth; ++a) {
            for (std::size_t b = 0; b < kDepth; ++b) {
                system[a][b] = dot_in_lanes(&steps[a * n_w_], &steps[b * n_w_], n_w_);
            }
            system[a][kDepth] = 1;
            trace += system[a][a];
        }
        if (!(trace > 0) || !std::isfinite(trace)) return false;
        for (std::size_t a = 0; a < kDepth; ++a) system[a][a] += 1e-10 * trace;
        if (!solve(system)) return false;
        double sum = 0;
        for (const auto& line : system) sum += line[kDepth];
        if (!(std::abs(sum) > 0) || !std::isfinite(sum)) return false;
        std::fill(w.begin(), w.end(), 0.0);
        std::fill(along.begin(), along.end(), 0.0);
        for (std::size_t k = 0; k < kDepth; ++k) {
            const double c = -system[k][kDepth] / sum;
            subtract_multiple(c, &points_[(k + 1) * n_w_], w.data(), n_w_);
            if (n_along_ > 0) {
                subtract_multiple(c, &along_[(k + 1) * n_along_], along.data(), n_along_);
            }
        }
        return true;
    }

  private:
    using System = std::array<std::array<double, kDepth + 1>, kDepth>;

    static std::ptrdiff_t offset(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

    // Gauss-Jordan elimination with pivots; the solution takes the place of the last column.
    static bool solve(System& system) {
        for (std::size_t k = 0; k < kDepth; ++k) {
            std::size_t pivot = k;
            for (std::size_t i = k + 1; i < kDepth; ++i) {
                if (std::abs(system[i][k]) > std::abs(system[pivot][k])) pivot = i;
            }
            std::swap(system[k], system[pivot]);
            if (!(std::abs(system[k][k]) > 0)) return false;
            for (std::size_t i = 0; i < kDepth; ++i) {
                if (i == k) continue;
                const double factor = system[i][k] / system[k][k];
                for (std::size_t c = k; c <= kDepth; ++c) system[i][c] -= factor * system[k][c];
            }
        }
        for (std::size_t k = 0; k < kDepth; ++k) system[k][kDepth] /= system[k][k];
        return true;
    }

    std::size_t n_w_, n_along_, n_ = 0;
    std::vector<double> points_, along_;
};

}  // namespace quire
