// The GIL is free while a kernel runs.
#pragma once

#include <Python.h>
#include <unistd.h>

#include "turn.h"

namespace ocelot::bindings {

// Gives the GIL back to Python and takes it again at the end of the scope.
//
// When the interpreter is shutting down, a daemon thread never gets the GIL again. Up to
// Python 3.13 it is ended by pthread_exit, which on Linux unwinds the stack as an exception would.
// The frames above are noexcept, and leaving them so aborts the process. So the thread stops here
// forever, as Python itself does since 3.14; it ends with the process.
class ReleasedGil {
 public:
  ReleasedGil() : state_(PyEval_SaveThread()) { Turn::end(); }
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

  ~ReleasedGil() {
    Turn::wait();
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {  // the only thing to arrive here is that unwinding; it must not be swallowed
      for (;;) pause();
    }
  }

 private:
  PyThreadState* const state_;
};

}  // namespace ocelot::bindings
