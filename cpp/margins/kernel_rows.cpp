#include "margins/kernel_rows.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "base/exp_rows.hpp"
#include "base/memory.hpp"
#include "base/simd.hpp"
#include "sparse/csr_columns.hpp"

namespace quire {

namespace {

double whole_power(double base, int degree) {
    double power = 1.0;
    for (int left = degree; left > 0; left /= 2) {
        if (left % 2 == 1) power *= base;
        base *= base;
    }
    return power;
}

// Computes every row of the kernel at the address that `to_of` returns for it.
template <class ToOf>
void fill_rows(std::span<const double> products, std::span<const double> squares,
               std::span<const double> other_squares, const Kernel& kernel,
               const Execution& execution, const ToOf& to_of) {
    const std::size_t n_rows = squares.size(), width = other_squares.size();
    if (products.size() != n_entries(n_rows, width)) {
        throw std::invalid_argument("products and out must have squares x other_squares entries");
    }
    const ExpRows exp_rows = exp_rows_at(simd_level());
    constexpr std::size_t kChunk = 1024;
    parallel_parts(n_rows, execution, [&](std::size_t row, int) {
        double values[kChunk];
        auto* const out = to_of(row);
        using Out = std::remove_pointer_t<decltype(to_of(row))>;
        for (std::size_t begin = 0; begin < width; begin += kChunk) {
            const std::size_t n = std::min(kChunk, width - begin);
            const double* const from = products.data() + row * width + begin;
            Out* const to = out + begin;
            switch (kernel.kind) {
                case KernelKind::linear:
                    std::copy(from, from + n, values);
                    break;
                case KernelKind::poly:
                    for (std::size_t i = 0; i < n; ++i) {
                        values[i] =
                            whole_power(kernel.gamma * from[i] + kernel.coef0, kernel.degree);
                    }
                    break;
                case KernelKind::rbf:
                    for (std::size_t i = 0; i < n; ++i) {
                        const double distance =
                            squares[row] + other_squares[begin + i] - 2.0 * from[i];
                        values[i] = distance > 0.0 ? -kernel.gamma * distance : 0.0;
                    }
                    exp_rows(values, n);
                    break;
                case KernelKind::sigmoid:
                    for (std::size_t i = 0; i < n; ++i) {
                        values[i] = std::tanh(kernel.gamma * from[i] + kernel.coef0);
                    }
                    break;
            }
            for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<Out>(values[i]);
        }
    });
}

}  // namespace

template <class Value, class Index>
void csr_gram(const CsrView<Value, Index>& X, const CsrView<Value, Index>& T,
              std::span<double> products, const Execution& execution) {
    csr_check_columns(X, execution);
    csr_check_columns(T, execution);
    const auto width = static_cast<std::size_t>(T.n_cols);
    if (static_cast<std::size_t>(X.n_cols) != T.n_rows()) {
        throw std::invalid_argument("T must have a row for each column of X");
    }
    if (products.size() != n_entries(X.n_rows(), width)) {
        throw std::invalid_argument("products must have n_rows * width entries");
    }
    parallel_parts(X.n_rows(), execution, [&](std::size_t row, int) {
        double* const sums = products.data() + row * width;
        std::fill(sums, sums + width, 0.0);
        for (std::size_t i = X.begin(row); i < X.end(row); ++i) {
            const auto value = static_cast<double>(X.data[i]);
            const auto column = static_cast<std::size_t>(X.indices[i]);
            const std::size_t end = T.end(column);
            for (std::size_t at = T.begin(column); at < end; ++at) {
                sums[static_cast<std::size_t>(T.indices[at])] +=
                    value * static_cast<double>(T.data[at]);
            }
        }
    });
}

template <class Out>
void kernel_rows(std::span<const double> products, std::span<const double> squares,
                 std::span<const double> other_squares, const Kernel& kernel, std::span<Out> out,
                 const Execution& execution) {
    if (out.size() != products.size()) {
        throw std::invalid_argument("products and out must have squares x other_squares entries");
    }
    const std::size_t width = other_squares.size();
    fill_rows(products, squares, other_squares, kernel, execution,
              [&](std::size_t row) { return out.data() + row * width; });
}

void kernel_rows_into(std::span<const double> products, std::span<const double> squares,
                      std::span<const double> other_squares, const Kernel& kernel,
                      std::span<const std::int64_t> places, std::span<float> table,
                      const Execution& execution) {
    const std::size_t width = other_squares.size();
    const std::size_t n_places = width == 0 ? 0 : table.size() / width;
    if (places.size() != squares.size()) {
        throw std::invalid_argument("places must have an entry for each row");
    }
    std::int64_t before = -1;
    for (const std::int64_t place : places) {
        if (place <= before || static_cast<std::size_t>(place) >= n_places) {
            throw std::invalid_argument("places must rise and be rows of the table");
        }
        before = place;
    }
    fill_rows(products, squares, other_squares, kernel, execution, [&](std::size_t row) {
        return table.data() + static_cast<std::size_t>(places[row]) * width;
    });
}

#define QUIRE_INSTANTIATE(Value, Index)                                                \
    template void csr_gram(const CsrView<Value, Index>&, const CsrView<Value, Index>&, \
                           std::span<double>, const Execution&);
QUIRE_INSTANTIATE(float, std::int32_t)
QUIRE_INSTANTIATE(float, std::int64_t)
QUIRE_INSTANTIATE(double, std::int32_t)
QUIRE_INSTANTIATE(double, std::int64_t)
#undef QUIRE_INSTANTIATE
#define QUIRE_INSTANTIATE(Out)                                                        \
    template void kernel_rows(std::span<const double>, std::span<const double>,       \
                              std::span<const double>, const Kernel&, std::span<Out>, \
                              const Execution&);
QUIRE_INSTANTIATE(float)
QUIRE_INSTANTIATE(double)
#undef QUIRE_INSTANTIATE

}  // namespace quire
