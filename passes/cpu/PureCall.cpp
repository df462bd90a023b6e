#include "passes/cpu/PureCall.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace kiln {

Value pureCall(OpBuilder &builder, Location loc, StringRef name, ArrayRef<Value> operands, Type type) {
  auto module = builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto none = LLVM::ModRefInfo::NoModRef;
  auto noEffects = LLVM::MemoryEffectsAttr::get(builder.getContext(), {none, none, none, none, none, none});
  if (!module.lookupSymbol(name)) {
    SmallVector<Type> types = llvm::map_to_vector(operands, [](Value value) { return value.getType(); });
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    auto function = LLVM::LLVMFuncOp::create(top, module.getLoc(), name, LLVM::LLVMFunctionType::get(type, types));
    function.setMemoryEffectsAttr(noEffects);
    function.setNoUnwind(true);
    function.setWillReturn(true);
  }
  auto result = LLVM::CallOp::create(builder, loc, TypeRange{type}, name, operands);
  result.setMemoryEffectsAttr(noEffects);
  result.setNoUnwind(true);
  result.setWillReturn(true);
  return result.getResult();
}

} // namespace kiln
