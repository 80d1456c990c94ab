// Counting the features of documents by hash: the core of HashingVectorizer. No vocabulary, no
// state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/parallel.hpp"
#include "text/analyze.hpp"
#include "text/text_lookup.hpp"

namespace quire {

// MurmurHash3 (x86, 32 bits) of n bytes, as scikit-learn's FeatureHasher uses it with seed 0.
std::int32_t murmur3_32(const std::uint8_t* data, std::size_t n, std::uint32_t seed);

// A document cannot be hashed because a feature holds a lone surrogate, which has no UTF-8 form.
struct SurrogateFound {
    std::size_t document;
};

struct HasherOptions {
    std::int64_t n_features = std::int64_t{1} << 20;
    bool alternate_sign = true;
};

// Feature f goes to column |h(f)| mod n_features, with the sign of h(f) if signs alternate. Rows
// are sorted; sums that come to zero stay. Throws BadUtf8, SurrogateFound.
CountRows hash_documents(std::span<const TextView> documents, const AnalyzerOptions& options,
                         std::span<const std::string> stop_words, const HasherOptions& hasher,
                         const Execution& execution);

}  // namespace quire
