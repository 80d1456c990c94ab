// From C++ to NumPy and back without copies. The one place that decides who owns what.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "sparse/csr.hpp"

namespace quire::bindings {

namespace nb = nanobind;

// A one-dimensional, contiguous, read-only array argument.
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using MutableArray = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The same with two dimensions, in row-major order.
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> as_span(const Array<T>& array) {
    return {array.data(), array.size()};
}
template <class T>
std::span<const T> as_span(const Matrix<T>& matrix) {
    return {matrix.data(), matrix.size()};
}

// Hands a vector (any contiguous container) to NumPy as an array of the given shape, in row-major
// order: the array owns it, nothing is copied.
template <class Vector, std::size_t ndim>
nb::object to_numpy(Vector&& vector, const std::size_t (&shape)[ndim]) {
    using V = std::remove_cvref_t<Vector>;
    using T = typename V::value_type;
    auto* owned = new V(std::forward<Vector>(vector));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<V*>(p); });
    nb::object array =
        nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<ndim>>(owned->data(), ndim, shape, owner));
    // nanobind describes 64-bit integers as C's `long long`; NumPy's int64 is `long` where that has
    // 64 bits. The two compare equal but print differently, so NumPy's own is asked for.
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
        array = array.attr("view")(std::is_signed_v<T> ? "int64" : "uint64");
    }
    return array;
}

// The same with one dimension.
template <class Vector>
nb::object to_numpy(Vector&& vector) {
    const std::size_t size = vector.size();
    return to_numpy(std::forward<Vector>(vector), {size});
}

// The arrays of a scipy CSR matrix as a view.
template <class Value, class Index>
CsrView<Value, Index> as_csr(const Array<Value>& data, const Array<Index>& indices,
                             const Array<Index>& indptr, std::int64_t n_cols) {
    return {as_span<Value>(data), as_span<Index>(indices), as_span<Index>(indptr), n_cols};
}

}  // namespace quire::bindings
