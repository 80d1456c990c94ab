// quire._core: the table of contents of the compiled kernels, a submodule for each folder.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace quire::bindings {
// base
void bind_random(nb::module_& m);
void bind_runtime(nb::module_& m);
// sparse
void bind_csr_matmul(nb::module_& m);
void bind_csr_transpose(nb::module_& m);
void bind_csr_vector(nb::module_& m);
// text
void bind_documents(nb::module_& m);
void bind_text(nb::module_& m);
// corpus
void bind_tokens(nb::module_& m);
// counts
void bind_class_sums(nb::module_& m);
void bind_gaussian(nb::module_& m);
void bind_labels(nb::module_& m);
void bind_naive_bayes(nb::module_& m);
// linear
void bind_block_project(nb::module_& m);
void bind_coordinate_descent(nb::module_& m);
void bind_csc_quadratic_descent(nb::module_& m);
void bind_logistic(nb::module_& m);
void bind_sparse_logistic(nb::module_& m);
// margins
void bind_csr_svm_descent(nb::module_& m);
void bind_smo(nb::module_& m);
// topics
void bind_dirichlet_terms(nb::module_& m);
void bind_lda_documents(nb::module_& m);
void bind_lda_gibbs(nb::module_& m);
void bind_lda_variational(nb::module_& m);
// neighbors
void bind_min_hashes(nb::module_& m);
void bind_nearest(nb::module_& m);
void bind_tile_top_k(nb::module_& m);
// cluster
void bind_kmeans(nb::module_& m);
void bind_mahalanobis(nb::module_& m);
void bind_responsibilities(nb::module_& m);
// trees
void bind_tree(nb::module_& m);
}  // namespace quire::bindings

NB_MODULE(_core, m) {
    using namespace quire::bindings;
#ifndef QUIRE_SANITIZED
    // Objects that caches or threads still hold when Python ends are no leaks.
    nb::set_leak_warnings(false);
#endif
    m.doc() = "Compiled kernels: arrays in, arrays out. Private; use the classes of quire.";
    // `from quire._core import sparse` and `import quire._core.sparse` both find a submodule.
    const auto add = [&m](const char* name, const char* doc, auto... bind) {
        nb::module_ submodule = m.def_submodule(name, doc);
        (bind(submodule), ...);
    };
    add("base", "Random numbers; instruction sets and threads.", bind_random, bind_runtime);
    add("sparse", "Products with sparse matrices, and their columns.", bind_csr_matmul,
        bind_csr_transpose, bind_csr_vector);
    add("text", "Texts counted, hashed and weighed.", bind_documents, bind_text);
    add("corpus", "Tokens in their places: patterns among them, and counts.", bind_tokens);
    add("counts", "Sums by class, and what naive Bayes makes of them.", bind_class_sums,
        bind_gaussian, bind_labels, bind_naive_bayes);
    add("linear", "Logistic regression, the lasso and Krylov spaces.", bind_block_project,
        bind_coordinate_descent, bind_csc_quadratic_descent, bind_logistic, bind_sparse_logistic);
    add("margins", "Support vector machines.", bind_csr_svm_descent, bind_smo);
    add("topics", "Latent Dirichlet allocation.", bind_dirichlet_terms, bind_lda_documents,
        bind_lda_gibbs, bind_lda_variational);
    add("neighbors", "Nearest rows, and nearly equal ones.", bind_min_hashes, bind_nearest,
        bind_tile_top_k);
    add("cluster", "k-means and mixtures.", bind_kmeans, bind_mahalanobis, bind_responsibilities);
    add("trees", "Trees and forests.", bind_tree);
}
