// Sparse matrices of Python as the kernels see them.
//
// A binding that takes `const CsrView<Value, Index>& X` is called with a CSR matrix or array of
// scipy, or with its parts as a tuple (data, indices, indptr, n_cols). Other types of numbers are
// refused, never converted, so that each pair of types is one overload.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "bindings/base/arrays.hpp"
#include "sparse/csr.hpp"

namespace quire::bindings {

// The same of a CSC matrix, or of a tuple (data, indices, indptr, n_rows): the rows of the view are
// its columns.
template <class Value, class Index>
struct CscView : CsrView<Value, Index> {};

// A CSR matrix whose values are changed in place.
template <class Value, class Index>
struct MutableCsr {
    std::span<Value> data;
    std::span<const Index> indices, indptr;
    std::int64_t n_cols;
};

template <class Value, class Index>
std::size_t n_cols_of(const CsrView<Value, Index>& X) {
    return static_cast<std::size_t>(X.n_cols);
}

// What is wanted of an array: the first letter of its kind in NumPy ('f', 'i'), bytes, whether it
// is written to.
struct NumberType {
    char kind;
    std::size_t size;
    bool writable;
};

template <class T>
constexpr NumberType number_type{std::is_floating_point_v<T> ? 'f' : 'i', sizeof(T),
                                 !std::is_const_v<T>};

// The parts of a sparse matrix, whatever its types.
class SparseParts {
  public:
    // Takes what `X` holds; false if it is something else or has other types. `format` is scipy's
    // name of the storage.
    bool read(nb::handle X, const char* format, NumberType value, NumberType index) noexcept;
    // Throws std::invalid_argument if the lengths of the parts do not fit together.
    void check() const;

    template <class T>
    std::span<T> data() const {
        return data_.as<T>();
    }
    template <class Index>
    std::span<const Index> indices() const {
        return indices_.as<const Index>();
    }
    template <class Index>
    std::span<const Index> indptr() const {
        return indptr_.as<const Index>();
    }
    std::int64_t n_minor() const { return n_minor_; }

  private:
    struct Part {
        nb::object owner;
        void* data = nullptr;
        std::size_t size = 0;

        bool read(nb::object array, NumberType type) noexcept;
        template <class T>
        std::span<T> as() const {
            return {static_cast<T*>(data), size};
        }
    };

    Part data_, indices_, indptr_;
    std::int64_t n_major_ = -1, n_minor_ = 0;  // -1: what indptr says
};

}  // namespace quire::bindings

namespace nanobind::detail {

// Data is the type of the values, const unless they are changed. The names are aliases in the stub.
template <class View, class Data, class Index, bool is_csc>
struct sparse_caster {
    using Value = std::remove_const_t<Data>;
    template <class>
    using Cast = View;
    template <class>
    static constexpr bool can_cast() {
        return true;
    }
    static constexpr auto Name = const_name<is_csc>("quire._core.Csc[", "quire._core.Csr[") +
                                 quire::bindings::dtype_name<Value>() + const_name(", ") +
                                 quire::bindings::dtype_name<Index>() + const_name("]");

    bool from_python(handle src, std::uint32_t, cleanup_list*) noexcept {
        using quire::bindings::number_type;
        return parts.read(src, is_csc ? "csc" : "csr", number_type<Data>, number_type<const Index>);
    }
    explicit operator View() const {
        parts.check();
        return View{parts.data<Data>(), parts.indices<Index>(), parts.indptr<Index>(),
                    parts.n_minor()};
    }

    quire::bindings::SparseParts parts;
};

template <class Value, class Index>
struct type_caster<quire::CsrView<Value, Index>>
    : sparse_caster<quire::CsrView<Value, Index>, const Value, Index, false> {};
template <class Value, class Index>
struct type_caster<quire::bindings::CscView<Value, Index>>
    : sparse_caster<quire::bindings::CscView<Value, Index>, const Value, Index, true> {};
template <class Value, class Index>
struct type_caster<quire::bindings::MutableCsr<Value, Index>>
    : sparse_caster<quire::bindings::MutableCsr<Value, Index>, Value, Index, false> {};

}  // namespace nanobind::detail
