// Launches of one function, as graphs of one launch each. NVIDIA's driver starts a graph that it has prepared sooner than
// a launch, although its arguments and sizes are set before each start. An empty kernel on an H200 (driver 580.159), from
// the call to the end of the wait: 7.0 us as a graph, 8.8 as a launch; of that the host's part before the wait 2.2 and 3.2.
//
// A driver's stream has its own graph of a function: two starts of one graph would wait for each other. The graph is
// prepared, which takes 20 to 50 us, when the function has been launched often on the stream.
#pragma once
#include "backends/gpu/driver/Driver.h"
#include <array>
#include <atomic>

namespace kiln::gpu {

class GpuDevice;

class LaunchGraphs {
public:
  /// Launches the function, whose graphs these are, on the stream. Called by one thread at a time for a stream. The
  /// device is current.
  Status launch(GpuDevice &device, StreamHandle stream, const Driver::GridLaunch &launch);
  /// Destroys the graphs. No launch is in flight; the device is current.
  void clear(const Driver &driver);

private:
  struct OfStream {
    std::atomic<StreamHandle> stream{nullptr};
    unsigned launches = 0;
    Driver::LaunchGraph graph;
  };
  /// Null if other streams have all the places.
  OfStream *find(StreamHandle stream);
  /// Prepares the graph if it is time. Returns true if there is one, with this launch in it.
  static bool prepare(OfStream &of, GpuDevice &device, const Driver::GridLaunch &launch);

  std::array<OfStream, 8> streams_;
};

/// Launches without a graph.
Status launchDirectly(GpuDevice &device, StreamHandle stream, const Driver::GridLaunch &launch);

} // namespace kiln::gpu
