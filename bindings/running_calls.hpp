// Calls into the core that run without the GIL. When the interpreter is about to exit, those of daemon threads must be over: a thread that
// asks an interpreter in its end for the GIL never gets it back, and is unwound through C++ code, which aborts the process.
#pragma once

#include <nanobind/nanobind.h>

#include <thread>

namespace rarewood::bindings {

// One call, from before the GIL is released until it is held again. Raises SystemExit, which ends a thread in silence, when it is too late to
// begin. The thread that ends the interpreter may go on calling.
class RunningCall {
 public:
  RunningCall();
  ~RunningCall();
  RunningCall(RunningCall const&) = delete;
  RunningCall& operator=(RunningCall const&) = delete;

  // Whether calls begun by a thread have to stop. From any thread, without the GIL.
  static bool must_stop(std::thread::id caller);
  [[noreturn]] static void raise_exit();
};

}  // namespace rarewood::bindings
