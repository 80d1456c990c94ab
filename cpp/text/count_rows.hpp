// The counts of each document before they become a matrix.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/memory.hpp"

namespace quire {

// One feature of one document. `feature` is a worker's own number while a vocabulary grows, and a
// column of the matrix otherwise; `count` may be negative for signed hashing. As large as a double:
// the values of the matrix can take the place of the entries.
struct Entry {
    std::uint32_t feature;
    std::int32_t count;
};

// The entries of all documents, one document after the other.
struct CountRows {
    GrowBuffer<Entry> entries;
    RawVector<std::int64_t> indptr = RawVector<std::int64_t>(1, 0);  // n_rows + 1
    std::vector<std::uint32_t> worker;                               // of each row, who counted it

    bool taken = false;         // by rows_to_csr
    std::size_t n_columns = 0;  // where features are columns: all are below this

    std::size_t n_rows() const { return indptr.size() - 1; }
    std::span<const Entry> row(std::size_t i) const {
        return {entries.data() + indptr[i], static_cast<std::size_t>(indptr[i + 1] - indptr[i])};
    }
};

// The rows of one part of the documents, as a worker counts them.
struct PartRows {
    GrowBuffer<Entry> entries;
    std::vector<std::uint32_t> lengths;

    void add(std::span<const Entry> row) {
        entries.append(row);
        lengths.push_back(static_cast<std::uint32_t>(row.size()));
    }
};

// Joins parts that are finished in any order into rows in the order of the documents. A part waits
// here until all before it are there; its memory is used again for a later part. Only its place is
// given out under the lock: the thread that finds it copies the entries, and so meets the pages of
// new memory, while the others go on.
class RowCollector {
  public:
    // n_documents are to come.
    RowCollector(CountRows& rows, std::size_t n_documents)
        : rows_(rows), n_rows_in_the_end_(rows.n_rows() + n_documents) {
        rows_.indptr.reserve(n_rows_in_the_end_ + 1);
        rows_.worker.reserve(n_rows_in_the_end_);
    }

    // An empty part to fill.
    PartRows take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return {};
        PartRows part = std::move(free_.back());
        free_.pop_back();
        return part;
    }

    void put(std::size_t number, std::uint32_t worker, PartRows&& part) {
        std::unique_lock lock(mutex_);
        waiting_.emplace(number, std::pair(worker, std::move(part)));
        while (!growing_) {
            const auto it = waiting_.find(next_);
            if (it == waiting_.end()) return;
            if (!rows_.entries.has_room(it->second.second.entries.size())) {
                grow(it->second.second, lock);
                continue;
            }
            const std::uint32_t counted_by = it->second.first;
            PartRows ready = std::move(it->second.second);
            waiting_.erase(it);
            ++next_;
            Entry* place = rows_.entries.data() + rows_.entries.size();
            rows_.entries.extend(ready.entries.size());
            std::int64_t at = rows_.indptr.back();
            for (const std::uint32_t length : ready.lengths) rows_.indptr.push_back(at += length);
            rows_.worker.insert(rows_.worker.end(), ready.lengths.size(), counted_by);
            ++n_copying_;
            lock.unlock();
            std::copy_n(ready.entries.data(), ready.entries.size(), place);
            ready.entries.clear();
            ready.lengths.clear();
            lock.lock();
            if (--n_copying_ == 0) copied_.notify_all();
            free_.push_back(std::move(ready));
        }
    }

  private:
    // Makes room for a part and for what is to be expected after it: as many entries a document as
    // so far, and a tenth more. The entries move, so nobody may be copying.
    void grow(const PartRows& part, std::unique_lock<std::mutex>& lock) {
        growing_ = true;  // whoever puts a part now leaves it to this thread
        copied_.wait(lock, [&] { return n_copying_ == 0; });
        const double n_rows = static_cast<double>(rows_.n_rows() + part.lengths.size());
        const double per_row =
            static_cast<double>(rows_.entries.size() + part.entries.size()) / n_rows;
        const double expected = 1.1 * per_row * static_cast<double>(n_rows_in_the_end_);
        rows_.entries.make_room(part.entries.size(), static_cast<std::size_t>(expected));
        growing_ = false;
    }

    CountRows& rows_;
    std::size_t n_rows_in_the_end_;
    std::mutex mutex_;
    std::condition_variable copied_;
    std::size_t n_copying_ = 0;
    bool growing_ = false;
    std::map<std::size_t, std::pair<std::uint32_t, PartRows>> waiting_;
    std::vector<PartRows> free_;
    std::size_t next_ = 0;
};

}  // namespace quire
