// quire._core: the table of contents of the compiled kernels.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace quire::bindings {
void bind_block_project(nb::module_& m);
void bind_class_sums(nb::module_& m);
void bind_coordinate_descent(nb::module_& m);
void bind_csc_quadratic_descent(nb::module_& m);
void bind_csr_matmul(nb::module_& m);
void bind_csr_svm_descent(nb::module_& m);
void bind_csr_transpose(nb::module_& m);
void bind_csr_vector(nb::module_& m);
void bind_dirichlet_terms(nb::module_& m);
void bind_gaussian(nb::module_& m);
void bind_kmeans(nb::module_& m);
void bind_labels(nb::module_& m);
void bind_lda_documents(nb::module_& m);
void bind_lda_gibbs(nb::module_& m);
void bind_lda_variational(nb::module_& m);
void bind_logistic(nb::module_& m);
void bind_mahalanobis(nb::module_& m);
void bind_naive_bayes(nb::module_& m);
void bind_nearest(nb::module_& m);
void bind_random(nb::module_& m);
void bind_responsibilities(nb::module_& m);
void bind_documents(nb::module_& m);
void bind_runtime(nb::module_& m);
void bind_smo(nb::module_& m);
void bind_sparse_logistic(nb::module_& m);
void bind_text(nb::module_& m);
void bind_tile_top_k(nb::module_& m);
void bind_tree(nb::module_& m);
}  // namespace quire::bindings

NB_MODULE(_core, m) {
#ifndef QUIRE_SANITIZED
    // Objects that caches or threads still hold when Python ends are no leaks.
    nb::set_leak_warnings(false);
#endif
    m.doc() = "Compiled kernels: arrays in, arrays out. Private; use the classes of quire.";
    quire::bindings::bind_block_project(m);
    quire::bindings::bind_class_sums(m);
    quire::bindings::bind_coordinate_descent(m);
    quire::bindings::bind_csc_quadratic_descent(m);
    quire::bindings::bind_csr_matmul(m);
    quire::bindings::bind_csr_svm_descent(m);
    quire::bindings::bind_csr_transpose(m);
    quire::bindings::bind_csr_vector(m);
    quire::bindings::bind_dirichlet_terms(m);
    quire::bindings::bind_gaussian(m);
    quire::bindings::bind_kmeans(m);
    quire::bindings::bind_labels(m);
    quire::bindings::bind_lda_documents(m);
    quire::bindings::bind_lda_gibbs(m);
    quire::bindings::bind_lda_variational(m);
    quire::bindings::bind_logistic(m);
    quire::bindings::bind_mahalanobis(m);
    quire::bindings::bind_naive_bayes(m);
    quire::bindings::bind_nearest(m);
    quire::bindings::bind_random(m);
    quire::bindings::bind_responsibilities(m);
    quire::bindings::bind_documents(m);
    quire::bindings::bind_runtime(m);
    quire::bindings::bind_smo(m);
    quire::bindings::bind_sparse_logistic(m);
    quire::bindings::bind_text(m);
    quire::bindings::bind_tile_top_k(m);
    quire::bindings::bind_tree(m);
}
