// Debug information of a body: the line, the function and the lexical block of each operation, and the locations of
// variables.
//
// Variables are described only in unoptimised builds, because that costs speed: structs and arrays stay in memory at a
// described address; mem2reg replaces other variables by their values. After a barrier all variables are described
// again, because the last description before it belongs to another work-item.
//
// Each function has three variables more, for conditions of breakpoints: global_id, local_id and group_id.
#include "dialects/import/Body.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;

namespace kiln::import {

DebugValues::DebugValues(Body &body)
    : body_(body), info_(body.module), begin_(UnknownLoc::get(&body.module.context())) {}

void DebugValues::enter(Function &function) {
  if (!body_.module.keepsFunctions())
    return;
  MLIRContext *context = &body_.module.context();
  const std::vector<Instruction> &code = body_.module.binary().code;
  const auto in = ArrayRef(code).slice(function.begin, function.end - function.begin);
  const auto *line = llvm::find_if(in, [](const Instruction &ins) { return ins.op == spv::Op::Line; });
  if (line == in.end())
    return;
  const auto place = cast<FileLineColLoc>(body_.module.location(*line));
  auto file = LLVM::DIFileAttr::get(context, place.getFilename(), StringAttr::get(context));
  StringRef name = body_.module.name(function.head->result);
  function_ = LLVM::DISubprogramAttr::get(context, /*id=*/DistinctAttr(), /*compileUnit=*/{}, file,
                                          StringAttr::get(context, name.empty() ? function.op.getSymName() : name),
                                          /*linkageName=*/{}, file, place.getLine(), place.getLine(),
                                          LLVM::DISubprogramFlags::LocalToUnit,
                                          /*type=*/{}, {}, {});
  info_.enter(function_);
  begin_ = FusedLoc::get({place}, function_, context);
  if (body_.module.keepsVariables())
    emitIds(begin_);
}

void DebugValues::leave(const Function &function) {
  if (!function_ || !body_.module.keepsVariables())
    return;
  for (const DebugInfo::Global &global : info_.globals(function.head->result))
    if (Value address = body_.known(global.id)) {
      OpBuilder::InsertionGuard guard(body_.builder);
      body_.builder.setInsertionPointAfterValue(address);
      body_.loc = begin_;
      emitAddress(address, global.description);
    }
}

void DebugValues::emitIds(Location loc) {
  OpBuilder &b = body_.builder;
  for (auto [name, query] : {std::pair("global_id", ocl::Query::global_id), std::pair("local_id", ocl::Query::local_id),
                             std::pair("group_id", ocl::Query::group_id)}) {
    SmallVector<Value> ids;
    for (int32_t dim : {0, 1, 2}) {
      Value number = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(dim));
      ids.push_back(ocl::QueryOp::create(b, loc, b.getI64Type(), query, number));
    }
    Value all = vector::FromElementsOp::create(b, loc, VectorType::get(3, b.getI64Type()), ids);
    LLVM::DbgValueOp::create(b, loc, all, info_.triple(name), LLVM::DIExpressionAttr::get(b.getContext()));
  }
}

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
  const LLVM::DIScopeAttr scope = scope_ ? scope_ : LLVM::DIScopeAttr(function_);
  if (line_ && scope)
    body_.loc = FusedLoc::get({body_.loc}, scope, &body_.module.context());
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
  if (function_ && body_.module.keepsVariables())
    emitIds(body_.loc);
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
