// Dots and steps along a vector: the inner loops of coordinate descent.
#pragma once

#include <cstddef>

#include "base/simd.hpp"

namespace quire {

// to -= factor * x
void subtract_multiple(double factor, const double* x, double* to, std::size_t n);
void subtract_multiple(double factor, const float* x, double* to, std::size_t n);

// x'y in eight strands, added up in the end: the same bits with every instruction set.
double dot_in_lanes(const double* x, const double* y, std::size_t n);
double dot_in_lanes(const float* x, const double* y, std::size_t n);
double dot_in_lanes(const float* x, const float* y, std::size_t n);

}  // namespace quire
