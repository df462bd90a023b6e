// Debug information of a body: the line, the function and the lexical block of each operation, and the locations of
// variables.
#pragma once
#include "dialects/import/DebugInfo.h"

namespace kiln::import {
class Body;

class DebugValues {
public:
  explicit DebugValues(Body &body);

  /// Starts a function, at its entry.
  void enter(Function &function);
  /// Describes the variables of the module that the function has accessed, at its end.
  void leave(const Function &function);

  /// Handles OpLine; null: OpNoLine.
  void setLine(const Instruction *line);
  /// Ends the range of the last OpLine and DebugScope.
  void endLine();
  /// Imports an instruction of a debug information set.
  void import(const Instruction &ins);
  /// Describes all variables again, after an instruction during which other work-items run.
  void reemit();

private:
  void updateLocation();
  void emitIds(mlir::Location loc);
  void emitAddress(mlir::Value address, mlir::LLVM::DILocalVariableAttr variable);

  Body &body_;
  DebugInfo info_;
  const Instruction *line_ = nullptr; // an OpLine
  mlir::LLVM::DIScopeAttr scope_;     // null: the function
  mlir::LLVM::DISubprogramAttr function_;
  mlir::Location begin_; // of the function
  struct Declared {
    mlir::Value place;
    mlir::LLVM::DILocalVariableAttr variable;
    mlir::Type type; // null: described by its address, not by its value
  };
  llvm::SmallVector<Declared> declared_;
};

} // namespace kiln::import
