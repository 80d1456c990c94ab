#include "corpus/token_matches.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "corpus/token_parts.hpp"

namespace quire {

namespace {

void check_bounds(std::span<const std::int64_t> bounds, std::size_t n, const char* name) {
    const auto fail = [&](const char* what) {
        throw std::invalid_argument(std::string(name) + what);
    };
    if (bounds.empty() || bounds.front() != 0) fail(" must begin with 0");
    if (!std::is_sorted(bounds.begin(), bounds.end())) fail(" must not fall");
    if (bounds.back() != static_cast<std::int64_t>(n)) fail(" must end with the number of entries");
}

// Which patterns begin with a set, and one entry for each pattern.
struct Begins {
    std::vector<std::int64_t> bounds;
    std::vector<std::int32_t> patterns;
};

Begins begins_of(const TokenPatterns& patterns, std::size_t n_sets) {
    Begins begins{std::vector<std::int64_t>(n_sets + 1, 0), {}};
    const auto first = [&](std::size_t p) {
        return static_cast<std::size_t>(
            patterns.pattern_sets[static_cast<std::size_t>(patterns.pattern_bounds[p])]);
    };
    for (std::size_t p = 0; p < patterns.n_patterns(); ++p) ++begins.bounds[first(p) + 1];
    for (std::size_t s = 0; s < n_sets; ++s) begins.bounds[s + 1] += begins.bounds[s];
    begins.patterns.resize(patterns.n_patterns());
    std::vector<std::int64_t> next(begins.bounds.begin(), begins.bounds.end() - 1);
    for (std::size_t p = 0; p < patterns.n_patterns(); ++p) {
        begins.patterns[static_cast<std::size_t>(next[first(p)]++)] = static_cast<std::int32_t>(p);
    }
    return begins;
}

class Matcher {
  public:
    Matcher(const TokenRows& rows, const TokenPatterns& patterns, const Begins& begins)
        : rows_(rows), patterns_(patterns), begins_(begins) {}

    // Calls f(pattern) for each pattern that matches from a token on, in a document that ends at
    // `end`.
    template <class F>
    void at(std::int64_t token, std::int64_t end, F&& f) const {
        for (const std::int32_t set : sets_of(token)) {
            const auto s = static_cast<std::size_t>(set);
            for (std::int64_t k = begins_.bounds[s]; k < begins_.bounds[s + 1]; ++k) {
                const std::int32_t pattern = begins_.patterns[static_cast<std::size_t>(k)];
                if (goes_on(pattern, token, end)) f(pattern);
            }
        }
    }
    std::int64_t length(std::int32_t pattern) const {
        const auto p = static_cast<std::size_t>(pattern);
        return patterns_.pattern_bounds[p + 1] - patterns_.pattern_bounds[p];
    }

  private:
    std::span<const std::int32_t> sets_of(std::int64_t token) const {
        const std::int32_t type = rows_.tokens[static_cast<std::size_t>(token)];
        if (type < 0) return {};
        const auto t = static_cast<std::size_t>(type);
        const std::int64_t begin = patterns_.type_bounds[t];
        return patterns_.type_sets.subspan(
            static_cast<std::size_t>(begin),
            static_cast<std::size_t>(patterns_.type_bounds[t + 1] - begin));
    }
    bool goes_on(std::int32_t pattern, std::int64_t token, std::int64_t end) const {
        const std::int64_t n = length(pattern);
        if (token + n > end) return false;
        const std::int32_t* sets = patterns_.pattern_sets.data() +
                                   patterns_.pattern_bounds[static_cast<std::size_t>(pattern)];
        for (std::int64_t k = 1; k < n; ++k) {
            if (sets[k] == TokenPatterns::kAny) continue;
            const auto known = sets_of(token + k);
            if (std::find(known.begin(), known.end(), sets[k]) == known.end()) return false;
        }
        return true;
    }

    const TokenRows& rows_;
    const TokenPatterns& patterns_;
    const Begins& begins_;
};

// The longest pattern from a token on and its length; 0 if there is none.
std::pair<std::int32_t, std::int64_t> longest_at(const Matcher& matcher, std::int64_t token,
                                                 std::int64_t end) {
    std::pair<std::int32_t, std::int64_t> best{0, 0};
    matcher.at(token, end, [&](std::int32_t pattern) {
        const std::int64_t length = matcher.length(pattern);
        if (length > best.second || (length == best.second && pattern < best.first)) {
            best = {pattern, length};
        }
    });
    return best;
}

}  // namespace

void TokenRows::check() const {
    check_bounds(bounds, tokens.size(), "bounds");
}

void TokenPatterns::check() const {
    check_bounds(type_bounds, type_sets.size(), "type_bounds");
    check_bounds(pattern_bounds, pattern_sets.size(), "pattern_bounds");
    if (n_patterns() > 0x7FFFFFFFu) throw std::invalid_argument("there are too many patterns");
    for (const std::int32_t set : type_sets) {
        if (set < 0) throw std::invalid_argument("a type is in a set with a negative number");
    }
    for (const std::int32_t set : pattern_sets) {
        if (set < kAny) throw std::invalid_argument("a pattern has a set with a negative number");
    }
    for (std::size_t p = 0; p < n_patterns(); ++p) {
        if (pattern_bounds[p] == pattern_bounds[p + 1]) {
            throw std::invalid_argument("pattern " + std::to_string(p) + " has no words");
        }
        if (pattern_sets[static_cast<std::size_t>(pattern_bounds[p])] == kAny) {
            throw std::invalid_argument("pattern " + std::to_string(p) + " begins with any token");
        }
    }
}

TokenMatches token_matches(const TokenRows& rows, const TokenPatterns& patterns, bool longest,
                           const Execution& execution) {
    rows.check();
    patterns.check();
    const auto n_types = static_cast<std::int64_t>(patterns.n_types());
    // Sets that no pattern begins with are as good as one number less.
    std::int32_t most = -1;
    for (const std::int32_t set : patterns.type_sets) most = std::max(most, set);
    for (const std::int32_t set : patterns.pattern_sets) most = std::max(most, set);
    if (static_cast<std::size_t>(most + std::int64_t{1}) >
        patterns.type_sets.size() + patterns.pattern_sets.size()) {
        throw std::invalid_argument("sets must be numbered from 0 without large gaps");
    }
    const Begins begins = begins_of(patterns, static_cast<std::size_t>(most + std::int64_t{1}));
    const Matcher matcher(rows, patterns, begins);
    const std::vector<std::size_t> parts = token_parts(rows.bounds);
    std::vector<TokenMatches> found(parts.size() - 1);
    parallel_parts(found.size(), execution, [&](std::size_t part, int, Checkpoint& checkpoint) {
        TokenMatches& mine = found[part];
        std::vector<std::int32_t> here;
        for (std::size_t d = parts[part]; d < parts[part + 1]; ++d) {
            const std::int64_t end = rows.bounds[d + 1];
            for (std::int64_t t = rows.bounds[d]; t < end; ++t) {
                if (t % 65536 == 0) checkpoint();
                if (rows.tokens[static_cast<std::size_t>(t)] >= n_types) {
                    throw std::invalid_argument("token " + std::to_string(t) +
                                                " has a type that there is not");
                }
                if (longest) {
                    const auto [pattern, length] = longest_at(matcher, t, end);
                    if (length == 0) continue;
                    mine.tokens.push_back(t);
                    mine.patterns.push_back(pattern);
                    t += length - 1;
                    continue;
                }
                here.clear();
                matcher.at(t, end, [&](std::int32_t pattern) { here.push_back(pattern); });
                std::sort(here.begin(), here.end());
                mine.tokens.insert(mine.tokens.end(), here.size(), t);
                mine.patterns.insert(mine.patterns.end(), here.begin(), here.end());
            }
        }
    });
    TokenMatches all;
    std::size_t n = 0;
    for (const TokenMatches& one : found) n += one.tokens.size();
    all.tokens.reserve(n);
    all.patterns.reserve(n);
    for (const TokenMatches& one : found) {
        all.tokens.insert(all.tokens.end(), one.tokens.begin(), one.tokens.end());
        all.patterns.insert(all.patterns.end(), one.patterns.begin(), one.patterns.end());
    }
    return all;
}

}  // namespace quire
