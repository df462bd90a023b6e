// An example of a pass plug-in, loaded into kiln-opt, kilnc, or any OpenCL application:
//
//   KILN_PASS_PLUGINS=libCountQueries.so
//   KILN_PIPELINE_CPU="builtin.module(count-queries,kiln-common,kiln-group,kiln-cpu)" ./application
//
// Emits a remark with the number of id and size queries of each kernel. The build log contains it.
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

namespace {
struct CountQueries : mlir::PassWrapper<CountQueries, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountQueries)
  llvm::StringRef getArgument() const override { return "count-queries"; }
  llvm::StringRef getDescription() const override { return "count the id and size queries of each kernel"; }
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<mlir::func::FuncOp>()) {
      unsigned count = 0;
      kernel.walk([&](kiln::ocl::QueryOp) { ++count; });
      kernel.emitRemark() << kernel.getName() << " has " << count << " queries";
    }
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "CountQueries", "1", [] { mlir::PassRegistration<CountQueries>(); }};
}
