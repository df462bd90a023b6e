// Up to SPIR-V 1.2 the OpenCL environment's rules are checked too; SPIRV-Tools knows no OpenCL environment for what is
// newer, there only the universal rules are.
#include "dialects/import/Validate.h"
#include "dialects/import/AllowedFindings.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/STLExtras.h"
#include "spirv-tools/libspirv.h"
#include <memory>

using namespace mlir;

namespace kiln::import {
namespace {
/// Capabilities that OpenCL's own environment lacks and an extension of ours adds: cl_khr_int64_*_atomics.
bool needsExtension(const Binary &binary) {
  return llvm::any_of(binary.code, [](const Instruction &ins) {
    return ins.op == spv::Op::Capability && spv::Capability(ins.args[0]) == spv::Capability::Int64Atomics;
  });
}

spv_target_env environment(const Binary &binary) {
  bool universal = needsExtension(binary);
  switch (binary.version >> 8 & 0xff) {
  case 0:
    return universal ? SPV_ENV_UNIVERSAL_1_0 : SPV_ENV_OPENCL_2_2;
  case 1:
    return universal ? SPV_ENV_UNIVERSAL_1_1 : SPV_ENV_OPENCL_2_2;
  case 2:
    return universal ? SPV_ENV_UNIVERSAL_1_2 : SPV_ENV_OPENCL_2_2;
  case 3:
    return SPV_ENV_UNIVERSAL_1_3;
  case 4:
    return SPV_ENV_UNIVERSAL_1_4;
  case 5:
    return SPV_ENV_UNIVERSAL_1_5;
  default:
    return SPV_ENV_UNIVERSAL_1_6;
  }
}

template <auto Destroy> struct Destroyer {
  template <typename T> void operator()(T *object) const { Destroy(object); }
};
} // namespace

LogicalResult validate(const Binary &binary, MLIRContext &context) {
  std::unique_ptr<spv_context_t, Destroyer<spvContextDestroy>> tools(spvContextCreate(environment(binary)));
  std::unique_ptr<spv_validator_options_t, Destroyer<spvValidatorOptionsDestroy>> options(
      spvValidatorOptionsCreate());
  spv_const_binary_t module{binary.words.data(), binary.words.size()};
  spv_diagnostic found = nullptr;
  spv_result_t result = spvValidateWithOptions(tools.get(), options.get(), &module, &found);
  std::unique_ptr<spv_diagnostic_t, Destroyer<spvDiagnosticDestroy>> finding(found);
  if (result == SPV_SUCCESS)
    return success();
  llvm::StringRef message = finding && finding->error ? finding->error : "refused by the validator";
  for (const AllowedFinding &allowed : AllowedFindings)
    if (message.contains(allowed.message))
      return success();
  InFlightDiagnostic error = emitError(UnknownLoc::get(&context)) << "invalid SPIR-V";
  if (finding && finding->position.index)
    error << " at word " << finding->position.index;
  return error << ": " << message.rtrim();
}

} // namespace kiln::import
