#include "backends/gpu/driver/LaunchChain.h"
#include "backends/gpu/driver/Code.h"
#include "base/support/Trace.h"
#include <algorithm>
#include <bit>

namespace kiln::gpu {

bool LaunchChain::add(GpuFunction &function, const Driver::GridLaunch &launch, std::span<const std::byte> parameters) {
  const size_t at = (bytes_.size() + 15) / 16 * 16;
  try {
    bytes_.resize(at + parameters.size());
  } catch (const std::bad_alloc &) {
    return false;
  }
  std::ranges::copy(parameters, bytes_.begin() + ptrdiff_t(at));
  if (!count_)
    since_ = nowNanoseconds();
  functions_[count_] = &function;
  launches_[count_] = launch;
  parameters_[count_] = {at, parameters.size()};
  ++count_;
  return true;
}

Status LaunchChain::issue(GpuDevice &device, StreamHandle stream) {
  // The blocks refer to themselves, so they are made in place.
  std::array<std::optional<ParameterBlock>, MaxLaunches> blocks;
  for (unsigned i = 0; i < count_; ++i)
    launches_[i].extra =
        blocks[i].emplace(device.driver(), bytes_.data() + parameters_[i].at, parameters_[i].bytes).extra();
  Status first;
  const auto note = [&first](Status status) {
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
      note(std::move(*started));
    for (unsigned i = at; i < at + size && !started; ++i)
      note(functions_[i]->graphs.launch(device, stream, launches_[i]));
    at += size;
  }
  if (isFull())
    limit_ = std::min(limit_ * 2, MaxLaunches);
  count_ = 0;
  bytes_.clear();
  return first;
}

void LaunchChain::destroyGraphs(const Driver &driver) {
  for (LaunchGraph &graph : graphs_)
    graph.destroy(driver);
}

} // namespace kiln::gpu
