// Large arrays that are written once: no zero-filling, and huge pages where the system offers them.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace quire {

// An allocator that leaves trivial elements unset (so that pages are first touched by the thread
// that writes them) and asks for 2 MB pages when the block is large (fewer page faults and TLB
// misses).
template <class T>
class RawAllocator {
  public:
    using value_type = T;
    RawAllocator() = default;
    template <class U>
    RawAllocator(const RawAllocator<U>&) noexcept {}

    T* allocate(std::size_t n) {
        const std::size_t bytes = n * sizeof(T);
#if defined(__linux__)
        if (bytes >= kLarge) {
            const std::size_t rounded = (bytes + kHugePage - 1) / kHugePage * kHugePage;
            void* block = std::aligned_alloc(kHugePage, rounded);
            if (block == nullptr) throw std::bad_alloc();
            ::madvise(block, rounded, MADV_HUGEPAGE);
            return static_cast<T*>(block);
        }
#endif
        void* block = std::malloc(bytes > 0 ? bytes : 1);
        if (block == nullptr) throw std::bad_alloc();
        return static_cast<T*>(block);
    }
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

  private:
    static constexpr std::size_t kHugePage = std::size_t{2} << 20;
    static constexpr std::size_t kLarge = std::size_t{4} << 20;
};

// A std::vector whose resize() leaves new elements unset.
template <class T>
using RawVector = std::vector<T, RawAllocator<T>>;

}  // namespace quire
