// The importer's interface: lifts SPIR-V to the `ocl` dialect. Errors are MLIR diagnostics on the context; they name
// the instruction and its word offset in the module.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <cstdint>
#include <vector>

namespace kiln::import {

/// A value for the constant with this SpecId, little-endian as in clSetProgramSpecializationConstant.
struct SpecConstant {
  uint32_t id = 0;
  std::vector<uint8_t> bytes;
};

/// A specialisation constant of a module; `size` in bytes, 1 for bool.
struct SpecConstantDecl {
  uint32_t id = 0;
  uint32_t size = 0;
};

struct Options {
  std::vector<SpecConstant> specConstants;
  bool functions = false; // the location of an operation has its function, as DISubprogramAttr, beside its line
  bool variables = false; // with `functions`: import the debug information of variables
  std::vector<SpecConstantDecl> *specConstantDecls = nullptr; // if not null: receives the result of `inspect`
};

/// Loads every dialect that imported modules use.
void loadDialects(mlir::MLIRContext &context);

/// Validates the module and lifts it. Returns null on errors. Linkage is recorded in the attributes of Link.h for
/// linkModules. A single module must pass linkModules as well, which reports unresolved symbols.
mlir::OwningOpRef<mlir::ModuleOp> importSpirv(llvm::ArrayRef<uint8_t> bytes, mlir::MLIRContext &context,
                                              const Options &options = {});

/// Validates the module and lists its specialisation constants by ascending id.
mlir::LogicalResult inspect(llvm::ArrayRef<uint8_t> bytes, mlir::MLIRContext &context,
                            std::vector<SpecConstantDecl> &specConstants);

} // namespace kiln::import
