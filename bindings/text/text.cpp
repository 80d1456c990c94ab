// The text kernels: counting while a vocabulary grows, counting in a fixed one, hashing.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "bindings/base/arrays.hpp"
#include "bindings/base/csr.hpp"
#include "bindings/base/execution.hpp"
#include "bindings/base/filled.hpp"
#include "bindings/base/one_at_a_time.hpp"
#include "bindings/text/documents.hpp"
#include "text/json_shape.hpp"
#include "text/rows_to_csr.hpp"
#include "text/text_counter.hpp"
#include "text/text_hasher.hpp"
#include "text/text_lookup.hpp"
#include "text/tfidf.hpp"
#include "text/token_automaton.hpp"
#include "text/token_index.hpp"
#include "text/unicode.hpp"

namespace nb = nanobind;

namespace quire::bindings {

namespace {

AnalyzerOptions analyzer_options(const std::string& kind, bool lowercase,
                                 const std::optional<std::string>& accents, int shortest_word,
                                 int min_n, int max_n) {
    if (kind != "word" && kind != "char" && kind != "char_wb") {
        throw nb::value_error("kind must be 'word', 'char' or 'char_wb'");
    }
    if (accents && *accents != "unicode" && *accents != "ascii") {
        throw nb::value_error("accents must be 'unicode', 'ascii' or None");
    }
    if (min_n < 1 || max_n < min_n) {
        throw nb::value_error("n-grams must have at least 1 part, and the most no less than that");
    }
    constexpr int most_words = 255;  // the length of an n-gram of words is kept in a byte
    if (kind == "word" && max_n > most_words) {
        throw nb::value_error("n-grams of words must have at most 255 of them");
    }
    if (shortest_word < 1) throw nb::value_error("shortest_word must be at least 1");
    AnalyzerOptions options;
    options.kind = kind == "word"   ? AnalyzerKind::word
                   : kind == "char" ? AnalyzerKind::character
                                    : AnalyzerKind::character_in_word;
    options.lowercase = lowercase;
    options.accents = !accents                ? Accents::keep
                      : *accents == "unicode" ? Accents::strip_unicode
                                              : Accents::strip_ascii;
    options.shortest_word = shortest_word;
    options.min_n = min_n;
    options.max_n = max_n;
    return options;
}

// An automaton that analyzers share.
struct Automaton {
    std::shared_ptr<const TokenAutomaton> held;
};

Norm norm_of(const std::optional<std::string>& norm) {
    if (norm && *norm != "l1" && *norm != "l2") throw nb::value_error("norm must be 'l1' or 'l2'");
    return !norm ? Norm::none : *norm == "l1" ? Norm::l1 : Norm::l2;
}

TermsView terms_view(const Array<std::uint8_t>& words, const Array<std::int64_t>& word_offsets,
                     int width, const Array<std::int32_t>& grams) {
    return {as_span<std::uint8_t>(words),
            as_span<std::int64_t>(word_offsets),
            width,
            as_span<std::int32_t>(grams),
            {},
            {}};
}

// Runs a kernel over documents; malformed text becomes a ValueError.
template <class Kernel>
auto run_on_documents(const Documents& documents, int n_threads, Kernel&& kernel) {
    if (documents.bad_row() >= 0) {
        const std::string message =
            "document " + std::to_string(documents.bad_row()) + " is not a string";
        throw nb::value_error(message.c_str());
    }
    try {
        return run(n_threads, std::forward<Kernel>(kernel));
    } catch (const BadUtf8& bad) {
        const std::string message = "document " + std::to_string(bad.document) +
                                    " is not valid UTF-8 (byte " + std::to_string(bad.byte) + ")";
        throw nb::value_error(message.c_str());
    }
}

// Counters and rows, and who is at work on them.
struct Counter : TextCounter {
    using TextCounter::TextCounter;
    mutable OneAtATime calls;
};
struct Rows {
    CountRows rows;
    mutable OneAtATime calls;
};
using Turn = OneAtATime::Turn;

using CsrArrays = nb::typed<nb::tuple, NumpyArray<void>, NumpyArray<void>, NumpyArray<void>>;

template <class Value>
CsrArrays csr_tuple(CountRows& rows, const ColumnMap& map, bool binary, int n_threads) {
    if (rows.taken) throw std::logic_error("the rows were made into a matrix before");
    const auto indptr = run(
        n_threads, [&](const Execution& execution) { return row_pointers(rows, map, execution); });
    const auto make = [&]<class Index>(Index) {
        auto arrays = run(n_threads, [&](const Execution& execution) {
            return rows_to_csr<Value, Index>(rows, map, binary, indptr, execution);
        });
        return CsrArrays(nb::make_tuple(to_numpy(std::move(arrays.data)),
                                        to_numpy(std::move(arrays.indices)),
                                        to_numpy(std::move(arrays.indptr))));
    };
    const bool large = indptr.back() > std::numeric_limits<std::int32_t>::max();
    return large ? make(std::int64_t{}) : make(std::int32_t{});
}

CsrArrays csr_of(CountRows& rows, const ColumnMap& map, const std::string& dtype, bool binary,
                 int n_threads) {
    if (dtype == "int64") return csr_tuple<std::int64_t>(rows, map, binary, n_threads);
    if (dtype == "int32") return csr_tuple<std::int32_t>(rows, map, binary, n_threads);
    if (dtype == "float32") return csr_tuple<float>(rows, map, binary, n_threads);
    if (dtype == "float64") return csr_tuple<double>(rows, map, binary, n_threads);
    throw nb::value_error("dtype must be int32, int64, float32 or float64");
}

auto terms_tuple(Terms&& terms) {
    return tuple_of(to_numpy(std::move(terms.words)), to_numpy(std::move(terms.word_offsets)),
                    terms.width, to_numpy(std::move(terms.grams)),
                    to_numpy(std::move(terms.document_frequency)),
                    to_numpy(std::move(terms.term_frequency)));
}

// The strings of chosen terms as Python objects.
nb::typed<nb::list, nb::str> term_strings(const Array<std::uint8_t>& words,
                                          const Array<std::int64_t>& word_offsets, int width,
                                          const Array<std::int32_t>& grams,
                                          const Array<std::int64_t>& chosen) {
    const TermsView terms = terms_view(words, word_offsets, width, grams);
    nb::typed<nb::list, nb::str> out;
    std::string joined;
    terms.check();
    for (const std::int64_t t : as_span<std::int64_t>(chosen)) {
        const auto place = static_cast<std::size_t>(t);
        if (place >= terms.n_terms()) throw nb::index_error("there is no such term");
        std::string_view text;
        if (width == 1) {
            text = terms.word(place);
        } else {
            joined.clear();
            for (int k = 0; k < width; ++k) {
                const std::int32_t word = terms.grams[place * static_cast<std::size_t>(width) +
                                                      static_cast<std::size_t>(k)];
                if (word < 0) break;
                if (k > 0) joined += ' ';
                joined += terms.word(static_cast<std::size_t>(word));
            }
            text = joined;
        }
        PyObject* string = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()),
                                                "surrogatepass");
        if (string == nullptr) throw nb::python_error();
        out.append(nb::steal(string));
    }
    return out;
}

template <class Value, class Index>
void bind_csr_tfidf(nb::module_& m) {
    m.def(
        "csr_tfidf",
        [](const MutableCsr<Value, Index>& X, const std::optional<Array<Value>>& idf,
           const std::optional<std::string>& norm, int n_threads) {
            const std::span<const Value> weights =
                idf ? as_span<Value>(*idf) : std::span<const Value>();
            check_apart({memory_of(X.data)},
                        {memory_of(X.indices), memory_of(X.indptr), memory_of(weights)});
            run(n_threads, [&](const Execution& execution) {
                csr_tfidf(X.data, X.indices, X.indptr, X.n_cols, weights, norm_of(norm), execution);
            });
        },
        "X"_a, "idf"_a.none(), "norm"_a.none(), "n_threads"_a);
}

template <class Index>
void bind_csr_document_frequency(nb::module_& m) {
    m.def(
        "csr_document_frequency",
        [](const Array<Index>& indices, std::int64_t n_cols, int n_threads) {
            return to_numpy(run(n_threads, [&](const Execution& execution) {
                return csr_document_frequency(as_span<Index>(indices), n_cols, execution);
            }));
        },
        "indices"_a.noconvert(), "n_cols"_a, "n_threads"_a);
}

}  // namespace

void bind_text(nb::module_& m) {
    m.attr("unicode_version") = unicode_version();

    m.def(
        "character_set",
        [](const std::string& name) {
            const auto bounds = character_set(name);
            if (bounds.empty()) throw nb::value_error("there is no set of characters of this name");
            return to_numpy(std::vector<std::int32_t>(bounds.begin(), bounds.end()));
        },
        "name"_a);

    nb::class_<Automaton>(m, "TokenAutomaton", "Finds the tokens of a regular expression.")
        .def(
            "__init__",
            [](Automaton* self, const Array<std::int32_t>& starts,
               const Array<std::uint8_t>& classes, std::size_t n_classes,
               const Array<std::uint16_t>& next, const Array<std::uint8_t>& accepts,
               const Array<std::uint16_t>& first, std::uint32_t skip, std::uint32_t keep,
               std::uint32_t drop) {
                new (self) Automaton{std::make_shared<const TokenAutomaton>(
                    as_span<std::int32_t>(starts), as_span<std::uint8_t>(classes), n_classes,
                    as_span<std::uint16_t>(next), as_span<std::uint8_t>(accepts),
                    as_span<std::uint16_t>(first), TokenPart{skip, keep, drop})};
            },
            "starts"_exact, "classes"_exact, "n_classes"_a, "next"_exact, "accepts"_exact,
            "first"_exact, "skip"_a, "keep"_a, "drop"_a);

    nb::class_<AnalyzerOptions>(m, "AnalyzerOptions")
        .def(
            "__init__",
            [](AnalyzerOptions* self, const std::string& kind, bool lowercase,
               const std::optional<std::string>& accents, int shortest_word, int min_n, int max_n,
               const Automaton* automaton,
               const std::optional<std::vector<std::string>>& negations) {
                AnalyzerOptions options =
                    analyzer_options(kind, lowercase, accents, shortest_word, min_n, max_n);
                if (automaton != nullptr) options.automaton = automaton->held;
                if (negations) options.negation = std::make_shared<const Negation>(*negations);
                new (self) AnalyzerOptions(std::move(options));
            },
            "kind"_a, "lowercase"_a, "accents"_a.none(), "shortest_word"_a, "min_n"_a, "max_n"_a,
            "automaton"_a.none() = nb::none(), "negations"_a.none() = nb::none());

    nb::class_<Counter>(m, "TextCounter", "Counts documents while the vocabulary grows.")
        .def(
            "__init__",
            [](Counter* self, const AnalyzerOptions& options, std::vector<std::string> stop_words,
               bool keep_rows, std::optional<double> threshold, std::uint64_t move_limit) {
                new (self) Counter(options, std::move(stop_words), keep_rows,
                                   ClassCounts(threshold, move_limit));
            },
            "options"_a, "stop_words"_a, "keep_rows"_a, "threshold"_a.none() = nb::none(),
            "move_limit"_a = ClassCounts::kLimit)
        .def(
            "add_documents",
            [](Counter& self, const Documents& documents, int n_threads) {
                const Turn turn(self.calls);
                run_on_documents(documents, n_threads, [&](const Execution& execution) {
                    self.add_documents(documents.views(), execution);
                });
            },
            "documents"_a, "n_threads"_a)
        .def(
            "add_labelled",
            [](Counter& self, const Documents& documents, const Array<std::int32_t>& labels,
               const Array<double>& weights, int n_threads) {
                const Turn turn(self.calls);
                run_on_documents(documents, n_threads, [&](const Execution& execution) {
                    self.add_labelled(documents.views(), as_span<std::int32_t>(labels),
                                      as_span<double>(weights), execution);
                });
            },
            "documents"_a, "labels"_a.noconvert(), "weights"_a.noconvert(), "n_threads"_a)
        .def(
            "add_terms",
            [](Counter& self, const Array<std::uint8_t>& words,
               const Array<std::int64_t>& word_offsets, int width, const Array<std::int32_t>& grams,
               const Array<std::int64_t>& document_frequency,
               const Array<std::int64_t>& term_frequency) {
                const Turn turn(self.calls);
                TermsView terms = terms_view(words, word_offsets, width, grams);
                terms.document_frequency = as_span<std::int64_t>(document_frequency);
                terms.term_frequency = as_span<std::int64_t>(term_frequency);
                return to_numpy(run(1, [&](const Execution& execution) {
                    return self.add_terms(terms, execution);
                }));
            },
            "words"_a, "word_offsets"_a, "width"_a, "grams"_a, "document_frequency"_a,
            "term_frequency"_a)
        .def(
            "finish",
            [](Counter& self, int n_threads) {
                const Turn turn(self.calls);
                return terms_tuple(run(
                    n_threads, [&](const Execution& execution) { return self.finish(execution); }));
            },
            "n_threads"_a)
        .def(
            "places_of",
            [](const Counter& self, const Array<std::uint32_t>& numbers) {
                const Turn turn(self.calls);
                return to_numpy(self.places_of(as_span<std::uint32_t>(numbers)));
            },
            "numbers"_a.noconvert())
        .def(
            "class_counts",
            [](const Counter& self, std::size_t n_classes, int n_threads) {
                const Turn turn(self.calls);
                auto sums = filled<double>(n_entries(n_classes, self.n_terms()), n_threads,
                                           [&](auto out, const auto& execution) {
                                               self.class_counts(n_classes, out, execution);
                                           });
                return to_numpy(std::move(sums), {n_classes, self.n_terms()});
            },
            "n_classes"_a, "n_threads"_a)
        .def(
            "to_csr",
            [](Counter& self, const std::string& dtype,
               const std::optional<Array<std::int32_t>>& column_of_term, std::size_t n_columns,
               bool binary, int n_threads) {
                const Turn turn(self.calls);
                self.check_sorted();
                ColumnMap map{self.term_of_number(), {}, n_columns};
                if (column_of_term) map.column_of_term = as_span<std::int32_t>(*column_of_term);
                check_column_map(self.rows(), map, self.n_terms());
                map.joins = shares_columns(map.column_of_term, n_columns);
                return csr_of(self.rows(), map, dtype, binary, n_threads);
            },
            "dtype"_a, "column_of_term"_a.none(), "n_columns"_a, "binary"_a, "n_threads"_a);

    nb::class_<Rows>(m, "CountRows", "Counts by column, one row a document.")
        .def(
            "to_csr",
            [](Rows& self, const std::string& dtype, std::size_t n_columns, bool binary,
               int n_threads) {
                const Turn turn(self.calls);
                const ColumnMap map{{}, {}, n_columns};
                check_column_map(self.rows, map, 0);
                return csr_of(self.rows, map, dtype, binary, n_threads);
            },
            "dtype"_a, "n_columns"_a, "binary"_a, "n_threads"_a);

    nb::class_<TextLookup>(m, "TextLookup", "Counts documents in a fixed vocabulary.")
        .def(
            "__init__",
            [](TextLookup* self, const AnalyzerOptions& options,
               const std::vector<std::string>& stop_words, const Array<std::uint8_t>& words,
               const Array<std::int64_t>& word_offsets, int width, const Array<std::int32_t>& grams,
               const Array<std::int32_t>& columns) {
                const TermsView terms = terms_view(words, word_offsets, width, grams);
                run(1, [&](const Execution& execution) {
                    new (self) TextLookup(options, stop_words, terms,
                                          as_span<std::int32_t>(columns), execution);
                });
            },
            "options"_a, "stop_words"_a, "words"_a, "word_offsets"_a, "width"_a, "grams"_a,
            "columns"_a)
        .def(
            "count",
            [](const TextLookup& self, const Documents& documents, int n_threads) {
                return Rows{run_on_documents(documents, n_threads,
                                             [&](const Execution& execution) {
                                                 return self.count(documents.views(), execution);
                                             }),
                            {}};
            },
            "documents"_a, "n_threads"_a);

    m.def(
        "hash_documents",
        [](const Documents& documents, const AnalyzerOptions& options,
           const std::vector<std::string>& stop_words, std::int64_t n_features, bool alternate_sign,
           int n_threads) -> std::variant<Rows, std::size_t> {
            try {
                return Rows{run_on_documents(documents, n_threads,
                                             [&](const Execution& execution) {
                                                 return hash_documents(
                                                     documents.views(), options, stop_words,
                                                     {n_features, alternate_sign}, execution);
                                             }),
                            {}};
            } catch (const SurrogateFound& found) {
                return found.document;
            }
        },
        "documents"_a, "options"_a, "stop_words"_a, "n_features"_a, "alternate_sign"_a,
        "n_threads"_a);

    m.def(
        "index_tokens",
        [](const Documents& documents, const AnalyzerOptions& options, int n_threads) {
            TokenIndex index =
                run_on_documents(documents, n_threads, [&](const Execution& execution) {
                    return index_tokens(documents.views(), options, execution);
                });
            return tuple_of(
                to_numpy(std::move(index.words)), to_numpy(std::move(index.word_offsets)),
                to_numpy(std::move(index.forms)), to_numpy(std::move(index.gaps)),
                to_numpy(std::move(index.wide_tokens)), to_numpy(std::move(index.wide_gaps)),
                to_numpy(std::move(index.bounds)));
        },
        "documents"_a, "options"_a, "n_threads"_a);
    m.def("term_strings", &term_strings, "words"_a, "word_offsets"_a, "width"_a, "grams"_a,
          "chosen"_a);
    m.def(
        "json_shape",
        [](const nb::bytes& text) {
            const JsonShape shape = run(1, [&](const Execution& execution) {
                return json_shape({text.c_str(), text.size()}, execution);
            });
            return std::tuple(shape.depth, shape.n_open, shape.n_keys);
        },
        "text"_a);
    for_matrices<float, double>(
        [&]<class Value, class Index>() { bind_csr_tfidf<Value, Index>(m); });
    for_types<std::int32_t, std::int64_t>(
        [&]<class Index>() { bind_csr_document_frequency<Index>(m); });
}

}  // namespace quire::bindings
