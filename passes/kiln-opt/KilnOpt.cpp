// kiln-opt: mlir-opt with Kiln's dialects and passes, for tests and for compiler research.
#include "dialects/ocl/Ocl.h"
#include "dialects/wg/Wg.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "passes/Explain.h"
#include "passes/Passes.h"
#include "passes/Pipelines.h"
#include "passes/PluginVersion.h"
#include "llvm/Support/CommandLine.h"

static llvm::cl::list<std::string>
    explained("explain", llvm::cl::CommaSeparated,
              llvm::cl::callback([](const std::string &pass) { kiln::explainPass(pass); }),
              llvm::cl::desc("Print why these passes decide as they do"));

/// Returns true if a plug-in on the command line was built for another version. MLIR's main function loads plug-ins
/// while it parses the options, so this is done before.
static bool hasWrongPlugin(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef word = llvm::StringRef(argv[i]).ltrim('-');
    if (!word.consume_front("load-pass-plugin"))
      continue;
    if (word.empty() && i + 1 < argc)
      word = argv[++i];
    else if (!word.consume_front("="))
      continue;
    if (const std::string mismatch = kiln::pluginMismatch(word.str()); !mismatch.empty()) {
      llvm::errs() << "kiln-opt: pass plug-in: " << mismatch << "\n";
      return true;
    }
  }
  return false;
}

int main(int argc, char **argv) {
  if (hasWrongPlugin(argc, argv))
    return 1;
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry); // for schedules in the transform dialect
  registry.insert<kiln::ocl::OclDialect, kiln::wg::WgDialect>();
  kiln::registerInterfaces(registry);
  mlir::registerAllPasses();
  kiln::registerKilnPasses();
  kiln::registerPipelines();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Kiln's optimiser driver\n", registry));
}
