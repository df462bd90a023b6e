// Reads the names, types and locations of local variables from OpenCL.DebugInfo.100 or
// NonSemantic.Shader.DebugInfo.100. Invalid debug information is dropped; it never makes the import fail.
//
// LLVM requires the function as the scope of a variable or block. The function is determined only after inlining, so
// the file is the scope until then.
#pragma once
#include "dialects/import/ModuleImporter.h"

namespace kiln::import {

class DebugInfo {
public:
  explicit DebugInfo(ModuleImporter &module) : module_(module) {}

  enum class Kind : uint8_t { Other, Scope, NoScope, Declare, Value };
  Kind kindOf(const Instruction &ins) const;
  /// Returns the block that a DebugScope names; null for the function itself.
  mlir::LLVM::DIScopeAttr scope(const Instruction &ins);
  /// Returns the variable of a DebugDeclare or DebugValue; null if it is invalid or in a form that is not supported.
  mlir::LLVM::DILocalVariableAttr variable(const Instruction &ins);

private:
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
  mlir::LLVM::DITypeAttr array(mlir::LLVM::DITypeAttr element, llvm::ArrayRef<uint64_t> counts, bool isVector);

  ModuleImporter &module_;
  IdMap<mlir::LLVM::DITypeAttr> types_; // null: in construction, or not representable
};

} // namespace kiln::import
