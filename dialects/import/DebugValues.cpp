// Debug information of a body: the line and the lexical block of each operation, and the locations of variables.
//
// Variables are described only in unoptimised builds, because that costs speed: structs and arrays stay in memory at a
// described address; mem2reg replaces other variables by their values. After a barrier all variables are described
// again, because the last description before it belongs to another work-item.
#include "dialects/import/BodyImporter.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;

namespace kiln::import {

void BodyImporter::updateLocation() {
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
    return updateLocation();
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
        emitDebugAddress(of, variable);
      declared_.push_back({of, variable, isNumber ? place.getElemType() : Type()});
    }
    return;
  }
  case DebugInfo::Kind::Other:
    return;
  }
}

void BodyImporter::emitDebugAddress(Value address, LLVM::DILocalVariableAttr variable) {
  // As an integer, which keeps the variable whole: SROA splits variables whose only other uses are debug records.
  Value number = LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), address);
  auto dereference = LLVM::DIExpressionElemAttr::get(&module.context(), llvm::dwarf::DW_OP_deref, {});
  LLVM::DbgValueOp::create(builder, loc, number, variable, LLVM::DIExpressionAttr::get(&module.context(), dereference));
}

void BodyImporter::reemitDebugValues() {
  for (const Declared &declared : declared_) {
    // Scalars, vectors and pointers are described by value, all other types by address.
    if (!declared.type) {
      emitDebugAddress(declared.place, declared.variable);
      continue;
    }
    Value now = LLVM::LoadOp::create(builder, loc, declared.type, declared.place);
    LLVM::DbgValueOp::create(builder, loc, now, declared.variable, LLVM::DIExpressionAttr::get(&module.context()));
  }
}

} // namespace kiln::import
