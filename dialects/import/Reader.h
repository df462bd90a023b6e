// SPIR-V words -> instructions. Behind this, every instruction has the operands that its opcode demands, strings end,
// and ids lie below the bound and are defined at most once. What the ids stand for is not known yet.
#pragma once
#include "dialects/import/SpirvTables.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"
#include "mlir/IR/MLIRContext.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kiln::import {

/// By id. The keys are wider than ids: a map of 32 bit keys cannot be asked for a word of all ones, and a hostile module
/// has such words where ids belong, in operands that nobody has checked yet.
template <typename T> using IdMap = llvm::DenseMap<uint64_t, T>;
using IdSet = llvm::DenseSet<uint64_t>;

struct Instruction {
  spv::Op op{};
  uint32_t offset = 0;           // in words from the start of the module
  uint32_t type = 0, result = 0; // ids; 0: the instruction has none
  llvm::ArrayRef<uint32_t> args; // what follows them
};

struct Binary {
  std::vector<uint32_t> words; // in this machine's byte order
  uint32_t version = 0;        // 0x00010200 is 1.2
  std::vector<Instruction> code;
  IdMap<uint32_t> definitions; // id -> index into code

  /// The instruction whose result is `id`, which may be any word; null without one.
  const Instruction *definition(uint32_t id) const;
};

/// "OpLoad"; the number for an opcode that the grammar does not have.
std::string opcodeName(spv::Op op);

/// The string that starts at args[0], and the words it takes. The reader has checked strings in fixed places; nullopt
/// elsewhere means that it has no end.
std::optional<std::pair<std::string, size_t>> readString(llvm::ArrayRef<uint32_t> args);

/// Do the operands behind result type and result id have the shape that the opcode demands? For the operation inside an
/// OpSpecConstantOp; what `decode` gives has been checked.
bool hasShape(spv::Op op, llvm::ArrayRef<uint32_t> args);

/// Emits a diagnostic and gives nullopt where the words are no module.
std::optional<Binary> decode(llvm::ArrayRef<uint8_t> bytes, mlir::MLIRContext &context);

} // namespace kiln::import
