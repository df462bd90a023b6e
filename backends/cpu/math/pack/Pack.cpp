// A build-time program: links the library's bitcode to one file without target attributes.
//
//   kiln-pack-math out.bc in.bc...
#include "backends/llvm/StripTarget.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> whole;
  for (int i = 2; i < argc; ++i) {
    llvm::SMDiagnostic diagnostic;
    auto part = llvm::parseIRFile(argv[i], diagnostic, context);
    if (!part) {
      diagnostic.print("kiln-pack-math", llvm::errs());
      return 1;
    }
    if (!whole)
      whole = std::move(part);
    else if (llvm::Linker::linkModules(*whole, std::move(part)))
      return 1;
  }
  if (!whole) {
    llvm::errs() << "usage: kiln-pack-math OUTPUT INPUTS\n";
    return 1;
  }
  kiln::stripTarget(*whole);
  whole->setSourceFileName("kiln.math");
  std::error_code error;
  llvm::raw_fd_ostream stream(argv[1], error);
  if (error) {
    llvm::errs() << "kiln-pack-math: " << argv[1] << ": " << error.message() << "\n";
    return 1;
  }
  llvm::WriteBitcodeToFile(*whole, stream);
  return 0;
}
