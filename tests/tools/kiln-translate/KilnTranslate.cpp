// kiln-translate: runs the importer from the command line, for tests.
//
//   kiln-translate a.spv [b.spv ...]       imports, links, prints the module
//     --spec=ID:BYTES                      sets a specialisation constant; BYTES is hexadecimal, low byte first
//     --no-link                            prints each imported module, without linking
//     --unresolved                         links as a library
//     --inspect                            prints only the specialisation constants
//     --print-locations                    prints the source locations of operations
#include "dialects/import/Import.h"
#include "dialects/import/Link.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
namespace cl = llvm::cl;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::list<std::string> inputs(cl::Positional, cl::OneOrMore, cl::desc("<modules>"));
  cl::list<std::string> specs("spec", cl::desc("ID:BYTES, a specialisation constant"));
  cl::opt<bool> noLink("no-link", cl::desc("Print each imported module, without linking"));
  cl::opt<bool> unresolved("unresolved", cl::desc("Link as a library"));
  cl::opt<bool> inspect("inspect", cl::desc("Print only the specialisation constants"));
  cl::opt<bool> variables("variables", cl::desc("Import debug information of local variables"));
  cl::opt<bool> locations("print-locations", cl::desc("Print the source locations of operations"));
  cl::ParseCommandLineOptions(argc, argv, "Kiln's SPIR-V importer\n");

  kiln::import::Options options;
  options.variables = variables;
  for (llvm::StringRef spec : specs) {
    auto [id, hex] = spec.split(':');
    kiln::import::SpecConstant constant;
    std::string bytes;
    if (id.getAsInteger(10, constant.id) || !llvm::tryGetFromHex(hex, bytes)) {
      llvm::errs() << "--spec=" << spec << " is not ID:BYTES\n";
      return 1;
    }
    constant.bytes.assign(bytes.begin(), bytes.end());
    options.specConstants.push_back(constant);
  }

  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
    llvm::errs() << "error: " << diagnostic << "\n";
    for (Diagnostic &note : diagnostic.getNotes())
      llvm::errs() << "note: " << note << "\n";
  });
  std::vector<OwningOpRef<ModuleOp>> modules;
  for (const std::string &path : inputs) {
    auto file = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!file) {
      llvm::errs() << path << ": " << file.getError().message() << "\n";
      return 1;
    }
    ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>((*file)->getBufferStart()), (*file)->getBufferSize());
    if (inspect) {
      std::vector<kiln::import::SpecConstantDecl> decls;
      if (failed(kiln::import::inspect(bytes, context, decls)))
        return 1;
      for (const auto &decl : decls)
        llvm::outs() << "spec constant " << decl.id << ": " << decl.size << " bytes\n";
      continue;
    }
    OwningOpRef<ModuleOp> module = kiln::import::importSpirv(bytes, context, options);
    if (!module)
      return 1;
    if (noLink)
      module->print(llvm::outs());
    modules.push_back(std::move(module));
  }
  if (inspect || noLink)
    return 0;
  OwningOpRef<ModuleOp> linked = kiln::import::linkModules(modules, {.allowUnresolved = unresolved});
  if (!linked || failed(verify(*linked)))
    return 1;
  OpPrintingFlags flags;
  flags.enableDebugInfo(locations);
  linked->print(llvm::outs(), flags);
  return 0;
}
