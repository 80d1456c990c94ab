// Large arrays that are written once: no zero-filling, and huge pages where the system offers them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace quire {

// The number of entries of an array with these dimensions; the largest number there is where that
// has too many digits, so that no comparison with a real size succeeds.
template <class... Sizes>
constexpr std::size_t n_entries(std::size_t first, Sizes... others) {
    std::size_t all = first;
    for (const std::size_t other :
         std::initializer_list<std::size_t>{static_cast<std::size_t>(others)...}) {
        if (other != 0 && all > std::numeric_limits<std::size_t>::max() / other) {
            return std::numeric_limits<std::size_t>::max();
        }
        all *= other;
    }
    return all;
}

// More bytes than any machine has: asking for them is a mistake, or an attack.
inline constexpr std::size_t kMostBytes = std::size_t{1} << 46;

// Memory that is not set to anything, from the start of a cache line. A large block asks for 2 MB
// pages: fewer page faults and TLB misses. Room that is never written to takes no memory. Given
// back with std::free.
inline void* allocate_raw(std::size_t bytes) {
    if (bytes > kMostBytes) throw std::bad_alloc();
    void* block = nullptr;
#if defined(__linux__)
    constexpr std::size_t kHugePage = std::size_t{2} << 20;
    if (bytes >= kHugePage) {
        const std::size_t rounded = (bytes + kHugePage - 1) / kHugePage * kHugePage;
        block = std::aligned_alloc(kHugePage, rounded);
        if (block != nullptr) ::madvise(block, rounded, MADV_HUGEPAGE);
    } else
#endif
    {
#if defined(_WIN32)
        block = std::malloc(bytes > 0 ? bytes : 1);  // free() does not take aligned memory there
#else
        constexpr std::size_t kLine = 64;
        block = std::aligned_alloc(kLine, (bytes / kLine + 1) * kLine);
#endif
    }
    if (block == nullptr) throw std::bad_alloc();
    return block;
}

// An allocator that leaves trivial elements unset, so that pages are first touched by the thread
// that writes them.
template <class T>
class RawAllocator {
  public:
    using value_type = T;
    RawAllocator() = default;
    template <class U>
    RawAllocator(const RawAllocator<U>&) noexcept {}

    T* allocate(std::size_t n) { return static_cast<T*>(allocate_raw(n * sizeof(T))); }
    void deallocate(T* block, std::size_t) noexcept { std::free(block); }

    template <class U>
    void construct(U* place) noexcept {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Args>
    void construct(U* place, Args&&... args) {
        ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
    }
    template <class U>
    bool operator==(const RawAllocator<U>&) const noexcept {
        return true;
    }
};

// A std::vector whose resize() leaves new elements unset.
template <class T>
using RawVector = std::vector<T, RawAllocator<T>>;

// An array that grows at its end by whole rows, and whose memory can change hands and type.
template <class T>
class GrowBuffer {
  public:
    static_assert(std::is_trivially_copyable_v<T>);
    using value_type = T;

    GrowBuffer() = default;
    explicit GrowBuffer(std::size_t size) {
        reserve(size);
        size_ = size;
    }
    GrowBuffer(GrowBuffer&& other) noexcept { swap(other); }
    GrowBuffer& operator=(GrowBuffer&& other) noexcept {
        swap(other);
        return *this;
    }
    ~GrowBuffer() { std::free(data_); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }

    void append(std::span<const T> values) {
        const std::size_t at = size_;
        if (!has_room(values.size())) make_room(values.size());
        extend(values.size());
        if (!values.empty()) std::memcpy(data_ + at, values.data(), values.size_bytes());
    }
    bool has_room(std::size_t n) const { return size_ + n <= capacity_; }
    // `expected` is how many elements there may be in the end: a good guess saves copying.
    void make_room(std::size_t n, std::size_t expected = 0) {
        reserve(std::max((size_ + n) / 2 * 3 + 64, expected));
    }
    // n elements more, unset; there must be room for them.
    void extend(std::size_t n) { size_ += n; }
    void clear() { size_ = 0; }
    void reserve(std::size_t capacity) {
        if (capacity > kMostBytes) throw std::bad_alloc();
        T* block = static_cast<T*>(allocate_raw(capacity * sizeof(T)));
        if (size_ > 0) std::memcpy(block, data_, size_ * sizeof(T));
        std::free(data_);
        data_ = block;
        capacity_ = capacity;
    }
    // The same memory as elements of another type of the same size, with values unset.
    template <class U>
    GrowBuffer<U> take_as() && {
        static_assert(sizeof(U) == sizeof(T));
        GrowBuffer<U> other;
        other.data_ = reinterpret_cast<U*>(std::exchange(data_, nullptr));
        other.size_ = std::exchange(size_, 0);
        other.capacity_ = std::exchange(capacity_, 0);
        return other;
    }

  private:
    template <class U>
    friend class GrowBuffer;

    void swap(GrowBuffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace quire
