// SPIR-V in, `ocl` dialect out: the face of the importer. README.md says how it is built.
//
// Errors are MLIR diagnostics on the context; they name the instruction and its word offset in the module.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <cstdint>
#include <vector>

namespace kiln::import {

/// A value for the constant that carries this SpecId, little-endian as clSetProgramSpecializationConstant takes it.
struct SpecConstant {
  uint32_t id = 0;
  std::vector<uint8_t> bytes;
};

/// A specialisation constant that a module has; `size` in bytes, 1 for bool.
struct SpecConstantFact {
  uint32_t id = 0;
  uint32_t size = 0;
};

struct Options {
  std::vector<SpecConstant> specConstants;
  bool variables = false;                         // local variables for a debugger, where the module names them
  std::vector<SpecConstantFact> *facts = nullptr; // gets what `inspect` would say, where somebody wants it
};

/// Loads every dialect that imported modules are made of.
void loadDialects(mlir::MLIRContext &context);

/// Validates the module and lifts it. Null on errors. Linkage is kept in the attributes of Link.h, so that linkModules
/// can join several modules; a module on its own must go through it as well, to learn of unresolved symbols.
mlir::OwningOpRef<mlir::ModuleOp> importSpirv(llvm::ArrayRef<uint8_t> bytes, mlir::MLIRContext &context,
                                              const Options &options = {});

/// Validates the module and lists its specialisation constants by ascending id.
mlir::LogicalResult inspect(llvm::ArrayRef<uint8_t> bytes, mlir::MLIRContext &context,
                            std::vector<SpecConstantFact> &specConstants);

} // namespace kiln::import
