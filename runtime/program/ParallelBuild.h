// One build, compile or link step of a program for several devices. The devices are built in parallel, and equal
// requests to a compiler are sent once.
#pragma once
#include "runtime/compiler/Compiler.h"
#include "runtime/program/Program.h"
#include <map>

namespace kiln {

class ParallelBuild {
public:
  /// The build of one device; its step fills in `state`.
  struct DeviceBuild {
    DeviceObject *device;
    BuildState state;
  };
  using Step = std::function<void(ParallelBuild &run, DeviceObject &device, BuildState &state)>;

  /// Runs the step for every device. Returns when all are done.
  static std::vector<DeviceBuild> all(std::vector<DeviceBuild> builds, Step step);

  // As Compiler's. Devices with equal options and extensions share the SPIR-V; devices with one target share the code.
  SourceResult compile(const protocol::CompileRequest &request);
  SourceResult link(const std::vector<wire::Bytes> &modules, bool library);
  CodeResult build(const protocol::BuildRequest &request, const wire::Bytes &binaryCode);

  ParallelBuild(std::vector<DeviceBuild> builds, Step step)
      : step_(std::move(step)), count_(builds.size()), builds_(std::move(builds)) {}

private:
  /// Claims and runs device builds until none is left.
  void work() noexcept;

  /// Sends each request once. Later callers with the same request wait for the first caller's reply.
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
  std::vector<DeviceBuild>
      builds_; // each element belongs to the thread that claimed it; after the last, to the caller of all()
  std::atomic<size_t> claimed_{0};
  Mutex mutex_;
  ConditionVariable buildDone_;
  size_t done_ KILN_GUARDED_BY(mutex_) = 0;
  RequestMemo<SourceResult> compiled_, linked_;
  RequestMemo<CodeResult> built_;
};

} // namespace kiln
