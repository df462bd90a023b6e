// The table of all instructions, and the instructions that build nothing.
#include "dialects/import/Instructions.h"
#include "dialects/import/Matrices.h"

using namespace mlir;

namespace kiln::import {
namespace {
LogicalResult line(Body &body, const Instruction &ins) {
  body.debug.setLine(ins.op == spv::Op::Line ? &ins : nullptr);
  return success();
}

LogicalResult nothing(Body &, const Instruction &) { return success(); }

void addOthers(InstructionTable &table) {
  table.add({spv::Op::Line, spv::Op::NoLine}, line);
  table.add({spv::Op::Nop, spv::Op::Undef}, nothing);                // Undef: a constant
  table.add({spv::Op::SelectionMerge, spv::Op::LoopMerge}, nothing); // passes restructure from the graph alone
  table.add({spv::Op::LifetimeStart, spv::Op::LifetimeStop, spv::Op::AssumeTrueKHR}, nothing); // hints
}
} // namespace

LogicalResult importInstruction(Body &body, const Instruction &ins) {
  static const InstructionTable table{addOthers, addMemory,    addCopyMemory,  addPointers,   addArithmetic,
                                      addBits,   addRelations, addConversions, addComposites, addSync,
                                      addGroups, addEnqueue,   addPipes,       addImages,     addMatrices,
                                      addCalls,  addExtended};
  Handler handler = table.find(ins.op);
  if (!handler)
    return body.module.unsupported(ins);
  if (isOfComponents(body, ins))
    return importOfComponents(body, ins, handler);
  LogicalResult result = handler(body, ins);
  if (ins.op == spv::Op::ControlBarrier || ins.op == spv::Op::FunctionCall)
    body.debug.reemit();
  return result;
}

LogicalResult importExpression(Body &body, const Instruction &ins) {
  static const InstructionTable table{addPointers, addArithmetic, addBits, addRelations, addConversions, addComposites};
  Handler handler = table.find(ins.op);
  return handler ? handler(body, ins) : body.module.unsupported(ins);
}

} // namespace kiln::import
