// From C++ to NumPy and back without copies. The one place that decides who owns what.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>

namespace quire::bindings {

namespace nb = nanobind;
using nb::literals::operator""_a;

[[noreturn]] void throw_unaligned();

// A one-dimensional, contiguous, read-only array argument.
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using MutableArray = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The same with two dimensions, in row-major order.
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using MutableMatrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The address of what an array holds. Kernels read whole numbers at a time, which is undefined
// where these do not begin at multiples of their size (a field of packed records, bytes cut from a
// file): such arrays are refused here, since every way from Python to a kernel leads through here.
template <class T>
T* aligned(T* data) {
    if (reinterpret_cast<std::uintptr_t>(data) % alignof(T) != 0) throw_unaligned();
    return data;
}

template <class T>
std::span<const T> as_span(const Array<T>& array) {
    return {aligned(array.data()), array.size()};
}
template <class T>
std::span<const T> as_span(const Matrix<T>& matrix) {
    return {aligned(matrix.data()), matrix.size()};
}
template <class T>
std::span<T> writable(const MutableArray<T>& array) {
    return {aligned(array.data()), array.size()};
}
template <class T>
std::span<T> writable(const MutableMatrix<T>& matrix) {
    return {aligned(matrix.data()), matrix.size()};
}

// A range of memory that a kernel reads or writes.
using Memory = std::span<const std::byte>;

template <class T>
Memory memory_of(std::span<T> numbers) {
    return std::as_bytes(numbers);
}

// Throws std::invalid_argument if an array that is written shares memory with another one: what a
// kernel has looked at, places above all, must stay as it was.
void check_apart(std::initializer_list<Memory> written, std::initializer_list<Memory> read);

// An argument that must be of its type: "W"_exact. Numbers may still be converted; arrays are not.
constexpr auto operator""_exact(const char* name, std::size_t) {
    return nb::arg(name).noconvert();
}

// NumPy's name of a type, for signatures.
template <class T>
constexpr auto dtype_name() {
    using nb::detail::const_name;
    if constexpr (std::is_void_v<T>) {
        return const_name("typing.Any");
    } else if constexpr (std::is_same_v<T, float>) {
        return const_name("numpy.float32");
    } else if constexpr (std::is_same_v<T, double>) {
        return const_name("numpy.float64");
    } else {
        static_assert(std::is_integral_v<T>);
        constexpr auto bits = const_name<sizeof(T) * 8>();
        return const_name<std::is_signed_v<T>>("numpy.int", "numpy.uint") + bits;
    }
}

// A new array of NumPy. T is in the signature of what returns it; void: the caller decides.
template <class T>
class NumpyArray : public nb::object {
  public:
    static constexpr auto Name = nb::detail::const_name("numpy.typing.NDArray[") + dtype_name<T>() +
                                 nb::detail::const_name("]");
    NumpyArray() = default;
    explicit NumpyArray(nb::object&& array) : nb::object(std::move(array)) {}
    template <class Other>
        requires std::is_void_v<T>
    NumpyArray(NumpyArray<Other>&& array) : nb::object(std::move(array)) {}
};

// A NumPy array around memory that `owner` keeps.
nb::object wrapped(void* data, std::size_t ndim, const std::size_t* shape, nb::handle owner,
                   nb::dlpack::dtype dtype);

// Hands a vector (any contiguous container) to NumPy as an array of the given shape, in row-major
// order: the array owns it, nothing is copied.
template <class Vector, std::size_t ndim>
auto to_numpy(Vector&& vector, const std::size_t (&shape)[ndim]) {
    using V = std::remove_cvref_t<Vector>;
    using T = typename V::value_type;
    auto* owned = new V(std::forward<Vector>(vector));
    const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<V*>(p); });
    return NumpyArray<T>(wrapped(owned->data(), ndim, shape, owner, nb::dtype<T>()));
}

// The same with one dimension.
template <class Vector>
auto to_numpy(Vector&& vector) {
    const std::size_t size = vector.size();
    return to_numpy(std::forward<Vector>(vector), {size});
}

// A tuple whose signature names its parts.
template <class... Parts>
auto tuple_of(Parts&&... parts) {
    return nb::typed<nb::tuple, std::remove_cvref_t<Parts>...>(
        nb::make_tuple(std::forward<Parts>(parts)...));
}

// Calls bind.operator()<Value, Index>() for each of the values with 32-bit and 64-bit indices: one
// overload for each type of a sparse matrix.
template <class... Values, class Bind>
void for_matrices(Bind&& bind) {
    ((bind.template operator()<Values, std::int32_t>(),
      bind.template operator()<Values, std::int64_t>()),
     ...);
}

// Calls bind.operator()<Value>() for each of the types.
template <class... Values, class Bind>
void for_types(Bind&& bind) {
    (bind.template operator()<Values>(), ...);
}

}  // namespace quire::bindings
