// Threads that stay for the length of one kernel call, for kernels with many short parallel loops.
//
// Starting a thread takes tens of microseconds; a conjugate gradient step has three loops of about
// a millisecond or less. Members of a team watch for the next loop a little before they sleep.
//
// A team belongs to a kernel call: it is made in it and gone before it returns, so that nothing
// persists between calls. Pass it to parallel_parts by Execution::team.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace quire {

class ThreadTeam {
  public:
    // The calling thread is one of n_threads. Where the system refuses more, the team is smaller.
    explicit ThreadTeam(std::size_t n_threads) {
        try {
            threads_.reserve(n_threads);
            for (std::size_t member = 1; member < n_threads; ++member) {
                threads_.emplace_back([this, member] { serve(member); });
            }
        } catch (...) {  // out of threads or of memory for them
        }
    }
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;
    ~ThreadTeam() {
        leave_.store(true);
        wake();
        for (auto& thread : threads_) thread.join();
    }

    // Has job(member) called by every thread but this one, members being 1, 2, ...; it must not
    // throw. Returns at once: call finish() before the next, and before the job is gone.
    template <class Job>
    void start(const Job& job) {
        if (threads_.empty()) return;
        job_ = [](const void* context, std::size_t member) {
            (*static_cast<const Job*>(context))(member);
        };
        context_ = &job;
        n_running_.store(threads_.size());
        wake();
    }

    // Waits for the members; calls on_wait() every 50 ms.
    template <class OnWait>
    void finish(OnWait&& on_wait) {
        const auto is_done = [&] { return n_running_.load() == 0; };
        while (!watch(is_done)) {
            std::unique_lock lock(mutex_);
            if (done_.wait_for(lock, std::chrono::milliseconds(50), is_done)) return;
            lock.unlock();  // on_wait may wait for Python's lock
            on_wait();
        }
    }

  private:
    // Whether something becomes true soon.
    template <class Condition>
    static bool watch(Condition&& condition) {
        for (int turn = 0; turn < 1500; ++turn) {
            if (condition()) return true;
            if (turn < 1000) {
                pause();
            } else {
                std::this_thread::yield();
            }
        }
        return false;
    }

    static void pause() {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
        __builtin_ia32_pause();
#endif
    }

    void wake() {
        {
            const std::lock_guard lock(mutex_);
            generation_.fetch_add(1);
        }
        called_.notify_all();
    }

    void serve(std::size_t member) {
        std::uint64_t seen = 0;
        const auto is_called = [&] { return generation_.load() != seen; };
        while (true) {
            if (!watch(is_called)) {
                std::unique_lock lock(mutex_);
                called_.wait(lock, is_called);
            }
            ++seen;
            if (leave_.load()) return;
            job_(context_, member);
            if (n_running_.fetch_sub(1) == 1) {
                const std::lock_guard lock(mutex_);
                done_.notify_one();
            }
        }
    }

    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable called_, done_;
    std::atomic<std::uint64_t> generation_{0};
    std::atomic<std::size_t> n_running_{0};
    std::atomic<bool> leave_{false};
    void (*job_)(const void*, std::size_t) = nullptr;
    const void* context_ = nullptr;
};

}  // namespace quire
