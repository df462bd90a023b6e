#include "backends/kilnc/compiler/DebugVariables.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;

namespace kiln {
namespace {

/// Returns the importer's location of an operation, or of the call that it was inlined for: a line, or a line with its
/// block. Null if it has none.
LocationAttr importedLocation(Location location) {
  if (isa<FileLineColLoc>(location))
    return location;
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    LocationAttr callee = importedLocation(call.getCallee());
    return callee ? callee : importedLocation(call.getCaller());
  }
  auto fused = dyn_cast<FusedLoc>(location);
  if (!fused || fused.getLocations().empty())
    return nullptr;
  const bool hasBlock = isa_and_present<LLVM::DILexicalBlockAttr>(fused.getMetadata()) &&
                        isa<FileLineColLoc>(fused.getLocations().front());
  return hasBlock ? LocationAttr(location) : importedLocation(fused.getLocations().front());
}

class FunctionVariables {
public:
  FunctionVariables(LLVM::LLVMFuncOp function, LLVM::DISubprogramAttr description)
      : function_(function), description_(description), context_(function.getContext()),
        entry_(OpBuilder::atBlockBegin(&function.getBody().front())) {}

  void run() {
    SmallVector<Operation *> records;
    function_.walk([&](Operation *op) {
      if (op == function_)
        return;
      op->setLoc(inFunction(op->getLoc()));
      if (isa<LLVM::DbgValueOp, LLVM::DbgDeclareOp>(op))
        records.push_back(op);
    });
    for (Block &block : function_.getBody())
      for (BlockArgument argument : block.getArguments())
        argument.setLoc(inFunction(argument.getLoc()));
    for (Operation *op : records) {
      if (auto value = dyn_cast<LLVM::DbgValueOp>(op))
        keep(value.getVarInfo(), value.getValue(), !value.getLocationExpr().getOperations().empty(), op);
      else if (auto declare = dyn_cast<LLVM::DbgDeclareOp>(op))
        keep(declare.getVarInfo(), declare.getAddr(), /*isAddress=*/true, op);
      op->erase();
    }
  }

private:
  Location inFunction(Location location) {
    LocationAttr known = importedLocation(location);
    if (!known)
      return UnknownLoc::get(context_);
    if (auto line = dyn_cast<FileLineColLoc>(known))
      return inScope(line, nullptr);
    auto fused = cast<FusedLoc>(known);
    return inScope(fused.getLocations().front(), cast<LLVM::DIScopeAttr>(fused.getMetadata()));
  }

  Location inScope(Location line, LLVM::DIScopeAttr scope) { return FusedLoc::get({line}, resolved(scope), context_); }

  /// Returns the importer's block with this function in place of the file as its outermost scope.
  LLVM::DIScopeAttr resolved(LLVM::DIScopeAttr scope) {
    auto block = dyn_cast_if_present<LLVM::DILexicalBlockAttr>(scope);
    if (!block)
      return description_;
    return LLVM::DILexicalBlockAttr::get(resolved(block.getScope()), block.getFile(), block.getLine(),
                                         block.getColumn());
  }

  void keep(LLVM::DILocalVariableAttr variable, Value value, bool isAddress, Operation *at) {
    Operation *source = value.getDefiningOp();
    if (isa_and_present<LLVM::UndefOp, LLVM::PoisonOp>(source))
      return; // no value yet
    Value &home = homes_[{variable, isAddress ? Type() : value.getType()}];
    if (!home)
      home = allocate(variable, value.getType(), isAddress);
    OpBuilder builder(at);
    LLVM::StoreOp::create(builder, at->getLoc(), value, home);
  }

  Value allocate(LLVM::DILocalVariableAttr variable, Type type, bool isAddress) {
    LLVM::DIFileAttr file = variable.getFile();
    Location loc =
        inScope(FileLineColLoc::get(context_, file.getName().getValue(), variable.getLine(), 0), variable.getScope());
    Value one = LLVM::ConstantOp::create(entry_, loc, entry_.getI32Type(), 1);
    Value home = LLVM::AllocaOp::create(entry_, loc, LLVM::LLVMPointerType::get(context_), type, one);
    auto own = LLVM::DILocalVariableAttr::get(context_, resolved(variable.getScope()), variable.getName(), file,
                                              variable.getLine(), 0, 0, variable.getType(), variable.getFlags());
    SmallVector<LLVM::DIExpressionElemAttr> steps;
    if (isAddress)
      steps.push_back(LLVM::DIExpressionElemAttr::get(context_, llvm::dwarf::DW_OP_deref, {}));
    LLVM::DbgDeclareOp::create(entry_, loc, home, own, LLVM::DIExpressionAttr::get(context_, steps));
    return home;
  }

  LLVM::LLVMFuncOp function_;
  LLVM::DISubprogramAttr description_;
  MLIRContext *context_;
  OpBuilder entry_;
  llvm::MapVector<std::pair<LLVM::DILocalVariableAttr, Type>, Value> homes_;
};

} // namespace

Location innermostLocation(Location location) {
  LocationAttr known = importedLocation(location);
  if (auto fused = dyn_cast_if_present<FusedLoc>(known))
    return fused.getLocations().front();
  return known ? Location(known) : location;
}

void describeVariables(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (auto location = dyn_cast<FusedLoc>(function.getLoc()); location && !function.isExternal())
      if (auto description = dyn_cast_if_present<LLVM::DISubprogramAttr>(location.getMetadata()))
        FunctionVariables(function, description).run();
}

} // namespace kiln
