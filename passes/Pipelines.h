// The order of passes. START READING HERE, at Pipelines.cpp.
#pragma once
#include "mlir/Pass/PassManager.h"
#include <array>
#include <optional>
#include <string>

namespace kiln {

struct CpuVariant {
  std::array<uint64_t, 3> localSize{}; // zero: any
  std::string suffix;                  // of the entry points' names
  unsigned lanes = 8;                  // work-items to a vector; 0: none
  bool hasMasks = false;               // are there registers for masks
  unsigned pickFrom = 0;               // of how many elements of 32 bits each lane can pick one
  bool report = false;                 // say what became vectors, as remarks
  bool checkAssumptions = false;       // of wg-vectorize
};

/// What differs from the defaults of the passes.
struct CommonLimits {
  std::optional<unsigned> maxBlocks;    // of ocl-structure-barriers
  std::optional<uint64_t> maxKernelOps; // of ocl-keep-calls
};

/// From the importer's output to a kernel that is one function, but for those that ocl-keep-calls keeps, with its
/// variables promoted and its barriers in structure, where it has no more than `maxBlocks` blocks.
void addCommonPasses(mlir::OpPassManager &passes, const CommonLimits &limits = {});
/// What dialects/library is simplified by, once, when Kiln is built.
void addLibraryPasses(mlir::OpPassManager &passes);
/// `ocl` to `wg`.
void addGroupPasses(mlir::OpPassManager &passes);
/// `wg` to the LLVM dialect.
void addCpuPasses(mlir::OpPassManager &passes, const CpuVariant &variant = {});

struct GpuVariant {
  std::string target; // "nvptx" or "amdgpu"
  unsigned subGroupSize = 32;
  std::array<uint64_t, 3> localSize{}; // zero: any
  std::string suffix;                  // of the entry points' names
};

/// From the importer's output to a kernel that is one function, but for those that ocl-keep-calls keeps, still a graph,
/// with its variables promoted.
void addGpuCommonPasses(mlir::OpPassManager &passes, const CommonLimits &limits = {});
/// `ocl` to the LLVM dialect.
void addGpuPasses(mlir::OpPassManager &passes, const GpuVariant &variant);

/// What inlining and `convert-to-llvm` need to know of the dialects that reach them.
void registerInterfaces(mlir::DialectRegistry &registry);

/// Makes the lists known to pipeline strings: `kiln-common` (with `max-blocks` and `max-kernel-ops`), `kiln-group`,
/// `kiln-cpu`, `kiln-gpu-common` (with `max-kernel-ops`), `kiln-nvptx`, `kiln-amdgpu`.
void registerPipelines();

} // namespace kiln
