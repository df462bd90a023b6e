// A child process that measures. An OpenCL platform may end its process: PoCL does if it finds no linker. The parent
// process keeps the results until then.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace bench {

/// What a child process does, in memory that it shares with its parent process. The parent reads it after the child's
/// end.
struct Progress {
  size_t device = 0;       // the index of the device that is measured
  char platform[256] = ""; // in which the child is
  char kernel[512] = "";   // that the child builds or runs
  bool finished = false;   // the work has ended
  int status = 0;          // of the work
  void setPlatform(std::string_view name);
  void setKernel(std::string_view name);
};

using Send = std::function<void(const std::string &message)>;

/// Runs `work`, which returns an exit status, in a child process. Must be constructed before the first call of OpenCL:
/// a child process has no thread of its parent but the calling one. The child is killed if the calling thread ends.
class ChildProcess {
public:
  /// Calls `receive` with each message that the work sends, and returns after the child's end. An exception of the work
  /// is printed, and its status is 1. Throws std::runtime_error if the process cannot be started.
  ChildProcess(const std::function<int(Progress &, const Send &)> &work, const Send &receive);
  ~ChildProcess();
  ChildProcess(const ChildProcess &) = delete;

  const Progress &progress() const { return *progress_; }
  /// What ended the process before its work returned, as "signal 6 (Aborted)"; empty if the work returned.
  const std::string &brokenBy() const { return brokenBy_; }

private:
  Progress *progress_;
  std::string brokenBy_;
};

} // namespace bench
