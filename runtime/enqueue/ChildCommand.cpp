#include "runtime/enqueue/ChildCommand.h"
#include "base/support/Log.h"
#include "base/support/Trace.h"
#include "runtime/check/Check.h"
#include "runtime/crosscheck/CrossCheck.h"
#include "runtime/program/LocalSize.h"
#include <algorithm>

namespace kiln {
namespace {

Result<std::array<uint64_t, 3>> localSizeFor(const abi::EnqueueRecord &record, const Launch &launch,
                                             const KernelInfo &info, const DeviceInfo &limits, bool uniform) {
  uint64_t maxItems = limits.maxWorkGroupSize, items = 1;
  if (info.plan.maxWorkGroupSize)
    maxItems = std::min(maxItems, info.plan.maxWorkGroupSize);
  if (!record.localSize[0])
    return chooseLocalSize(launch.globalSize, {.maxPerDimension = limits.maxWorkItemSizes,
                                               .maxItems = maxItems,
                                               .multiple = info.plan.preferredMultiple,
                                               .rowDimension = info.plan.rowDimension,
                                               .computeUnits = limits.computeUnits,
                                               .uniform = uniform});
  std::array<uint64_t, 3> local{1, 1, 1};
  for (size_t d = 0; d < launch.workDim; ++d) {
    local[d] = record.localSize[d];
    if (!local[d] || __builtin_mul_overflow(items, local[d], &items) || items > maxItems)
      return fail(CL_INVALID_WORK_GROUP_SIZE, "the local size is 0 or too large for ", info.name);
    if (launch.globalSize[d] % local[d] && (uniform || !limits.nonUniformWorkGroups))
      return fail(CL_INVALID_WORK_GROUP_SIZE, "the local size does not divide the global size");
  }
  return local;
}

} // namespace

ChildCommand::ChildCommand(ChildScheduler &scheduler, LaunchRecords &root, CompletionNode &parent, size_t maxWaits)
    : scheduler(scheduler), root(root) {
  waiters.reserve(maxWaits);
  node.parent = &parent;
  node.child = this;
}

Status ChildCommand::prepare(const abi::EnqueueRecord &record, const uint64_t *locals, const std::byte *captured) {
  if (record.block == abi::MarkerBlock)
    return {};
  DeviceKernel *kernel = root.program()->block(record.block);
  if (!kernel || record.workDim < 1 || record.workDim > 3)
    return fail(CL_OUT_OF_RESOURCES, "an enqueue record is invalid");
  const KernelInfo &info = kernel->info;
  const DeviceInfo &limits = scheduler.device().info();
  this->info = &info;
  name = info.name.c_str();
  Launch &grid = launch.grid;
  grid.workDim = record.workDim;
  grid.terminated = scheduler.termination();
  for (size_t d = 0; d < record.workDim; ++d) {
    grid.globalSize[d] = record.globalSize[d];
    grid.globalOffset[d] = record.globalOffset[d];
  }
  if (launch.isEmpty())
    return {};
  grid.localSize = KILN_TRY(localSizeFor(record, grid, info, limits, root.rules().uniformWorkGroups));

  ArgumentBlock &arguments = *(launch.arguments = ArgumentBlock::create(info.argumentBytes));
  grid.localBytes = info.plan.staticLocalBytes;
  uint32_t given = 0;
  for (const ArgInfo &argument : info.args) {
    if (argument.kind == ArgKind::Local) {
      uint64_t offset = localOffsetAfter(grid.localBytes);
      if (given == record.locals || __builtin_add_overflow(offset, locals[given], &grid.localBytes))
        return fail(CL_OUT_OF_RESOURCES, "invalid local memory sizes for ", info.name);
      if (check::enabled(scheduler.device()))
        localArguments.push_back({size_t(&argument - info.args.data()), locals[given]});
      ++given;
      std::memcpy(arguments.data + argument.offset, &offset, sizeof offset);
    } else { // the captured values
      std::memcpy(arguments.data + argument.offset, captured, std::min<uint64_t>(record.captured, argument.size));
    }
  }
  KILN_TRY(launch.checkLocalBytes(limits, info.name));
  launch.selectCode(*kernel, root.program(), {});
  if (info.plan.enqueues)
    launch.children =
        std::make_unique<LaunchRecords>(scheduler, root.program(), root.rules(), std::vector<Ref<DeviceQueue>>());
  runs = true;
  return {};
}

Status ChildCommand::issue(Issuer &issuer) noexcept {
  try {
    const auto run = [&] {
      return crosscheck::enabled(scheduler.device()) ? crosscheck::launchEnqueued(issuer, launch.grid, name)
                                                     : issuer.launch(launch.grid);
    };
    return launch.issue(issuer, [&] {
      if (!check::enabled(scheduler.device()))
        return run();
      const check::CheckTarget target{*info, launch.grid,    *root.hostProgram(),   *launch.arguments,
                                      {},    localArguments, launch.grid.localSize, root.hostUses()};
      return check::launch(launch.grid, target, scheduler.device(), run);
    });
  } catch (const std::bad_alloc &) {
    return Status::withoutMessage(CL_OUT_OF_HOST_MEMORY);
  }
}

void ChildCommand::onEnded(cl_int code, uint64_t startTime, uint64_t endTime) noexcept {
  if (launch.output && code == CL_SUCCESS)
    if (const auto trap = launch.output->print()) {
      code = CL_OUT_OF_RESOURCES;
      trace::ignoringBadAlloc([&] {
        KILN_LOG(Error, Device, "block ", name, " failed with ", code, ": device ", scheduler.device().label(), ", ",
                 scheduler.device().info().name, ": ", trap->describe(launch.grid, launch.grid.localSize));
      });
    }
  launch.output.reset();
  if (trace::enabled() && endTime)
    trace::ignoringBadAlloc([&] {
      trace::span("command", name, startTime, endTime,
                  text("device ", scheduler.device().label(), ": ", scheduler.device().info().name));
    });
  scheduler.onChildEnded(*this, code, startTime, endTime);
}

} // namespace kiln
