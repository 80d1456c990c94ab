// A parallel loop whose split does not depend on the number of threads.
//
// Work is cut into parts by the caller (by size of data, never by thread count); workers take the
// next part from a shared counter. A kernel whose parts write to separate places, or whose per-part
// results are combined in part order, therefore gives the same bits with any number of threads.
//
// Threads are started per loop, or per kernel call where it brings a ThreadTeam, and joined before
// the call returns: nothing persists, so a process may fork at any time between calls, and nested
// use from other thread pools is safe. The first extra thread was measured to cost about 30
// microseconds and the next ones some 10 each, which is why small loops should be given
// `n_threads = 1`.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/thread_team.hpp"

namespace quire {

// How a kernel should run: the number of threads, and what to ask whether the user wants to stop.
struct Execution {
    int n_threads = 1;
    bool (*interrupted)() = nullptr;  // called on the calling thread only; true means stop
    ThreadTeam* team = nullptr;  // of at least n_threads; if there is none, loops start threads
};

// Thrown out of a kernel that was told to stop.
struct Interrupted : std::exception {
    const char* what() const noexcept override { return "interrupted"; }
};

namespace detail {

// Asks `interrupted` at most every 50 ms, since asking takes Python's lock.
class InterruptPoll {
  public:
    explicit InterruptPoll(bool (*interrupted)())
        : interrupted_(interrupted), last_(clock::now()) {}
    bool operator()() {
        if (interrupted_ == nullptr) return false;
        const auto now = clock::now();
        if (now - last_ < std::chrono::milliseconds(50)) return false;
        last_ = now;
        return interrupted_();
    }

  private:
    using clock = std::chrono::steady_clock;
    bool (*interrupted_)();
    clock::time_point last_;
};

struct Stopped {};  // another worker ended the loop

}  // namespace detail

// For parts that may take long: checkpoint() leaves the part, by an exception that the loop
// understands, once the user or an error in another part has ended the loop. It costs a clock
// reading on the calling thread and an atomic load on the others, so call it every hundred thousand
// operations or so.
class Checkpoint {
  public:
    Checkpoint(const std::atomic<bool>& stop, detail::InterruptPoll* poll)
        : stop_(stop), poll_(poll) {}
    void operator()() {
        if (stop_.load(std::memory_order_relaxed)) throw detail::Stopped();
        if (poll_ != nullptr && (*poll_)()) throw Interrupted();
    }

    // The same for small steps: looks only at every 64th.
    void step() {
        if (++n_steps_ % 64 == 0) (*this)();
    }

  private:
    const std::atomic<bool>& stop_;
    detail::InterruptPoll* poll_;  // the calling thread's; null on the others
    unsigned n_steps_ = 0;
};

// Calls body(part, worker), or body(part, worker, checkpoint), once for every part in [0, n_parts);
// worker is in [0, n_threads) and no two calls run at the same time with the same worker, so it may
// index scratch space. The first exception stops the loop and is thrown again here; an interrupt
// goes before any other. Where the system refuses to start a thread, the others do its work.
template <class Body>
void parallel_parts(std::size_t n_parts, const Execution& execution, Body&& body) {
    const std::size_t wanted = static_cast<std::size_t>(std::max(1, execution.n_threads));
    const std::size_t n_workers = std::min(wanted, std::max<std::size_t>(n_parts, 1));

    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    std::mutex mutex;
    std::exception_ptr error;

    const auto stop_for = [&](std::exception_ptr reason, bool is_first) {
        const std::lock_guard lock(mutex);
        if (is_first || !error) error = std::move(reason);
        stop = true;
    };
    const auto work = [&](std::size_t worker, detail::InterruptPoll* poll) {
        Checkpoint checkpoint(stop, poll);
        try {
            while (!stop.load(std::memory_order_relaxed)) {
                const std::size_t part = next.fetch_add(1, std::memory_order_relaxed);
                if (part >= n_parts) break;
                if constexpr (std::is_invocable_v<Body&, std::size_t, int, Checkpoint&>) {
                    body(part, static_cast<int>(worker), checkpoint);
                } else {
                    body(part, static_cast<int>(worker));
                }
                checkpoint();
            }
        } catch (const detail::Stopped&) {
        } catch (const Interrupted&) {
            stop_for(std::current_exception(), true);
        } catch (...) {
            stop_for(std::current_exception(), false);
        }
    };
    const auto help = [&](std::size_t worker) {
        if (worker < n_workers) work(worker, nullptr);
    };

    detail::InterruptPoll poll(execution.interrupted);
    if (n_workers == 1) {
        work(0, &poll);
    } else {
        std::optional<ThreadTeam> own;
        ThreadTeam& team = execution.team != nullptr ? *execution.team : own.emplace(n_workers);
        team.start(help);
        work(0, &poll);
        team.finish([&] {
            if (!stop && poll()) stop_for(std::make_exception_ptr(Interrupted()), true);
        });
    }
    if (error) std::rethrow_exception(error);
}

// Calls body(checkpoint) on the calling thread: for work that has one part but can be interrupted.
template <class Body>
void interruptible(const Execution& execution, Body&& body) {
    parallel_parts(1, {1, execution.interrupted},
                   [&](std::size_t, int, Checkpoint& checkpoint) { body(checkpoint); });
}

// The number of parts for n items of about `grain` each: a function of the data alone.
inline std::size_t n_parts_of(std::size_t n_items, std::size_t grain) {
    return (n_items + grain - 1) / grain;
}

}  // namespace quire
