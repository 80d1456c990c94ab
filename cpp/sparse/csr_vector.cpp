#include "sparse/csr_vector.hpp"

#include <cstdint>
#include <stdexcept>

#include "sparse/csr_columns.hpp"

namespace quire {

template <class Value, class Index>
void csr_matvec(const CsrView<Value, Index>& X, std::span<const double> v, double offset,
                std::span<double> out, const Execution& execution) {
    csr_check_rows(X);
    if (v.size() != static_cast<std::size_t>(X.n_cols) || out.size() != X.n_rows()) {
        throw std::invalid_argument("v must have n_cols entries and out n_rows");
    }
    constexpr std::size_t grain = 256, kRowsChecked = 64;
    const int n_threads = X.data.size() < (std::size_t{1} << 15) ? 1 : execution.n_threads;
    parallel_parts(n_parts_of(X.n_rows(), grain), {n_threads, execution.interrupted},
                   [&](std::size_t part, int) {
                       const std::size_t end = std::min((part + 1) * grain, X.n_rows());
                       for (std::size_t row = part * grain; row < end; ++row) {
                           if (row % kRowsChecked == 0) {
                               csr_check_range(X, row, std::min(row + kRowsChecked, end));
                           }
                           out[row] = offset + csr_row_dot(X, row, v.data());
                       }
                   });
}

template <class Value, class Index>
void csr_t_matvec(const CsrView<Value, Index>& X, std::span<const double> u, std::span<double> out,
                  const Execution& execution) {
    csr_check_rows(X);
    if (u.size() != X.n_rows() || out.size() != static_cast<std::size_t>(X.n_cols)) {
        throw std::invalid_argument("u must have n_rows entries and out n_cols");
    }
    ColumnSums<double, Value, Index> sums(X, execution, true);
    sums.add_rows([&](std::size_t, std::size_t row, double*) { return u[row]; });
    sums.for_columns([&](std::size_t, std::size_t column, double sum) { out[column] = sum; });
}

#define QUIRE_INSTANTIATE(Value, Index)                                                     \
    template void csr_matvec(const CsrView<Value, Index>&, std::span<const double>, double, \
                             std::span<double>, const Execution&);                          \
    template void csr_t_matvec(const CsrView<Value, Index>&, std::span<const double>,       \
                               std::span<double>, const Execution&);
QUIRE_INSTANTIATE(float, std::int32_t)
QUIRE_INSTANTIATE(float, std::int64_t)
QUIRE_INSTANTIATE(double, std::int32_t)
QUIRE_INSTANTIATE(double, std::int64_t)
#undef QUIRE_INSTANTIATE

}  // namespace quire
