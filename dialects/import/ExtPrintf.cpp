// printf of OpenCL.std. The format is an ordinary pointer here: its string may be determined only after inlining.
#include "dialects/import/Std.h"

using namespace mlir;

namespace kiln::import {

namespace {
LogicalResult print(Body &body, const Instruction &ins) {
  Type type = body.resultType(ins);
  Values in;
  if (!type || ins.args.size() < 3 || !body.operands(ins, in, ins.args.size() - 2, 2))
    return type && ins.args.size() < 3 ? body.error(ins) << "has no format operand" : failure();
  auto isPrinted = [](Type given) {
    if (llvm::isa<LLVM::LLVMPointerType>(given))
      return true;
    Type element = getElementTypeOrSelf(given);
    return element.isIntOrFloat() && !element.isInteger(1);
  };
  if (!type.isInteger(32) || !llvm::isa<LLVM::LLVMPointerType>(in[0].getType()) ||
      !llvm::all_of(ValueRange(in).getTypes(), isPrinted))
    return body.mismatch(ins);
  return body.define(ins, ocl::PrintfOp::create(body.builder, body.loc, in[0], ValueRange(in).drop_front()));
}
} // namespace

void addStdPrintf(StdTable &table) { table.add(spv::Std::printf, print); }

} // namespace kiln::import
