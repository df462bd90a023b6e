// Local variables for a debugger, out of OpenCL.DebugInfo.100 or NonSemantic.Shader.DebugInfo.100: names, types and
// places. What of it makes no sense is left out: it is never a reason to refuse a module.
//
// A variable or a block of them needs the function that it is in, and that is known when all calls are inlined and
// code is made: until then its file stands in the function's place.
#pragma once
#include "dialects/import/ModuleImporter.h"

namespace kiln::import {

class DebugInfo {
public:
  explicit DebugInfo(ModuleImporter &module) : module_(module) {}

  enum class Kind : uint8_t { Other, Scope, NoScope, Declare, Value };
  Kind kindOf(const Instruction &ins) const;
  /// The block that a DebugScope names; null for the function itself.
  mlir::LLVM::DIScopeAttr scope(const Instruction &ins);
  /// The variable of a DebugDeclare or DebugValue; null where it makes no sense or is told in a way that is not read.
  mlir::LLVM::DILocalVariableAttr variable(const Instruction &ins);

private:
  /// An instruction of a set, with its number, that is laid out as debug information.
  const Instruction *find(uint32_t id, uint32_t number) const;
  std::string setOf(const Instruction &ins) const;
  std::optional<uint32_t> numberOf(const Instruction *ins) const;
  /// Operands, counted without set and number: literals in the one set, constants in the other; strings; 0 for none.
  uint32_t operand(const Instruction &ins, size_t index) const;
  uint64_t number(const Instruction &ins, size_t index) const;
  uint64_t constant(const Instruction &ins, size_t index) const;
  mlir::StringAttr text(const Instruction &ins, size_t index) const;
  mlir::LLVM::DIFileAttr file(uint32_t id) const;
  bool isPlace(const Instruction &expression) const;
  mlir::LLVM::DIScopeAttr block(uint32_t id, unsigned depth);

  mlir::LLVM::DITypeAttr type(uint32_t id, unsigned depth = 0);
  mlir::LLVM::DITypeAttr makeType(const Instruction &ins, unsigned depth);
  mlir::LLVM::DITypeAttr composite(const Instruction &ins, unsigned depth);
  mlir::LLVM::DITypeAttr array(mlir::LLVM::DITypeAttr element, llvm::ArrayRef<uint64_t> counts, bool isVector);

  ModuleImporter &module_;
  IdMap<mlir::LLVM::DITypeAttr> types_; // null: being made, or nothing that can be told
};

} // namespace kiln::import
