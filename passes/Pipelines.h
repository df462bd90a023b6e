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
  unsigned machineWidth = 8;           // 32-bit elements per machine vector; 0: no vectors
  bool hasMaskRegisters = false;
  unsigned permuteTableSize = 0; // 32-bit elements that one permute selects from
  bool report = false;           // emit remarks of wg-vectorize
  bool checkAssumptions = false; // option of wg-vectorize
};

/// Limits that differ from the passes' defaults.
struct CommonLimits {
  std::optional<unsigned> maxBlocks;            // of ocl-structurize-barriers
  std::optional<uint64_t> maxKernelOps;         // of ocl-keep-calls
  std::optional<uint64_t> maxCalls{};           // of ocl-keep-calls; set by addGpuCommonPasses
  std::optional<uint64_t> maxOpsWithoutCalls{}; // of ocl-keep-calls; set by addCommonPasses
};

/// Takes the importer's output. Afterwards each kernel is one function (except functions that ocl-keep-calls keeps),
/// its variables are promoted, and control flow around barriers is structured if it has at most `maxBlocks` blocks.
void addCommonPasses(mlir::OpPassManager &passes, const CommonLimits &limits = {});
/// Simplifies dialects/library, once, when Kiln is built.
void addLibraryPasses(mlir::OpPassManager &passes);
/// `ocl` to `wg`.
void addWorkGroupPasses(mlir::OpPassManager &passes);
/// `wg` to the LLVM dialect.
void addCpuPasses(mlir::OpPassManager &passes, const CpuVariant &variant = {});

struct GpuTraits {
  unsigned subGroupSize = 32;
  bool textures = false;        // reads of images use texture objects
  bool partialBarriers = false; // option of gpu-make-child-executor
};

struct GpuVariant {
  std::string target; // "nvptx" or "amdgpu"
  unsigned subGroupSize = 32;
  bool hasReduceInstruction = false;   // option of gpu-lower-groups
  std::array<uint64_t, 3> localSize{}; // zero: any
  std::string suffix;                  // of the entry points' names
};

/// Takes the importer's output. Afterwards each kernel is one function (except functions that ocl-keep-calls keeps),
/// its variables are promoted, and its control flow is still a graph.
void addGpuCommonPasses(mlir::OpPassManager &passes, const CommonLimits &limits, const GpuTraits &traits);
/// `ocl` to the LLVM dialect.
void addGpuPasses(mlir::OpPassManager &passes, const GpuVariant &variant);

/// Registers the dialect interfaces that inlining and `convert-to-llvm` use.
void registerInterfaces(mlir::DialectRegistry &registry);

/// Registers the pass lists as pipelines: `kiln-common` (options `max-blocks` and `max-kernel-ops`), `kiln-group`,
/// `kiln-cpu`, `kiln-gpu-common` (options `max-kernel-ops`, `textures` and
/// `partial-barriers`), `kiln-nvptx`, `kiln-amdgpu`.
void registerPipelines();

} // namespace kiln
