// Kernel::prepare: from a kernel and sizes to a launch that is checked and holds everything that it needs. Setting an
// argument afterwards does not change it.
#include "base/support/Checks.h"
#include "runtime/program/DebuggedLaunch.h"
#include "runtime/program/ImageArguments.h"
#include "runtime/program/Kernel.h"
#include "runtime/program/MemoryRanges.h"
#include <algorithm>

namespace kiln {

Status Kernel::retainAllocations(const DeviceObject &device, const KernelInfo &info, HostLaunch &launch) {
  Allocations &allocations = context().allocations();
  launch.pointed = std::make_unique<PointedMemory>();
  PointedMemory &retained = *launch.pointed;
  auto retain = [&](const void *pointer) {
    if (Ref<Allocation> found = allocations.find(pointer))
      retained.allocations.push_back(std::move(found));
    else if (pointer) {
      retained.unknown = "a pointer is in no allocation";
      return false;
    }
    return true;
  };
  const size_t memory = context().memoryIndexOf(device);
  auto use = [&](uint64_t address, bool reads, bool writes) {
    if (Ref<Buffer> buffer = context().deviceAddresses().find(memory, address))
      launch.uses.push_back({std::move(buffer), reads, writes});
  };
  retained.allocations.reserve(pointers_ + execInfo_.svmPointers.size() + execInfo_.usmPointers.size());
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const uint64_t address = arguments_[i].address;
    const auto *pointer = reinterpret_cast<const void *>(address);
    switch (arguments_[i].pointer) {
    case PointerKind::None:
      break;
    case PointerKind::Svm:
      if (!device.info().svm)
        return fail(CL_INVALID_OPERATION, "argument ", i, " is an SVM pointer, and the device does not support SVM");
      if (!retain(pointer) && !hasSystemSvm(device))
        return fail(CL_INVALID_OPERATION, "argument ", i, ": ", pointer,
                    " is in no SVM allocation, and the device has no system SVM");
      break;
    case PointerKind::Usm:
      (void)retain(pointer);
      break;
    case PointerKind::DeviceAddress:
      use(address, info.args[i].read, info.args[i].written);
      break;
    }
  }
  if (execInfo_.systemMemory.value_or(false))
    retained.unknown = "CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM is set";
  if (execInfo_.systemMemory.value_or(false) && !hasSystemSvm(device))
    return fail(CL_INVALID_OPERATION,
                "CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM is set, and the device has no system SVM");
  for (const std::vector<const void *> *list : {&execInfo_.svmPointers, &execInfo_.usmPointers})
    for (const void *pointer : *list)
      (void)retain(pointer);
  for (uint64_t address : execInfo_.deviceAddresses)
    use(address, true, true);
  if ((retained.isIndirect = execInfo_.indirect()))
    retained.indirect = allocations.currentEpoch();
  return {};
}

Status Kernel::bind(const DeviceObject &device, const KernelInfo &info, DeviceArguments &deviceArguments) {
  if (deviceArguments.current)
    return {};
  if (hasImages_)
    KILN_TRY(checkImages(device, info));
  if (!deviceArguments.block)
    deviceArguments.block = std::ranges::find_if(deviceArguments_, [](const DeviceArguments &other) {
                              return bool(other.block);
                            })->block->clone();
  std::byte *bytes = deviceArguments.writable();
  uint64_t localBytes = info.plan.staticLocalBytes;
  MemoryRanges ranges;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const ArgInfo &argument = info.args[i];
    uint64_t word = 0;
    if (argument.kind == ArgKind::Image) {
      const abi::Image image = KILN_TRY(static_cast<Image *>(arguments_[i].object)
                                            ->describe(device, argument.access != AccessQualifier::WriteOnly &&
                                                                   argument.access != AccessQualifier::ReadWrite));
      std::memcpy(bytes + argument.offset, &image, sizeof image);
      continue;
    }
    if (isObject(argument.kind)) {
      word = arguments_[i].object ? KILN_TRY(arguments_[i].object->storage().address(device)) : arguments_[i].address;
      if (word)
        ranges.add(word, arguments_[i].object ? arguments_[i].object->size() : MemoryRanges::Unknown, argument.written);
    } else if (argument.kind == ArgKind::Local) {
      word = localOffsetAfter(localBytes);
      if (__builtin_add_overflow(word, arguments_[i].localSize, &localBytes))
        return fail(CL_OUT_OF_RESOURCES, "local arguments need more than 2^64 bytes");
    } else {
      continue;
    }
    std::memcpy(bytes + argument.offset, &word, sizeof word);
  }
  deviceArguments.current = true;
  deviceArguments.localBytes = localBytes;
  deviceArguments.areDistinct = ranges.areDistinct();
  return {};
}

std::vector<protocol::KnownArgument> Kernel::knownOn(const KernelInfo &info,
                                                     const DeviceArguments &deviceArguments) const {
  std::vector<protocol::KnownArgument> known = known_;
  for (protocol::KnownArgument &one : known)
    if (const ArgInfo &argument = info.args[one.index]; argument.kind == ArgKind::Image) {
      abi::Image image;
      std::memcpy(&image, deviceArguments.block->data + argument.offset, sizeof image);
      if (image.texture || image.filter)
        one.value |= abi::FormatTextured;
    }
  return known;
}

Status Kernel::checkImages(const DeviceObject &device, const KernelInfo &info) {
  std::vector<MemObject *> objects;
  for (const Argument &argument : arguments_)
    objects.push_back(argument.object);
  return checkImagesOfLaunch(device, info, objects);
}

std::unique_ptr<EnqueueArguments> Kernel::enqueueArguments(const BuildState &state) {
  auto made = std::make_unique<EnqueueArguments>();
  const protocol::CodeFlags &flags = state.module->flags;
  made->rules = {.detailedErrors = flags.debug, .uniformWorkGroups = flags.uniformWorkGroupSize};
  for (const Argument &argument : arguments_)
    if (argument.queue)
      made->queues.push_back(argument.queue);
  return made;
}

Result<HostLaunch> Kernel::prepare(const DeviceObject &device, const LaunchSizes &sizes) {
  const int build = deviceBuildIndex(device);
  if (build < 0)
    return fail(CL_INVALID_PROGRAM_EXECUTABLE, "kernel ", name_, " has no code for device ", device.info().name);
  const auto index = size_t(build);
  const BuildState *state = &(*build_)[index];
  DeviceKernel &own = *deviceKernels_[index];
  if (sizes.workDim < 1 || sizes.workDim > 3)
    return fail(CL_INVALID_WORK_DIMENSION, "work_dim is ", sizes.workDim, ", must be 1, 2 or 3");

  HostLaunch launch;
  Launch &grid = launch.grid;
  grid.workDim = sizes.workDim;
  grid.terminated = program_->context().termination();
  for (size_t d = 0; d < sizes.workDim; ++d) {
    grid.globalSize[d] = sizes.globalSize ? sizes.globalSize[d] : 0;
    grid.globalOffset[d] = sizes.globalOffset ? sizes.globalOffset[d] : 0;
    if (grid.globalOffset[d] > SIZE_MAX - grid.globalSize[d])
      return fail(CL_INVALID_GLOBAL_OFFSET, "offset ", grid.globalOffset[d], " and size ", grid.globalSize[d],
                  " of dimension ", d, " exceed SIZE_MAX together");
  }

  Lock lock(mutex_);
  if (unset_)
    for (size_t i = 0; i < arguments_.size(); ++i)
      if (!arguments_[i].set)
        return fail(CL_INVALID_KERNEL_ARGS, "argument ", i, " of kernel ", name_, " is not set");
  DeviceArguments &deviceArguments = deviceArguments_[index];
  launch.requestedLocalSize = grid.localSize = KILN_TRY(localSizeFor(
      device.info(), own.info, state->module->flags.uniformWorkGroupSize, grid, sizes, deviceArguments.localSizes));
  // Memory per work-item favours small groups.
  if (const KernelPlan &plan = own.info.plan;
      !plan.dependsOnLocalSize && !plan.itemBytes && !own.info.requiredLocalSize[0] && !debugger::isSelected(name_))
    grid.localSize = freeLocalSizeFor(device.info(), own.info, grid, deviceArguments.localSizes);
  KILN_TRY(bind(device, own.info, deviceArguments));
  grid.localBytes = deviceArguments.localBytes;
  grid.distinctArguments = deviceArguments.areDistinct;
  KILN_TRY(launch.checkLocalBytes(device.info(), name_));
  launch.kernel = this;
  if (state->program->initFiniKernels())
    launch.initialised = state->program;
  launch.arguments = deviceArguments.block;
  launch.uses.reserve(arguments_.size());
  for (size_t i = 0; i < arguments_.size(); ++i)
    if (MemObject *object = arguments_[i].object)
      launch.uses.push_back({object, own.info.args[i].read, own.info.args[i].written, int64_t(i)});
  if (checks().memory || checks().tracks())
    for (size_t i = 0; i < arguments_.size(); ++i)
      if (own.info.args[i].kind == ArgKind::Local)
        launch.localArguments.push_back({i, arguments_[i].localSize});
  if (pointers_ || execInfo_.any())
    KILN_TRY(retainAllocations(device, own.info, launch));
  launch.known = knownOn(own.info, deviceArguments);
  launch.selectCode(own, state->program, launch.known);
  if (own.info.plan.enqueues && !launch.isEmpty())
    launch.enqueues = enqueueArguments(*state);
  lock.unlock();
  // A stream of another device issues while it is locked, and must not wait.
  if (launch.awaited && !launch.isEmpty() && !device.info().runsInIssue)
    grid.function = KILN_TRY(own.waitForGeneric());
  return launch;
}

} // namespace kiln
