#include "text/analyze.hpp"

#include <cstring>
#include <stdexcept>

#include "text/unicode.hpp"

namespace quire {

namespace {

// Cuts text into runs of white space and runs of everything else: f(start, length, n_characters,
// space).
template <class F>
void for_each_run(const NormalizedText& text, F&& f) {
    const std::uint8_t* bytes = text.bytes.data();
    std::size_t start = 0;
    std::size_t n_characters = 0;
    bool space = false;
    for (std::size_t i = 0; i < text.size;) {
        const bool now = (char_record(utf8_decode(bytes + i)).flags & kSpace) != 0;
        if (now != space && i > start) {
            f(start, i - start, n_characters, space);
            start = i;
            n_characters = 0;
        }
        space = now;
        ++n_characters;
        i += utf8_length(bytes[i]);
    }
    if (text.size > start) f(start, text.size - start, n_characters, space);
}

}  // namespace

void collapse_spaces(const NormalizedText& text, NormalizedText& out) {
    out.ensure(text.size);
    out.size = 0;
    out.is_ascii = text.is_ascii;
    for_each_run(text, [&](std::size_t start, std::size_t length, std::size_t n, bool space) {
        if (space && n > 1) {
            out.bytes[out.size++] = ' ';
            return;
        }
        std::memcpy(out.bytes.data() + out.size, text.bytes.data() + start, length);
        out.size += length;
    });
}

void space_words(const NormalizedText& text, NormalizedText& out) {
    out.ensure(text.size + 2);
    out.size = 0;
    out.is_ascii = text.is_ascii;
    for_each_run(text, [&](std::size_t start, std::size_t length, std::size_t, bool space) {
        if (space) return;
        if (out.size == 0) out.bytes[out.size++] = ' ';
        std::memcpy(out.bytes.data() + out.size, text.bytes.data() + start, length);
        out.size += length;
        out.bytes[out.size++] = ' ';
    });
}

void character_offsets(const std::uint8_t* text, std::size_t n_bytes,
                       std::vector<std::uint32_t>& offsets) {
    if (n_bytes > 0xFFFFFFFFu) {
        throw std::length_error("a single document is longer than 4 GB");
    }
    offsets.clear();
    offsets.reserve(n_bytes + 1);
    for (std::size_t i = 0; i < n_bytes; ++i) {
        if ((text[i] & 0xC0) != 0x80) offsets.push_back(static_cast<std::uint32_t>(i));
    }
    offsets.push_back(static_cast<std::uint32_t>(n_bytes));
}

}  // namespace quire
