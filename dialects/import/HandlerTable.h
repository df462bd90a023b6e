// A table from opcodes, or from numbers of an extended instruction set, to the functions that lift them.
#pragma once
#include "dialects/import/Body.h"
#include "llvm/Support/ErrorHandling.h"

namespace kiln::import {

/// Lifts one instruction. Operands are untrusted, and an allowed validation error ends validation early. So a handler
/// checks the preconditions of its operations (operand types above all) before it builds or folds them, and
/// Body::define compares each result with the type that the module declares.
using Handler = mlir::LogicalResult (*)(Body &body, const Instruction &ins);

template <typename Code> class HandlerTable {
public:
  HandlerTable(std::initializer_list<void (*)(HandlerTable &)> categories) {
    for (auto add : categories)
      add(*this);
  }

  /// Adds a row for each code. A code with two rows is a mistake of Kiln's own and ends the process when the table is
  /// built, so every import finds it.
  void add(llvm::ArrayRef<Code> codes, Handler handler) {
    for (Code code : codes)
      if (!handlers_.try_emplace(static_cast<uint64_t>(code), handler).second)
        llvm::report_fatal_error("SPIR-V import: number " + llvm::Twine(static_cast<uint64_t>(code)) +
                                 " has two handlers");
  }

  /// Returns null for a code without a row.
  Handler find(Code code) const { return handlers_.lookup(static_cast<uint64_t>(code)); }

private:
  llvm::DenseMap<uint64_t, Handler> handlers_;
};

} // namespace kiln::import
