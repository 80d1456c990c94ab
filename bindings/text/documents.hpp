// Documents of Python or Arrow as the kernels see them: pointers, and what keeps them alive.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "text/normalize.hpp"

namespace quire::bindings {

class Documents {
  public:
    // Borrows the characters of each str in the list. What is not a str makes bad_row().
    static Documents from_list(nanobind::list documents);
    // Borrows the strings of an object with __arrow_c_stream__ or __arrow_c_array__. A null makes
    // bad_row(). A producer that lies about where its memory ends cannot be found out; what can be
    // (views outside of their buffers, offsets that fall) is refused.
    static Documents from_arrow(nanobind::handle column);

    std::span<const TextView> views() const { return views_; }
    std::int64_t bad_row() const { return bad_row_; }  // -1: none
    std::size_t size() const { return views_.size(); }

  private:
    std::vector<TextView> views_;
    nanobind::object owner_;
    std::int64_t bad_row_ = -1;
};

}  // namespace quire::bindings
