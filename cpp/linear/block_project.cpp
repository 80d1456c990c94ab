#include "linear/block_project.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "base/memory.hpp"
#include "base/simd.hpp"
#include "base/wide_rows.hpp"

namespace quire {

namespace {

constexpr std::size_t kRowsPerPart = 512;
constexpr std::size_t kRows = 8;   // worked on at once
constexpr std::size_t kLanes = 8;  // numbers of a vector

// Rows of Q and Z from a first one on.
struct Rows {
    const double* Q;
    std::size_t stride, n_used;
    double* Z;
    std::size_t width;
};

using Vector = Lanes<double, kLanes>::Vector;

QUIRE_INLINE Vector& at(double* place) {
    return *reinterpret_cast<Vector*>(place);
}

// H[:, first...] += Q'Z for `n_rows` rows and n vectors of columns.
template <std::size_t n_rows, std::size_t n>
QUIRE_INLINE void add_products(const Rows& rows, std::size_t first, double* H) {
    Vector z[n_rows][n];
    for (std::size_t r = 0; r < n_rows; ++r) {
        for (std::size_t v = 0; v < n; ++v) {
            z[r][v] = at(rows.Z + r * rows.width + first + v * kLanes);
        }
    }
    for (std::size_t j = 0; j < rows.n_used; ++j) {
        double* const h = H + j * rows.width + first;
        for (std::size_t v = 0; v < n; ++v) {
            Vector sum = at(h + v * kLanes);
            for (std::size_t r = 0; r < n_rows; ++r) sum += rows.Q[r * rows.stride + j] * z[r][v];
            at(h + v * kLanes) = sum;
        }
    }
}

// Z[:, first...] -= QH, where H is given with its sign turned.
template <std::size_t n_rows, std::size_t n>
QUIRE_INLINE void take_away(const Rows& rows, std::size_t first, double* H) {
    Vector z[n_rows][n];
    for (std::size_t r = 0; r < n_rows; ++r) {
        for (std::size_t v = 0; v < n; ++v) {
            z[r][v] = at(rows.Z + r * rows.width + first + v * kLanes);
        }
    }
    for (std::size_t j = 0; j < rows.n_used; ++j) {
        for (std::size_t v = 0; v < n; ++v) {
            const Vector h = at(H + j * rows.width + first + v * kLanes);
            for (std::size_t r = 0; r < n_rows; ++r) z[r][v] += rows.Q[r * rows.stride + j] * h;
        }
    }
    for (std::size_t r = 0; r < n_rows; ++r) {
        for (std::size_t v = 0; v < n; ++v) {
            at(rows.Z + r * rows.width + first + v * kLanes) = z[r][v];
        }
    }
}

// Both steps for all rows of a part; `width` is a multiple of the lanes of a vector.
template <bool adds>
QUIRE_INLINE void work(Rows rows, std::size_t n_rows, double* H) {
    constexpr std::size_t n = 2;
    std::size_t row = 0;
    for (; row < n_rows;) {
        const bool whole = row + kRows <= n_rows;
        std::size_t first = 0;
        for (; first + n * kLanes <= rows.width; first += n * kLanes) {
            if constexpr (adds) {
                whole ? add_products<kRows, n>(rows, first, H) : add_products<1, n>(rows, first, H);
            } else {
                whole ? take_away<kRows, n>(rows, first, H) : take_away<1, n>(rows, first, H);
            }
        }
        if (first < rows.width) {
            if constexpr (adds) {
                whole ? add_products<kRows, 1>(rows, first, H) : add_products<1, 1>(rows, first, H);
            } else {
                whole ? take_away<kRows, 1>(rows, first, H) : take_away<1, 1>(rows, first, H);
            }
        }
        const std::size_t done = whole ? kRows : 1;
        row += done;
        rows.Q += done * rows.stride;
        rows.Z += done * rows.width;
    }
}

using Work = void (*)(Rows, std::size_t, double*);

template <bool adds>
void work_portable(Rows rows, std::size_t n_rows, double* H) {
    work<adds>(rows, n_rows, H);
}
#if QUIRE_X86
template <bool adds>
QUIRE_TARGET_AVX2 void work_avx2(Rows rows, std::size_t n_rows, double* H) {
    work<adds>(rows, n_rows, H);
}
template <bool adds>
QUIRE_TARGET_AVX512 void work_avx512(Rows rows, std::size_t n_rows, double* H) {
    work<adds>(rows, n_rows, H);
}
#endif

template <bool adds>
Work work_at(SimdLevel level) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return work_avx512<adds>;
    if (level == SimdLevel::avx2) return work_avx2<adds>;
#else
    (void)level;
#endif
    return work_portable<adds>;
}

}  // namespace

void block_project(std::span<const double> Q, std::size_t n_rows, std::size_t stride,
                   std::size_t n_used, std::span<double> Z, std::size_t width, std::span<double> H,
                   const Execution& execution) {
    if (Q.size() != n_entries(n_rows, stride) || n_used > stride) {
        throw std::invalid_argument("Q must have n_rows * stride entries, and n_used columns");
    }
    if (Z.size() != n_entries(n_rows, width) || H.size() != n_entries(n_used, width)) {
        throw std::invalid_argument("Z must have n_rows * width entries and H n_used * width");
    }
    if (width % kLanes != 0) throw std::invalid_argument("width must be a multiple of 8");
    if (H.empty()) return;  // no vectors, or nothing that they should be orthogonal to
    const std::size_t n_parts = (n_rows + kRowsPerPart - 1) / kRowsPerPart;
    const auto rows_of = [&](std::size_t part) {
        const std::size_t row = part * kRowsPerPart;
        return Rows{Q.data() + row * stride, stride, n_used, Z.data() + row * width, width};
    };
    const auto size_of = [&](std::size_t part) {
        return std::min(kRowsPerPart, n_rows - part * kRowsPerPart);
    };
    const SimdLevel level = simd_level();
    const Work add = work_at<true>(level), take = work_at<false>(level);
    std::vector<double> sums(n_parts * H.size());
    parallel_parts(n_parts, execution, [&](std::size_t part, int) {
        add(rows_of(part), size_of(part), sums.data() + part * H.size());
    });
    std::fill(H.begin(), H.end(), 0.0);
    for (std::size_t part = 0; part < n_parts; ++part) {
        const double* const of_part = sums.data() + part * H.size();
        for (std::size_t i = 0; i < H.size(); ++i) H[i] += of_part[i];
    }
    std::vector<double> negative(H.size());
    std::transform(H.begin(), H.end(), negative.begin(), [](double h) { return -h; });
    parallel_parts(n_parts, execution, [&](std::size_t part, int) {
        take(rows_of(part), size_of(part), negative.data());
    });
}

}  // namespace quire
