#include "linear/sparse_logistic_loss.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace quire {

namespace {

constexpr std::size_t kRowsPerPart = 2048;
constexpr std::size_t kRowsPerBlock = 128;  // rows whose scores are worked on together
constexpr int kMemory = 4;                  // steps for which a blend counts

// p log p, and 0 for p = 0.
double entropy_term(double p) {
    return p > 0 ? p * std::log(p) : 0.0;
}

}  // namespace

LogisticLoss::LogisticLoss(std::span<const std::int32_t> codes, std::size_t n_classes,
                           std::span<const double> weights)
    : codes_(codes.begin(), codes.end()),
      weights_(weights.begin(), weights.end()),
      n_classes_(n_classes),
      width_(n_classes == 2 ? 1 : n_classes),
      class_weights_(n_classes, 0.0) {
    if (n_classes < 2) throw std::invalid_argument("n_classes must be at least 2");
    if (!weights.empty() && weights.size() != codes.size()) {
        throw std::invalid_argument("weights must have a number for each row");
    }
    for (std::size_t i = 0; i < codes.size(); ++i) {
        if (codes[i] < 0 || static_cast<std::size_t>(codes[i]) >= n_classes) {
            throw std::invalid_argument("row " + std::to_string(i) + " has a class outside [0, " +
                                        std::to_string(n_classes) + ")");
        }
        class_weights_[static_cast<std::size_t>(codes[i])] += weight(i);
    }
    const std::size_t size = n_entries(width_, codes.size());
    scores_.assign(size, 0.0);
    direction_.assign(size, 0.0);
    probabilities_.resize(size);
}

// Adds up body(first_row, end_row) over parts.
template <class Body>
double LogisticLoss::sum_over_rows(const Execution& execution, Body&& body) const {
    const std::size_t n_parts = n_parts_of(n_rows(), kRowsPerPart);
    constexpr std::size_t kWorthAThread = std::size_t{1} << 14;
    const bool small = n_rows() * width_ < kWorthAThread;
    std::vector<double> sums(n_parts, 0.0);
    parallel_parts(n_parts, {small ? 1 : execution.n_threads, execution.interrupted},
                   [&](std::size_t part, int) {
                       const std::size_t begin = part * kRowsPerPart;
                       sums[part] = body(begin, std::min(begin + kRowsPerPart, n_rows()));
                   });
    double sum = 0;
    for (const double part : sums) sum += part;
    return sum;
}

double LogisticLoss::move(double step, const Execution& execution) {
    const std::size_t n = n_rows();
    const double* z = scores_.data();
    const double* t = direction_.data();
    double* p = probabilities_.data();
    if (width_ == 1) {
        return sum_over_rows(execution, [&](std::size_t begin, std::size_t end) {
            double sum = 0;
            for (std::size_t i = begin; i < end; ++i) {
                const double score = z[i] + step * t[i];
                const double e = std::exp(-std::abs(score));
                p[i] = (score >= 0 ? 1.0 : e) / (1.0 + e);
                const double toward = codes_[i] == 1 ? score : -score;
                sum += weight(i) * (std::log1p(e) - std::min(toward, 0.0));
            }
            return sum;
        });
    }
    return sum_over_rows(execution, [&](std::size_t first, std::size_t last) {
        double sum = 0;
        double largest[kRowsPerBlock], total[kRowsPerBlock], own[kRowsPerBlock];
        for (std::size_t begin = first; begin < last; begin += kRowsPerBlock) {
            const std::size_t size = std::min(kRowsPerBlock, last - begin);
            for (std::size_t k = 0; k < width_; ++k) {
                const std::size_t at = k * n + begin;
                for (std::size_t i = 0; i < size; ++i) {
                    const double score = z[at + i] + step * t[at + i];
                    p[at + i] = score;
                    largest[i] = k == 0 ? score : std::max(largest[i], score);
                }
            }
            for (std::size_t i = 0; i < size; ++i) {
                const auto code = static_cast<std::size_t>(codes_[begin + i]);
                own[i] = p[code * n + begin + i] - largest[i];
                total[i] = 0;
            }
            for (std::size_t k = 0; k < width_; ++k) {
                double* row = p + k * n + begin;
                for (std::size_t i = 0; i < size; ++i) {
                    row[i] = std::exp(row[i] - largest[i]);
                    total[i] += row[i];
                }
            }
            for (std::size_t k = 0; k < width_; ++k) {
                double* row = p + k * n + begin;
                for (std::size_t i = 0; i < size; ++i) row[i] /= total[i];
            }
            for (std::size_t i = 0; i < size; ++i) {
                sum += weight(begin + i) * (std::log(total[i]) - own[i]);
            }
        }
        return sum;
    });
}

void LogisticLoss::keep(double step, const Execution& execution) {
    sum_over_rows(execution, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = 0; k < width_; ++k) {
            double* z = scores_.data() + k * n_rows();
            const double* t = direction_.data() + k * n_rows();
            for (std::size_t i = begin; i < end; ++i) z[i] += step * t[i];
        }
        return 0.0;
    });
    if (age_ > 0 && --age_ > 0) blend_with_probabilities(execution);
}

void LogisticLoss::blend(const Execution& execution) {
    if (age_ > 0) {
        blend_with_probabilities(execution);
        move(0.0, execution);
    } else {
        blend_ = probabilities_;
        move(0.0, execution);
        blend_with_probabilities(execution);
    }
    age_ = kMemory;
}

void LogisticLoss::blend_with_probabilities(const Execution& execution) {
    sum_over_rows(execution, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = 0; k < width_; ++k) {
            const double* p = probabilities(k);
            double* h = blend_.data() + k * n_rows();
            for (std::size_t i = begin; i < end; ++i) h[i] = 0.5 * (h[i] + p[i]);
        }
        return 0.0;
    });
}

void LogisticLoss::residual(std::size_t k, double* out) const {
    const double* p = probabilities(k);
    const auto own = static_cast<std::int32_t>(width_ == 1 ? 1 : k);
    for (std::size_t i = 0; i < n_rows(); ++i) {
        out[i] = weight(i) * (p[i] - (codes_[i] == own ? 1.0 : 0.0));
    }
}

void LogisticLoss::curvature(std::size_t k, double* out) const {
    const double* h = bend(k);
    for (std::size_t i = 0; i < n_rows(); ++i) out[i] = weight(i) * h[i] * (1.0 - h[i]);
}

std::vector<double> LogisticLoss::null_scores(bool fit_intercept) const {
    std::vector<double> scores(width_, 0.0);
    if (!fit_intercept) return scores;
    double total = 0;
    for (const double weight : class_weights_) total += weight;
    // A class without weight would have a score of minus infinity.
    constexpr double kLeast = 1e-12;
    const auto log_share = [&](std::size_t k) {
        return total > 0 ? std::log(std::max(class_weights_[k] / total, kLeast)) : 0.0;
    };
    if (width_ == 1) {
        scores[0] = log_share(1) - log_share(0);
    } else {
        double mean = 0;
        for (std::size_t k = 0; k < width_; ++k) mean += scores[k] = log_share(k);
        mean /= static_cast<double>(width_);
        for (double& score : scores) score -= mean;
    }
    return scores;
}

double LogisticLoss::null_loss(bool fit_intercept) const {
    double total = 0, loss = 0;
    for (const double weight : class_weights_) total += weight;
    if (!fit_intercept) return total * std::log(static_cast<double>(n_classes_));
    for (const double weight : class_weights_) {
        if (weight > 0) loss -= weight * std::log(weight / total);
    }
    return loss;
}

std::span<const double> LogisticLoss::dual_residual(bool fit_intercept,
                                                    const Execution& execution) {
    const std::size_t n = n_rows();
    const double* p = probabilities_.data();
    double* out = direction_.data();
    std::vector<double> down(n_classes_, 1.0), share(n_classes_, 0.0);
    if (fit_intercept) {
        std::vector<double> lack(n_classes_);
        double lacking = 0;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            const bool other = width_ == 1 && k == 0;  // the class whose score is zero
            const double* column = p + (width_ == 1 ? 0 : k) * n;
            const double sum = sum_over_rows(execution, [&](std::size_t begin, std::size_t end) {
                double part = 0;
                for (std::size_t i = begin; i < end; ++i) {
                    part += weight(i) * (other ? 1.0 - column[i] : column[i]);
                }
                return part;
            });
            lack[k] = class_weights_[k] - sum;
            if (lack[k] < 0) down[k] = class_weights_[k] / sum;
            if (lack[k] > 0) lacking += lack[k];
        }
        for (std::size_t k = 0; k < n_classes_ && lacking > 0; ++k) {
            share[k] = std::max(lack[k], 0.0) / lacking;
        }
    }
    sum_over_rows(execution, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (width_ == 1) {
                const double freed = p[i] * (1 - down[1]) + (1 - p[i]) * (1 - down[0]);
                const double q = p[i] * down[1] + freed * share[1];
                out[i] = weight(i) * (q - (codes_[i] == 1 ? 1.0 : 0.0));
                continue;
            }
            double freed = 0;
            for (std::size_t k = 0; k < width_; ++k) freed += p[k * n + i] * (1 - down[k]);
            for (std::size_t k = 0; k < width_; ++k) {
                const double q = p[k * n + i] * down[k] + freed * share[k];
                const bool own = static_cast<std::size_t>(codes_[i]) == k;
                out[i * width_ + k] = weight(i) * (q - (own ? 1.0 : 0.0));
            }
        }
        return 0.0;
    });
    return {out, width_ * n};
}

double LogisticLoss::dual_entropy(double c, const Execution& execution) const {
    const double* residuals = direction_.data();
    return sum_over_rows(execution, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const double s = weight(i);
            if (!(s > 0)) continue;
            // (1 - c) y + c q = y + c (q - y)
            if (width_ == 1) {
                const double q = (codes_[i] == 1 ? 1.0 : 0.0) + c * residuals[i] / s;
                sum -= s * (entropy_term(q) + entropy_term(1 - q));
                continue;
            }
            for (std::size_t k = 0; k < width_; ++k) {
                const bool own = static_cast<std::size_t>(codes_[i]) == k;
                sum -= s * entropy_term((own ? 1.0 : 0.0) + c * residuals[i * width_ + k] / s);
            }
        }
        return sum;
    });
}

}  // namespace quire
