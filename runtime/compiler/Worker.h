// libkiln's side of a compiler process (Zygote.h): finds the program, starts it without the application noticing,
// passes builds to it from any thread, and starts another when it has gone.
#pragma once
#include "runtime/compiler/Zygote.h"
#include "runtime/support/Mutex.h"
#include "runtime/support/Status.h"
#include <memory>
#include <string>

namespace kiln {

class Worker {
public:
  /// `name` is kilnc or kiln-clc, looked for in `folder`, or around libkiln when that is empty.
  Worker(std::string name, std::string folder, zygote::Limits limits);
  ~Worker();

  /// One build. Fails with CL_COMPILER_NOT_AVAILABLE where no compiler process can be had, and with
  /// CL_BUILD_PROGRAM_FAILURE where the one that did the build came to an end.
  Result<wire::Bytes> request(const wire::Bytes &request);

  /// Starts the process unless it runs, without waiting until it is ready. Failures show on the first request.
  void startInBackground();
  /// Ends the process when the builds under way have been answered.
  void stop();

private:
  struct Process;
  Result<std::shared_ptr<Process>> running() KILN_EXCLUDES(mutex_);
  Result<std::shared_ptr<Process>> spawn() KILN_REQUIRES(mutex_);
  void forget(const std::shared_ptr<Process> &dead) KILN_EXCLUDES(mutex_);

  const std::string name_, folder_;
  const zygote::Limits limits_;
  Mutex mutex_;
  std::shared_ptr<Process> process_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln
