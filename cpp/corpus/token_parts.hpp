// How a corpus of tokens is cut for threads: by its size alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace quire {

// Cuts documents into parts of about 128,000 tokens: part k is [result[k], result[k + 1]).
inline std::vector<std::size_t> token_parts(std::span<const std::int64_t> bounds) {
    constexpr std::int64_t kPart = std::int64_t{1} << 17;
    constexpr std::int64_t kPerDocument = 16;  // what a document costs besides its tokens
    std::vector<std::size_t> parts{0};
    std::int64_t size = 0;
    for (std::size_t d = 0; d + 1 < bounds.size(); ++d) {
        size += bounds[d + 1] - bounds[d] + kPerDocument;
        if (size >= kPart) {
            parts.push_back(d + 1);
            size = 0;
        }
    }
    if (parts.back() + 1 != bounds.size()) parts.push_back(bounds.size() - 1);
    return parts;
}

}  // namespace quire
