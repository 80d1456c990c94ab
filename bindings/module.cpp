// quire._core: the table of contents of the compiled kernels.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace quire::bindings {
void bind_runtime(nb::module_& m);
}  // namespace quire::bindings

NB_MODULE(_core, m) {
    m.doc() = "Compiled kernels: arrays in, arrays out. Private; use the classes of quire.";
    quire::bindings::bind_runtime(m);
}
