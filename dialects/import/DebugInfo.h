// Reads the names, types and locations of variables from OpenCL.DebugInfo.100 or NonSemantic.Shader.DebugInfo.100.
// Invalid debug information is dropped; it never makes the import fail.
//
// The outermost scope of a variable or block is the function of the module, as a DISubprogramAttr that is no
// definition: kilnc defines the functions that remain and those that were inlined
// (backends/kilnc/compiler/DebugScopes.h).
#pragma once
#include "dialects/import/ModuleImporter.h"

namespace kiln::import {

class DebugInfo {
public:
  explicit DebugInfo(ModuleImporter &module) : module_(module) {}

  /// Names the function that scopes and variables are in from now.
  void enter(mlir::LLVM::DISubprogramAttr function) { function_ = function; }
  enum class Kind : uint8_t { Other, Scope, NoScope, Declare, Value };
  Kind kindOf(const Instruction &ins) const;
  /// Returns the block that a DebugScope names; null for the function itself.
  mlir::LLVM::DIScopeAttr scope(const Instruction &ins);
  /// Returns the variable of a DebugDeclare or DebugValue; null if it is invalid or in a form that is not supported.
  mlir::LLVM::DILocalVariableAttr variable(const Instruction &ins);

  /// A variable of the module that a function may access.
  struct Global {
    uint32_t id; // of its OpVariable
    mlir::LLVM::DILocalVariableAttr description;
  };
  /// Returns the variables in local, global and constant memory that the function with this id may name: its own, and
  /// those at program scope. Not handled: a function's own in NonSemantic.Shader.DebugInfo.100.
  llvm::SmallVector<Global> globals(uint32_t function);
  /// Returns a variable that Kiln adds to the function: a vector of three ulong.
  mlir::LLVM::DILocalVariableAttr triple(llvm::StringRef name);

private:
  mlir::LLVM::DIScopeAttr scopeOr(mlir::LLVM::DIScopeAttr inner, mlir::LLVM::DIFileAttr file) const;
  /// Returns the instruction `id` if it has this number in a debug information set; else null.
  const Instruction *find(uint32_t id, uint32_t number) const;
  std::string setOf(const Instruction &ins) const;
  std::optional<uint32_t> numberOf(const Instruction *ins) const;
  /// Operands, counted after set and number: literals in OpenCL.DebugInfo.100, constants in the NonSemantic set, or
  /// strings. 0 if the operand is missing.
  uint32_t operand(const Instruction &ins, size_t index) const;
  uint64_t number(const Instruction &ins, size_t index) const;
  uint64_t constant(const Instruction &ins, size_t index) const;
  mlir::StringAttr text(const Instruction &ins, size_t index) const;
  mlir::LLVM::DIFileAttr file(uint32_t id) const;
  bool isPlainAddress(const Instruction &expression) const;
  mlir::LLVM::DIScopeAttr block(uint32_t id, unsigned depth);

  mlir::LLVM::DITypeAttr type(uint32_t id, unsigned depth = 0);
  mlir::LLVM::DITypeAttr makeType(const Instruction &ins, unsigned depth);
  mlir::LLVM::DITypeAttr composite(const Instruction &ins, unsigned depth);
  /// `isPadded`: a vector of three components has the size of four, as in memory. Editors list the fourth one.
  mlir::LLVM::DITypeAttr array(mlir::LLVM::DITypeAttr element, llvm::ArrayRef<uint64_t> counts, bool isVector,
                               bool isPadded = true);

  ModuleImporter &module_;
  mlir::LLVM::DISubprogramAttr function_; // null outside of functions
  IdMap<mlir::LLVM::DITypeAttr> types_;   // null: in construction, or not representable
};

} // namespace kiln::import
