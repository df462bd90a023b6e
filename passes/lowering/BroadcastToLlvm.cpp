#include "passes/lowering/BroadcastToLlvm.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMInterface.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"

using namespace mlir;

namespace kiln {
namespace {

// An interface of the `ocl` dialect, because the vector dialect's own is already registered.
struct BroadcastToLlvm : ConvertToLLVMPatternInterface {
  using ConvertToLLVMPatternInterface::ConvertToLLVMPatternInterface;
  void loadDependentDialects(MLIRContext *) const final {}
  void populateConvertToLLVMConversionPatterns(ConversionTarget &, LLVMTypeConverter &,
                                               RewritePatternSet &patterns) const final {
    vector::populateVectorBroadcastLoweringPatterns(patterns);
  }
};

} // namespace

void registerBroadcastToLlvm(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, ocl::OclDialect *dialect) { dialect->addInterfaces<BroadcastToLlvm>(); });
}

} // namespace kiln
