#include "text/negation.hpp"

#include <algorithm>
#include <cstring>

#include "text/unicode.hpp"

namespace quire {

namespace {

constexpr std::size_t kMarkLength = sizeof MarkedTokens::kMark - 1;
constexpr std::size_t kPadding = 16;

// Whether a mark ends at a character.
bool ends_part(char32_t c) {
    switch (c) {
        case '.':
        case ',':
        case ':':
        case ';':
        case '!':
        case '?':
        case '(':
        case ')':
        case 0x60C:
        case 0x61B:
        case 0x61F:
        case 0x964:
        case 0x2026:
        case 0x3001:
        case 0x3002:
        case 0xFF01:
        case 0xFF0C:
        case 0xFF1A:
        case 0xFF1B:
        case 0xFF1F:
            return true;
        default:
            return false;
    }
}

// The length of an apostrophe and a t at `at`, or 0: the rest of n't.
std::size_t rest_of_not(const std::uint8_t* at, const std::uint8_t* end) {
    const auto is = [&](std::size_t i, char lower) {
        return at + i < end && (at[i] | 0x20) == static_cast<std::uint8_t>(lower);
    };
    if (at < end && *at == '\'' && is(1, 't')) return 2;
    if (end - at > 3 && std::memcmp(at, "\u2019", 3) == 0 && is(3, 't')) return 4;
    return 0;
}

bool is_n(const std::uint8_t* at) {
    return (*at | 0x20) == 'n';
}

// Where a negation that a token brings is over: at the end of the token or of the n't that it is
// the beginning of. Null if it brings none.
const std::uint8_t* negated_from(const Token& token, const NormalizedText& text,
                                 const Negation& negation) {
    const std::uint8_t* end = token.text + token.length;
    const std::uint8_t* end_of_text = text.bytes.data() + text.size;
    const std::size_t rest = is_n(end - 1) ? rest_of_not(end, end_of_text) : 0;
    if (rest > 0) {
        const std::uint8_t* after = end + rest;
        if (after == end_of_text || (char_record(utf8_decode(after)).flags & kWord) == 0) {
            return after;
        }
    }
    for (const std::size_t inner : {std::size_t{2}, std::size_t{4}}) {
        if (token.length > inner && rest_of_not(end - inner, end) == inner &&
            is_n(end - inner - 1)) {
            return end;
        }
    }
    return negation.has(token) ? end : nullptr;
}

}  // namespace

Negation::Negation(std::span<const std::string> words) {
    for (const std::string& word : words) {
        if (!word.empty()) words_.intern(word);
    }
}

bool Negation::has(const Token& token) const {
    if (words_.size() == 0) return false;
    if (token.length > StringTable::kLongestInline) {
        return words_.find_long(token.text, token.length,
                                StringTable::hash_of_long(token.text, token.length)) != nullptr;
    }
    const StringKey key = StringTable::short_key(token.text, token.length);
    return words_.finder()(key, StringTable::hash_of(key)) != nullptr;
}

void MarkedTokens::mark(const NormalizedText& text, const Negation& negation) {
    next = 0;
    std::size_t size = 0;
    const std::uint8_t* at = text.bytes.data();
    const std::uint8_t* from = nullptr;  // where marks begin, while there is a negation
    const auto pass = [&](const std::uint8_t* end) {
        for (; at < end; at += utf8_length(*at)) {
            if (ends_part(utf8_decode(at))) from = nullptr;
        }
    };
    std::vector<std::size_t> marked;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token token = tokens[i];
        pass(token.text);
        const char32_t first = utf8_decode(token.text);
        if (ends_part(first) &&
            token.length == static_cast<std::size_t>(utf8_length(*token.text))) {
            from = nullptr;
        }
        if (from != nullptr && token.text >= from && (char_record(first).flags & kWord) != 0) {
            marked.push_back(i);
            size += kMarkLength + token.length;
        }
        const std::uint8_t* negated = negated_from(token, text, negation);
        if (negated != nullptr) from = negated;
        at = std::max(at, token.text + token.length);
    }
    if (bytes.size() < size + kPadding) bytes.resize(size + size / 2 + kPadding);
    std::uint8_t* out = bytes.data();
    for (const std::size_t i : marked) {
        Token& token = tokens[i];
        std::memcpy(out, kMark, kMarkLength);
        std::memcpy(out + kMarkLength, token.text, token.length);
        token = {out, kMarkLength + token.length};
        out += token.length;
    }
}

std::size_t MarkedTokens::take(Token* out) {
    const std::size_t n = std::min(Token::kBatch, tokens.size() - next);
    std::copy_n(tokens.begin() + static_cast<std::ptrdiff_t>(next), n, out);
    next += n;
    return n;
}

}  // namespace quire
