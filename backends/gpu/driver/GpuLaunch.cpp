// An NDRange as launches of the driver. Each has whole groups of one size, and at most as many as the hardware's grid.
// If a global size is not a multiple of the local size, the last group has work-items that end at once where the kernel
// allows it (KernelPlan::roundedDims). In other dimensions separate launches run the smaller groups at the high end, so
// that an NDRange is up to eight launches.
#include "backends/gpu/driver/Code.h"
#include "backends/gpu/driver/GpuStream.h"
#include "base/abi/KernelAbi.h"
#include "base/support/Options.h"
#include <algorithm>
#include <cstring>

namespace kiln::gpu {
namespace {

constexpr uint64_t MaxLaunches = 1 << 20; // of one NDRange; more would take years
constexpr size_t MaxParameters = abi::MaxGpuArgumentBytes + sizeof(abi::GpuLaunch);

/// One dimension of an NDRange, split into sub-launches with groups of equal size.
struct GridSplit {
  uint64_t global, local, most; // items, items of a group, maximum groups of a sub-launch
  uint64_t full, rest;          // groups of `local` items, items of a smaller group after them
  uint64_t subLaunches;

  GridSplit(uint64_t global, uint64_t local, uint64_t most, bool isRounded)
      : global(global), local(local), most(isRounded ? std::min(most, UINT32_MAX / local) : most),
        full(global / local + (isRounded && global % local ? 1 : 0)), rest(isRounded ? 0 : global % local),
        subLaunches(full / this->most + (full % this->most ? 1 : 0) + (rest ? 1 : 0)) {}
  uint64_t groups() const { return full + (rest ? 1 : 0); }
  struct SubLaunch {
    uint64_t first, groups, size, items; // groups before it, its groups, items of a group, items of all
  };
  SubLaunch subLaunch(uint64_t index) const {
    const uint64_t first = index * most;
    if (first >= full)
      return {full, 1, rest, rest};
    const uint64_t groups = std::min(most, full - first);
    return {first, groups, local, std::min(global - first * local, groups * local)};
  }
};

} // namespace

Status GpuStreamState::launch(const Launch &launch) {
  auto &launched = static_cast<GpuFunction &>(*launch.function);
  const LaunchLimits &limits = device_.limits();
  const Driver &driver = device_.driver();

  uint64_t items = 1;
  for (int d = 0; d < 3; ++d) {
    if (launch.localSize[d] > limits.maxBlock[launched.isOneDimensional ? 0 : d])
      return fail(CL_OUT_OF_RESOURCES, "local size in dimension ", d, " is ", launch.localSize[d], ", must be at most ",
                  limits.maxBlock[d]);
    items *= launch.localSize[d];
  }
  if (items > limits.maxThreads)
    return fail(CL_OUT_OF_RESOURCES, "the work-group has ", items, " work-items, must be at most ", limits.maxThreads);
  GpuFunction &function = *KILN_TRY(launched.forGroupsOf(items));

  constexpr uint64_t A = abi::LocalAlignment;
  uint64_t staticBytes = (launch.plan->staticLocalBytes + A - 1) / A * A;
  uint64_t dynamicBytes = launch.localBytes > staticBytes ? launch.localBytes - staticBytes : 0;
  KILN_TRY(function.allow(device_, dynamicBytes));

  alignas(16) std::byte parameters[MaxParameters];
  size_t argumentBytes = (launch.argumentBytes + 7) / 8 * 8;
  size_t size = argumentBytes + sizeof(abi::GpuLaunch);
  if (size > MaxParameters)
    return fail(CL_OUT_OF_RESOURCES, "the arguments have ", launch.argumentBytes, " bytes, must be at most ",
                abi::MaxGpuArgumentBytes);
  std::memset(parameters + launch.argumentBytes / 8 * 8, 0, argumentBytes - launch.argumentBytes / 8 * 8);
  if (launch.argumentBytes)
    std::memcpy(parameters, launch.arguments, launch.argumentBytes);

  abi::GpuLaunch block{};
  auto split = [&](int d) {
    uint64_t most = std::max<uint64_t>(1, std::min(limits.maxGrid[d], driver.maxItemsOfLaunch() / launch.localSize[d]));
    return GridSplit(launch.globalSize[d], launch.localSize[d], most, launch.plan->roundedDims >> d & 1);
  };
  const GridSplit splits[3] = {split(0), split(1), split(2)};
  uint64_t launches = 1;
  for (int d = 0; d < 3; ++d) {
    block.globalSize[d] = launch.globalSize[d];
    block.globalOffset[d] = launch.globalOffset[d];
    block.localSize[d] = launch.localSize[d];
    block.numGroups[d] = splits[d].groups();
    if (__builtin_mul_overflow(launches, splits[d].subLaunches, &launches) || launches > MaxLaunches)
      return fail(CL_OUT_OF_RESOURCES, "the NDRange has too many work-groups for the device");
  }
  block.workDim = launch.workDim;
  block.programVariables = launch.programVariables;
  block.printfBuffer = launch.printfBuffer;
  block.enqueueArena = launch.enqueueArena;
  block.check = launch.gpuCheck;

  const auto launchPart = [&](const std::array<GridSplit::SubLaunch, 3> &own) {
    for (int d = 0; d < 3; ++d) {
      block.ownSize[d] = own[d].size;
      block.items[d] = own[d].items;
      block.firstGroup[d] = own[d].first;
      block.firstItem[d] = block.globalOffset[d] + own[d].first * block.localSize[d];
    }
    std::memcpy(parameters + argumentBytes, &block, sizeof block);
    Driver::GridLaunch grid{.function = function.handle,
                            .grid = {unsigned(own[0].groups), unsigned(own[1].groups), unsigned(own[2].groups)},
                            .block = {unsigned(own[0].size), unsigned(own[1].size), unsigned(own[2].size)},
                            .localBytes = unsigned(dynamicBytes),
                            .parameters = {parameters, size}};
    if (function.isOneDimensional)
      grid.block = {grid.block[0] * grid.block[1] * grid.block[2], 1, 1};
    return launchGrid(function, grid);
  };
  for (uint64_t z = 0; z < splits[2].subLaunches; ++z)
    for (uint64_t y = 0; y < splits[1].subLaunches; ++y)
      for (uint64_t x = 0; x < splits[0].subLaunches; ++x)
        KILN_TRY(launchPart({splits[0].subLaunch(x), splits[1].subLaunch(y), splits[2].subLaunch(z)}));
  return {};
}

Status GpuStreamState::launchGrid(GpuFunction &function, const Driver::GridLaunch &launch) {
  const bool isLimited = options().launchTimeout;
  if (isLimited)
    launchStarts_.push_back({KILN_TRY(recorded(EventKind::Plain)), &function});
  if (!device_.driver().hasLaunchGraphs() || issuesTimed_ || isLimited) { // the time would include the start of a graph
    KILN_TRY(launchDirectly(device_, handle_, launch));
    issued();
    return {};
  }
  const bool isIdle = !hasEarlierWork() && !issuedSinceEvent_.load(std::memory_order_relaxed);
  Lock lock(mutex_);
  if (isIdle) {
    chain_.restart();
  } else if (chain_.add(function, launch)) {
    issued();
    issuesInChain_ = true;
    if (chain_.isFull())
      issueHeldChain();
    return {};
  }
  issueHeldChain();
  KILN_TRY(function.graphs.launch(device_, handle_, launch));
  issued();
  return {};
}

} // namespace kiln::gpu
