// printf of OpenCL.std. The format is an ordinary pointer here: its string may be determined only after inlining.
#include "dialects/import/BodyImporter.h"

using namespace mlir;

namespace kiln::import {

ImportResult BodyImporter::extPrintf(const Instruction &ins, spv::Std fn) {
  if (fn != spv::Std::printf)
    return ImportResult::NotHandled;
  Type type = resultType(ins);
  Values in;
  if (!type || ins.args.size() < 3 || !operands(ins, in, ins.args.size() - 2, 2))
    return type && ins.args.size() < 3 ? importResult(error(ins) << "has no format operand") : ImportResult::Failure;
  auto isPrinted = [](Type given) {
    if (llvm::isa<LLVM::LLVMPointerType>(given))
      return true;
    Type element = getElementTypeOrSelf(given);
    return element.isIntOrFloat() && !element.isInteger(1);
  };
  if (!type.isInteger(32) || !llvm::isa<LLVM::LLVMPointerType>(in[0].getType()) ||
      !llvm::all_of(ValueRange(in).getTypes(), isPrinted))
    return importResult(mismatch(ins));
  return importResult(define(ins, ocl::PrintfOp::create(builder, loc, in[0], ValueRange(in).drop_front())));
}

} // namespace kiln::import
