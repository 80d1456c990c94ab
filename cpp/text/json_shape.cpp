#include "text/json_shape.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

namespace quire {

namespace {

bool is_escaped(std::string_view text, std::size_t at) {
    std::size_t slashes = 0;
    while (slashes < at && text[at - slashes - 1] == '\\') ++slashes;
    return slashes % 2 == 1;
}

// The place of the quote that ends a string, or the length of the text.
std::size_t end_of_string(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const void* found = std::memchr(text.data() + at, '"', text.size() - at);
        if (found == nullptr) break;
        at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
        if (!is_escaped(text, at)) return at;
        ++at;
    }
    return text.size();
}

// Different strings. Rows tend to have the same keys in the same order, so the one that followed
// last time is looked at first. A tree, since no choice of keys makes it slow.
class Keys {
  public:
    void add(std::string_view key) {
        if (next_ == order_.size()) next_ = 0;
        if (next_ < order_.size() && order_[next_] == key) {
            ++next_;
            return;
        }
        if (seen_.insert(key).second && order_.size() < kOrdered) {
            order_.push_back(key);
            next_ = order_.size();
        } else {
            const auto place = std::find(order_.begin(), order_.end(), key);
            if (place != order_.end()) {
                next_ = static_cast<std::size_t>(place - order_.begin()) + 1;
            }
        }
    }
    std::int64_t size() const { return static_cast<std::int64_t>(seen_.size()); }

  private:
    static constexpr std::size_t kOrdered = 64;
    std::set<std::string_view> seen_;
    std::vector<std::string_view> order_;
    std::size_t next_ = 0;
};

}  // namespace

JsonShape json_shape(std::string_view text, const Execution& execution) {
    JsonShape shape{0, 0, 0};
    std::int64_t depth = 0;
    std::string_view last;  // string
    bool has_string = false;
    Keys keys;
    interruptible(execution, [&](Checkpoint& checkpoint) {
        constexpr std::size_t kStep = std::size_t{1} << 20;
        std::size_t check_at = kStep;
        std::size_t at = 0;
        while (at < text.size()) {
            if (at >= check_at) {
                checkpoint();
                check_at = at + kStep;
            }
            switch (text[at]) {
                case '"': {
                    if (is_escaped(text, at)) break;
                    const std::size_t end = end_of_string(text, at + 1);
                    if (end < text.size()) {
                        last = text.substr(at + 1, end - at - 1);
                        has_string = true;
                    }
                    at = end;
                    break;
                }
                case ':':
                    if (has_string) keys.add(last);
                    break;
                case '{':
                case '[':
                    ++shape.n_open;
                    shape.depth = std::max(shape.depth, ++depth);
                    break;
                case '}':
                case ']':
                    --depth;
                    break;
                default:
                    break;
            }
            ++at;
        }
    });
    shape.n_keys = keys.size();
    return shape;
}

}  // namespace quire
