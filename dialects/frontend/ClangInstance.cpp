#include "dialects/frontend/ClangInstance.h"
#include "dialects/frontend/DiagnosticPrinter.h"
#include "dialects/frontend/Generation.h"
#include "clang/Frontend/CompilerInvocation.h"

namespace kiln::frontend {
namespace {

using Arguments = llvm::ArrayRef<const char *>;
using Files = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

/// Returns null if the arguments are wrong.
std::shared_ptr<clang::CompilerInvocation> parse(Arguments arguments, clang::DiagnosticsEngine &engine) {
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, arguments, engine))
    return nullptr;
  invocation->getDiagnosticOpts().ShowColors = false;
  return invocation;
}

llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs> messageNumbers() {
  return llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs>(new clang::DiagnosticIDs);
}

} // namespace

#if LLVM_VERSION_MAJOR < 21

std::unique_ptr<clang::CompilerInstance> makeInstance(Arguments arguments, Files files, llvm::raw_ostream &log) {
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
  chooseMessages(*options);
  clang::TextDiagnosticPrinter early(log, options.get());
  clang::DiagnosticsEngine engine(messageNumbers(), options, &early, /*ShouldOwnClient=*/false);
  auto invocation = parse(arguments, engine);
  if (!invocation)
    return nullptr;
  auto instance = std::make_unique<clang::CompilerInstance>();
  instance->setInvocation(std::move(invocation));
  instance->createDiagnostics(new DiagnosticPrinter(log, options.get()));
  instance->createFileManager(std::move(files));
  return instance;
}

#else

std::unique_ptr<clang::CompilerInstance> makeInstance(Arguments arguments, Files files, llvm::raw_ostream &log) {
  static clang::DiagnosticOptions options; // the instance's printer keeps a reference
  chooseMessages(options);
  clang::TextDiagnosticPrinter early(log, options);
  clang::DiagnosticsEngine engine(messageNumbers(), options, &early, /*ShouldOwnClient=*/false);
  auto invocation = parse(arguments, engine);
  if (!invocation)
    return nullptr;
  auto instance = std::make_unique<clang::CompilerInstance>(std::move(invocation));
  auto *printer = new DiagnosticPrinter(log, options); // the instance's engine owns it
#if LLVM_VERSION_MAJOR < 22
  instance->createDiagnostics(*files, printer);
  instance->createFileManager(std::move(files));
#else
  instance->setVirtualFileSystem(std::move(files));
  instance->createDiagnostics(printer);
  instance->createFileManager();
#endif
  return instance;
}

#endif

} // namespace kiln::frontend
