#include "running_calls.hpp"

#include <atomic>
#include <chrono>

namespace rarewood::bindings {
namespace {

namespace nb = nanobind;

constexpr std::chrono::seconds patience{10};  // with a Python criterion that does not return

std::atomic<int> n_running{0};
std::atomic<bool> exiting{false};
std::thread::id exiting_thread;  // set before `exiting`

void wait_until_none_runs() {
  exiting_thread = std::this_thread::get_id();
  exiting = true;
  nb::gil_scoped_release const released;
  auto const deadline = std::chrono::steady_clock::now() + patience;
  while (n_running > 0 && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace

RunningCall::RunningCall() {
  if (must_stop(std::this_thread::get_id())) raise_exit();
  ++n_running;
}

RunningCall::~RunningCall() { --n_running; }

bool RunningCall::must_stop(std::thread::id caller) { return exiting && caller != exiting_thread; }

void RunningCall::raise_exit() {
  PyErr_SetString(PyExc_SystemExit, "the interpreter is exiting");
  throw nb::python_error();
}

}  // namespace rarewood::bindings

void bind_exit(nanobind::module_&) {
  using namespace rarewood::bindings;
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&wait_until_none_runs));
  nb::module_ const os = nb::module_::import_("os");
  if (!nb::hasattr(os, "register_at_fork")) return;  // Windows
  // The threads of the parent are not there in the child.
  os.attr("register_at_fork")(nb::arg("after_in_child") = nb::cpp_function([] { n_running = 0; }));
}
