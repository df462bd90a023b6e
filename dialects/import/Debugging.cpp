// What a debugger shows of a body: the line and the block that an operation comes from, and where variables are.
//
// Variables are told only where nothing is to be optimised, for knowing them costs: a struct or an array that somebody
// may look at stays in memory, at an address that is told. mem2reg turns the place of any other into the values that it
// gets. Past a barrier all are told again, for another work-item's were the last to be told before it.
#include "dialects/import/BodyImporter.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;

namespace kiln::import {

void BodyImporter::placeOperations() {
  loc = line_ ? module.location(*line_) : builder.getUnknownLoc();
  if (line_ && scope_)
    loc = FusedLoc::get({loc}, scope_, &module.context());
}

void BodyImporter::importDebug(const Instruction &ins) {
  if (!module.keepsVariables())
    return;
  switch (debug_.kindOf(ins)) {
  case DebugInfo::Kind::Scope:
  case DebugInfo::Kind::NoScope:
    scope_ = debug_.kindOf(ins) == DebugInfo::Kind::Scope ? debug_.scope(ins) : nullptr;
    return placeOperations();
  case DebugInfo::Kind::Declare:
  case DebugInfo::Kind::Value: {
    Value of = ins.args.size() > 3 ? values_.lookup(ins.args[3]) : Value();
    LLVM::DILocalVariableAttr variable = of ? debug_.variable(ins) : nullptr;
    if (!variable)
      return;
    if (debug_.kindOf(ins) == DebugInfo::Kind::Value) {
      if (LLVM::isCompatibleType(of.getType()))
        LLVM::DbgValueOp::create(builder, loc, of, variable, LLVM::DIExpressionAttr::get(&module.context()));
    } else if (isa<LLVM::LLVMPointerType>(of.getType())) {
      auto place = of.getDefiningOp<LLVM::AllocaOp>();
      const bool isNumber = place && !isa<LLVM::LLVMStructType, LLVM::LLVMArrayType>(place.getElemType());
      if (isNumber)
        LLVM::DbgDeclareOp::create(builder, loc, of, variable, LLVM::DIExpressionAttr::get(&module.context()));
      else
        tellAddress(of, variable);
      declared_.push_back({of, variable, isNumber ? place.getElemType() : Type()});
    }
    return;
  }
  case DebugInfo::Kind::Other:
    return;
  }
}

void BodyImporter::tellAddress(Value address, LLVM::DILocalVariableAttr variable) {
  // As a number: SROA takes apart what is pointed to by nothing but debug information.
  Value number = LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), address);
  auto dereference = LLVM::DIExpressionElemAttr::get(&module.context(), llvm::dwarf::DW_OP_deref, {});
  LLVM::DbgValueOp::create(builder, loc, number, variable, LLVM::DIExpressionAttr::get(&module.context(), dereference));
}

void BodyImporter::retellVariables() {
  for (const Declared &declared : declared_) {
    // A number, a vector or a pointer is in its place; of everything else the place is enough.
    if (!declared.type) {
      tellAddress(declared.place, declared.variable);
      continue;
    }
    Value now = LLVM::LoadOp::create(builder, loc, declared.type, declared.place);
    LLVM::DbgValueOp::create(builder, loc, now, declared.variable, LLVM::DIExpressionAttr::get(&module.context()));
  }
}

} // namespace kiln::import
