// A batch of documents as parallel kernels see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "text/normalize.hpp"

namespace quire {

// Malformed UTF-8 in a document.
struct BadUtf8 {
    std::size_t document;
    std::int64_t byte;
};

// Cuts documents into parts of about 128 KB of text: part k is [result[k], result[k + 1]).
inline std::vector<std::size_t> document_parts(std::span<const TextView> documents) {
    constexpr std::size_t kPart = std::size_t{1} << 17;
    constexpr std::size_t kPerDocument = 64;  // what a document costs besides its text
    std::vector<std::size_t> bounds{0};
    std::size_t size = 0;
    for (std::size_t i = 0; i < documents.size(); ++i) {
        size += documents[i].length + kPerDocument;
        if (size >= kPart) {
            bounds.push_back(i + 1);
            size = 0;
        }
    }
    if (bounds.back() != documents.size()) bounds.push_back(documents.size());
    return bounds;
}

}  // namespace quire
