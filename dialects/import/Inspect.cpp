// Lists specialisation constants without lifting the module.
#include "dialects/import/Inspect.h"
#include "dialects/import/Validate.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

using namespace mlir;

namespace kiln::import {

std::vector<SpecConstantDecl> specConstantsOf(const Binary &binary) {
  std::vector<SpecConstantDecl> specConstants;
  for (const Instruction &ins : binary.code) {
    if (ins.op != spv::Op::Decorate || ins.args.size() != 3 ||
        static_cast<spv::Decoration>(ins.args[1]) != spv::Decoration::SpecId)
      continue;
    const Instruction *constant = binary.definition(ins.args[0]);
    const Instruction *type = constant && constant->type ? binary.definition(constant->type) : nullptr;
    if (!type)
      continue;
    if (constant->op == spv::Op::SpecConstantTrue || constant->op == spv::Op::SpecConstantFalse)
      specConstants.push_back({ins.args[2], 1});
    else if (constant->op == spv::Op::SpecConstant && (type->op == spv::Op::TypeInt || type->op == spv::Op::TypeFloat))
      specConstants.push_back({ins.args[2], type->args[0] / 8});
  }
  llvm::sort(specConstants, [](const SpecConstantDecl &a, const SpecConstantDecl &b) { return a.id < b.id; });
  auto same = [](const SpecConstantDecl &a, const SpecConstantDecl &b) { return a.id == b.id; };
  specConstants.erase(std::unique(specConstants.begin(), specConstants.end(), same), specConstants.end());
  return specConstants;
}

LogicalResult inspect(ArrayRef<uint8_t> bytes, MLIRContext &context, std::vector<SpecConstantDecl> &specConstants) {
  specConstants.clear();
  std::optional<Binary> binary = decode(bytes, context);
  if (!binary || failed(validate(*binary, context)))
    return failure();
  specConstants = specConstantsOf(*binary);
  return success();
}

} // namespace kiln::import
