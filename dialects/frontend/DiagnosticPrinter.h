// Writes Clang's messages to a build log. After an unknown name it writes which built-in function has nearly that name:
//
//   k.cl:1:45: error: use of undeclared identifier 'get_globl_id'
//   note: did you mean 'get_global_id'?
//
// Clang looks for similar names among declarations, but declares a built-in function only when it is used.
#pragma once
#include "clang/Frontend/TextDiagnosticPrinter.h"

namespace kiln::frontend {

class DiagnosticPrinter final : public clang::TextDiagnosticPrinter {
public:
  template <typename Options>
  DiagnosticPrinter(llvm::raw_ostream &log, Options &&options)
      : TextDiagnosticPrinter(log, std::forward<Options>(options)), log_(log) {}
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &diagnostic) override;

private:
  llvm::raw_ostream &log_;
};

/// The built-in function with the most similar name; empty if none is similar.
llvm::StringRef similarFunction(llvm::StringRef name);

} // namespace kiln::frontend
