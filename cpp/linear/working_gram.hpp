// The Gram matrix of the columns that have been in a working set; it grows along a path.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "linear/enet_designs.hpp"

namespace quire {

template <class Design>
class WorkingGram {
  public:
    static constexpr std::size_t kSpare = 100;  // slots kept beside twice the working set

    explicit WorkingGram(std::size_t n_features) : slot_(n_features, -1) {}

    // Makes room for W. False if that would be too large to be worth it.
    bool hold(const Features& W, Design& design) {
        if (W.size() > Design::gram_limit) return false;
        std::size_t stored = 0, fresh = 0;
        for (const std::uint32_t j : W) {
            stored += design.n_stored(j);
            fresh += slot_[j] < 0;
        }
        if (W.size() > 64 && W.size() * W.size() > 8 * stored) return false;
        const std::size_t wanted = slots_.size() + fresh;
        if (wanted > Design::gram_limit || wanted > 2 * W.size() + kSpare) keep_only(W);
        const std::size_t first = slots_.size();
        for (const std::uint32_t j : W) {
            if (slot_[j] >= 0) continue;
            slot_[j] = static_cast<std::int32_t>(slots_.size());
            slots_.push_back(j);
        }
        if (slots_.size() == first) return true;
        grow(slots_.size(), first);
        design.gram(slots_, first, G_);
        for (std::size_t s = 0; s < first; ++s) {
            for (std::size_t t = first; t < slots_.size(); ++t) G_.row(s)[t] = G_.row(t)[s];
        }
        return true;
    }

    const Features& slots() const { return slots_; }
    std::size_t slot(std::uint32_t j) const { return static_cast<std::size_t>(slot_[j]); }
    const double* row(std::size_t s) { return G_.row(s); }

  private:
    void grow(std::size_t size, std::size_t used) {
        if (size <= G_.stride) return;
        GramBlock larger;
        larger.stride = std::max(size + size / 4, std::size_t{64});
        larger.values.resize(larger.stride * larger.stride);
        for (std::size_t s = 0; s < used; ++s) {
            std::copy(G_.row(s), G_.row(s) + used, larger.row(s));
        }
        G_ = std::move(larger);
    }

    void keep_only(const Features& W) {
        std::vector<std::size_t> kept;
        std::vector<char> wanted(slots_.size(), 0);
        for (const std::uint32_t j : W) {
            if (slot_[j] >= 0) wanted[slot(j)] = 1;
        }
        Features left;
        for (std::size_t s = 0; s < slots_.size(); ++s) {
            slot_[slots_[s]] = wanted[s] ? static_cast<std::int32_t>(left.size()) : -1;
            if (!wanted[s]) continue;
            left.push_back(slots_[s]);
            kept.push_back(s);
        }
        for (std::size_t s = 0; s < kept.size(); ++s) {  // kept rises, so nothing is overwritten
            for (std::size_t t = 0; t < kept.size(); ++t) {
                G_.row(s)[t] = G_.row(kept[s])[kept[t]];
            }
        }
        slots_ = std::move(left);
    }

    std::vector<std::int32_t> slot_;  // of a feature; -1: none
    Features slots_;                  // the feature of a slot
    GramBlock G_;
};

}  // namespace quire
