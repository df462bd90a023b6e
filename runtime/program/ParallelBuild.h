// One build of a program for several devices: their steps run side by side, and what two of them send of the compiler
// in the same words is asked once.
#pragma once
#include "runtime/compiler/Compiler.h"
#include "runtime/program/Program.h"
#include <map>

namespace kiln {

class ParallelBuild {
public:
  /// A device's row, which its step fills in.
  struct DeviceBuild {
    DeviceObject *device;
    BuildState state;
  };
  using Step = std::function<void(ParallelBuild &run, DeviceObject &device, BuildState &state)>;

  /// Does the step for every row; returns the builds when all are done.
  static std::vector<DeviceBuild> all(std::vector<DeviceBuild> builds, Step step);

  // As Compiler's; devices whose options and extensions agree share the SPIR-V, and those of one target the code.
  SourceResult compile(const protocol::CompileRequest &request);
  SourceResult link(const std::vector<wire::Bytes> &modules, const std::string &mathOptions, bool library);
  CodeResult build(const protocol::BuildRequest &request, const wire::Bytes &sealed);

  ParallelBuild(std::vector<DeviceBuild> builds, Step step)
      : step_(std::move(step)), count_(builds.size()), builds_(std::move(builds)) {}

private:
  /// Takes builds until there are none left.
  void work() noexcept;

  /// Who asks second waits for the reply to the first.
  template <typename Reply> class RequestMemo {
  public:
    template <typename Send> Reply get(wire::Bytes request, Send send);

  private:
    struct Entry {
      bool isDone = false, outOfMemory = false;
      Reply reply;
    };
    Mutex mutex_;
    ConditionVariable requestDone_;
    std::map<wire::Bytes, Entry> entries_ KILN_GUARDED_BY(mutex_);
  };

  const Step step_;
  const size_t count_;
  std::vector<DeviceBuild> builds_; // each its taker's; when all are done, nobody's but the caller's
  std::atomic<size_t> claimed_{0};
  Mutex mutex_;
  ConditionVariable buildDone_;
  size_t done_ KILN_GUARDED_BY(mutex_) = 0;
  RequestMemo<SourceResult> compiled_, linked_;
  RequestMemo<CodeResult> built_;
};

} // namespace kiln
