// Trees: rows prepared once, trees grown on them, and what trees say about rows.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>

#include "bindings/base/arrays.hpp"
#include "bindings/base/execution.hpp"
#include "bindings/base/filled.hpp"
#include "trees/forest_predict.hpp"
#include "trees/tree_data.hpp"
#include "trees/tree_grow.hpp"

namespace quire::bindings {

namespace {

using Bytes = Array<std::uint8_t>;

std::span<const TreeNode> as_nodes(const Bytes& nodes) {
    if (nodes.size() % sizeof(TreeNode) != 0) {
        throw std::invalid_argument("nodes must have 24 bytes each");
    }
    return {reinterpret_cast<const TreeNode*>(nodes.data()), nodes.size() / sizeof(TreeNode)};
}

nb::object as_bytes(RawVector<TreeNode>&& nodes) {
    auto* owned = new RawVector<TreeNode>(std::move(nodes));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<RawVector<TreeNode>*>(p); });
    const std::size_t shape[1] = {owned->size() * sizeof(TreeNode)};
    return nb::cast(nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(
        reinterpret_cast<std::uint8_t*>(owned->data()), 1, shape, owner));
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

// The last argument of both ways to grow, in the order of TreeOptions.
TreeOptions as_options(int criterion, bool random_splits, std::uint64_t seed,
                       const nb::tuple& limits) {
    const auto whole = [&](std::size_t i) { return nb::cast<std::size_t>(limits[i]); };
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
    return {as_nodes(nodes), as_span(begin)};
}

LeafSums as_sums(const Array<std::int64_t>& begin, const Array<std::int32_t>& classes,
                 const Array<double>& weights) {
    return {as_span(begin), as_span(classes), as_span(weights)};
}

// Calls body(rows) for a dense matrix, or for the arrays of a sparse one.
template <class Body>
auto with_rows(const nb::tuple& X, Body&& body) {
    if (X.size() == 1) {
        const auto dense = nb::cast<Matrix<float>>(X[0]);
        return body(ForestRows{as_span(dense), nullptr, dense.shape(0), dense.shape(1)});
    }
    const auto data = nb::cast<Array<float>>(X[0]);
    const auto indices = nb::cast<Array<std::int32_t>>(X[1]);
    const auto indptr = nb::cast<Array<std::int32_t>>(X[2]);
    const auto n_cols = nb::cast<std::size_t>(X[3]);
    const auto view =
        as_csr<float, std::int32_t>(data, indices, indptr, static_cast<std::int64_t>(n_cols));
    return body(ForestRows{{}, &view, view.n_rows(), n_cols});
}

void bind_tree_data(nb::module_& m) {
    nb::class_<TreeData>(m, "TreeData")
        .def(
            "__init__",
            [](TreeData* self, const nb::tuple& X, int n_threads, const Bytes& categories) {
                with_rows(X, [&](const ForestRows& rows) {
                    run(n_threads, [&](const Execution& execution) {
                        if (rows.sparse != nullptr) {
                            new (self) TreeData(*rows.sparse, execution);
                        } else {
                            new (self) TreeData(rows.dense, rows.n_rows, rows.n_cols,
                                                as_span(categories), execution);
                        }
                    });
                });
            },
            nb::arg("X"), nb::arg("n_threads"), nb::arg("categories").noconvert())
        .def_prop_ro("n_rows", &TreeData::n_rows)
        .def("stop", &TreeData::stop)
        .def(
            "grow_class_tree",
            [](const TreeData& self, const Array<std::int32_t>& codes, std::size_t n_classes,
               const Array<double>& weights, int criterion, bool random_splits, std::uint64_t seed,
               const nb::tuple& limits) {
                const TreeOptions options = as_options(criterion, random_splits, seed, limits);
                GrownTree tree = run_growing([&](const Execution& execution) {
                    return grow_class_tree(self, as_span(codes), n_classes, as_span(weights),
                                           options, execution);
                });
                return nb::make_tuple(as_bytes(std::move(tree.nodes)), tree.depth,
                                      to_numpy(std::move(tree.sum_begin)),
                                      to_numpy(std::move(tree.sum_class)),
                                      to_numpy(std::move(tree.sum_weight)));
            },
            nb::arg("codes").noconvert(), nb::arg("n_classes"), nb::arg("weights").noconvert(),
            nb::arg("criterion"), nb::arg("random_splits"), nb::arg("seed"), nb::arg("limits"))
        .def(
            "grow_value_tree",
            [](const TreeData& self, const Array<double>& y, const Array<double>& weights,
               int criterion, bool random_splits, std::uint64_t seed, const nb::tuple& limits) {
                const TreeOptions options = as_options(criterion, random_splits, seed, limits);
                GrownTree tree = run_growing([&](const Execution& execution) {
                    return grow_value_tree(self, as_span(y), as_span(weights), options, execution);
                });
                return nb::make_tuple(
                    as_bytes(std::move(tree.nodes)), tree.depth, to_numpy(std::move(tree.value)),
                    to_numpy(std::move(tree.impurity)), to_numpy(std::move(tree.weight)));
            },
            nb::arg("y").noconvert(), nb::arg("weights").noconvert(), nb::arg("criterion"),
            nb::arg("random_splits"), nb::arg("seed"), nb::arg("limits"));
}

}  // namespace

void bind_tree(nb::module_& m) {
    using Begin = Array<std::int64_t>;
    bind_tree_data(m);
    m.def(
        "forest_check",
        [](const Bytes& nodes, const Begin& begin, std::size_t n_cols) {
            forest_check(as_forest(nodes, begin), n_cols);
        },
        nb::arg("nodes").noconvert(), nb::arg("begin").noconvert(), nb::arg("n_cols"));
    m.def(
        "forest_check_sums",
        [](const Bytes& nodes, const Begin& begin, const Begin& sum_begin,
           const Array<std::int32_t>& sum_class, const Array<double>& sum_weight,
           std::size_t n_classes) {
            forest_check_sums(as_forest(nodes, begin), as_sums(sum_begin, sum_class, sum_weight),
                              n_classes);
        },
        nb::arg("nodes").noconvert(), nb::arg("begin").noconvert(),
        nb::arg("sum_begin").noconvert(), nb::arg("sum_class").noconvert(),
        nb::arg("sum_weight").noconvert(), nb::arg("n_classes"));
    m.def(
        "forest_leaves",
        [](const Bytes& nodes, const Begin& begin, const nb::tuple& X, int n_threads) {
            const ForestView forest = as_forest(nodes, begin);
            return with_rows(X, [&](const ForestRows& rows) {
                return to_numpy(filled<std::int32_t>(rows.n_rows * forest.n_trees(), n_threads,
                                                     [&](auto out, const auto& execution) {
                                                         forest_leaves(forest, rows, out,
                                                                       execution);
                                                     }),
                                {rows.n_rows, forest.n_trees()});
            });
        },
        nb::arg("nodes").noconvert(), nb::arg("begin").noconvert(), nb::arg("X"),
        nb::arg("n_threads") = 1);
    m.def(
        "forest_shares",
        [](const Bytes& nodes, const Begin& begin, const Begin& sum_begin,
           const Array<std::int32_t>& sum_class, const Array<double>& sum_weight,
           std::size_t n_classes, bool hard, const nb::tuple& X, int n_threads) {
            const ForestView forest = as_forest(nodes, begin);
            const LeafSums sums = as_sums(sum_begin, sum_class, sum_weight);
            return with_rows(X, [&](const ForestRows& rows) {
                return to_numpy(filled<double>(rows.n_rows * n_classes, n_threads,
                                               [&](auto out, const auto& execution) {
                                                   forest_shares(forest, sums, hard, rows,
                                                                 n_classes, out, execution);
                                               }),
                                {rows.n_rows, n_classes});
            });
        },
        nb::arg("nodes").noconvert(), nb::arg("begin").noconvert(),
        nb::arg("sum_begin").noconvert(), nb::arg("sum_class").noconvert(),
        nb::arg("sum_weight").noconvert(), nb::arg("n_classes"), nb::arg("hard"), nb::arg("X"),
        nb::arg("n_threads") = 1);
    m.def(
        "forest_values",
        [](const Bytes& nodes, const Begin& begin, const Array<double>& values, const nb::tuple& X,
           int n_threads) {
            const ForestView forest = as_forest(nodes, begin);
            return with_rows(X, [&](const ForestRows& rows) {
                return to_numpy(
                    filled<double>(rows.n_rows, n_threads, [&](auto out, const auto& execution) {
                        forest_values(forest, as_span(values), rows, out, execution);
                    }));
            });
        },
        nb::arg("nodes").noconvert(), nb::arg("begin").noconvert(), nb::arg("values").noconvert(),
        nb::arg("X"), nb::arg("n_threads") = 1);
    m.def(
        "tree_class_sums",
        [](const Bytes& nodes, const Begin& sum_begin, const Array<std::int32_t>& sum_class,
           const Array<double>& sum_weight, std::size_t n_classes) {
            const auto tree = as_nodes(nodes);
            const LeafSums sums = as_sums(sum_begin, sum_class, sum_weight);
            auto out =
                run(1, [&](const Execution&) { return tree_class_sums(tree, sums, n_classes); });
            return to_numpy(std::move(out), {tree.size(), n_classes});
        },
        nb::arg("nodes").noconvert(), nb::arg("sum_begin").noconvert(),
        nb::arg("sum_class").noconvert(), nb::arg("sum_weight").noconvert(), nb::arg("n_classes"));
}

}  // namespace quire::bindings
