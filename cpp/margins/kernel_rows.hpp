// Kernels between rows of matrices, from their inner products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/parallel.hpp"
#include "sparse/csr.hpp"

namespace quire {

// The numbers are those of quire.svm._kernels.
enum class KernelKind : int { linear = 0, poly = 1, rbf = 2, sigmoid = 3 };

struct Kernel {
    KernelKind kind = KernelKind::linear;
    double gamma = 1, coef0 = 0;
    int degree = 3;
};

// products = X T, with T (n_cols x width) sparse by rows: the columns of a second matrix. Sums are
// made in the order in which a row of X is stored, in double precision.
//
// Equivalent to
//     (X @ T).toarray()
template <class Value, class Index>
void csr_gram(const CsrView<Value, Index>& X, const CsrView<Value, Index>& T,
              std::span<double> products, const Execution& execution);

// out_ij = the kernel of two rows x_i and z_j with the inner product products_ij and the squared
// lengths squares[i] and other_squares[j] (which only the Gaussian kernel reads).
//
// Equivalent to
//     products                                                  linear
//     (gamma * products + coef0) ** degree                      poly
//     exp(-gamma * maximum(squares[:, None] + other_squares - 2 * products, 0))   rbf
//     tanh(gamma * products + coef0)                            sigmoid
template <class Out>
void kernel_rows(std::span<const double> products, std::span<const double> squares,
                 std::span<const double> other_squares, const Kernel& kernel, std::span<Out> out,
                 const Execution& execution);

// The same into rows of a table that are given by their numbers, rising: row i of the kernel is row
// places[i] of the table. Nothing is copied, and other rows stay as they are.
//
// Equivalent to
//     table[places] = kernel_rows(...)
void kernel_rows_into(std::span<const double> products, std::span<const double> squares,
                      std::span<const double> other_squares, const Kernel& kernel,
                      std::span<const std::int64_t> places, std::span<float> table,
                      const Execution& execution);

}  // namespace quire
