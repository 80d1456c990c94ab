#include "text/unicode.hpp"

#include <cstring>

namespace quire {

namespace {
#include "unicode_tables.inc"
}  // namespace

const CharRecord& char_record(char32_t c) {
    return kRecords[kRecordNumber[kRecordBlock[c >> 8] * 256u + (c & 255u)]];
}

std::span<const char32_t> lower_of_dotted_i() {
    return kLowerOf0130;
}

StrippedForm stripped_form(char32_t c) {
    const std::uint16_t number = kFormNumber[kFormBlock[c >> 8] * 256u + (c & 255u)];
    if (number == 0) return {true, {}};
    return {false, std::span(kFormPool).subspan(kFormOffsets[number - 1],
                                                kFormOffsets[number] - kFormOffsets[number - 1])};
}

const char* unicode_version() {
    return kUnicodeVersion;
}

std::span<const std::int32_t> character_set(std::string_view name) {
    for (const auto& set : kCharacterSets) {
        if (name == set.name) return set.bounds;
    }
    return {};
}

std::int64_t utf8_decode_checked(const std::uint8_t* in, std::size_t n, char32_t* out) {
    std::size_t i = 0;
    std::int64_t count = 0;
    const auto continues = [&](std::size_t at) { return at < n && (in[at] & 0xC0) == 0x80; };
    while (i < n) {
        // Sixteen ASCII characters at a time, as long as there are.
        for (std::uint64_t words[2]; i + sizeof words <= n; i += sizeof words) {
            std::memcpy(words, in + i, sizeof words);
            if (((words[0] | words[1]) & 0x8080808080808080u) != 0) break;
            for (std::size_t k = 0; k < sizeof words; ++k) out[count++] = in[i + k];
        }
        if (i == n) break;
        const std::uint8_t lead = in[i];
        if (lead < 0x80) {
            out[count++] = lead;
            i += 1;
            continue;
        }
        const int length = utf8_length(lead);
        bool good = lead >= 0xC2 && lead <= 0xF4;
        for (int k = 1; k < length; ++k) good = good && continues(i + k);
        if (!good) return -1 - static_cast<std::int64_t>(i);
        const char32_t c = utf8_decode(in + i);
        const bool overlong = (length == 3 && c < 0x800) || (length == 4 && c < 0x10000);
        if (overlong || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) {
            return -1 - static_cast<std::int64_t>(i);
        }
        out[count++] = c;
        i += length;
    }
    return count;
}

}  // namespace quire
