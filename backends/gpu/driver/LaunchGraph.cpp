#include "backends/gpu/driver/LaunchGraph.h"
#include "backends/gpu/driver/GpuDevice.h"
#include <cstring>
#include <utility>

namespace kiln::gpu {
namespace {

// Creating a graph takes 20 to 50 us. These launches lose about as much without it.
constexpr unsigned PreparedAfter = 16;
constexpr unsigned Never = UINT32_MAX; // the driver has rejected a graph

} // namespace

Status launchDirectly(GpuDevice &device, StreamHandle stream, const Driver::GridLaunch &launch) {
  ParameterBlock parameters(device.driver().launchExtra(), launch.parameters);
  return device.run(device.driver().calls.launch, launch.function, launch.grid[0], launch.grid[1], launch.grid[2],
                    launch.block[0], launch.block[1], launch.block[2], launch.localBytes, stream,
                    static_cast<void **>(nullptr), parameters.extra());
}

bool LaunchGraph::Node::equals(const Driver::GridLaunch &other) const {
  return launch.function == other.function && launch.grid == other.grid && launch.block == other.block &&
         launch.localBytes == other.localBytes && parameters.size() == other.parameters.size() &&
         std::memcmp(parameters.data(), other.parameters.data(), parameters.size()) == 0;
}

int LaunchGraph::setChanged(const Driver &driver, std::span<const Driver::GridLaunch> launches) {
  const bool exists = handles_.executable;
  nodes_.resize(launches.size());
  for (size_t at = 0; at < launches.size(); ++at) {
    if (exists && nodes_[at].equals(launches[at]))
      continue;
    nodes_[at].launch = launches[at];
    nodes_[at].parameters.assign(launches[at].parameters.begin(), launches[at].parameters.end());
    if (int code = exists ? driver.setLaunch(handles_, at, launches[at]) : 0)
      return code;
  }
  return exists ? 0 : driver.createLaunchGraph(handles_, launches);
}

bool LaunchGraph::prepare(GpuDevice &device, std::span<const Driver::GridLaunch> launches) {
  if (launched_ == Never)
    return false;
  const bool exists = handles_.executable;
  if (!exists && launched_ < PreparedAfter) {
    launched_ += unsigned(launches.size());
    return false;
  }
  int code = Driver::OutOfMemory;
  try {
    code = setChanged(device.driver(), launches);
  } catch (const std::bad_alloc &) {
  }
  if (code == 0)
    return true;
  (void)device.failed(code, exists ? "the change of a launch graph" : "the creation of a launch graph");
  if (exists && device.usable())
    device.driver().destroyLaunchGraph(handles_);
  handles_ = {};
  launched_ = Never;
  return false;
}

std::optional<Status> LaunchGraph::start(GpuDevice &device, StreamHandle stream,
                                         std::span<const Driver::GridLaunch> launches) {
  if (!prepare(device, launches))
    return {};
  return device.run(device.driver().calls.launchGraph, handles_.executable, stream);
}

void LaunchGraph::destroy(const Driver &driver) {
  if (handles_.executable)
    driver.destroyLaunchGraph(std::exchange(handles_, {}));
}

Status LaunchGraphs::launch(GpuDevice &device, StreamHandle stream, const Driver::GridLaunch &launch) {
  for (OfStream &of : streams_) {
    StreamHandle owner = of.stream.load(std::memory_order_acquire);
    if (!owner && of.stream.compare_exchange_strong(owner, stream))
      owner = stream;
    if (owner != stream)
      continue;
    if (std::optional<Status> started = of.graph.start(device, stream, {&launch, 1}))
      return std::move(*started);
    break;
  }
  return launchDirectly(device, stream, launch);
}

void LaunchGraphs::destroy(const Driver &driver) {
  for (OfStream &of : streams_)
    of.graph.destroy(driver);
}

} // namespace kiln::gpu
