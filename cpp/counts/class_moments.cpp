#include "counts/class_moments.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/memory.hpp"
#include "base/simd.hpp"

namespace quire {

namespace {

constexpr std::size_t kTileRows = 128;  // a tile of doubles fills a first-level cache
constexpr std::size_t kTileCols = 32;

// Rows of one tile or part, of which every one lies in one piece, and what they are added to.
template <class Value>
struct Rows {
    const Value* values;
    std::ptrdiff_t stride;
    std::size_t n_rows, n_cols;
    const std::int32_t* labels;
    const double* weights;  // null: all one
};
struct Sums {
    const double* shift;
    double* first;        // sums of w d
    double* second;       // sums of w d^2
    std::size_t n_total;  // from one class to the next
};

// Every column has its own sums, so vectors of any width give the same bits.
template <bool weighted, class Value>
[[gnu::always_inline]] inline void add_rows(const Rows<Value>& rows, const Sums& sums) {
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
        const std::size_t at = static_cast<std::size_t>(rows.labels[i]) * sums.n_total;
        const Value* __restrict x = rows.values + static_cast<std::ptrdiff_t>(i) * rows.stride;
        const double* __restrict shift = sums.shift + at;
        double* __restrict first = sums.first + at;
        double* __restrict second = sums.second + at;
        const double w = weighted ? rows.weights[i] : 1.0;
        for (std::size_t j = 0; j < rows.n_cols; ++j) {
            const double d = static_cast<double>(x[j]) - shift[j];
            const double wd = weighted ? w * d : d;
            first[j] += wd;
            second[j] += wd * d;
        }
    }
}

template <class Value>
[[gnu::always_inline]] inline void add_any(const Rows<Value>& rows, const Sums& sums) {
    if (rows.weights != nullptr) {
        add_rows<true>(rows, sums);
    } else {
        add_rows<false>(rows, sums);
    }
}

template <class Value>
void add_portable(const Rows<Value>& rows, const Sums& sums) {
    add_any(rows, sums);
}
#if QUIRE_X86
template <class Value>
QUIRE_TARGET_AVX2 void add_avx2(const Rows<Value>& rows, const Sums& sums) {
    add_any(rows, sums);
}
template <class Value>
QUIRE_TARGET_AVX512 void add_avx512(const Rows<Value>& rows, const Sums& sums) {
    add_any(rows, sums);
}
#endif

template <class Value>
auto adder() {
#if QUIRE_X86
    switch (simd_level()) {
        case SimdLevel::avx512:
            return &add_avx512<Value>;
        case SimdLevel::avx2:
            return &add_avx2<Value>;
        default:
            break;
    }
#endif
    return &add_portable<Value>;
}

template <class Value>
class Pass {
  public:
    Pass(const DenseView<Value>& X, std::span<const std::int32_t> labels, std::size_t n_classes,
         std::span<const double> weights)
        : X_(X), labels_(labels), weights_(weights), n_classes_(n_classes) {
        constexpr std::size_t most_parts = 64;
        constexpr std::size_t most_sums = std::size_t{1} << 22;
        constexpr std::size_t grain = std::size_t{1} << 16;
        constexpr std::size_t cached = std::size_t{1} << 14;  // sums that stay near a core
        const std::size_t n_sums = 2 * n_classes * X.n_cols;
        n_row_parts_ =
            std::min({most_parts, X.n_rows * X.n_cols / grain + 1,
                      std::max<std::size_t>(most_sums / std::max<std::size_t>(n_sums, 1), 1)});
        width_ = std::max<std::size_t>(cached / (3 * n_classes + 1) / 8, 1) * 8;
        n_col_parts_ = n_parts_of(X.n_cols, width_);
    }

    // Sums of w d and of w d^2 with d = x - shift.
    void operator()(const double* shift, double* first, double* second,
                    const Execution& execution) {
        const std::size_t n_cells = n_classes_ * X_.n_cols;
        sums_.resize(n_row_parts_ * 2 * n_cells);
        const auto add = adder<Value>();
        parallel_parts(n_row_parts_ * n_col_parts_, execution,
                       [&](std::size_t part, int, Checkpoint& checkpoint) {
                           run_part(part, shift, add, checkpoint);
                       });
        std::fill_n(first, n_cells, 0.0);
        std::fill_n(second, n_cells, 0.0);
        for (std::size_t part = 0; part < n_row_parts_; ++part) {
            const double* from = sums_.data() + part * 2 * n_cells;
            for (std::size_t c = 0; c < n_cells; ++c) first[c] += from[c];
            for (std::size_t c = 0; c < n_cells; ++c) second[c] += from[n_cells + c];
        }
    }

  private:
    template <class Add>
    void run_part(std::size_t part, const double* shift, Add add, Checkpoint& checkpoint) {
        const std::size_t row_part = part / n_col_parts_;
        const std::size_t begin = X_.n_rows * row_part / n_row_parts_;
        const std::size_t end = X_.n_rows * (row_part + 1) / n_row_parts_;
        const std::size_t left = part % n_col_parts_ * width_;
        const std::size_t right = std::min(X_.n_cols, left + width_);
        const std::size_t n_cells = n_classes_ * X_.n_cols;
        double* const first = sums_.data() + row_part * 2 * n_cells;
        double* const second = first + n_cells;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            std::fill_n(first + k * X_.n_cols + left, right - left, 0.0);
            std::fill_n(second + k * X_.n_cols + left, right - left, 0.0);
        }

        const bool in_place = X_.has_rows();
        const std::size_t step = in_place ? right - left : kTileCols;
        RawVector<Value> tile(in_place ? 0 : kTileRows * kTileCols);
        for (std::size_t i = begin; i < end; i += kTileRows) {
            const std::size_t n = std::min(kTileRows, end - i);
            for (std::size_t j = left; j < right; j += step) {
                const std::size_t width = std::min(step, right - j);
                Rows<Value> rows{X_.at(i, j),
                                 X_.row_stride,
                                 n,
                                 width,
                                 labels_.data() + i,
                                 weights_.empty() ? nullptr : weights_.data() + i};
                if (!in_place) {
                    for (std::size_t c = 0; c < width; ++c) {
                        for (std::size_t r = 0; r < n; ++r) {
                            tile[r * kTileCols + c] = *X_.at(i + r, j + c);
                        }
                    }
                    rows.values = tile.data();
                    rows.stride = kTileCols;
                }
                add(rows, {shift + j, first + j, second + j, X_.n_cols});
            }
            checkpoint.step();
        }
    }

    DenseView<Value> X_;
    std::span<const std::int32_t> labels_;
    std::span<const double> weights_;
    std::size_t n_classes_, n_row_parts_, n_col_parts_, width_;
    RawVector<double> sums_;  // n_row_parts x 2 x n_classes x n_cols
};

void check_sizes(std::size_t n_rows, std::size_t n_cols, std::span<const std::int32_t> labels,
                 std::size_t n_classes, std::span<const double> weights,
                 const ClassMoments& moments) {
    const auto refuse = [n_rows](const char* name, std::size_t n) {
        throw std::invalid_argument(std::string(name) + " has " + std::to_string(n) +
                                    " entries for " + std::to_string(n_rows) + " rows");
    };
    if (labels.size() != n_rows) refuse("labels", labels.size());
    if (!weights.empty() && weights.size() != n_rows) refuse("weights", weights.size());
    const std::size_t n_cells = n_entries(n_classes, n_cols);
    if (moments.count.size() != n_classes || moments.mean.size() != n_cells ||
        moments.low.size() != n_cells || moments.ssd.size() != n_cells) {
        throw std::invalid_argument("moments must have room for n_classes * n_cols entries");
    }
}

// Adds up the weights of each class; returns its first row with a weight, n_rows if it has none.
std::vector<std::size_t> count_classes(std::span<const std::int32_t> labels,
                                       std::span<const double> weights, std::span<double> count) {
    std::fill(count.begin(), count.end(), 0.0);
    std::vector<std::size_t> first_row(count.size(), labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] < 0 || static_cast<std::size_t>(labels[i]) >= count.size()) {
            throw std::invalid_argument("label " + std::to_string(labels[i]) + " is outside [0, " +
                                        std::to_string(count.size()) + ")");
        }
        const auto k = static_cast<std::size_t>(labels[i]);
        const double w = weights.empty() ? 1.0 : weights[i];
        count[k] += w;
        if (w != 0 && first_row[k] == labels.size()) first_row[k] = i;
    }
    return first_row;
}

}  // namespace

template <class Value>
void dense_class_moments(const DenseView<Value>& X, std::span<const std::int32_t> labels,
                         std::size_t n_classes, std::span<const double> weights,
                         const ClassMoments& moments, const Execution& given) {
    Execution execution = given;
    constexpr std::size_t worth_a_thread = std::size_t{1} << 16;
    if (X.n_rows * X.n_cols < worth_a_thread) execution.n_threads = 1;
    check_sizes(X.n_rows, X.n_cols, labels, n_classes, weights, moments);
    const std::vector<std::size_t> first_row = count_classes(labels, weights, moments.count);
    const auto [count, mean, low, ssd] = moments;

    RawVector<double> shift(n_classes * X.n_cols);
    for (std::size_t k = 0; k < n_classes; ++k) {
        for (std::size_t j = 0; j < X.n_cols; ++j) {
            shift[k * X.n_cols + j] =
                first_row[k] < X.n_rows ? static_cast<double>(*X.at(first_row[k], j)) : 0.0;
        }
    }

    Pass<Value> pass(X, labels, n_classes, weights);
    for (const bool again : {true, false}) {
        pass(shift.data(), low.data(), ssd.data(), execution);
        bool far = false;
        for (std::size_t k = 0; k < n_classes; ++k) {
            const double W = count[k];
            for (std::size_t c = k * X.n_cols; c < (k + 1) * X.n_cols; ++c) {
                if (W == 0) {
                    mean[c] = low[c] = ssd[c] = 0;
                    continue;
                }
                const double offset = low[c] / W;  // of the mean from the shift
                ssd[c] -= low[c] * offset;
                far |= offset * offset * W > 64 * ssd[c];
                mean[c] = shift[c] + offset;
                // Knuth's sum of two numbers: low is exactly what the rounding of mean left out.
                const double part = mean[c] - shift[c];
                low[c] = (shift[c] - (mean[c] - part)) + (offset - part);
            }
        }
        if (!far || !again) return;
        std::copy(mean.begin(), mean.end(), shift.begin());
    }
}

template void dense_class_moments(const DenseView<float>&, std::span<const std::int32_t>,
                                  std::size_t, std::span<const double>, const ClassMoments&,
                                  const Execution&);
template void dense_class_moments(const DenseView<double>&, std::span<const std::int32_t>,
                                  std::size_t, std::span<const double>, const ClassMoments&,
                                  const Execution&);

}  // namespace quire
