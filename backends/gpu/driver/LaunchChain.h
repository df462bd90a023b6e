// Launches of a stream that wait for later ones, to be issued with them as one graph (LaunchGraph.h). The first launch
// of an idle stream does not wait. Then two are issued together, then four, up to 16: so the device is not kept
// waiting, as the host takes less time for a launch than the device.
#pragma once
#include "backends/gpu/driver/LaunchGraph.h"

namespace kiln::gpu {

class LaunchChain {
public:
  static constexpr unsigned MaxLaunches = 16;

  bool empty() const { return count_ == 0; }
  bool isFull() const { return count_ >= limit_; }
  /// The time when the first launch was added. Not if empty.
  uint64_t since() const { return since_; }
  /// Adds a launch, and copies its parameters. Not if full. Returns false if there is no memory for them.
  bool add(GpuFunction &function, const Driver::GridLaunch &launch);
  /// Issues the launches. All are gone afterwards; returns the first failure. The device is current
  /// or lost.
  Status issue(GpuDevice &device, StreamHandle stream);
  /// The stream was idle.
  void restart() { limit_ = 2; }
  /// The device is current.
  void destroyGraphs(const Driver &driver);

private:
  unsigned count_ = 0, limit_ = 2;
  uint64_t since_ = 0;
  std::array<GpuFunction *, MaxLaunches> functions_{};
  std::array<Driver::GridLaunch, MaxLaunches> launches_{};
  std::vector<std::byte> parameters_; // of all launches
  std::array<LaunchGraph, 4> graphs_; // of 2, 4, 8 and 16 launches
};

} // namespace kiln::gpu
