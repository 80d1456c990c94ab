// Class labels to numbers.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "bindings/base/arrays.hpp"
#include "bindings/base/execution.hpp"
#include "counts/labels.hpp"

namespace quire::bindings {

void bind_labels(nb::module_& m) {
    m.def(
        "factorize",
        [](const Array<std::uint8_t>& bytes, std::size_t item_size) {
            auto found = run(1, [&](const Execution& execution) {
                return factorize(as_span(bytes), item_size, execution);
            });
            return tuple_of(to_numpy(std::move(found.codes)), to_numpy(std::move(found.first)));
        },
        "bytes"_exact, "item_size"_a);
}

}  // namespace quire::bindings
