#include "text/normalize.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "text/ascii.hpp"
#include "text/unicode.hpp"

namespace quire {

namespace {

constexpr std::size_t kPadding = 128;
constexpr std::size_t kStride = 4096;     // characters at a time
constexpr std::size_t kLongestForm = 18;  // NFKD of one character has at most so many
// Places in a document have 32 bits, and a character can become several bytes.
constexpr std::size_t kMostCharacters = std::size_t{1} << 29;
constexpr std::size_t kShortRun = 8;  // of ASCII: not worth a vector

// Appends characters to a NormalizedText and keeps its word mask.
class Writer {
  public:
    explicit Writer(NormalizedText& out) : out_(out) {
        out_.size = 0;
        n_words_cleared_ = 0;
    }

    // Room for `n` more characters; also zeroes the mask there.
    void reserve(std::size_t n_characters) {
        out_.ensure(out_.size + 4 * n_characters);
        const std::size_t needed = (out_.size + 4 * n_characters) / 64 + 1;
        if (needed > n_words_cleared_) {
            std::fill(out_.word_mask.begin() + n_words_cleared_, out_.word_mask.begin() + needed,
                      0);
            n_words_cleared_ = needed;
        }
    }

    void put(char32_t c, bool word) {
        const int length = utf8_encode(c, out_.bytes.data() + out_.size);
        if (word) {
            for (int k = 0; k < length; ++k) {
                const std::size_t at = out_.size + k;
                out_.word_mask[at / 64] |= std::uint64_t{1} << (at % 64);
            }
        }
        out_.size += length;
    }
    void put(char32_t c) { put(c, (char_record(c).flags & kWord) != 0); }

    // A run of ASCII of at most kStride bytes.
    void put_ascii(const std::uint8_t* text, std::size_t n, bool lower) {
        std::uint64_t run[kStride / 64 + 1];
        ascii_words(text, n, lower, out_.bytes.data() + out_.size, run);
        const std::size_t shift = out_.size % 64;
        std::uint64_t* mask = out_.word_mask.data() + out_.size / 64;
        for (std::size_t k = 0; k <= n / 64; ++k) {
            mask[k] |= run[k] << shift;
            if (shift > 0) mask[k + 1] |= run[k] >> (64 - shift);
        }
        out_.size += n;
    }

    // One character through the accent rule.
    void put_stripped(char32_t c, Accents accents) {
        const StrippedForm stripped = stripped_form(c);
        if (stripped.unchanged) {
            if (accents == Accents::strip_unicode || c < 0x80) put(c);
            return;
        }
        for (const char32_t part : stripped.form) {
            if (accents == Accents::strip_unicode || part < 0x80) put(part);
        }
    }

  private:
    NormalizedText& out_;
    std::size_t n_words_cleared_;
};

// How many characters from text[i] on are ASCII.
template <class Char>
std::size_t ascii_run(const Char* text, std::size_t i, std::size_t stop) {
    constexpr std::size_t kStep = 16;
    const std::size_t start = i;
    for (; i + kStep <= stop; i += kStep) {
        Char seen = 0;
        for (std::size_t k = 0; k < kStep; ++k) seen |= text[i + k];
        if (seen >= 0x80) break;
    }
    while (i < stop && text[i] < 0x80) ++i;
    return i - start;
}

}  // namespace

void NormalizedText::ensure(std::size_t n_bytes) {
    const std::size_t wanted = n_bytes + kPadding;
    if (bytes.size() < wanted) {
        bytes.resize(std::max(wanted, bytes.size() + bytes.size() / 2));
        word_mask.resize(bytes.size() / 64 + 2);
    }
}

template <class Char>
bool Normalizer::sigma_is_final(const Char* text, std::size_t n, std::size_t i) const {
    std::size_t before = i;
    while (before > 0 && (char_record(text[before - 1]).flags & kIgnorable) != 0) --before;
    if (before == 0 || (char_record(text[before - 1]).flags & kCased) == 0) return false;
    std::size_t after = i + 1;
    while (after < n && (char_record(text[after]).flags & kIgnorable) != 0) ++after;
    return after == n || (char_record(text[after]).flags & kCased) == 0;
}

template <class Char>
void Normalizer::normalize_characters(const Char* text, std::size_t n, NormalizedText& out) const {
    Writer writer(out);
    std::uint8_t narrow[kStride];
    const bool strip = accents_ != Accents::keep;
    const auto put = [&](char32_t c) {
        if (strip) {
            writer.put_stripped(c, accents_);
        } else {
            writer.put(c);
        }
    };
    for (std::size_t start = 0; start < n; start += kStride) {
        const std::size_t stop = std::min(n, start + kStride);
        writer.reserve((stop - start) * (strip ? kLongestForm : 2));
        for (std::size_t i = start; i < stop; ++i) {
            const char32_t c = text[i];
            if (c < 0x80) {
                const std::size_t run = ascii_run(text, i, stop);
                if (run > kShortRun) {
                    std::copy_n(text + i, run, narrow);
                    writer.put_ascii(narrow, run, lowercase_);
                    i += run - 1;
                    continue;
                }
                const auto byte = static_cast<std::uint8_t>(c);
                writer.put(lowercase_ ? ascii_lower(byte) : byte, is_ascii_word(byte));
                continue;
            }
            if (!lowercase_) {
                put(c);
                continue;
            }
            const CharRecord& record = char_record(c);
            if ((record.flags & kLowerSpecial) == 0) {
                put(static_cast<char32_t>(static_cast<std::int32_t>(c) + record.lower_offset));
            } else if (c == kCapitalSigma) {
                put(sigma_is_final(text, n, i) ? kFinalSigma : kSmallSigma);
            } else {
                for (const char32_t part : lower_of_dotted_i()) put(part);
            }
        }
    }
    writer.reserve(1);
    out.is_ascii = false;
}

std::int64_t Normalizer::operator()(const TextView& text, NormalizedText& out) {
    const std::size_t n = text.length;
    if (n > kMostCharacters) throw std::length_error("a document is longer than 2**29 characters");
    const auto* bytes = static_cast<const std::uint8_t*>(text.data);
    switch (text.kind) {
        case TextKind::ascii:
        case TextKind::utf8: {
            out.ensure(n);
            if (ascii_words(bytes, n, lowercase_, out.bytes.data(), out.word_mask.data())) {
                out.size = n;
                out.is_ascii = true;
                return -1;
            }
            if (decoded_.size() < n) decoded_.resize(n);
            const std::int64_t count = utf8_decode_checked(bytes, n, decoded_.data());
            if (count < 0) return -1 - count;
            normalize_characters(decoded_.data(), static_cast<std::size_t>(count), out);
            return -1;
        }
        case TextKind::latin1:
            normalize_characters(bytes, n, out);
            return -1;
        case TextKind::ucs2:
            normalize_characters(static_cast<const std::uint16_t*>(text.data), n, out);
            return -1;
        case TextKind::ucs4:
            normalize_characters(static_cast<const char32_t*>(text.data), n, out);
            return -1;
    }
    return -1;
}

}  // namespace quire
