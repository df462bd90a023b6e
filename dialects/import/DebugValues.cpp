// Debug information of a body: the line and the lexical block of each operation, and the locations of variables.
//
// Variables are described only in unoptimised builds, because that costs speed: structs and arrays stay in memory at a
// described address; mem2reg replaces other variables by their values. After a barrier all variables are described
// again, because the last description before it belongs to another work-item.
#include "dialects/import/Body.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;

namespace kiln::import {

DebugValues::DebugValues(Body &body) : body_(body), info_(body.module) {}

void DebugValues::setLine(const Instruction *line) {
  line_ = line;
  updateLocation();
}

void DebugValues::endLine() {
  line_ = nullptr;
  scope_ = nullptr;
  updateLocation();
}

void DebugValues::updateLocation() {
  body_.loc = line_ ? body_.module.location(*line_) : body_.builder.getUnknownLoc();
  if (line_ && scope_)
    body_.loc = FusedLoc::get({body_.loc}, scope_, &body_.module.context());
}

void DebugValues::import(const Instruction &ins) {
  if (!body_.module.keepsVariables())
    return;
  switch (info_.kindOf(ins)) {
  case DebugInfo::Kind::Scope:
  case DebugInfo::Kind::NoScope:
    scope_ = info_.kindOf(ins) == DebugInfo::Kind::Scope ? info_.scope(ins) : nullptr;
    return updateLocation();
  case DebugInfo::Kind::Declare:
  case DebugInfo::Kind::Value: {
    Value of = ins.args.size() > 3 ? body_.known(ins.args[3]) : Value();
    LLVM::DILocalVariableAttr variable = of ? info_.variable(ins) : nullptr;
    if (!variable)
      return;
    if (info_.kindOf(ins) == DebugInfo::Kind::Value) {
      if (LLVM::isCompatibleType(of.getType()))
        LLVM::DbgValueOp::create(body_.builder, body_.loc, of, variable,
                                 LLVM::DIExpressionAttr::get(&body_.module.context()));
    } else if (isa<LLVM::LLVMPointerType>(of.getType())) {
      auto place = of.getDefiningOp<LLVM::AllocaOp>();
      const bool isNumber = place && !isa<LLVM::LLVMStructType, LLVM::LLVMArrayType>(place.getElemType());
      if (isNumber)
        LLVM::DbgDeclareOp::create(body_.builder, body_.loc, of, variable,
                                   LLVM::DIExpressionAttr::get(&body_.module.context()));
      else
        emitAddress(of, variable);
      declared_.push_back({of, variable, isNumber ? place.getElemType() : Type()});
    }
    return;
  }
  case DebugInfo::Kind::Other:
    return;
  }
}

void DebugValues::emitAddress(Value address, LLVM::DILocalVariableAttr variable) {
  // As an integer, which keeps the variable whole: SROA splits variables whose only other uses are debug records.
  Value number = LLVM::PtrToIntOp::create(body_.builder, body_.loc, body_.builder.getI64Type(), address);
  auto dereference = LLVM::DIExpressionElemAttr::get(&body_.module.context(), llvm::dwarf::DW_OP_deref, {});
  LLVM::DbgValueOp::create(body_.builder, body_.loc, number, variable,
                           LLVM::DIExpressionAttr::get(&body_.module.context(), dereference));
}

void DebugValues::reemit() {
  for (const Declared &declared : declared_) {
    // Scalars, vectors and pointers are described by value, all other types by address.
    if (!declared.type) {
      emitAddress(declared.place, declared.variable);
      continue;
    }
    Value now = LLVM::LoadOp::create(body_.builder, body_.loc, declared.type, declared.place);
    LLVM::DbgValueOp::create(body_.builder, body_.loc, now, declared.variable,
                             LLVM::DIExpressionAttr::get(&body_.module.context()));
  }
}

} // namespace kiln::import
