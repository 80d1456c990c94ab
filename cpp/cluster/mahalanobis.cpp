#include "cluster/mahalanobis.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "base/memory.hpp"
#include "base/simd.hpp"
#include "cluster/factor_panels.hpp"

namespace quire {

namespace {

constexpr std::size_t kTile = kPanelTile;
constexpr std::size_t kRowsPerPart = 32 * kTile;

}  // namespace

template <class Value>
void dense_mahalanobis(const DenseView<Value>& X, std::span<const double> means,
                       std::span<const double> factors, bool upper, std::span<double> out,
                       const Execution& execution) {
    const std::size_t n_cols = X.n_cols, n_rows = X.n_rows;
    const std::size_t n_components = n_cols == 0 ? 0 : means.size() / n_cols;
    if (!X.has_rows()) throw std::invalid_argument("X must be stored by rows");
    if (means.size() != n_entries(n_components, n_cols) ||
        factors.size() != n_entries(means.size(), n_cols) ||
        out.size() != n_entries(n_rows, n_components)) {
        throw std::invalid_argument("means, factors and out must fit each other");
    }
    const FactorPanels panels(factors, n_cols, upper);
    const AddPanel add_panel = add_panel_at(simd_level());
    std::vector<std::vector<double>> scratch(
        static_cast<std::size_t>(std::max(1, execution.n_threads)));
    parallel_parts(n_parts_of(n_rows, kRowsPerPart), execution,
                   [&](std::size_t part, int worker, Checkpoint& checkpoint) {
                       auto& gaps = scratch[static_cast<std::size_t>(worker)];
                       gaps.resize(kRowsPerPart * n_cols);
                       const std::size_t first = part * kRowsPerPart;
                       const std::size_t n = std::min(kRowsPerPart, n_rows - first);
                       for (std::size_t k = 0; k < n_components; ++k) {
                           const double* mean = means.data() + k * n_cols;
                           for (std::size_t r = 0; r < n; ++r) {
                               const Value* row = X.at(first + r, 0);
                               double* to = gaps.data() + r * n_cols;
                               for (std::size_t f = 0; f < n_cols; ++f) {
                                   to[f] = static_cast<double>(row[f]) - mean[f];
                               }
                           }
                           double squares[kRowsPerPart] = {};
                           for (std::size_t p = 0; p < panels.n_panels(); ++p) {
                               const Panel panel = panels.panel(k, p);
                               for (std::size_t r = 0; r < n; r += kTile) {
                                   add_panel(gaps.data() + r * n_cols, n_cols, panel, squares + r);
                               }
                               checkpoint();
                           }
                           for (std::size_t r = 0; r < n; ++r) {
                               out[(first + r) * n_components + k] = squares[r];
                           }
                       }
                   });
}

template void dense_mahalanobis(const DenseView<float>&, std::span<const double>,
                                std::span<const double>, bool, std::span<double>, const Execution&);
template void dense_mahalanobis(const DenseView<double>&, std::span<const double>,
                                std::span<const double>, bool, std::span<double>, const Execution&);

}  // namespace quire
