#include "backends/kilnc/compiler/Context.h"
#include "backends/llvm/TranslateAttributes.h"
#include "dialects/import/Import.h"
#include "dialects/ocl/Ocl.h"
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "passes/Pipelines.h"

using namespace mlir;

namespace kiln {

MLIRContext &compilerContext() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registerInterfaces(registry);
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
    registerROCDLDialectTranslation(registry);
    registerAttributeTranslation(registry);
    auto *made = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    import::loadDialects(*made);
    made->loadDialect<ocl::OclDialect, wg::WgDialect, arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                      LLVM::LLVMDialect, NVVM::NVVMDialect, ROCDL::ROCDLDialect, math::MathDialect, scf::SCFDialect,
                      ub::UBDialect, vector::VectorDialect>();
    return made;
  }();
  return *context;
}

} // namespace kiln
