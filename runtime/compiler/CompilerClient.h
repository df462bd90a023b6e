// libkiln's side of a compiler process (Zygote.h): finds the program, starts it without the application noticing,
// passes builds to it from any thread, and starts another when it has gone. After a fork the application's child has
// a process of its own.
#pragma once
#include "runtime/compiler/Zygote.h"
#include "runtime/support/Status.h"
#include <atomic>
#include <memory>
#include <string>

namespace kiln {

class CompilerClient {
public:
  /// `name` is kilnc or kiln-clc, looked for in `folder`, or around libkiln when that is empty.
  CompilerClient(std::string name, std::string folder, zygote::Limits limits);
  ~CompilerClient();
  CompilerClient(const CompilerClient &) = delete;
  CompilerClient &operator=(const CompilerClient &) = delete;

  /// One build. Fails with CL_COMPILER_NOT_AVAILABLE where no compiler process can be had, and with
  /// CL_BUILD_PROGRAM_FAILURE where the one that did the build came to an end; the message is for the build log.
  Result<wire::Bytes> request(const wire::Bytes &request);

  /// Starts the process unless it runs, without waiting until it is ready. Failures show on the first request.
  void startInBackground();
  /// Ends the process when the builds under way have been answered.
  void stop();

private:
  struct Process;
  struct State;
  State &state();
  Result<std::shared_ptr<Process>> running();
  Result<std::shared_ptr<Process>> spawn() const;
  void dropProcess(const std::shared_ptr<Process> &dead);
  std::string findProgram() const;

  const std::string name_, folder_;
  const zygote::Limits limits_;
  std::atomic<State *> state_; // of the process that last asked: a fork leaves it behind, locks and all
};

} // namespace kiln
