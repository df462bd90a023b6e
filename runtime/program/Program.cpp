#include "runtime/program/Program.h"
#include "base/support/Log.h"
#include "runtime/compiler/Compiler.h"
#include "runtime/explore/ProgramPage.h"
#include <algorithm>

namespace kiln {

Program::Program(Context &context, Origin origin, std::vector<DeviceObject *> devices)
    : Object(Kind), context_(&context), explorePage_(explore::ProgramPage::create()), origin_(origin),
      devices_(std::move(devices)), build_(std::make_shared<ProgramBuild>(devices_.size())) {}

Program::~Program() = default;

Ref<Program> Program::createWithSource(Context &context, std::string source) {
  Ref<Program> program(new Program(context, Origin::Source, context.devices()));
  program->source_ = std::move(source);
  return program;
}

Result<Ref<Program>> Program::createWithIL(Context &context, wire::Bytes il) {
  Ref<Program> program(new Program(context, Origin::IL, context.devices()));
  CodeResult inspected = Compiler::get().inspect({il});
  if (!inspected.ok)
    return fail(CL_INVALID_VALUE, "the IL is rejected: ", inspected.log);
  program->il_ = std::move(il);
  program->specConstantInfos_ = std::move(inspected.info.specConstants);
  return program;
}

Result<Ref<Program>> Program::createWithBinary(Context &context, const std::vector<DeviceObject *> &devices,
                                               const std::vector<std::span<const uint8_t>> &binaries,
                                               std::vector<cl_int> &statuses) {
  Status failure;
  ProgramBuild states(devices.size());
  statuses.assign(devices.size(), CL_SUCCESS);
  for (size_t i = 0; i < devices.size(); ++i) {
    std::optional<ProgramModule> module;
    if (binaries[i].empty()) {
      statuses[i] = CL_INVALID_VALUE;
      failure = fail(CL_INVALID_VALUE, "the binary for device ", i, " is empty");
    } else if (!(module = unpackBinary(binaries[i]))) {
      statuses[i] = CL_INVALID_BINARY;
      if (failure.ok())
        failure = fail(CL_INVALID_BINARY, "the ", binaries[i].size(), " bytes for device ", i,
                       " are not a binary of this version of Kiln");
    } else {
      states[i].binaryType = module->binaryType;
      states[i].options = module->options;
      states[i].module = std::make_shared<const ProgramModule>(std::move(*module));
    }
  }
  if (!failure.ok())
    return failure;
  Ref<Program> program(new Program(context, Origin::Binary, devices));
  for (const BuildState &state : states)
    program->binaries_.push_back(state.module);
  Lock lock(program->mutex_);
  program->build_ = std::make_shared<ProgramBuild>(std::move(states));
  return program;
}

Status Program::setSpecConstant(cl_uint id, size_t size, const void *value) {
  if (origin_ != Origin::IL)
    return fail(CL_INVALID_PROGRAM, "the program was not created from IL");
  auto info = std::ranges::find(specConstantInfos_, id, &SpecConstantInfo::id);
  if (info == specConstantInfos_.end())
    return fail(CL_INVALID_SPEC_ID, "spec_id is ", id, ": the module has no such specialisation constant");
  if (size != info->size || !value)
    return fail(CL_INVALID_VALUE, "specialisation constant ", id, ": spec_size is ", size, ", must be ", info->size);
  auto *bytes = static_cast<const uint8_t *>(value);
  Lock lock(mutex_);
  specConstants_[id] = wire::Bytes(bytes, bytes + size);
  return {};
}

std::shared_ptr<const ProgramBuild> Program::current() const {
  Lock lock(mutex_);
  return build_;
}

int Program::indexOf(const DeviceObject &device) const {
  auto found = std::ranges::find(devices_, &device);
  return found == devices_.end() ? -1 : int(found - devices_.begin());
}

int Program::deviceBuildIndex(const ProgramBuild &build, const DeviceObject &device) const {
  if (context_->indexOf(&device) < 0)
    return -1;
  for (const DeviceObject *ancestor = &device; ancestor; ancestor = ancestor->parent())
    if (int index = indexOf(*ancestor); index >= 0)
      if (const BuildState &state = build[size_t(index)];
          state.status != CL_BUILD_NONE || state.binaryType != CL_PROGRAM_BINARY_TYPE_NONE)
        return index;
  return indexOf(device);
}

Result<BuildState> Program::buildState(const DeviceObject &device) const {
  if (indexOf(device) < 0)
    return fail(CL_INVALID_DEVICE, "device ", device.info().name, " is not a device of the program");
  std::shared_ptr<const ProgramBuild> build = current();
  return (*build)[size_t(deviceBuildIndex(*build, device))];
}

wire::Bytes Program::binary(const DeviceObject &device) const {
  std::shared_ptr<const ProgramBuild> build = current();
  int index = deviceBuildIndex(*build, device);
  if (index < 0)
    return {};
  const BuildState &state = (*build)[size_t(index)];
  if (state.binaryType == CL_PROGRAM_BINARY_TYPE_NONE)
    return {};
  if (!state.program)
    return packBinary(*state.module);
  ProgramModule whole = *state.module;
  whole.code = state.program->authenticatedCode();
  return packBinary(whole);
}

Result<std::vector<std::string>> Program::kernelNames() const {
  std::shared_ptr<const ProgramBuild> build = current();
  for (const BuildState &state : *build)
    if (state.program) {
      std::vector<std::string> names;
      for (const KernelInfo &kernel : state.program->info().kernels)
        if (kernel.role == KernelRole::Kernel)
          names.push_back(kernel.name);
      return names;
    }
  return fail(CL_INVALID_PROGRAM_EXECUTABLE, "the program is not built for any device");
}

bool Program::hasInitializers() const {
  std::shared_ptr<const ProgramBuild> build = current();
  return std::ranges::any_of(*build, [](const BuildState &state) {
    return state.program && state.program->initFiniKernels() && !state.program->initFiniKernels()->initializers.empty();
  });
}

bool Program::hasFinalizers() const {
  std::shared_ptr<const ProgramBuild> build = current();
  return std::ranges::any_of(*build, [](const BuildState &state) {
    return state.program && state.program->initFiniKernels() && !state.program->initFiniKernels()->finalizers.empty();
  });
}

Status Program::addReleaseCallback(Callback callback, void *userData) {
  std::shared_ptr<const ProgramBuild> build = current();
  const bool built = std::ranges::any_of(*build, [](const BuildState &state) { return bool(state.program); });
  if (built && !hasInitializers() && !hasFinalizers())
    return fail(CL_INVALID_OPERATION, "the program has no initializers or finalizers");
  releaseCallbacks_->add(callback, userData);
  return {};
}

} // namespace kiln
