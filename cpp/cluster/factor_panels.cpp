#include "cluster/factor_panels.hpp"

namespace quire {

namespace {

constexpr std::size_t kTile = kPanelTile;
constexpr std::size_t kLanes = kPanelLanes;

// The products of a tile with n columns.
template <std::size_t n>
struct TileSums {
    Sums<double, n>&a, &b, &c, &d, &e, &f;
};

// Adds rows from `row` to `end` in all lanes, then eight rows in all but the first eight, ...
template <std::size_t n>
QUIRE_INLINE void add_rows(const TileSums<n>& sums, const double* x, std::size_t n_cols,
                           const double* panel, std::size_t stride, std::size_t row,
                           std::size_t end, std::size_t n_rows) {
    const std::size_t stop = end < n_rows ? end : n_rows;
    for (; row < stop; ++row) {
        const double *here = x + row, *numbers = panel + row * stride;
        sums.a.add(here[0], numbers);
        sums.b.add(here[n_cols], numbers);
        sums.c.add(here[2 * n_cols], numbers);
        sums.d.add(here[3 * n_cols], numbers);
        sums.e.add(here[4 * n_cols], numbers);
        sums.f.add(here[5 * n_cols], numbers);
    }
    if constexpr (n > kLanes) {
        const TileSums<n - kLanes> rest{sums.a.rest, sums.b.rest, sums.c.rest,
                                        sums.d.rest, sums.e.rest, sums.f.rest};
        add_rows(rest, x, n_cols, panel + kLanes, stride, row, end + kLanes, n_rows);
    }
}

// strands[r] += squares of n columns from lane `at` of the panel on.
template <std::size_t n>
QUIRE_INLINE void add_squares(const double* x, std::size_t n_cols, const Panel& panel,
                              std::size_t at, double (&strands)[kTile][kLanes]) {
    static_assert(kTile == 6);
    Sums<double, n> a, b, c, d, e, f;
    add_rows(TileSums<n>{a, b, c, d, e, f}, x, n_cols, panel.numbers + at, panel.width, 0,
             panel.full + at, panel.n_rows);
    double products[kTile][n];
    a.store(products[0]);
    b.store(products[1]);
    c.store(products[2]);
    d.store(products[3]);
    e.store(products[4]);
    f.store(products[5]);
    for (std::size_t r = 0; r < kTile; ++r) {
        for (std::size_t end = n; end > 0; end -= kLanes) {
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                const double y = products[r][end - kLanes + lane];
                strands[r][lane] += y * y;
            }
        }
    }
}

QUIRE_INLINE void add_strands(const double (&strands)[kTile][kLanes], double* sums) {
    for (std::size_t r = 0; r < kTile; ++r) {
        const double* s = strands[r];
        sums[r] += ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    }
}

// Few registers: eight columns at once.
QUIRE_INLINE void add_panel_narrow(const double* x, std::size_t n_cols, const Panel& panel,
                                   double* sums) {
    double strands[kTile][kLanes] = {};
    for (std::size_t end = panel.width; end > 0; end -= kLanes) {
        add_squares<kLanes>(x, n_cols, panel, end - kLanes, strands);
    }
    add_strands(strands, sums);
}

// Thirty-two registers: all columns at once.
QUIRE_INLINE void add_panel_wide(const double* x, std::size_t n_cols, const Panel& panel,
                                 double* sums) {
    double strands[kTile][kLanes] = {};
    switch (panel.width / kLanes) {
        case 1:
            add_squares<kLanes>(x, n_cols, panel, 0, strands);
            break;
        case 2:
            add_squares<2 * kLanes>(x, n_cols, panel, 0, strands);
            break;
        case 3:
            add_squares<3 * kLanes>(x, n_cols, panel, 0, strands);
            break;
        default:
            add_squares<4 * kLanes>(x, n_cols, panel, 0, strands);
    }
    add_strands(strands, sums);
}

void add_panel_portable(const double* x, std::size_t n_cols, const Panel& panel, double* sums) {
    add_panel_narrow(x, n_cols, panel, sums);
}
#if QUIRE_X86
QUIRE_TARGET_AVX2 void add_panel_avx2(const double* x, std::size_t n_cols, const Panel& panel,
                                      double* sums) {
    add_panel_narrow(x, n_cols, panel, sums);
}
QUIRE_TARGET_AVX512 void add_panel_avx512(const double* x, std::size_t n_cols, const Panel& panel,
                                          double* sums) {
    add_panel_wide(x, n_cols, panel, sums);
}
#endif

}  // namespace

AddPanel add_panel_at(SimdLevel level) {
#if QUIRE_X86
    if (level == SimdLevel::avx512) return add_panel_avx512;
    if (level == SimdLevel::avx2) return add_panel_avx2;
    return add_panel_portable;
#else
    (void)level;
    (void)add_panel_wide;
    return add_panel_portable;
#endif
}

}  // namespace quire
