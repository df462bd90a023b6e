#include "backends/kilnc/compiler/DebugVariables.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;

namespace kiln {
namespace {

class FunctionVariables {
public:
  FunctionVariables(LLVM::LLVMFuncOp function, DebugScopes &scopes)
      : function_(function), scopes_(scopes), context_(function.getContext()),
        entry_(OpBuilder::atBlockBegin(&function.getBody().front())) {}

  void run() {
    SmallVector<Operation *> records;
    function_.walk([&](Operation *op) {
      if (isa<LLVM::DbgValueOp, LLVM::DbgDeclareOp>(op))
        records.push_back(op);
    });
    for (Operation *op : records) {
      if (auto value = dyn_cast<LLVM::DbgValueOp>(op))
        keep(value.getVarInfo(), value.getValue(), !value.getLocationExpr().getOperations().empty(), op);
      else if (auto declare = dyn_cast<LLVM::DbgDeclareOp>(op))
        keep(declare.getVarInfo(), declare.getAddr(), /*isAddress=*/true, op);
      op->erase();
    }
  }

private:
  void keep(LLVM::DILocalVariableAttr imported, Value value, bool isAddress, Operation *at) {
    Operation *source = value.getDefiningOp();
    if (isa_and_present<LLVM::UndefOp, LLVM::PoisonOp>(source))
      return; // no value yet
    const DebugScopes::Variable variable = scopes_.variable(function_, imported, at->getLoc());
    Value &home = homes_[{variable.description, {variable.declaration, isAddress ? Type() : value.getType()}}];
    if (!home)
      home = allocate(variable, value.getType(), isAddress);
    OpBuilder builder(at);
    LLVM::StoreOp::create(builder, at->getLoc(), value, home);
  }

  Value allocate(const DebugScopes::Variable &variable, Type type, bool isAddress) {
    const Location loc = variable.declaration;
    Value one = LLVM::ConstantOp::create(entry_, loc, entry_.getI32Type(), 1);
    Value home = LLVM::AllocaOp::create(entry_, loc, LLVM::LLVMPointerType::get(context_), type, one);
    SmallVector<LLVM::DIExpressionElemAttr> steps;
    if (isAddress)
      steps.push_back(LLVM::DIExpressionElemAttr::get(context_, llvm::dwarf::DW_OP_deref, {}));
    LLVM::DbgDeclareOp::create(entry_, loc, home, variable.description, LLVM::DIExpressionAttr::get(context_, steps));
    return home;
  }

  LLVM::LLVMFuncOp function_;
  DebugScopes &scopes_;
  MLIRContext *context_;
  OpBuilder entry_;
  llvm::MapVector<std::pair<LLVM::DILocalVariableAttr, std::pair<Location, Type>>, Value> homes_;
};

} // namespace

void describeVariables(ModuleOp module, DebugScopes &scopes) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      FunctionVariables(function, scopes).run();
}

} // namespace kiln
