// printf of OpenCL.std. The format is a pointer like any other here: which string it is may show only when functions
// are inlined.
#include "dialects/import/BodyImporter.h"

using namespace mlir;

namespace kiln::import {

Outcome BodyImporter::extPrintf(const Instruction &ins, spv::Std fn) {
  if (fn != spv::Std::printf)
    return Outcome::NotMine;
  Type type = resultType(ins);
  Values in;
  if (!type || ins.args.size() < 3 || !operands(ins, in, ins.args.size() - 2, 2))
    return type && ins.args.size() < 3 ? outcome(error(ins) << "prints without a format") : Outcome::Failed;
  auto isPrinted = [](Type given) {
    if (llvm::isa<LLVM::LLVMPointerType>(given))
      return true;
    Type element = getElementTypeOrSelf(given);
    return element.isIntOrFloat() && !element.isInteger(1);
  };
  if (!type.isInteger(32) || !llvm::isa<LLVM::LLVMPointerType>(in[0].getType()) ||
      !llvm::all_of(ValueRange(in).getTypes(), isPrinted))
    return outcome(mismatch(ins));
  return outcome(define(ins, ocl::PrintfOp::create(builder, loc, in[0], ValueRange(in).drop_front())));
}

} // namespace kiln::import
