// The Arrow C data interface: two structures fixed by its specification, and their release.
#pragma once

#include <cstdint>
#include <utility>

extern "C" {
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
    int (*get_next)(ArrowArrayStream*, ArrowArray*);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};
}

namespace quire::bindings {

// Owns an ArrowSchema or ArrowArray and releases it at the end.
template <class T>
class ArrowOwner {
  public:
    ArrowOwner() : value_{} {}
    ArrowOwner(ArrowOwner&& other) noexcept : value_(std::exchange(other.value_, T{})) {}
    ArrowOwner& operator=(ArrowOwner&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ArrowOwner(const ArrowOwner&) = delete;
    ArrowOwner& operator=(const ArrowOwner&) = delete;
    ~ArrowOwner() {
        if (value_.release != nullptr) value_.release(&value_);
    }
    T* get() { return &value_; }
    T* operator->() { return &value_; }

    // Takes the value out of a structure that a producer filled (the interface's "move").
    void take(T* from) {
        value_ = *from;
        from->release = nullptr;
    }

  private:
    T value_;
};

}  // namespace quire::bindings
