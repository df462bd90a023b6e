// Launches as graphs. NVIDIA's driver starts a graph that it has prepared sooner than it starts launches, although all
// arguments, sizes and even functions are set before each start. On an H200 (driver 580.159), for empty kernels:
//
// - one launch, from the call to the end of the wait: 8.8 us as a launch, 7.0 us as a graph; of that the host's part
//   before the wait 3.2 and 2.2 us;
// - 160 dependent launches: 2.9 us each as launches, which the host's part takes; in graphs of 2, 8 and 16 launches
//   2.2, 1.8 and 1.7 us, of that the host 1.4, 0.9 and 0.8.
//
// A launch that is the same as in the last start is not set again: one such launch takes 5.8 us, of that the host 1.1.
#pragma once
#include "backends/gpu/driver/Driver.h"
#include <array>
#include <atomic>

namespace kiln::gpu {

class GpuDevice;
class GpuFunction;

/// A graph of a fixed number of launches, prepared when it has been used some times without one.
class LaunchGraph {
public:
  /// Starts the launches as a graph. Returns nothing if there is no graph yet, or the driver refuses one: then the
  /// launches must be issued singly. The device is current.
  std::optional<Status> start(GpuDevice &device, StreamHandle stream, std::span<const Driver::GridLaunch> launches);
  /// No start is in flight. The device is current.
  void destroy(const Driver &driver);

private:
  /// What a node was set to.
  struct Node {
    Driver::GridLaunch launch; // with no parameters
    std::vector<std::byte> parameters;
    bool is(const Driver::GridLaunch &other) const;
  };
  bool prepare(GpuDevice &device, std::span<const Driver::GridLaunch> launches);
  int setChanged(const Driver &driver, std::span<const Driver::GridLaunch> launches);

  unsigned launched_ = 0; // launches so far without a graph
  Driver::GraphHandles handles_;
  std::vector<Node> nodes_;
};

/// The graphs of single launches of one function. Each of the driver's streams has its own: two starts of one graph
/// would wait for each other.
class LaunchGraphs {
public:
  /// Launches the function. Called by one thread at a time for a stream. The device is current.
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

/// The last operand of the launch functions.
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

Status launchDirectly(GpuDevice &device, StreamHandle stream, const Driver::GridLaunch &launch);

} // namespace kiln::gpu
