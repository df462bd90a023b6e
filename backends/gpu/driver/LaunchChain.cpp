#include "backends/gpu/driver/LaunchChain.h"
#include "backends/gpu/driver/Code.h"
#include "base/support/Trace.h"
#include <algorithm>
#include <bit>

namespace kiln::gpu {

bool LaunchChain::add(GpuFunction &function, const Driver::GridLaunch &launch) {
  try {
    parameters_.insert(parameters_.end(), launch.parameters.begin(), launch.parameters.end());
  } catch (const std::bad_alloc &) {
    return false;
  }
  if (!count_)
    since_ = nowNanoseconds();
  functions_[count_] = &function;
  launches_[count_] = launch;
  ++count_;
  return true;
}

Status LaunchChain::issue(GpuDevice &device, StreamHandle stream) {
  const std::byte *next = parameters_.data();
  for (unsigned i = 0; i < count_; ++i) {
    const size_t bytes = launches_[i].parameters.size();
    launches_[i].parameters = {next, bytes};
    next += bytes;
  }
  Status first;
  const auto keepFirst = [&first](Status status) {
    if (first.ok())
      first = std::move(status);
  };
  for (unsigned at = 0; at < count_;) {
    const unsigned size = std::bit_floor(count_ - at);
    std::optional<Status> started;
    if (!device.usable())
      started = device.lostStatus();
    else if (size > 1)
      started = graphs_[size_t(std::bit_width(size)) - 2].start(device, stream, {&launches_[at], size});
    if (started)
      keepFirst(std::move(*started));
    for (unsigned i = at; i < at + size && !started; ++i)
      keepFirst(functions_[i]->graphs.launch(device, stream, launches_[i]));
    at += size;
  }
  if (isFull())
    limit_ = std::min(limit_ * 2, MaxLaunches);
  count_ = 0;
  parameters_.clear();
  return first;
}

void LaunchChain::destroyGraphs(const Driver &driver) {
  for (LaunchGraph &graph : graphs_)
    graph.destroy(driver);
}

} // namespace kiln::gpu
