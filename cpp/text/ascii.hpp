// The first step over plain ASCII text: lower case and the word characters, 64 bytes at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quire {

// For n bytes of text writes the (lower-cased, if asked) bytes to `out` and to `mask` one bit per
// byte, set where the byte is a word character [0-9A-Za-z_]. `out` has room for n rounded up to 64,
// `mask` for n / 64 + 1 words; bits at and past n are zero. Returns false, leaving the outputs
// undefined, if a byte is not ASCII.
//
// Equivalent to: out = text.lower(); mask = [bool(re.match(r"\w", c)) for c in text]
bool ascii_words(const std::uint8_t* text, std::size_t n, bool lower, std::uint8_t* out,
                 std::uint64_t* mask);

inline bool is_ascii_word(std::uint8_t c) {
    const std::uint8_t letter = c | 0x20;
    return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

inline std::uint8_t ascii_lower(std::uint8_t c) {
    return c >= 'A' && c <= 'Z' ? static_cast<std::uint8_t>(c + 32) : c;
}

}  // namespace quire
