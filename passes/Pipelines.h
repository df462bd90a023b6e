// The order of passes. START READING HERE, at Pipelines.cpp.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/Pass/PassManager.h"
#include <optional>

namespace kiln {

/// Limits that tests set, to reach the code of large kernels with small ones.
struct CommonLimits {
  std::optional<unsigned> maxBlocks;    // of ocl-structurize-barriers
  std::optional<uint64_t> maxKernelOps; // of ocl-keep-calls
};

/// Reports of passes that the user has chosen. Facts about the target are attributes of the module
/// (dialects/ocl/Target.h).
struct PassReports {
  bool remarks = false;          // option of wg-vectorize: a remark per region
  bool checkAssumptions = false; // vector code checks its assumptions against each work-item's values
  bool checkMemory = false;      // kernels check their accesses
  bool checkBarriers = false;    // kernels check that all work-items of a group reach a barrier
  bool checkRaces = false;       // kernels track their accesses, to find races
  bool checkInit = false;        // kernels track their accesses, to find reads of memory that was never written
  bool notesAccesses = false;    // code notes its line and its work-item before each access
  bool tracks() const { return checkRaces || checkInit; }
};

/// Takes the importer's output. Afterwards each kernel is one function (except functions that ocl-keep-calls keeps),
/// its variables are promoted, and control flow around barriers is structured if it has at most `maxBlocks` blocks.
void addCommonPasses(mlir::OpPassManager &passes, const PassReports &reports = {}, const CommonLimits &limits = {});
/// Simplifies dialects/library, once, when Kiln is built.
void addLibraryPasses(mlir::OpPassManager &passes);
/// `ocl` to `wg`.
void addWorkGroupPasses(mlir::OpPassManager &passes, const PassReports &reports = {});
/// `wg` to the LLVM dialect.
void addCpuPasses(mlir::OpPassManager &passes, const PassReports &reports = {});

/// Takes the importer's output. Afterwards each kernel is one function (except functions that ocl-keep-calls keeps),
/// its variables are promoted, and its control flow is still a graph.
void addGpuCommonPasses(mlir::OpPassManager &passes, const PassReports &reports = {}, const CommonLimits &limits = {});
/// `ocl` to the LLVM dialect.
void addGpuPasses(mlir::OpPassManager &passes, ocl::TargetKind kind, const PassReports &reports = {});

/// Registers the dialect interfaces that inlining and `convert-to-llvm` use.
void registerInterfaces(mlir::DialectRegistry &registry);

/// Registers the pass lists as pipelines: `kiln-common` (options `max-blocks` and `max-kernel-ops`), `kiln-group`,
/// `kiln-cpu`, `kiln-gpu-common` (option `max-kernel-ops`), `kiln-nvptx`, `kiln-amdgpu`. Each is what kilnc runs by
/// default: what differs by target and variant is in the module's attributes.
void registerPipelines();

} // namespace kiln
