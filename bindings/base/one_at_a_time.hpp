// For objects that their methods change: one call at a time.
#pragma once

#include <atomic>
#include <stdexcept>

namespace quire::bindings {

// A member of such an object. Kernels run without Python's lock, and a signal handler may run in
// the middle of one: a second call on the same object, from another thread or from the handler,
// is refused before it touches anything.
class OneAtATime {
  public:
    OneAtATime() = default;
    OneAtATime(const OneAtATime&) noexcept {}  // who is at work is not copied
    OneAtATime& operator=(const OneAtATime&) noexcept { return *this; }

    // Held for the length of a call. Throws std::runtime_error if there is one.
    class Turn {
      public:
        explicit Turn(OneAtATime& calls) : calls_(calls) {
            if (calls_.is_taken_.exchange(true)) {
                throw std::runtime_error("the object is at work: another call has not ended");
            }
        }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        ~Turn() { calls_.is_taken_.store(false); }

      private:
        OneAtATime& calls_;
    };

  private:
    std::atomic<bool> is_taken_{false};
};

}  // namespace quire::bindings
