#include "bindings/base/arrays.hpp"

#include <functional>
#include <stdexcept>

namespace quire::bindings {

void throw_unaligned() {
    throw std::invalid_argument(
        "an array is not aligned: its numbers do not begin at multiples of their size. Pass "
        "numpy.require(array, requirements='A') or a copy");
}

void check_apart(std::initializer_list<Memory> written, std::initializer_list<Memory> read) {
    const auto share = [](const Memory& a, const Memory& b) {
        const std::less<const std::byte*> before;
        return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) &&
               before(b.data(), a.data() + a.size());
    };
    const auto check = [&](const Memory& one, const Memory& other) {
        if (share(one, other)) {
            throw std::invalid_argument(
                "an array that is changed shares memory with another argument; pass a copy");
        }
    };
    for (const Memory* one = written.begin(); one != written.end(); ++one) {
        for (const Memory* other = written.begin(); other != one; ++other) check(*one, *other);
        for (const Memory& other : read) check(*one, other);
    }
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
