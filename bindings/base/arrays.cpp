#include "bindings/base/arrays.hpp"

#include <stdexcept>

namespace quire::bindings {

void throw_unaligned() {
    throw std::invalid_argument(
        "an array is not aligned: its numbers do not begin at multiples of their size. Pass "
        "numpy.require(array, requirements='A') or a copy");
}

nb::object wrapped(void* data, std::size_t ndim, const std::size_t* shape, nb::handle owner,
                   nb::dlpack::dtype dtype) {
    nb::object array = nb::cast(nb::ndarray<nb::numpy>(data, ndim, shape, owner, nullptr, dtype));
    // nanobind describes 64-bit integers as C's `long long`; NumPy's int64 is `long` where that has
    // 64 bits. The two compare equal but print differently, so NumPy's own is asked for.
    const auto is = [&](nb::dlpack::dtype_code code) {
        return dtype.code == static_cast<std::uint8_t>(code) && dtype.bits == 64;
    };
    if (is(nb::dlpack::dtype_code::Int)) return array.attr("view")("int64");
    if (is(nb::dlpack::dtype_code::UInt)) return array.attr("view")("uint64");
    return array;
}

}  // namespace quire::bindings
