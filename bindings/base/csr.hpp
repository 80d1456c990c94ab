// Sparse matrices of Python as the kernels see them.
//
// A binding that takes `const CsrView<Value, Index>& X` is called with a CSR matrix or array of
// scipy, or with its parts as a tuple (data, indices, indptr, n_cols). Other types of values are
// refused, never converted, so that each pair of types is one overload. Arrays with gaps, and
// indices of two types, are copied.
//
// What a view shows is a matrix as far as its rows go, whoever made the arrays: SparseParts::check
// has seen that lengths fit, that the arrays are aligned, that every row is a range of the stored
// entries, and that no number of a column can leave the type of the indices. Which columns the
// entries name is left to the kernel, because the cheapest ones see that in the pass that uses them
// (csr_check_columns before the work, or csr_check_range on the rows at hand).
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "bindings/base/arrays.hpp"
#include "sparse/csr.hpp"
#include "sparse/csr_columns.hpp"

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
    // The same where the arrays have gaps or foreign byte order, or where row pointers are longer
    // than indices: copies that are as they should be take their place. Numbers keep their values.
    bool read_copies(nb::handle X, const char* format, NumberType value, NumberType index) noexcept;
    // Throws std::invalid_argument unless every row is a range of the entries.
    template <class Index>
    void check() const {
        check_sizes(std::numeric_limits<Index>::max());
        // The lengths fit by now: what the values are does not matter here.
        csr_check_rows(
            CsrView<Index, Index>{indices<Index>(), indices<Index>(), indptr<Index>(), n_minor_});
    }

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
    // Holds the buffer for as long as the call takes, so that nobody resizes it.
    struct Part {
        Py_buffer buffer{};
        void* data = nullptr;
        std::size_t size = 0;
        bool is_aligned = true;

        Part() = default;
        Part(const Part&) = delete;
        Part& operator=(const Part&) = delete;
        ~Part() { PyBuffer_Release(&buffer); }

        bool read(nb::object array, NumberType type) noexcept;
        template <class T>
        std::span<T> as() const {
            return {static_cast<T*>(data), size};
        }
    };

    void check_sizes(std::int64_t largest_index) const;

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

    bool from_python(handle src, std::uint32_t flags, cleanup_list*) noexcept {
        using quire::bindings::number_type;
        const char* const format = is_csc ? "csc" : "csr";
        if (parts.read(src, format, number_type<Data>, number_type<const Index>)) return true;
        // The second round of the overloads; values that are written to must be the caller's.
        const bool may_copy =
            (flags & static_cast<std::uint32_t>(cast_flags::convert)) != 0 && std::is_const_v<Data>;
        return may_copy &&
               parts.read_copies(src, format, number_type<Data>, number_type<const Index>);
    }
    explicit operator View() const {
        parts.check<Index>();
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
