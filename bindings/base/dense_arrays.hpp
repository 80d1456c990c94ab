// Dense matrices of Python as the kernels see them.
#pragma once

#include <nanobind/ndarray.h>

#include "base/dense.hpp"
#include "bindings/base/arrays.hpp"

namespace quire::bindings {

// A read-only matrix with any strides.
template <class T>
using StridedMatrix = nanobind::ndarray<const T, nanobind::ndim<2>, nanobind::device::cpu>;

template <class T>
DenseView<T> as_dense(const StridedMatrix<T>& matrix) {
    return {aligned(matrix.data()), matrix.shape(0), matrix.shape(1),
            static_cast<std::ptrdiff_t>(matrix.stride(0)),
            static_cast<std::ptrdiff_t>(matrix.stride(1))};
}

}  // namespace quire::bindings
