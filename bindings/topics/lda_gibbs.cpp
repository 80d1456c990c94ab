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

#include "base/memory.hpp"
#include "bindings/base/arrays.hpp"
#include "bindings/base/execution.hpp"
#include "bindings/base/one_at_a_time.hpp"

namespace quire::bindings {

namespace {

LdaGibbs::Storage storage_of(std::string_view name) {
    if (name == "auto") return LdaGibbs::Storage::automatic;
    if (name == "rows") return LdaGibbs::Storage::rows;
    if (name == "lists") return LdaGibbs::Storage::lists;
    throw std::invalid_argument("storage must be 'auto', 'rows' or 'lists'");
}

// The sampler, the arrays that it reads (held, so that nobody gives their memory back), and who is
// at work on it.
struct Sampler : LdaGibbs {
    using LdaGibbs::LdaGibbs;

    Array<std::int64_t> indptr;
    Array<std::int32_t> indices, counts;
    mutable OneAtATime calls;
};
using Turn = OneAtATime::Turn;

}  // namespace

void bind_lda_gibbs(nb::module_& m) {
    nb::class_<Sampler>(m, "LdaGibbs")
        .def(
            "__init__",
            [](Sampler* self, const Array<std::int64_t>& indptr, const Array<std::int32_t>& indices,
               const Array<std::int32_t>& counts, std::size_t n_words, std::size_t n_topics,
               std::size_t n_parts, std::string_view storage) {
                const CountRows X{as_span(indptr), as_span(indices), as_span(counts), n_words};
                const auto kind = storage_of(storage);
                {
                    const nb::gil_scoped_release unlocked;
                    new (self) Sampler(X, n_topics, n_parts, kind);
                }
                self->indptr = indptr;
                self->indices = indices;
                self->counts = counts;
            },
            "indptr"_exact, "indices"_exact, "counts"_exact, "n_words"_a, "n_topics"_a,
            "n_parts"_a = 0, "storage"_a = "auto")
        .def_prop_ro("n_tokens", [](const Sampler& self) { return self.n_tokens(); })
        .def_prop_ro("n_parts", [](const Sampler& self) { return self.n_parts(); })
        .def_prop_ro("sweep", [](const Sampler& self) { return self.sweep(); })
        .def_prop_ro("epoch", [](const Sampler& self) { return self.epoch(); })
        .def_prop_ro("has_lists", [](const Sampler& self) { return self.has_lists(); })
        .def_prop_ro("totals",
                     [](const Sampler& self) {
                         const auto totals = self.totals();
                         return to_numpy(std::vector<std::int32_t>(totals.begin(), totals.end()));
                     })
        .def(
            "set_priors",
            [](Sampler& self, const Array<double>& alpha, double beta,
               const Array<std::int32_t>& seed_begin, const Array<std::int32_t>& seed_topics,
               const Array<double>& seed_weights) {
                const Turn turn(self.calls);
                self.set_priors(as_span(alpha), std::span(&beta, 1), as_span(seed_begin),
                                as_span(seed_topics), as_span(seed_weights));
            },
            "alpha"_exact, "beta"_a, "seed_begin"_exact, "seed_topics"_exact, "seed_weights"_exact)
        .def(
            "set_word_priors",
            [](Sampler& self, const Array<double>& alpha, const Array<double>& beta,
               const Array<std::int32_t>& seed_begin, const Array<std::int32_t>& seed_topics,
               const Array<double>& seed_weights) {
                const Turn turn(self.calls);
                self.set_priors(as_span(alpha), as_span(beta), as_span(seed_begin),
                                as_span(seed_topics), as_span(seed_weights));
            },
            "alpha"_exact, "beta"_exact, "seed_begin"_exact, "seed_topics"_exact,
            "seed_weights"_exact)
        .def(
            "run",
            [](Sampler& self, std::uint64_t seed, std::size_t sweep, int n_threads) {
                const Turn turn(self.calls);
                run(n_threads,
                    [&](const Execution& execution) { self.run(seed, sweep, execution); });
            },
            "seed"_a, "sweep"_a, "n_threads"_a = 1)
        .def("assignments",
             [](const Sampler& self) {
                 const Turn turn(self.calls);
                 std::vector<std::uint16_t> topics(self.n_tokens());
                 self.assignments(topics);
                 return to_numpy(std::move(topics));
             })
        .def(
            "set_assignments",
            [](Sampler& self, const Array<std::uint16_t>& topics, std::size_t sweep,
               std::size_t epoch) {
                const Turn turn(self.calls);
                self.set_assignments(as_span(topics), sweep, epoch);
            },
            "topics"_exact, "sweep"_a = 0, "epoch"_a = 0)
        .def(
            "topic_tails",
            [](const Sampler& self, int n_threads) {
                const Turn turn(self.calls);
                TopicTails tails = run(n_threads, [&](const Execution& execution) {
                    return self.topic_tails(execution);
                });
                return tuple_of(to_numpy(std::move(tails.begin)), to_numpy(std::move(tails.tails)));
            },
            "n_threads"_a = 1)
        .def("word_histogram",
             [](const Sampler& self) {
                 const Turn turn(self.calls);
                 return to_numpy(self.word_histogram());
             })
        .def(
            "add_word_topics",
            [](const Sampler& self, const MutableMatrix<double>& out) {
                const Turn turn(self.calls);
                self.add_word_topics(writable(out));
            },
            "out"_exact)
        .def(
            "word_topics",
            [](const Sampler& self, const Array<std::int32_t>& columns) {
                const Turn turn(self.calls);
                std::vector<std::int32_t> out(n_entries(columns.size(), self.n_topics()));
                self.word_topics(as_span(columns), out);
                return to_numpy(std::move(out), {columns.size(), self.n_topics()});
            },
            "columns"_exact)
        .def("doc_topics", [](const Sampler& self) {
            const Turn turn(self.calls);
            DocTopics found = self.doc_topics();
            return tuple_of(to_numpy(std::move(found.indptr)), to_numpy(std::move(found.topics)),
                            to_numpy(std::move(found.counts)));
        });
}

}  // namespace quire::bindings
