// Trees: rows prepared once, trees grown on them, and what trees say about rows.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/base/arrays.hpp"
#include "bindings/base/csr.hpp"
#include "bindings/base/execution.hpp"
#include "bindings/base/filled.hpp"
#include "trees/forest_predict.hpp"
#include "trees/tree_data.hpp"
#include "trees/tree_grow.hpp"

namespace nanobind::detail {

// Rows of single precision: a matrix in row-major order, or a sparse one. Nothing is converted.
template <>
struct type_caster<quire::ForestRows> {
    static constexpr auto Name = const_name(
        "numpy.typing.NDArray[numpy.float32] | quire._core.Csr[numpy.float32, typing.Any]");
    template <class>
    using Cast = quire::ForestRows;
    template <class>
    static constexpr bool can_cast() {
        return true;
    }

    bool from_python(handle src, std::uint32_t, cleanup_list* cleanup) noexcept {
        if (!PyTuple_Check(src.ptr()) && dense.from_python(src, 0, cleanup)) return true;
        if (small.from_python(src, 0, cleanup)) return true;
        is_large = large.from_python(src, 0, cleanup);
        return is_large;
    }
    explicit operator quire::ForestRows() const {
        if (dense.value.is_valid()) {
            const auto& X = dense.value;
            return {quire::bindings::as_span(X), X.shape(0), X.shape(1)};
        }
        const auto rows = [](const auto& X) -> quire::ForestRows {
            return {X, X.n_rows(), quire::bindings::n_cols_of(X)};
        };
        using Small = quire::CsrView<float, std::int32_t>;
        using Large = quire::CsrView<float, std::int64_t>;
        return is_large ? rows(static_cast<Large>(large)) : rows(static_cast<Small>(small));
    }

    make_caster<quire::bindings::Matrix<float>> dense;
    make_caster<quire::CsrView<float, std::int32_t>> small;
    make_caster<quire::CsrView<float, std::int64_t>> large;
    bool is_large = false;
};

}  // namespace nanobind::detail

namespace quire::bindings {

namespace {

using Bytes = Array<std::uint8_t>;

std::span<const TreeNode> as_nodes(const Bytes& nodes) {
    if (nodes.size() % sizeof(TreeNode) != 0) {
        throw std::invalid_argument("nodes must have 24 bytes each");
    }
    if (reinterpret_cast<std::uintptr_t>(nodes.data()) % alignof(TreeNode) != 0) {
        throw std::invalid_argument("nodes must begin at an address that 8 divides");
    }
    return {reinterpret_cast<const TreeNode*>(nodes.data()), nodes.size() / sizeof(TreeNode)};
}

NumpyArray<std::uint8_t> as_bytes(RawVector<TreeNode>&& nodes) {
    auto* owned = new RawVector<TreeNode>(std::move(nodes));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<RawVector<TreeNode>*>(p); });
    const std::size_t shape[1] = {owned->size() * sizeof(TreeNode)};
    return NumpyArray<std::uint8_t>(
        wrapped(owned->data(), 1, shape, owner, nb::dtype<std::uint8_t>()));
}

// As run(), for one thread: also where another thread has stopped the growing.
template <class Kernel>
GrownTree run_growing(Kernel&& kernel) {
    try {
        const nb::gil_scoped_release unlocked;
        return kernel(Execution{1, &python_interrupted});
    } catch (const Interrupted&) {
        if (PyErr_Occurred() == nullptr) PyErr_SetNone(PyExc_KeyboardInterrupt);
        throw nb::python_error();
    }
}

// How many numbers an answer has; more than there can be are refused.
std::size_t n_answers(std::size_t n_rows, std::size_t n_each) {
    constexpr std::size_t most = std::size_t{1} << 48;
    if (n_each != 0 && n_rows > most / n_each) {
        throw std::invalid_argument("an answer of " + std::to_string(n_rows) + " times " +
                                    std::to_string(n_each) + " numbers is too large");
    }
    return n_rows * n_each;
}

// The last argument of both ways to grow, in the order of TreeOptions. Classes have the criteria 0
// and 1, numbers 2 and 3.
TreeOptions as_options(int criterion, int first_criterion, bool random_splits, std::uint64_t seed,
                       const nb::tuple& limits) {
    if (criterion < first_criterion || criterion > first_criterion + 1) {
        throw std::invalid_argument("there is no criterion " + std::to_string(criterion) +
                                    " for these trees");
    }
    if (limits.size() != 7) {
        throw std::invalid_argument("limits must be 7 numbers; there are " +
                                    std::to_string(limits.size()));
    }
    const auto whole = [&](std::size_t i) {
        std::size_t number = 0;
        if (!nb::try_cast(limits[i], number)) {
            throw std::invalid_argument("limit " + std::to_string(i) +
                                        " must be a whole number of at least 0");
        }
        return number;
    };
    for (const std::size_t i : {4, 5}) {
        double number = 0;
        if (!nb::try_cast(limits[i], number)) {
            throw std::invalid_argument("limit " + std::to_string(i) + " must be a number");
        }
    }
    return {static_cast<TreeCriterion>(criterion),
            random_splits,
            seed,
            whole(0),
            whole(1),
            whole(2),
            whole(3),
            nb::cast<double>(limits[4]),
            nb::cast<double>(limits[5]),
            whole(6)};
}

ForestView as_forest(const Bytes& nodes, const Array<std::int64_t>& begin) {
    if (begin.size() == 0) throw std::invalid_argument("begin must say where the trees begin");
    return {as_nodes(nodes), as_span(begin)};
}

LeafSums as_sums(const Array<std::int64_t>& begin, const Array<std::int32_t>& classes,
                 const Array<double>& weights) {
    return {as_span(begin), as_span(classes), as_span(weights)};
}

void bind_tree_data(nb::module_& m) {
    nb::class_<TreeData>(m, "TreeData")
        .def(
            "__init__",
            [](TreeData* self, const ForestRows& X, int n_threads, const Bytes& categories) {
                run(n_threads, [&](const Execution& execution) {
                    if (const auto* const dense = X.dense()) {
                        new (self)
                            TreeData(*dense, X.n_rows, X.n_cols, as_span(categories), execution);
                    } else {
                        X.sparse([&](const auto& rows) { new (self) TreeData(rows, execution); });
                    }
                });
            },
            "X"_a, "n_threads"_a, "categories"_exact)
        .def_prop_ro("n_rows", &TreeData::n_rows)
        .def("stop", &TreeData::stop)
        .def(
            "grow_class_tree",
            [](const TreeData& self, const Array<std::int32_t>& codes, std::size_t n_classes,
               const Array<double>& weights, int criterion, bool random_splits, std::uint64_t seed,
               const nb::tuple& limits) {
                const TreeOptions options = as_options(criterion, 0, random_splits, seed, limits);
                GrownTree tree = run_growing([&](const Execution& execution) {
                    return grow_class_tree(self, as_span(codes), n_classes, as_span(weights),
                                           options, execution);
                });
                return tuple_of(as_bytes(std::move(tree.nodes)), tree.depth,
                                to_numpy(std::move(tree.sum_begin)),
                                to_numpy(std::move(tree.sum_class)),
                                to_numpy(std::move(tree.sum_weight)));
            },
            "codes"_exact, "n_classes"_a, "weights"_exact, "criterion"_a, "random_splits"_a,
            "seed"_a, "limits"_a)
        .def(
            "grow_value_tree",
            [](const TreeData& self, const Array<double>& y, const Array<double>& weights,
               int criterion, bool random_splits, std::uint64_t seed, const nb::tuple& limits) {
                const TreeOptions options = as_options(criterion, 2, random_splits, seed, limits);
                GrownTree tree = run_growing([&](const Execution& execution) {
                    return grow_value_tree(self, as_span(y), as_span(weights), options, execution);
                });
                return tuple_of(as_bytes(std::move(tree.nodes)), tree.depth,
                                to_numpy(std::move(tree.value)), to_numpy(std::move(tree.impurity)),
                                to_numpy(std::move(tree.weight)));
            },
            "y"_exact, "weights"_exact, "criterion"_a, "random_splits"_a, "seed"_a, "limits"_a);
}

}  // namespace

void bind_tree(nb::module_& m) {
    using Begin = Array<std::int64_t>;
    bind_tree_data(m);
    m.def(
        "forest_check",
        [](const Bytes& nodes, const Begin& begin, std::size_t n_cols) {
            const std::vector<std::int64_t> depths = forest_check(as_forest(nodes, begin), n_cols);
            return to_numpy(RawVector<std::int64_t>(depths.begin(), depths.end()));
        },
        "nodes"_exact, "begin"_exact, "n_cols"_a);
    m.def(
        "forest_check_sums",
        [](const Bytes& nodes, const Begin& begin, const Begin& sum_begin,
           const Array<std::int32_t>& sum_class, const Array<double>& sum_weight,
           std::size_t n_classes) {
            forest_check_sums(as_forest(nodes, begin), as_sums(sum_begin, sum_class, sum_weight),
                              n_classes);
        },
        "nodes"_exact, "begin"_exact, "sum_begin"_exact, "sum_class"_exact, "sum_weight"_exact,
        "n_classes"_a);
    m.def(
        "forest_leaves",
        [](const Bytes& nodes, const Begin& begin, const ForestRows& X, int n_threads) {
            const ForestView forest = as_forest(nodes, begin);
            return to_numpy(filled<std::int32_t>(n_answers(X.n_rows, forest.n_trees()), n_threads,
                                                 [&](auto out, const auto& execution) {
                                                     forest_leaves(forest, X, out, execution);
                                                 }),
                            {X.n_rows, forest.n_trees()});
        },
        "nodes"_exact, "begin"_exact, "X"_a, "n_threads"_a = 1);
    m.def(
        "forest_shares",
        [](const Bytes& nodes, const Begin& begin, const Begin& sum_begin,
           const Array<std::int32_t>& sum_class, const Array<double>& sum_weight,
           std::size_t n_classes, bool hard, const ForestRows& X, int n_threads) {
            const ForestView forest = as_forest(nodes, begin);
            const LeafSums sums = as_sums(sum_begin, sum_class, sum_weight);
            return to_numpy(filled<double>(n_answers(X.n_rows, n_classes), n_threads,
                                           [&](auto out, const auto& execution) {
                                               forest_shares(forest, sums, hard, X, n_classes, out,
                                                             execution);
                                           }),
                            {X.n_rows, n_classes});
        },
        "nodes"_exact, "begin"_exact, "sum_begin"_exact, "sum_class"_exact, "sum_weight"_exact,
        "n_classes"_a, "hard"_a, "X"_a, "n_threads"_a = 1);
    m.def(
        "forest_values",
        [](const Bytes& nodes, const Begin& begin, const Array<double>& values, const ForestRows& X,
           int n_threads) {
            const ForestView forest = as_forest(nodes, begin);
            return to_numpy(
                filled<double>(X.n_rows, n_threads, [&](auto out, const auto& execution) {
                    forest_values(forest, as_span(values), X, out, execution);
                }));
        },
        "nodes"_exact, "begin"_exact, "values"_exact, "X"_a, "n_threads"_a = 1);
    m.def(
        "tree_class_sums",
        [](const Bytes& nodes, const Begin& sum_begin, const Array<std::int32_t>& sum_class,
           const Array<double>& sum_weight, std::size_t n_classes) {
            const auto tree = as_nodes(nodes);
            const LeafSums sums = as_sums(sum_begin, sum_class, sum_weight);
            n_answers(tree.size(), n_classes);
            auto out =
                run(1, [&](const Execution&) { return tree_class_sums(tree, sums, n_classes); });
            return to_numpy(std::move(out), {tree.size(), n_classes});
        },
        "nodes"_exact, "sum_begin"_exact, "sum_class"_exact, "sum_weight"_exact, "n_classes"_a);
}

}  // namespace quire::bindings
