// Anderson extrapolation: a better point from the last few of a sequence that converges linearly.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace quire {

// Keeps points x_0 ... x_5, each with companions: arrays that are linear in the point, so that they
// need not be worked out anew. Their combination sum_k c_k x_k, sum_k c_k = 1, has the c for which
// sum_k c_k (x_k - x_(k-1)) is smallest.
//
// Equivalent to
//     D = np.diff(points, axis=0); c = np.linalg.solve(D @ D.T + ridge, np.ones(5)); c /= c.sum()
//     point, companion = c @ points[1:], c @ companions[1:]
class Extrapolation {
  public:
    static constexpr std::size_t kSteps = 5;

    void clear() { n_points_ = 0; }
    bool full() const { return n_points_ == kSteps + 1; }

    // Notes a point. True once there are enough to combine.
    bool add(std::span<const double> point, std::span<const double> companion) {
        points_[n_points_].assign(point.begin(), point.end());
        companions_[n_points_].assign(companion.begin(), companion.end());
        ++n_points_;
        return full();
    }

    // Writes the combination and forgets the points; false if they have none.
    bool combine(std::span<double> point, std::span<double> companion) {
        clear();
        std::array<std::array<double, kSteps + 1>, kSteps> system{};  // last column: ones
        double trace = 0;
        for (std::size_t a = 0; a < kSteps; ++a) {
            for (std::size_t b = 0; b <= a; ++b) {
                double sum = 0;
                for (std::size_t i = 0; i < point.size(); ++i) {
                    sum +=
                        (points_[a + 1][i] - points_[a][i]) * (points_[b + 1][i] - points_[b][i]);
                }
                system[a][b] = system[b][a] = sum;
            }
            trace += system[a][a];
            system[a][kSteps] = 1;
        }
        if (!(trace > 0) || !std::isfinite(trace)) return false;
        for (std::size_t a = 0; a < kSteps; ++a) system[a][a] += 1e-12 * trace;
        std::array<double, kSteps> c{};
        if (!solve(system, c)) return false;
        combine(points_, c, point);
        combine(companions_, c, companion);
        return true;
    }

  private:
    using Kept = std::array<std::vector<double>, kSteps + 1>;

    // Elimination without exchanges: the matrix is positive definite.
    static bool solve(std::array<std::array<double, kSteps + 1>, kSteps>& system,
                      std::array<double, kSteps>& c) {
        for (std::size_t a = 0; a < kSteps; ++a) {
            if (!(system[a][a] > 0)) return false;
            for (std::size_t b = a + 1; b < kSteps; ++b) {
                const double ratio = system[b][a] / system[a][a];
                for (std::size_t i = a; i <= kSteps; ++i) system[b][i] -= ratio * system[a][i];
            }
        }
        double sum = 0;
        for (std::size_t a = kSteps; a-- > 0;) {
            c[a] = system[a][kSteps];
            for (std::size_t b = a + 1; b < kSteps; ++b) c[a] -= system[a][b] * c[b];
            sum += c[a] /= system[a][a];
        }
        if (sum == 0 || !std::isfinite(sum)) return false;
        for (double& value : c) value /= sum;
        return true;
    }

    static void combine(const Kept& kept, const std::array<double, kSteps>& c,
                        std::span<double> out) {
        for (std::size_t i = 0; i < out.size(); ++i) {
            double sum = 0;
            for (std::size_t a = 0; a < kSteps; ++a) sum += c[a] * kept[a + 1][i];
            out[i] = sum;
        }
    }

    std::size_t n_points_ = 0;
    Kept points_, companions_;
};

}  // namespace quire
