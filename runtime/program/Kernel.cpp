#include "runtime/program/Kernel.h"
#include "runtime/memory/Sampler.h"
#include "runtime/program/ImageArguments.h"
#include <algorithm>

namespace kiln {
namespace {

uint64_t aligned(uint64_t bytes) {
  return (bytes + abi::LocalAlignment - 1) / abi::LocalAlignment * abi::LocalAlignment;
}

bool sameDefinition(const KernelInfo &a, const KernelInfo &b) {
  return std::ranges::equal(a.args, b.args, [](const ArgInfo &x, const ArgInfo &y) {
    return x.kind == y.kind && x.size == y.size && x.offset == y.offset;
  });
}

bool isPointer(ArgKind kind) { return kind == ArgKind::Global || kind == ArgKind::Constant; }
/// The value is a memory object, an address for the kernel.
bool isObject(ArgKind kind) { return isPointer(kind) || kind == ArgKind::Pipe; }
bool isOfImages(const ArgInfo &argument) {
  return argument.kind == ArgKind::Image || argument.kind == ArgKind::Sampler;
}

} // namespace

KernelLaunch KernelLaunch::repeat(const DeviceObject &device) const {
  KernelLaunch copy;
  copy.kernel = kernel;
  copy.uses = uses;
  if (pointed) {
    copy.pointed = std::make_unique<PointedMemory>(*pointed);
    if (pointed->isIndirect)
      copy.pointed->indirect = kernel->context().allocations().currentEpoch();
  }
  copy.arguments = arguments;
  copy.launch = launch;
  copy.requestedLocalSize = requestedLocalSize;
  copy.selectCode(*kernel->on(device), kernel->state(device)->program, known);
  return copy;
}

void KernelLaunch::leaveEpoch() {
  if (pointed)
    pointed->indirect = nullptr;
}

Kernel::Kernel(Program &program, std::string name, std::shared_ptr<const ProgramBuild> build, const KernelInfo &info)
    : Object(Kind), program_(&program), name_(std::move(name)), build_(std::move(build)), info_(&info),
      hasImages_(std::ranges::any_of(info.args, isOfImages)), arguments_(info.args.size()),
      deviceArguments_(build_->size()), unset_(unsigned(info.args.size())) {
  // The block's device is arbitrary before the first launch.
  deviceArguments_.front().block = ArgumentBlock::create(info.argumentBytes);
  for (const BuildState &state : *build_)
    deviceKernels_.push_back(state.program ? state.program->kernel(name_) : nullptr);
  Lock lock(program.mutex_);
  ++program.kernels_;
}

Kernel::~Kernel() {
  Lock lock(program_->mutex_);
  --program_->kernels_;
}

Result<Ref<Kernel>> Kernel::create(Program &program, const std::string &name) {
  std::shared_ptr<const ProgramBuild> build = program.current();
  const KernelInfo *first = nullptr;
  bool executable = false;
  for (const BuildState &state : *build) {
    if (!state.program)
      continue;
    executable = true;
    DeviceKernel *kernel = state.program->kernel(name);
    if (!kernel)
      continue;
    if (!first)
      first = &kernel->info;
    else if (!sameDefinition(*first, kernel->info))
      return fail(CL_INVALID_KERNEL_DEFINITION, "kernel ", name, " has different arguments on another device");
  }
  if (!executable)
    return fail(CL_INVALID_PROGRAM_EXECUTABLE, "the program is not built for any device");
  if (!first)
    return fail(CL_INVALID_KERNEL_NAME, "the program has no kernel ", name);
  return Ref<Kernel>(new Kernel(program, name, std::move(build), *first));
}

Result<std::vector<Ref<Kernel>>> Kernel::createAll(Program &program) {
  std::vector<Ref<Kernel>> kernels;
  for (const std::string &name : KILN_TRY(program.kernelNames())) {
    Result<Ref<Kernel>> kernel = create(program, name);
    if (kernel.ok())
      kernels.push_back(std::move(*kernel));
    else if (kernel.code() != CL_INVALID_KERNEL_DEFINITION)
      return std::move(kernel).status();
  }
  return kernels;
}

Ref<Kernel> Kernel::clone() const {
  Ref<Kernel> copy(new Kernel(*program_, name_, build_, *info_));
  Lock lock(mutex_);
  Lock copyLock(copy->mutex_);
  copy->arguments_ = arguments_;
  copy->deviceArguments_ = deviceArguments_;
  for (DeviceArguments &deviceArguments : copy->deviceArguments_)
    if (deviceArguments.block)
      deviceArguments.block = deviceArguments.block->clone();
  copy->unset_ = unset_;
  copy->pointers_ = pointers_;
  copy->execInfo_ = execInfo_;
  copy->known_ = known_;
  return copy;
}

int Kernel::deviceBuildIndex(const DeviceObject &device) const {
  int index = program_->deviceBuildIndex(*build_, device);
  return index >= 0 && deviceKernels_[size_t(index)] ? index : -1;
}

const KernelInfo *Kernel::info(const DeviceObject &device) const {
  int index = deviceBuildIndex(device);
  return index < 0 ? nullptr : &deviceKernels_[size_t(index)]->info;
}

const BuildState *Kernel::state(const DeviceObject &device) const {
  int index = deviceBuildIndex(device);
  return index < 0 ? nullptr : &(*build_)[size_t(index)];
}

DeviceKernel *Kernel::on(const DeviceObject &device) const {
  int index = deviceBuildIndex(device);
  return index < 0 ? nullptr : deviceKernels_[size_t(index)];
}

bool Kernel::argumentInfoAvailable() const {
  return std::ranges::any_of(*build_,
                             [](const BuildState &state) { return state.program && state.module->argumentInfo; });
}

cl_ulong Kernel::localBytes(const DeviceObject &device) const {
  const KernelInfo *own = info(device);
  cl_ulong bytes = own ? own->plan.staticLocalBytes : 0;
  Lock lock(mutex_);
  for (const Argument &argument : arguments_)
    if (argument.localSize)
      bytes = aligned(bytes) + argument.localSize;
  return bytes;
}

Result<ArgKind> Kernel::argKind(cl_uint index) const {
  if (index >= info_->args.size())
    return fail(CL_INVALID_ARG_INDEX, "kernel ", name_, " has ", info_->args.size(), " arguments; arg_index is ",
                index);
  return info_->args[index].kind;
}

Status Kernel::setArg(cl_uint index, size_t size, const void *value) {
  ArgKind kind = KILN_TRY(argKind(index));
  const ArgInfo &info = info_->args[index];
  Argument argument{.set = true};
  switch (kind) {
  case ArgKind::Local:
    if (value)
      return fail(CL_INVALID_ARG_VALUE, "argument ", index, " is local memory: arg_value must be null");
    if (!size)
      return fail(CL_INVALID_ARG_SIZE, "argument ", index, " is local memory: arg_size is 0");
    if (size > info.maxBytes)
      return fail(CL_MAX_SIZE_RESTRICTION_EXCEEDED, "argument ", index, " is local memory: arg_size is ", size,
                  ", must be at most ", info.maxBytes);
    argument.localSize = size;
    break;
  case ArgKind::Value:
    if (size != info.size)
      return fail(CL_INVALID_ARG_SIZE, "argument ", index, ": arg_size is ", size, ", must be ", info.size);
    if (!value)
      return fail(CL_INVALID_ARG_VALUE, "argument ", index, ": arg_value is null");
    break;
  case ArgKind::Global:
  case ArgKind::Constant:
    if (size != sizeof(cl_mem))
      return fail(CL_INVALID_ARG_SIZE, "argument ", index, " is a memory object: arg_size is ", size, ", must be ",
                  sizeof(cl_mem));
    if (value && *static_cast<const cl_mem *>(value))
      return fail(CL_INVALID_ARG_VALUE, "argument ", index, ": *arg_value is not null, must be null");
    break;
  default:
    return fail(CL_INVALID_ARG_VALUE, "argument ", index, " has an unsupported kind");
  }
  Lock lock(mutex_);
  if (kind == ArgKind::Value)
    putBytes(index, value, size);
  else
    for (DeviceArguments &deviceArguments : deviceArguments_)
      deviceArguments.current = false;
  put(index, argument);
  return {};
}

void Kernel::putBytes(cl_uint index, const void *value, size_t size) {
  for (DeviceArguments &deviceArguments : deviceArguments_) // copy all first, because that may fail
    if (deviceArguments.block)
      (void)deviceArguments.writable();
  for (DeviceArguments &deviceArguments : deviceArguments_)
    if (deviceArguments.block)
      std::memcpy(deviceArguments.block->data + info_->args[index].offset, value, size);
}

Status Kernel::setArgSampler(cl_uint index, const Sampler &sampler) {
  if (KILN_TRY(argKind(index)) != ArgKind::Sampler)
    return fail(CL_INVALID_ARG_VALUE, "argument ", index, " is not a sampler");
  const uint32_t number = sampler.abiSampler();
  Lock lock(mutex_);
  putBytes(index, &number, sizeof number);
  put(index, {.set = true});
  recordKnownArgument(index, number);
  return {};
}

Status Kernel::setArgQueue(cl_uint index, Object &queue, uint64_t address) {
  if (KILN_TRY(argKind(index)) != ArgKind::Queue)
    return fail(CL_INVALID_ARG_VALUE, "argument ", index, " is not a device queue");
  Lock lock(mutex_);
  putBytes(index, &address, sizeof address);
  put(index, {.set = true, .queue = &queue});
  return {};
}

void Kernel::put(cl_uint index, Argument argument) {
  Argument &old = arguments_[index];
  unset_ -= !old.set;
  pointers_ += unsigned(argument.pointer != PointerKind::None) - unsigned(old.pointer != PointerKind::None);
  old = std::move(argument);
}

void Kernel::recordKnownArgument(cl_uint index, uint32_t value) {
  auto position = std::ranges::lower_bound(known_, index, {}, &protocol::KnownArgument::index);
  if (position == known_.end() || position->index != index)
    position = known_.insert(position, {index, 0});
  position->value = value;
}

Status Kernel::setArgMem(cl_uint index, MemObject *object) {
  ArgKind kind = KILN_TRY(argKind(index));
  const bool isPipe = kind == ArgKind::Pipe;
  if (kind == ArgKind::Image) {
    if (!object || !isImageType(object->type()))
      return fail(CL_INVALID_MEM_OBJECT, "argument ", index, " must be an image");
    KILN_TRY(checkImageArgument(info_->args[index], static_cast<Image &>(*object)));
  } else if (!isObject(kind)) {
    return fail(CL_INVALID_ARG_VALUE, "argument ", index, " is not a memory object");
  } else if (!object && isPipe) {
    return fail(CL_INVALID_ARG_VALUE, "argument ", index, " is a pipe and must not be null");
  } else if (object && object->type() != cl_mem_object_type(isPipe ? CL_MEM_OBJECT_PIPE : CL_MEM_OBJECT_BUFFER)) {
    return fail(CL_INVALID_ARG_VALUE, "argument ", index, " must be a ", isPipe ? "pipe" : "buffer");
  }
  if (kind == ArgKind::Constant && object && object->size() > info_->args[index].maxBytes)
    return fail(CL_MAX_SIZE_RESTRICTION_EXCEEDED, "argument ", index, " is a buffer of ", object->size(),
                " bytes, must have at most ", info_->args[index].maxBytes);
  Lock lock(mutex_);
  put(index, {.set = true, .object = object});
  if (kind == ArgKind::Image)
    recordKnownArgument(index, static_cast<const Image &>(*object).abiFormat());
  for (DeviceArguments &deviceArguments : deviceArguments_)
    deviceArguments.current = false;
  return {};
}

Status Kernel::setArgPointer(cl_uint index, PointerKind kind, uint64_t address) {
  const ArgKind argument = KILN_TRY(argKind(index));
  if (kind == PointerKind::DeviceAddress && argument != ArgKind::Global)
    return fail(CL_INVALID_ARG_INDEX, "argument ", index, " is not a pointer to global memory");
  if (!isPointer(argument))
    return fail(CL_INVALID_ARG_VALUE, "argument ", index, " is not a pointer to global or constant memory");
  const auto *pointer = reinterpret_cast<const void *>(address);
  if (kind == PointerKind::Svm && address && !someDevice(context(), hasSystemSvm) &&
      !context().allocations().find(pointer))
    return fail(CL_INVALID_ARG_VALUE, "argument ", index, ": ", pointer,
                " is in no SVM allocation of the context, and no device has system SVM");
  Lock lock(mutex_);
  put(index, {.set = true, .pointer = kind, .address = address});
  for (DeviceArguments &deviceArguments : deviceArguments_)
    deviceArguments.current = false;
  return {};
}

Status Kernel::setExecInfo(cl_kernel_exec_info name, size_t size, const void *value) {
  Lock lock(mutex_);
  return execInfo_.set(context(), name, size, value);
}

Status Kernel::retainAllocations(const DeviceObject &device, const KernelInfo &info, KernelLaunch &launch) {
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
    } else if (argument.kind == ArgKind::Local) {
      word = aligned(localBytes);
      if (__builtin_add_overflow(word, arguments_[i].localSize, &localBytes))
        return fail(CL_OUT_OF_RESOURCES, "local arguments need more than 2^64 bytes");
    } else {
      continue;
    }
    std::memcpy(bytes + argument.offset, &word, sizeof word);
  }
  deviceArguments.current = true;
  deviceArguments.localBytes = localBytes;
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

Result<KernelLaunch> Kernel::prepare(const DeviceObject &device, const LaunchSizes &sizes) {
  const int build = deviceBuildIndex(device);
  if (build < 0)
    return fail(CL_INVALID_PROGRAM_EXECUTABLE, "kernel ", name_, " has no code for device ", device.info().name);
  const auto index = size_t(build);
  const BuildState *state = &(*build_)[index];
  DeviceKernel &own = *deviceKernels_[index];
  if (sizes.workDim < 1 || sizes.workDim > 3)
    return fail(CL_INVALID_WORK_DIMENSION, "work_dim is ", sizes.workDim, ", must be 1, 2 or 3");

  KernelLaunch result;
  Launch &launch = result.launch;
  launch.workDim = sizes.workDim;
  for (size_t d = 0; d < sizes.workDim; ++d) {
    launch.globalSize[d] = sizes.globalSize ? sizes.globalSize[d] : 0;
    launch.globalOffset[d] = sizes.globalOffset ? sizes.globalOffset[d] : 0;
    if (launch.globalOffset[d] > SIZE_MAX - launch.globalSize[d])
      return fail(CL_INVALID_GLOBAL_OFFSET, "offset ", launch.globalOffset[d], " and size ", launch.globalSize[d],
                  " of dimension ", d, " exceed SIZE_MAX together");
  }

  Lock lock(mutex_);
  if (unset_)
    for (size_t i = 0; i < arguments_.size(); ++i)
      if (!arguments_[i].set)
        return fail(CL_INVALID_KERNEL_ARGS, "argument ", i, " of kernel ", name_, " is not set");
  DeviceArguments &deviceArguments = deviceArguments_[index];
  result.requestedLocalSize = launch.localSize = KILN_TRY(localSizeFor(
      device.info(), own.info, state->module->flags.uniformWorkGroupSize, launch, sizes, deviceArguments.localSizes));
  // Memory per work-item favours small groups.
  if (const KernelPlan &plan = own.info.plan;
      !plan.dependsOnLocalSize && !plan.itemBytes && !own.info.requiredLocalSize[0])
    launch.localSize = freeLocalSizeFor(device.info(), own.info, launch, deviceArguments.localSizes);
  KILN_TRY(bind(device, own.info, deviceArguments));
  launch.localBytes = deviceArguments.localBytes;
  KILN_TRY(result.checkLocalBytes(device.info(), name_));
  result.kernel = this;
  if (state->program->initFiniKernels())
    result.initialised = state->program;
  result.arguments = deviceArguments.block;
  result.uses.reserve(arguments_.size());
  for (size_t i = 0; i < arguments_.size(); ++i)
    if (MemObject *object = arguments_[i].object)
      result.uses.push_back({object, own.info.args[i].read, own.info.args[i].written});
  if (pointers_ || execInfo_.any())
    KILN_TRY(retainAllocations(device, own.info, result));
  result.known = knownOn(own.info, deviceArguments);
  result.selectCode(own, state->program, result.known);
  if (own.info.plan.enqueues && !result.isEmpty())
    result.enqueues = enqueueArguments(*state);
  return result;
}

} // namespace kiln
