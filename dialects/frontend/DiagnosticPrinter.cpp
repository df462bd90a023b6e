#include "dialects/frontend/DiagnosticPrinter.h"
#include "llvm/ADT/SmallString.h"

namespace kiln::frontend {
namespace {

constexpr llvm::StringLiteral Functions[] = {
#include "FunctionNames.inc"
};

/// The name that a message calls unknown; empty if it is another message.
llvm::StringRef unknownName(llvm::StringRef message) {
  if (message.consume_front("use of undeclared identifier '") ||
      message.consume_front("implicit declaration of function '"))
    return message.take_until([](char c) { return c == '\''; });
  return {};
}

} // namespace

llvm::StringRef similarFunction(llvm::StringRef name) {
  if (name.size() < 3) // most short names differ by few letters
    return {};
  unsigned least = std::max(1u, unsigned(name.size()) / 4) + 1;
  llvm::StringRef nearest;
  for (llvm::StringRef function : Functions)
    if (const unsigned distance = name.edit_distance(function, /*AllowReplacements=*/true, least); distance < least)
      least = distance, nearest = function;
  return nearest;
}

void DiagnosticPrinter::HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &diagnostic) {
  TextDiagnosticPrinter::HandleDiagnostic(level, diagnostic);
  llvm::SmallString<128> message;
  diagnostic.FormatDiagnostic(message);
  const bool hasSuggestion = llvm::StringRef(message).contains("did you mean"); // Clang's own
  if (const llvm::StringRef similar = similarFunction(unknownName(message)); !similar.empty() && !hasSuggestion)
    log_ << "note: did you mean '" << similar << "'?\n";
}

} // namespace kiln::frontend
