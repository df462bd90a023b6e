// kiln-opt: mlir-opt with Kiln's dialects and passes, for tests and for compiler research.
#include "dialects/ocl/Ocl.h"
#include "dialects/wg/Wg.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "passes/Passes.h"
#include "passes/Pipelines.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registry.insert<kiln::ocl::OclDialect, kiln::wg::WgDialect>();
  kiln::registerInterfaces(registry);
  mlir::registerAllPasses();
  kiln::registerKilnPasses();
  kiln::registerPipelines();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Kiln's optimiser driver\n", registry));
}
