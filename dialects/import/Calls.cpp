// Function calls. A function that is imported by the name of an LLVM intrinsic becomes the equivalent of OpenCL.std,
// one that is imported by the name of an asm statement becomes the statement, and one by that of a trap, the trap.
#include "dialects/import/Assembly.h"
#include "dialects/import/ExtInteger.h"
#include "dialects/import/Instructions.h"
#include "dialects/import/Link.h"
#include "dialects/import/LlvmFunctions.h"

using namespace mlir;

namespace kiln::import {
namespace {
LogicalResult call(Body &body, const Instruction &ins) {
  Function *callee = body.module.function(ins.args[0]);
  if (!callee || !callee->op)
    return body.error(ins) << "calls id " << ins.args[0] << ", which is not a function";
  Values arguments;
  if (!body.operands(ins, arguments, ins.args.size() - 1, 1))
    return failure();
  FunctionType type = callee->op.getFunctionType();
  if (TypeRange(ValueRange(arguments)) != TypeRange(type.getInputs()) || callee->head->type != ins.type)
    return body.mismatch(ins);
  if (auto name = callee->op->getAttrOfType<StringAttr>(ImportAttr)) {
    if (auto assembly = abi::assemblyOf(name.getValue()))
      return assemblyCall(body, ins, *assembly, type, arguments);
    if (isTrap(name, type)) {
      LLVM::Trap::create(body.builder, body.loc);
      return success();
    }
    if (auto known = llvmFunction(name, type))
      return body.define(ins, integerFunction(body, known->same, known->isSigned, arguments));
  }
  auto call = func::CallOp::create(body.builder, body.loc, callee->op, arguments);
  if (call.getNumResults())
    body.set(ins.result, call.getResult(0));
  return success();
}
} // namespace

void addCalls(InstructionTable &table) { table.add(spv::Op::FunctionCall, call); }

} // namespace kiln::import
