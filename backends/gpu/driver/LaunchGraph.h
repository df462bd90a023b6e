// Launches as graphs. NVIDIA's driver starts a prepared graph faster than it starts launches, even if all arguments,
// sizes and functions are set before each start. On an H200 (driver 580.159), for empty kernels:
//
// - one launch, from the call to the end of the wait: 8.8 us as a launch, 7.0 us as a graph; the host takes 3.2 and
//   2.2 us of that before the wait;
// - 160 dependent launches: 2.9 us each as launches, all of it on the host; in graphs of 2, 8 and 16 launches 2.2, 1.8
//   and 1.7 us each, of which the host takes 1.4, 0.9 and 0.8 us.
//
// A launch that is the same as in the last start is not set again: it takes 5.8 us, of which the host takes 1.1 us.
#pragma once
#include "backends/gpu/driver/Driver.h"
#include <array>
#include <atomic>

namespace kiln::gpu {

class GpuDevice;
class GpuFunction;

/// A graph of a fixed number of launches. The first launches are issued without it (`start` returns nothing).
class LaunchGraph {
public:
  /// Starts the launches as a graph. Returns nothing if there is no graph yet, or if the driver has rejected one: then
  /// the caller issues the launches singly. The device is current.
  std::optional<Status> start(GpuDevice &device, StreamHandle stream, std::span<const Driver::GridLaunch> launches);
  /// Starts may be in flight: the driver frees the graph after them. The device is current.
  void destroy(const Driver &driver);

private:
  /// A node as it was last set.
  struct Node {
    Driver::GridLaunch launch; // with no parameters
    std::vector<std::byte> parameters;
    bool equals(const Driver::GridLaunch &other) const;
  };
  /// Returns true if the graph exists, with these launches.
  bool prepare(GpuDevice &device, std::span<const Driver::GridLaunch> launches);
  /// Creates the graph, or sets the launches that differ from the last start. Returns the driver's code.
  int setChanged(const Driver &driver, std::span<const Driver::GridLaunch> launches);

  unsigned launched_ = 0; // launches so far without a graph
  Driver::GraphHandles handles_;
  std::vector<Node> nodes_;
};

/// The graphs of single launches of one function. Each of the driver's streams has its own graph: the driver
/// runs two starts of one graph one after the other.
class LaunchGraphs {
public:
  /// Launches the function. One thread at a time calls it for a stream. The device is current.
  Status launch(GpuDevice &device, StreamHandle stream, const Driver::GridLaunch &launch);
  /// No launch is in flight. The device is current.
  void destroy(const Driver &driver);

private:
  struct OfStream {
    std::atomic<StreamHandle> stream{nullptr};
    LaunchGraph graph;
  };
  std::array<OfStream, 8> streams_; // further streams launch without graphs
};

/// The parameters of a launch, as the last operand (`extra`) of the driver's launch functions.
class ParameterBlock {
public:
  ParameterBlock(const Driver::LaunchExtra &keys, std::span<const std::byte> parameters)
      : bytes_(parameters.size()),
        extra_{keys.pointer, const_cast<std::byte *>(parameters.data()), keys.size, &bytes_, keys.end} {}
  ParameterBlock(const ParameterBlock &) = delete;
  ParameterBlock &operator=(const ParameterBlock &) = delete;
  void **extra() { return extra_; }

private:
  size_t bytes_;
  void *extra_[5];
};

/// Launches without a graph. The device is current.
Status launchDirectly(GpuDevice &device, StreamHandle stream, const Driver::GridLaunch &launch);

} // namespace kiln::gpu
