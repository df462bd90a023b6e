#include "backends/gpu/driver/LaunchGraphs.h"
#include "backends/gpu/driver/GpuDevice.h"

namespace kiln::gpu {
namespace {

// By then the launches have cost as much as the preparation.
constexpr unsigned PreparedAfter = 16;
constexpr unsigned Never = UINT32_MAX; // the driver has refused a graph

} // namespace

Status launchDirectly(GpuDevice &device, StreamHandle stream, const Driver::GridLaunch &launch) {
  return device.run(device.driver().calls.launch, launch.function, launch.grid[0], launch.grid[1], launch.grid[2],
                    launch.block[0], launch.block[1], launch.block[2], launch.localBytes, stream,
                    static_cast<void **>(nullptr), launch.extra);
}

LaunchGraphs::OfStream *LaunchGraphs::find(StreamHandle stream) {
  for (OfStream &of : streams_) {
    StreamHandle owner = of.stream.load(std::memory_order_acquire);
    if (owner == stream || (!owner && (of.stream.compare_exchange_strong(owner, stream) || owner == stream)))
      return &of;
  }
  return nullptr;
}

bool LaunchGraphs::prepare(OfStream &of, GpuDevice &device, const Driver::GridLaunch &launch) {
  if (of.launches == Never || (!of.graph.executable && ++of.launches <= PreparedAfter))
    return false;
  const bool exists = of.graph.executable;
  const int code = exists ? device.driver().setLaunch(of.graph, launch)
                          : device.driver().createLaunchGraph(of.graph, launch);
  if (code == 0)
    return true;
  (void)device.failed(code, exists ? "the change of a launch graph" : "the creation of a launch graph");
  if (exists && device.usable())
    device.driver().destroyLaunchGraph(of.graph);
  of.graph = {};
  of.launches = Never;
  return false;
}

Status LaunchGraphs::launch(GpuDevice &device, StreamHandle stream, const Driver::GridLaunch &launch) {
  if (OfStream *of = find(stream); of && prepare(*of, device, launch))
    return device.run(device.driver().calls.launchGraph, of->graph.executable, stream);
  return launchDirectly(device, stream, launch);
}

void LaunchGraphs::clear(const Driver &driver) {
  for (OfStream &of : streams_)
    if (of.graph.executable)
      driver.destroyLaunchGraph(std::exchange(of.graph, {}));
}

} // namespace kiln::gpu
