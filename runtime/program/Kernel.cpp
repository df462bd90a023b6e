#include "runtime/program/Kernel.h"
#include "runtime/memory/Sampler.h"
#include "runtime/program/ImageArguments.h"
#include <algorithm>

namespace kiln {
namespace {

bool sameDefinition(const KernelInfo &a, const KernelInfo &b) {
  return std::ranges::equal(a.args, b.args, [](const ArgInfo &x, const ArgInfo &y) {
    return x.kind == y.kind && x.size == y.size && x.offset == y.offset;
  });
}

bool isOfImages(const ArgInfo &argument) {
  return argument.kind == ArgKind::Image || argument.kind == ArgKind::Sampler;
}

} // namespace

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
      bytes = localOffsetAfter(bytes) + argument.localSize;
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

} // namespace kiln
