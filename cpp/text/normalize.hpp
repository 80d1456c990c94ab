// From a document as it lies in memory to lower-cased, accent-free UTF-8.
//
// Equivalent to scikit-learn's preprocessor: doc.lower(), then strip_accents_unicode / _ascii.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/memory.hpp"

namespace quire {

// How the characters of a document are stored. The first four are Python's own (PEP 393), utf8 is
// Arrow's.
enum class TextKind : std::uint8_t { ascii, latin1, ucs2, ucs4, utf8 };

struct TextView {
    const void* data = nullptr;
    std::size_t length = 0;  // in units of the kind: bytes, 2 bytes or 4 bytes
    TextKind kind = TextKind::ascii;
};

enum class Accents : std::uint8_t { keep, strip_unicode, strip_ascii };

// The text after normalisation, and which of its bytes belong to word characters. Reused from
// document to document. At least 64 bytes past `size` are readable.
struct NormalizedText {
    RawVector<std::uint8_t> bytes;
    RawVector<std::uint64_t> word_mask;  // size / 64 + 1 words, zero past the end
    std::size_t size = 0;
    bool is_ascii = true;

    void ensure(std::size_t n_bytes);
};

class Normalizer {
  public:
    Normalizer(bool lowercase, Accents accents) : lowercase_(lowercase), accents_(accents) {}

    // Fills `out` from `text`. Returns -1, or the byte offset at which UTF-8 text is malformed.
    std::int64_t operator()(const TextView& text, NormalizedText& out);

  private:
    template <class Char>
    void normalize_characters(const Char* text, std::size_t n, NormalizedText& out) const;
    template <class Char>
    bool sigma_is_final(const Char* text, std::size_t n, std::size_t i) const;

    bool lowercase_;
    Accents accents_;
    RawVector<char32_t> decoded_;
};

}  // namespace quire
