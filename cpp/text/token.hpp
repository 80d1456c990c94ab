// A token of a document: some bytes of its normalised text.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quire {

struct Token {
    const std::uint8_t* text;
    std::size_t length;  // bytes

    static constexpr std::size_t kBatch = 256;  // so many are handled at a time
};

}  // namespace quire
