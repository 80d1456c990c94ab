// The topic sampler. It reads the caller's arrays in place and keeps them alive.
#include "topics/lda_gibbs.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "bindings/base/arrays.hpp"
#include "bindings/base/execution.hpp"

namespace quire::bindings {

namespace {

LdaGibbs::Storage storage_of(std::string_view name) {
    if (name == "auto") return LdaGibbs::Storage::automatic;
    if (name == "rows") return LdaGibbs::Storage::rows;
    if (name == "lists") return LdaGibbs::Storage::lists;
    throw std::invalid_argument("storage must be 'auto', 'rows' or 'lists'");
}

}  // namespace

void bind_lda_gibbs(nb::module_& m) {
    nb::class_<LdaGibbs>(m, "LdaGibbs")
        .def(
            "__init__",
            [](LdaGibbs* self, const Array<std::int64_t>& indptr,
               const Array<std::int32_t>& indices, const Array<std::int32_t>& counts,
               std::size_t n_words, std::size_t n_topics, std::size_t n_parts,
               std::string_view storage) {
                const CountRows X{as_span(indptr), as_span(indices), as_span(counts), n_words};
                const auto kind = storage_of(storage);
                const nb::gil_scoped_release unlocked;
                new (self) LdaGibbs(X, n_topics, n_parts, kind);
            },
            "indptr"_exact, "indices"_exact, "counts"_exact, "n_words"_a, "n_topics"_a,
            "n_parts"_a = 0, "storage"_a = "auto", nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
            nb::keep_alive<1, 4>())
        .def_prop_ro("n_tokens", &LdaGibbs::n_tokens)
        .def_prop_ro("n_parts", &LdaGibbs::n_parts)
        .def_prop_ro("sweep", &LdaGibbs::sweep)
        .def_prop_ro("epoch", &LdaGibbs::epoch)
        .def_prop_ro("has_lists", &LdaGibbs::has_lists)
        .def_prop_ro("totals",
                     [](const LdaGibbs& self) {
                         const auto totals = self.totals();
                         return to_numpy(std::vector<std::int32_t>(totals.begin(), totals.end()));
                     })
        .def(
            "set_priors",
            [](LdaGibbs& self, const Array<double>& alpha, double beta,
               const Array<std::int32_t>& seed_begin, const Array<std::int32_t>& seed_topics,
               const Array<double>& seed_weights) {
                self.set_priors(as_span(alpha), std::span(&beta, 1), as_span(seed_begin),
                                as_span(seed_topics), as_span(seed_weights));
            },
            "alpha"_exact, "beta"_a, "seed_begin"_exact, "seed_topics"_exact, "seed_weights"_exact)
        .def(
            "set_word_priors",
            [](LdaGibbs& self, const Array<double>& alpha, const Array<double>& beta,
               const Array<std::int32_t>& seed_begin, const Array<std::int32_t>& seed_topics,
               const Array<double>& seed_weights) {
                self.set_priors(as_span(alpha), as_span(beta), as_span(seed_begin),
                                as_span(seed_topics), as_span(seed_weights));
            },
            "alpha"_exact, "beta"_exact, "seed_begin"_exact, "seed_topics"_exact,
            "seed_weights"_exact)
        .def(
            "run",
            [](LdaGibbs& self, std::uint64_t seed, std::size_t sweep, int n_threads) {
                run(n_threads,
                    [&](const Execution& execution) { self.run(seed, sweep, execution); });
            },
            "seed"_a, "sweep"_a, "n_threads"_a = 1)
        .def("assignments",
             [](const LdaGibbs& self) {
                 std::vector<std::uint16_t> topics(self.n_tokens());
                 self.assignments(topics);
                 return to_numpy(std::move(topics));
             })
        .def(
            "set_assignments",
            [](LdaGibbs& self, const Array<std::uint16_t>& topics, std::size_t sweep,
               std::size_t epoch) { self.set_assignments(as_span(topics), sweep, epoch); },
            "topics"_exact, "sweep"_a = 0, "epoch"_a = 0)
        .def(
            "topic_tails",
            [](const LdaGibbs& self, int n_threads) {
                TopicTails tails = run(n_threads, [&](const Execution& execution) {
                    return self.topic_tails(execution);
                });
                return tuple_of(to_numpy(std::move(tails.begin)), to_numpy(std::move(tails.tails)));
            },
            "n_threads"_a = 1)
        .def("word_histogram", [](const LdaGibbs& self) { return to_numpy(self.word_histogram()); })
        .def(
            "add_word_topics",
            [](const LdaGibbs& self, const MutableMatrix<double>& out) {
                self.add_word_topics(writable(out));
            },
            "out"_exact)
        .def(
            "word_topics",
            [](const LdaGibbs& self, const Array<std::int32_t>& columns) {
                std::vector<std::int32_t> out(columns.size() * self.n_topics());
                self.word_topics(as_span(columns), out);
                return to_numpy(std::move(out), {columns.size(), self.n_topics()});
            },
            "columns"_exact)
        .def("doc_topics", [](const LdaGibbs& self) {
            DocTopics found = self.doc_topics();
            return tuple_of(to_numpy(std::move(found.indptr)), to_numpy(std::move(found.topics)),
                            to_numpy(std::move(found.counts)));
        });
}

}  // namespace quire::bindings
