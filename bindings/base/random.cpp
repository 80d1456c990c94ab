// The fills of cpp/base/random.hpp: new arrays of random numbers.
#include "base/random.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "bindings/base/arrays.hpp"
#include "bindings/base/filled.hpp"

namespace quire::bindings {

namespace {

using Word = std::uint64_t;

template <class T>
using Fill = void (*)(Word seed, Word stream, Word position, std::span<T> out, const Execution&);

template <class T>
void bind_fill(nb::module_& m, const char* name, Fill<T> fill) {
    m.def(
        name,
        [fill](Word seed, Word stream, Word position, std::size_t n, int n_threads) {
            return to_numpy(filled<T>(n, n_threads, [&](auto out, const Execution& execution) {
                fill(seed, stream, position, out, execution);
            }));
        },
        "seed"_a, "stream"_a, "position"_a, "n"_a, "n_threads"_a = 1);
}

}  // namespace

void bind_random(nb::module_& m) {
    bind_fill<Word>(m, "philox_raw", &philox_raw);
    bind_fill<double>(m, "philox_uniform", &philox_uniform);
    bind_fill<double>(m, "philox_normal", &philox_normal);
    m.def(
        "philox_integers",
        [](Word seed, Word stream, Word position, Word bound, std::size_t n, int n_threads) {
            return to_numpy(filled<Word>(n, n_threads, [&](auto out, const Execution& execution) {
                philox_integers(seed, stream, position, bound, out, execution);
            }));
        },
        "seed"_a, "stream"_a, "position"_a, "bound"_a, "n"_a, "n_threads"_a = 1);
}

}  // namespace quire::bindings
