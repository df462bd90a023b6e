// Launches of a stream that are kept back, to be issued with later ones as one graph (LaunchGraph.h). The first launch
// of an idle stream is issued at once. Then two are issued together, then four, up to 16. So the device does not idle:
// the host takes less time for a launch than the device.
#pragma once
#include "backends/gpu/driver/LaunchGraph.h"

namespace kiln::gpu {

class LaunchChain {
public:
  static constexpr unsigned MaxLaunches = 16;

  bool empty() const { return count_ == 0; }
  bool isFull() const { return count_ >= limit_; }
  /// The time when the first launch was added. The chain must not be empty.
  uint64_t since() const { return since_; }
  /// Adds a launch and copies its parameters. The chain must not be full. Returns false if there is no memory for them.
  bool add(GpuFunction &function, const Driver::GridLaunch &launch);
  /// Issues all launches and removes them. Returns the first failure. The device is current or lost.
  Status issue(GpuDevice &device, StreamHandle stream);
  /// Issues the next two launches together. For a stream that was idle.
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
