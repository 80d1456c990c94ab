#include "bindings/base/csr.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace quire::bindings {

namespace {

// NumPy's kind of the one-letter format of a buffer; 0 for all that no kernel takes.
char kind_of(const char* format) {
    if (format == nullptr || format[0] == '\0' || format[1] != '\0') return '\0';
    if (std::strchr("bhilqn", format[0]) != nullptr) return 'i';
    if (std::strchr("fd", format[0]) != nullptr) return 'f';
    return '\0';
}

// An attribute, or an invalid object; an error of Python is cleared.
nb::object attribute(nb::handle object, PyObject* name) noexcept {
    PyObject* const value = PyObject_GetAttr(object.ptr(), name);
    if (value == nullptr) PyErr_Clear();
    return nb::steal(value);
}

bool read_size(nb::handle number, std::int64_t& out) noexcept {
    out = number.is_valid() ? PyLong_AsLongLong(number.ptr()) : -1;
    if (out == -1 && PyErr_Occurred() != nullptr) PyErr_Clear();
    return out >= 0;
}

struct Names {
    PyObject* data = PyUnicode_InternFromString("data");
    PyObject* indices = PyUnicode_InternFromString("indices");
    PyObject* indptr = PyUnicode_InternFromString("indptr");
    PyObject* shape = PyUnicode_InternFromString("shape");
    PyObject* format = PyUnicode_InternFromString("format");
};

const Names& names() {
    static const Names all;
    return all;
}

}  // namespace

// Whatever the class of the array (masked, a subclass of the user's), what is checked and read is
// its buffer.
bool SparseParts::Part::read(nb::object array, NumberType type) noexcept {
    PyBuffer_Release(&buffer);
    if (!array.is_valid() || PyObject_CheckBuffer(array.ptr()) == 0) return false;
    const int flags = PyBUF_ND | PyBUF_FORMAT | (type.writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(array.ptr(), &buffer, flags) != 0) {  // strided, read-only, a date ...
        PyErr_Clear();
        return false;
    }
    const bool fits = buffer.ndim == 1 && kind_of(buffer.format) == type.kind &&
                      static_cast<std::size_t>(buffer.itemsize) == type.size;
    data = buffer.buf;
    size = static_cast<std::size_t>(buffer.len) / type.size;
    is_aligned = reinterpret_cast<std::uintptr_t>(data) % type.size == 0;
    return fits;
}

bool SparseParts::read(nb::handle X, const char* format, NumberType value,
                       NumberType index) noexcept {
    if (PyTuple_Check(X.ptr())) {
        const auto part = [&](Py_ssize_t i) { return nb::borrow(PyTuple_GET_ITEM(X.ptr(), i)); };
        return PyTuple_GET_SIZE(X.ptr()) == 4 && data_.read(part(0), value) &&
               indices_.read(part(1), index) && indptr_.read(part(2), index) &&
               read_size(part(3), n_minor_);
    }
    // The values first: they tell most overloads apart.
    if (!data_.read(attribute(X, names().data), value) ||
        !indices_.read(attribute(X, names().indices), index) ||
        !indptr_.read(attribute(X, names().indptr), index)) {
        return false;
    }
    const nb::object storage = attribute(X, names().format);
    if (!storage.is_valid() || !PyUnicode_Check(storage.ptr()) ||
        PyUnicode_CompareWithASCIIString(storage.ptr(), format) != 0) {
        return false;
    }
    const nb::object shape = attribute(X, names().shape);
    if (!shape.is_valid() || !PyTuple_Check(shape.ptr()) || PyTuple_GET_SIZE(shape.ptr()) != 2) {
        return false;
    }
    const bool by_rows = format[2] == 'r';
    return read_size(PyTuple_GET_ITEM(shape.ptr(), by_rows ? 0 : 1), n_major_) &&
           read_size(PyTuple_GET_ITEM(shape.ptr(), by_rows ? 1 : 0), n_minor_);
}

namespace {

// A contiguous copy of an array in the byte order of the machine, if the numbers in it are of the
// kind and no longer than wanted (values: as long); otherwise an invalid object.
nb::object tidy(nb::handle array, NumberType type, bool same_size) noexcept {
    try {
        const nb::object dtype = array.attr("dtype");
        const auto size = nb::cast<std::size_t>(dtype.attr("itemsize"));
        if (nb::cast<std::string>(dtype.attr("kind")) != std::string(1, type.kind) ||
            size > type.size || (same_size && size != type.size)) {
            return {};
        }
        const std::string wanted = type.kind + std::to_string(type.size);
        return nb::module_::import_("numpy").attr("require")(array, wanted, "CA");
    } catch (nb::python_error&) {
        return {};
    } catch (const std::exception&) {
        return {};
    }
}

}  // namespace

bool SparseParts::read_copies(nb::handle X, const char* format, NumberType value,
                              NumberType index) noexcept {
    try {
        nb::object parts[3], n_minor;
        if (PyTuple_Check(X.ptr())) {
            if (PyTuple_GET_SIZE(X.ptr()) != 4) return false;
            for (std::size_t i = 0; i < 3; ++i) parts[i] = nb::borrow(X[i]);
            n_minor = nb::borrow(X[3]);
        } else {
            const nb::object storage = attribute(X, names().format);
            if (!storage.is_valid() || !PyUnicode_Check(storage.ptr()) ||
                PyUnicode_CompareWithASCIIString(storage.ptr(), format) != 0) {
                return false;
            }
            parts[0] = attribute(X, names().data);
            parts[1] = attribute(X, names().indices);
            parts[2] = attribute(X, names().indptr);
            const nb::object shape = attribute(X, names().shape);
            const bool by_rows = format[2] == 'r';
            if (!read_size(shape[by_rows ? 0 : 1], n_major_)) return false;
            n_minor = shape[by_rows ? 1 : 0];
        }
        for (const nb::object& part : parts) {
            if (!part.is_valid()) return false;
        }
        return data_.read(tidy(parts[0], value, true), value) &&
               indices_.read(tidy(parts[1], index, false), index) &&
               indptr_.read(tidy(parts[2], index, false), index) && read_size(n_minor, n_minor_);
    } catch (nb::python_error&) {
        return false;
    } catch (const std::exception&) {
        return false;
    }
}

void SparseParts::check_sizes(std::int64_t largest_index) const {
    if (!data_.is_aligned || !indices_.is_aligned || !indptr_.is_aligned) throw_unaligned();
    if (indices_.size != data_.size) {
        throw std::invalid_argument(
            "data and indices differ in length: " + std::to_string(data_.size) + " and " +
            std::to_string(indices_.size));
    }
    if (indptr_.size == 0) throw std::invalid_argument("indptr is empty");
    if (n_major_ >= 0 && indptr_.size != static_cast<std::size_t>(n_major_) + 1) {
        throw std::invalid_argument("indptr has " + std::to_string(indptr_.size) +
                                    " entries; the shape asks for " + std::to_string(n_major_ + 1));
    }
    // No entry can be in a column that its index cannot name, and sizes must leave room to be
    // multiplied.
    const std::int64_t most = std::min(largest_index, std::int64_t{1} << 47);
    if (n_minor_ > most) {
        throw std::invalid_argument("a matrix with " + std::to_string(n_minor_) +
                                    " columns: with indices of this type there can be " +
                                    std::to_string(most));
    }
}

}  // namespace quire::bindings
