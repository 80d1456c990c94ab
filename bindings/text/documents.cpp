// Reading the memory of Python strings (PEP 393) and of Arrow string columns, without copying.
#include "bindings/text/documents.hpp"

#include <nanobind/nanobind.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "bindings/text/arrow.hpp"

namespace nb = nanobind;

namespace quire::bindings {

namespace {

TextView view_of(PyObject* text) {
    const void* data = PyUnicode_DATA(text);
    const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text));
    if (PyUnicode_IS_ASCII(text)) return {data, length, TextKind::ascii};
    switch (PyUnicode_KIND(text)) {
        case PyUnicode_1BYTE_KIND:
            return {data, length, TextKind::latin1};
        case PyUnicode_2BYTE_KIND:
            return {data, length, TextKind::ucs2};
        default:
            return {data, length, TextKind::ucs4};
    }
}

bool is_null(const ArrowArray& array, std::int64_t i) {
    if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return false;
    const auto* valid = static_cast<const std::uint8_t*>(array.buffers[0]);
    return (valid[i >> 3] >> (i & 7) & 1) == 0;
}

[[noreturn]] void throw_damaged() {
    throw nb::value_error("the Arrow column is damaged: a string lies outside of its buffer");
}

// Number i of a buffer, which may begin anywhere: a slice of bytes from a file is a buffer, too.
template <class Number>
Number number_at(const void* buffer, std::int64_t i) {
    Number number;
    std::memcpy(&number, static_cast<const Number*>(buffer) + i, sizeof number);
    return number;
}

// `length` bytes of a buffer, which there may not be if there are none in it.
TextView bytes_of(const void* buffer, std::int64_t begin, std::int64_t length) {
    if (length == 0) return {"", 0, TextKind::utf8};
    if (buffer == nullptr) throw_damaged();
    return {static_cast<const char*>(buffer) + begin, static_cast<std::size_t>(length),
            TextKind::utf8};
}

// The strings of one array: with 32-bit or 64-bit offsets into one buffer ...
template <class Offset>
TextView string_at(const ArrowArray& array, std::int64_t i) {
    const std::int64_t begin = number_at<Offset>(array.buffers[1], i);
    const std::int64_t end = number_at<Offset>(array.buffers[1], i + 1);
    if (begin < 0 || end < begin) throw_damaged();
    return bytes_of(array.buffers[2], begin, end - begin);
}

// ... or as views of 16 bytes: the length, then up to 12 bytes themselves, or 4 of them, a buffer's
// number and a place in it.
TextView string_view_at(const ArrowArray& array, std::int64_t i) {
    const char* view = static_cast<const char*>(array.buffers[1]) + 16 * i;
    std::int32_t length, buffer, offset;
    std::memcpy(&length, view, 4);
    if (length < 0) throw_damaged();
    if (length <= 12) return {view + 4, static_cast<std::size_t>(length), TextKind::utf8};
    std::memcpy(&buffer, view + 8, 4);
    std::memcpy(&offset, view + 12, 4);
    // The last buffer holds the sizes of those that views may lie in.
    const std::int64_t n_data = array.n_buffers - 3;
    const void* sizes = array.buffers[array.n_buffers - 1];
    if (buffer < 0 || buffer >= n_data || offset < 0 || sizes == nullptr ||
        std::int64_t{offset} + length > number_at<std::int64_t>(sizes, buffer)) {
        throw_damaged();
    }
    return bytes_of(array.buffers[2 + buffer], offset, length);
}

using ReadString = TextView (*)(const ArrowArray&, std::int64_t);

ReadString reader_for(const ArrowSchema& schema) {
    if (schema.release != nullptr && schema.format != nullptr && schema.dictionary == nullptr) {
        const std::string_view format = schema.format;
        if (format == "u") return &string_at<std::int32_t>;
        if (format == "U") return &string_at<std::int64_t>;
        if (format == "vu") return &string_view_at;
    }
    throw nb::type_error("not an Arrow column of strings");
}

// A capsule whose content somebody has taken points at memory that may be gone.
[[noreturn]] void throw_taken() {
    throw nb::value_error("the Arrow column was handed out before, and is no longer there");
}

struct ArrowChunks {
    std::vector<ArrowOwner<ArrowArray>> arrays;
};

// All arrays of a stream.
ReadString read_stream(nb::handle column, ArrowChunks& chunks) {
    nb::object capsule = column.attr("__arrow_c_stream__")();
    auto* stream =
        static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
    if (stream == nullptr) throw nb::python_error();
    if (stream->release == nullptr) throw_taken();
    ArrowOwner<ArrowArrayStream> owned;
    owned.take(stream);
    const auto check = [&](int status) {
        if (status == 0) return;
        const char* reason = owned->get_last_error(owned.get());
        const std::string message = std::string("reading the Arrow column failed: ") +
                                    (reason != nullptr ? reason : "unknown reason");
        throw nb::value_error(message.c_str());
    };
    ArrowOwner<ArrowSchema> schema;
    check(owned->get_schema(owned.get(), schema.get()));
    const ReadString read = reader_for(*schema.get());
    for (;;) {
        ArrowOwner<ArrowArray> array;
        check(owned->get_next(owned.get(), array.get()));
        if (array->release == nullptr) return read;
        chunks.arrays.push_back(std::move(array));
    }
}

// One array.
ReadString read_array(nb::handle column, ArrowChunks& chunks) {
    nb::tuple pair = nb::cast<nb::tuple>(column.attr("__arrow_c_array__")());
    auto* schema = static_cast<ArrowSchema*>(PyCapsule_GetPointer(pair[0].ptr(), "arrow_schema"));
    auto* array = static_cast<ArrowArray*>(PyCapsule_GetPointer(pair[1].ptr(), "arrow_array"));
    if (schema == nullptr || array == nullptr) throw nb::python_error();
    if (schema->release == nullptr || array->release == nullptr) throw_taken();
    const ReadString read = reader_for(*schema);
    ArrowOwner<ArrowArray> owned;
    owned.take(array);
    chunks.arrays.push_back(std::move(owned));
    return read;
}

}  // namespace

Documents Documents::from_list(nb::list documents) {
    Documents out;
    // A tuple holds each string even if the list changes while the lock is released.
    PyObject* fixed = PyList_AsTuple(documents.ptr());
    if (fixed == nullptr) throw nb::python_error();
    out.owner_ = nb::steal(fixed);
    const Py_ssize_t n = PyTuple_GET_SIZE(fixed);
    out.views_.resize(static_cast<std::size_t>(n));
    for (Py_ssize_t i = 0; i < n; ++i) {
        PyObject* item = PyTuple_GET_ITEM(fixed, i);
        if (!PyUnicode_Check(item)) {
            out.bad_row_ = i;
            break;
        }
#if PY_VERSION_HEX < 0x030C0000
        if (PyUnicode_READY(item) != 0) throw nb::python_error();
#endif
        out.views_[static_cast<std::size_t>(i)] = view_of(item);
    }
    return out;
}

Documents Documents::from_arrow(nb::handle column) {
    Documents out;
    auto chunks = std::make_unique<ArrowChunks>();
    const bool stream = nb::hasattr(column, "__arrow_c_stream__");
    const ReadString read = stream ? read_stream(column, *chunks) : read_array(column, *chunks);
    for (auto& chunk : chunks->arrays) {
        const ArrowArray& array = *chunk.get();
        // Far below the numbers that wrap.
        constexpr std::int64_t most = std::int64_t{1} << 48;
        if (array.length < 0 || array.offset < 0 || array.length > most || array.offset > most ||
            array.n_buffers < 3 || array.buffers == nullptr ||
            (array.length > 0 && array.buffers[1] == nullptr)) {
            throw_damaged();
        }
        out.views_.reserve(out.views_.size() + static_cast<std::size_t>(array.length));
        for (std::int64_t i = array.offset; i < array.offset + array.length; ++i) {
            if (is_null(array, i)) {
                out.bad_row_ = static_cast<std::int64_t>(out.views_.size());
                out.views_.clear();  // what they show goes with the column
                return out;
            }
            out.views_.push_back(read(array, i));
        }
    }
    out.owner_ = nb::capsule(chunks.release(),
                             [](void* p) noexcept { delete static_cast<ArrowChunks*>(p); });
    return out;
}

void bind_documents(nb::module_& m) {
    nb::class_<Documents>(m, "Documents", "Borrowed strings of a list or an Arrow column.")
        .def_static("from_list", &Documents::from_list, nb::arg("documents"))
        .def_static("from_arrow", &Documents::from_arrow, nb::arg("column"))
        .def_prop_ro("bad_row", &Documents::bad_row)
        .def("__len__", &Documents::size);
}

}  // namespace quire::bindings
