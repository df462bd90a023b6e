// The order of passes. START READING HERE, at Pipelines.cpp.
#pragma once
#include "mlir/Pass/PassManager.h"
#include <array>
#include <string>

namespace kiln {

struct CpuVariant {
  std::array<uint64_t, 3> localSize{}; // zero: any
  std::string suffix;                  // of the entry points' names
};

/// What every target shares: from the importer's output to a kernel that is one function with its variables promoted.
void addCommonPasses(mlir::OpPassManager &passes);
/// `ocl` to `wg`.
void addGroupPasses(mlir::OpPassManager &passes);
/// `wg` to the LLVM dialect.
void addCpuPasses(mlir::OpPassManager &passes, const CpuVariant &variant = {});

/// What inlining and `convert-to-llvm` need to know of the dialects that reach them.
void registerInterfaces(mlir::DialectRegistry &registry);

/// Makes the lists known to pipeline strings: `kiln-common`, `kiln-group`, `kiln-cpu`.
void registerPipelines();

} // namespace kiln
