// libkiln's end of a compiler process (Zygote.h): finds and starts the program, sends builds from any thread, and
// restarts the process when it has ended. After a fork the application's child starts its own process.
#pragma once
#include "base/protocol/Zygote.h"
#include "base/support/Status.h"
#include <atomic>
#include <memory>
#include <optional>
#include <string>

namespace kiln {

class CompilerClient {
public:
  /// `name` is kilnc or kiln-clc, searched in `folder`, or in libkiln's and the installation folders if that is empty.
  CompilerClient(std::string name, std::string folder, zygote::Limits limits);
  ~CompilerClient();
  CompilerClient(const CompilerClient &) = delete;
  CompilerClient &operator=(const CompilerClient &) = delete;

  /// Runs one build. Fails with CL_COMPILER_NOT_AVAILABLE if no compiler process can be started, and with
  /// CL_BUILD_PROGRAM_FAILURE if the build's process ended; the message is for the build log.
  /// With `leftBehind`, the compiler goes on with the build if this process ends.
  struct LeftBehind {
    int turn;          // BuildTurn::descriptor of the entry
    wire::Bytes place; // for Keep of Zygote.h
  };
  Result<wire::Bytes> request(const wire::Bytes &request, const std::optional<LeftBehind> &leftBehind = {});

  /// Starts the process unless it runs, without waiting for it. The first request returns the errors.
  void startInBackground();
  /// Ends the process after the builds in progress.
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
  std::atomic<State *> state_; // of the process with this pid; a fork abandons it with its locks
};

} // namespace kiln
