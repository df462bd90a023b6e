// Validates modules up to SPIR-V 1.2 by the OpenCL environment's rules, newer ones by the universal rules alone:
// SPIRV-Tools has no OpenCL environment for them.
#include "dialects/import/Validate.h"
#include "dialects/import/AllowedErrors.h"
#include "dialects/import/Supported.h"
#include "dialects/spirv/Aliasing.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "spirv-tools/libspirv.h"
#include <memory>

using namespace mlir;

namespace kiln::import {
namespace {
spv_target_env universalEnvironment(uint32_t version) {
  static constexpr spv_target_env environments[] = {SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2,
                                                    SPV_ENV_UNIVERSAL_1_3, SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5,
                                                    SPV_ENV_UNIVERSAL_1_6};
  return environments[std::min<size_t>(version >> 8 & 0xff, std::size(environments) - 1)];
}

template <auto Destroy> struct Destroyer {
  template <typename T> void operator()(T *object) const { Destroy(object); }
};
/// The word offset and text of a validation error.
struct Finding {
  size_t offset;
  std::string text;
};
enum class Ids { Numbers, Names }; // SPIRV-Tools needs O(n^2) for names, n being the number of functions
std::optional<Finding> firstFinding(llvm::ArrayRef<uint32_t> words, spv_target_env environment, Ids ids) {
  std::unique_ptr<spv_context_t, Destroyer<spvContextDestroy>> tools(spvContextCreate(environment));
  std::unique_ptr<spv_validator_options_t, Destroyer<spvValidatorOptionsDestroy>> options(spvValidatorOptionsCreate());
  // The specification's 255 is a minimum that consumers must support. Kernel arguments are parameters, and devices
  // support more of them.
  spvValidatorOptionsSetUniversalLimit(options.get(), spv_validator_limit_max_function_args, UINT16_MAX);
  // As above for the limit of 16,383 cases of a switch.
  spvValidatorOptionsSetUniversalLimit(options.get(), spv_validator_limit_max_switch_branches, UINT16_MAX);
  spvValidatorOptionsSetFriendlyNames(options.get(), ids == Ids::Names);
  spv_const_binary_t module{words.data(), words.size()};
  spv_diagnostic found = nullptr;
  spv_result_t result = spvValidateWithOptions(tools.get(), options.get(), &module, &found);
  std::unique_ptr<spv_diagnostic_t, Destroyer<spvDiagnosticDestroy>> finding(found);
  if (result == SPV_SUCCESS)
    return std::nullopt;
  if (!finding || !finding->error)
    return Finding{0, "rejected by the validator"};
  return Finding{finding->position.index, llvm::StringRef(finding->error).rtrim().str()};
}

bool endsInLiteral(spv::Std function) {
  switch (function) {
  case spv::Std::vloadn:
  case spv::Std::vload_halfn:
  case spv::Std::vloada_halfn:
  case spv::Std::vstore_half_r:
  case spv::Std::vstore_halfn_r:
  case spv::Std::vstorea_halfn_r:
    return true;
  default:
    return false;
  }
}

// Returns the word offset of an OpenCL.std instruction with an operand that is not a value. SPIRV-Tools 2023.1 crashes
// on these: it reads the width of the operand's type without checking that there is one.
std::optional<uint32_t> operandWithoutValue(const Binary &binary) {
  for (const Instruction &ins : binary.code) {
    if (ins.op != spv::Op::ExtInst || ins.args.size() < 3)
      continue;
    const Instruction *set = binary.definition(ins.args[0]);
    if (!set || set->op != spv::Op::ExtInstImport || readString(set->args)->first != "OpenCL.std")
      continue;
    for (uint32_t id : ins.args.drop_front(2).drop_back(endsInLiteral(spv::Std(ins.args[1])))) {
      const Instruction *operand = binary.definition(id);
      const Instruction *type = operand ? binary.definition(operand->type) : nullptr;
      if (operand && (!type || type->op == spv::Op::TypeVoid)) // spirv-val reports undefined ids
        return ins.offset;
    }
  }
  return std::nullopt;
}

// The words that are validated, and the words that were left out.
struct Shown {
  std::vector<uint32_t> words;
  spirv::LeftOut leftOut, aliasing; // in this order

  size_t inModule(size_t offset) const {
    for (const spirv::LeftOut *step : {&aliasing, &leftOut}) {
      size_t missing = 0;
      for (auto [at, count] : *step)
        if (offset + missing >= at)
          missing = count;
      offset += missing;
    }
    return offset;
  }
};

// Removes instructions that SPIRV-Tools rejects and Kiln supports; the importer checks them:
// - debug information as the translator writes it;
// - clock reads, which become OpUndef: SPIRV-Tools 2023.1 treats a module with a clock read as a shader, which requires
//   structured control flow, and rejects the scope Workgroup;
// - aliasing instructions, all of which it rejects.
Shown withoutKnownTrouble(const Binary &binary) {
  Shown shown;
  shown.words.reserve(binary.words.size());
  size_t taken = 0, leftOut = 0;
  llvm::DenseSet<uint32_t> debugSets;
  auto first = [](spv::Op op, uint32_t count) { return count << 16 | uint32_t(op); };
  auto takeUntil = [&](size_t end) {
    shown.words.insert(shown.words.end(), binary.words.begin() + taken, binary.words.begin() + end);
    taken = end;
  };
  for (const Instruction &ins : binary.code) {
    const uint32_t head = binary.words[ins.offset];
    if (ins.op == spv::Op::ExtInstImport && isDebugSetName(readString(ins.args)->first)) {
      debugSets.insert(ins.result);
    } else if (ins.op == spv::Op::ExtInst && debugSets.contains(ins.args[0])) {
      takeUntil(ins.offset);
      taken += head >> 16;
      leftOut += head >> 16;
      shown.leftOut.push_back({ins.offset, leftOut});
    } else if (ins.op == spv::Op::Capability && ins.args[0] == uint32_t(spv::Capability::ShaderClockKHR)) {
      takeUntil(ins.offset + 2);
      shown.words.back() = uint32_t(spv::Capability::Kernel);
    } else if (ins.op == spv::Op::ReadClockKHR && head == first(ins.op, 4)) {
      takeUntil(ins.offset + 4);
      *std::prev(shown.words.end(), 4) = first(spv::Op::Undef, 3); // of this type, with this id
      shown.words.back() = first(spv::Op::Nop, 1);
    }
  }
  takeUntil(binary.words.size());
  shown.words = spirv::withoutAliasing(shown.words, &shown.aliasing);
  return shown;
}

// SPIRV-Tools 2023.1 reads no module with cooperative matrices: it does not know the opcodes. The importer checks them
// as any other.
bool isUnknown(const Binary &binary) {
  return llvm::any_of(binary.code, [](const Instruction &ins) {
    return ins.op == spv::Op::Capability && ins.args[0] == uint32_t(spv::Capability::CooperativeMatrixKHR);
  });
}

bool isAllowed(const Finding &finding) {
  return llvm::any_of(AllowedErrors, [&](const AllowedError &allowed) {
    return llvm::StringRef(finding.text).contains(allowed.message);
  });
}
} // namespace

LogicalResult validate(const Binary &binary, MLIRContext &context) {
  if (std::optional<uint32_t> offset = operandWithoutValue(binary))
    return emitError(UnknownLoc::get(&context))
           << "invalid SPIR-V at word " << *offset << ": an operand of an OpenCL.std instruction is not a value";
  if (isUnknown(binary))
    return success();
  const Shown shown = withoutKnownTrouble(binary);
  bool hasOpenClRules = binary.version <= 0x00010200;
  spv_target_env environment = hasOpenClRules ? SPV_ENV_OPENCL_2_2 : universalEnvironment(binary.version);
  std::optional<Finding> finding = firstFinding(shown.words, environment, Ids::Numbers);
  if (finding && isAllowed(*finding) && hasOpenClRules) {
    environment = universalEnvironment(binary.version);
    finding = firstFinding(shown.words, environment, Ids::Numbers);
  }
  if (!finding || isAllowed(*finding))
    return success();
  finding = firstFinding(shown.words, environment, Ids::Names);
  InFlightDiagnostic error = emitError(UnknownLoc::get(&context)) << "invalid SPIR-V";
  if (finding->offset)
    error << " at word " << shown.inModule(finding->offset);
  // The text may contain a whole instruction of up to 65,535 words.
  constexpr size_t MaxText = 1000;
  llvm::StringRef text = finding->text;
  return error << ": " << text.take_front(MaxText) << (text.size() > MaxText ? " ..." : "");
}

} // namespace kiln::import
