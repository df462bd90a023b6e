// Decodes SPIR-V words to instructions. Decoded instructions have the operands that their opcodes require, strings are
// terminated, ids are below the bound and defined at most once. The kinds of the ids are not checked here.
#pragma once
#include "base/spirv/Numbers.h"
#include "dialects/import/SpirvTables.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kiln::import {

/// A map from ids. The keys are wider than ids: DenseMap with 32-bit keys reserves a word of all ones, and a hostile
/// module has such words where ids belong, in unchecked operands.
template <typename T> using IdMap = llvm::DenseMap<uint64_t, T>;
using IdSet = llvm::DenseSet<uint64_t>;

struct Instruction {
  spv::Op op{};
  uint32_t offset = 0;           // in words from the start of the module
  uint32_t type = 0, result = 0; // ids; 0: the instruction has none
  llvm::ArrayRef<uint32_t> args; // the remaining operand words
};

struct Binary {
  std::vector<uint32_t> words; // in this machine's byte order
  uint32_t version = 0;        // 0x00010200 is 1.2
  std::vector<Instruction> code;
  IdMap<uint32_t> definitions; // id -> index into code

  /// Returns the instruction whose result is `id`, which may be any word; null if there is none.
  const Instruction *definition(uint32_t id) const;
};

/// Returns "OpLoad"; the number for an opcode that the grammar does not have.
std::string opcodeName(spv::Op op);

/// Returns the string that starts at args[0], and its length in words; nullopt if it is not terminated. `decode` has
/// checked the strings that are operands of their opcode.
std::optional<std::pair<std::string, size_t>> readString(llvm::ArrayRef<uint32_t> args);

/// Returns true if the operands after the result id have the shape that the opcode requires. For the operation inside
/// an OpSpecConstantOp; `decode` has checked all others.
bool hasShape(spv::Op op, llvm::ArrayRef<uint32_t> args);

/// Returns nullopt, with a diagnostic, if the bytes are not a SPIR-V module.
std::optional<Binary> decode(llvm::ArrayRef<uint8_t> bytes, mlir::MLIRContext &context);

} // namespace kiln::import
