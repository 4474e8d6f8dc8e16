// The table of contents of rarewood._core. Each function lives in the file of its name.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_exit(nb::module_& m);  // running_calls.cpp
void bind_criteria(nb::module_& m);
void bind_dataset(nb::module_& m);
void bind_plan(nb::module_& m);
void bind_tree(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_shap(nb::module_& m);
void bind_parts(nb::module_& m);
void bind_steps(nb::module_& m);
void bind_testing(nb::module_& m);

NB_MODULE(_core, m) {
#ifdef NDEBUG
  nb::set_leak_warnings(false);  // a process that ends with objects alive, such as a pytest-xdist worker, leaks nothing of ours
#endif
  m.doc() = "The compiled core of rarewood. Private: use the classes of the package instead.";
  bind_exit(m);
  bind_criteria(m);
  bind_dataset(m);
  bind_plan(m);
  bind_tree(m);
  bind_forest(m);
  bind_shap(m);
  bind_parts(m);
  bind_steps(m);
  bind_testing(m);
}
