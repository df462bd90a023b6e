// The order of passes, one line each.
#include "passes/Pipelines.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "passes/ocl/LiftControlFlow.h"

using namespace mlir;

namespace kiln {

// MLIR's canonicalizer with its default settings, and a listener that keeps unroll hints of structured loops.
static std::unique_ptr<Pass> createCanonicalizer() {
  return createCanonicalizerPass(GreedyRewriteConfig()
                                     .setUseTopDownTraversal(true)
                                     .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal)
                                     .setListener(unrollHintListener()));
}

// Private variables to SSA values: the many simple ones first, then the others.
static void addPromotion(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(createPromoteVariables());
  passes.addNestedPass<func::FuncOp>(createMem2Reg());
  passes.addNestedPass<func::FuncOp>(createZeroUndefined());
}

static std::unique_ptr<Pass> createKeepCalls(const CommonLimits &limits) {
  KeepCallsOptions options;
  options.maxKernelOps = limits.maxKernelOps.value_or(options.maxKernelOps);
  return createKeepCalls(options);
}

// clang-format off: tables of passes, each with its reason
void addCommonPasses(OpPassManager &passes, const CommonLimits &limits) {
  StructurizeBarriersOptions structurize;
  structurize.maxBlocks = limits.maxBlocks.value_or(structurize.maxBlocks);
  passes.addPass(createNumberBlocks());
  passes.addPass(createLowerToLibrary());           // before passes that look through calls
  passes.addNestedPass<func::FuncOp>(createExpandAsyncCopies()); // to loops, while functions are graphs
  passes.addPass(createPadVec3());                  // so that each variable has one type
  addPromotion(passes);                             // before inlining: mem2reg scans the whole function for each variable
  passes.addPass(createKeepCalls(limits));          // marks functions that are too large to be inlined
  passes.addPass(createInlineCalls({.maxOps = 400000, .onlyWithoutBarrier = true})); // graphs into graphs
  passes.addPass(createLayOutProgramVariables());   // code contains no variables
  passes.addPass(createPassQueries());              // called functions query nothing
  passes.addPass(createInferAddressSpaces());       // so that no cast hides a variable
  passes.addPass(createPadVec3());                  // again: accesses that were behind casts
  passes.addPass(createSROA());                     // structs and arrays with constant indices to their elements
  addPromotion(passes);
  passes.addNestedPass<func::FuncOp>(createSpecializeImages()); // inlined code uses the kernel's image arguments now
  passes.addPass(createInlineCalls({.maxOps = 400000, .onlyWithoutBarrier = true})); // library functions whose image format is a constant now
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createScalarizeVectors());         // coordinates
  passes.addPass(createStructurizeBarriers(structurize)); // cf to scf in functions that contain a barrier
  passes.addPass(createInlineCalls());              // lifted functions have one block and can be inlined into scf regions
  passes.addPass(createInferAddressSpaces());       // again: arguments of functions that were inlined last
  passes.addPass(createSROA());
  addPromotion(passes);
  passes.addPass(createCanonicalizer());
  passes.addPass(createCSEPass());
  passes.addPass(createExpandPrintf());             // after inlining: formats are literals now
  passes.addNestedPass<func::FuncOp>(createMarkArgumentAccess());
}

void addLibraryPasses(OpPassManager &passes) {
  passes.addPass(createPadVec3());
  addPromotion(passes);
  passes.addPass(createInlineCalls());
  passes.addPass(createInferAddressSpaces());
  passes.addPass(createPadVec3());
  passes.addPass(createSROA());
  addPromotion(passes);
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

void addWorkGroupPasses(OpPassManager &passes) {
  passes.addPass(createOclToWg());                  // barriers to ends of parallel regions
  passes.addPass(createCanonicalizer());            // removes empty regions and duplicates
  passes.addPass(createCSEPass());
}

void addCpuPasses(OpPassManager &passes, const CpuVariant &variant) {
  LowerParallelOptions lower;
  VectorizeOptions vectorize;
  UnrollBarrierLoopsOptions unroll;
  MergeRegionsOptions merge;
  UnrollAndJamOptions jam;
  if (variant.localSize[0]) {
    unroll.localSize.assign(variant.localSize.begin(), variant.localSize.end());
    merge.localSize.assign(variant.localSize.begin(), variant.localSize.end());
    jam.localSize.assign(variant.localSize.begin(), variant.localSize.end());
    lower.localSize.assign(variant.localSize.begin(), variant.localSize.end());
    vectorize.localSize.assign(variant.localSize.begin(), variant.localSize.end());
  }
  lower.suffix = variant.suffix;
  vectorize.machineWidth = variant.machineWidth, vectorize.report = variant.report;
  vectorize.checkAssumptions = variant.checkAssumptions;
  vectorize.maskElementBits = variant.hasMaskRegisters ? 1 : 32;
  vectorize.permuteTableSize = variant.permuteTableSize;
  passes.addPass(createUnrollBarrierLoops(unroll)); // tree reductions in local memory
  passes.addPass(createMergeRegions(merge));        // removes barriers that order nothing
  passes.addPass(createUnrollAndJam(jam));          // transposed tiles
  passes.addPass(createLowerDynamicIndex({.lowerExtracts = false})); // in scalar code, an extract through memory is faster
  passes.addPass(createVectorize(vectorize));       // adjacent work-items in x to vectors
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createLowerParallel(lower));       // regions to loops, slots to memory
  passes.addPass(createOclToLlvm());                // atomics, math, conversions; one address space
  passes.addPass(createConvertToLLVMPass());        // everything else
  passes.addPass(createReconcileUnrealizedCastsPass());
}

void addGpuCommonPasses(OpPassManager &passes, const CommonLimits &limits) {
  passes.addPass(createNumberBlocks());
  passes.addPass(createLowerToLibrary());
  passes.addNestedPass<func::FuncOp>(createExpandAsyncCopies());
  passes.addPass(createPadVec3());
  addPromotion(passes);
  passes.addPass(createKeepCalls(limits));
  passes.addPass(createInlineCalls());              // a barrier is one hardware instruction: graphs need no structure
  passes.addPass(createLayOutProgramVariables());
  passes.addPass(createPassQueries());
  passes.addPass(createInferAddressSpaces());
  passes.addPass(createPadVec3());
  passes.addPass(createSROA());
  addPromotion(passes);
  passes.addNestedPass<func::FuncOp>(createSpecializeImages());
  passes.addPass(createInlineCalls());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createInferAddressSpaces());       // again: pointers that were stored in variables
  passes.addPass(createExpandPrintf());
  passes.addNestedPass<func::FuncOp>(createMarkArgumentAccess());
}

void addGpuPasses(OpPassManager &passes, const GpuVariant &variant) {
  LowerGpuGroupsOptions groups;
  groups.target = variant.target, groups.subGroupSize = variant.subGroupSize;
  groups.hasReduceInstruction = variant.hasReduceInstruction;
  LowerGpuEntriesOptions entries;
  entries.target = variant.target, entries.subGroupSize = variant.subGroupSize, entries.suffix = variant.suffix;
  if (variant.localSize[0]) {
    groups.localSize.assign(variant.localSize.begin(), variant.localSize.end());
    entries.localSize.assign(variant.localSize.begin(), variant.localSize.end());
  }
  if (variant.target == "nvptx")                    // LLVM's AMDGPU backend lowers dynamic indices itself
    passes.addPass(createLowerDynamicIndex());
  passes.addPass(createLowerGpuGroups(groups));     // shuffles and ballots; makes queries, and local variables
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createLowerGpuEntries(entries));   // parameters, local memory, queries
  passes.addPass(createLowerGpuSync({variant.target}));
  passes.addPass(createLowerGpuMath({variant.target}));
  passes.addPass(createConvertAddressSpaces({variant.target}));
  passes.addPass(createConvertToLLVMPass());        // everything else
  passes.addPass(createReconcileUnrealizedCastsPass());
}
// clang-format on

void registerInterfaces(DialectRegistry &registry) {
  func::registerInlinerExtension(registry);
  LLVM::registerInlinerInterface(registry);
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  index::registerConvertIndexToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
}

void registerPipelines() {
  struct GpuCommonOptions : PassPipelineOptions<GpuCommonOptions> {
    Option<uint64_t> maxKernelOps{*this, "max-kernel-ops", llvm::cl::desc("option of ocl-keep-calls"),
                                  llvm::cl::init(KeepCallsOptions().maxKernelOps)};
  };
  struct CommonOptions : PassPipelineOptions<CommonOptions> {
    Option<unsigned> maxBlocks{*this, "max-blocks", llvm::cl::desc("option of ocl-structurize-barriers"),
                               llvm::cl::init(StructurizeBarriersOptions().maxBlocks)};
    Option<uint64_t> maxKernelOps{*this, "max-kernel-ops", llvm::cl::desc("option of ocl-keep-calls"),
                                  llvm::cl::init(KeepCallsOptions().maxKernelOps)};
  };
  PassPipelineRegistration<CommonOptions>(
      "kiln-common", "passes on ocl for the CPU", [](OpPassManager &passes, const CommonOptions &options) {
        addCommonPasses(passes, {.maxBlocks = options.maxBlocks, .maxKernelOps = options.maxKernelOps});
      });
  PassPipelineRegistration<>("kiln-group", "ocl to wg", addWorkGroupPasses);
  PassPipelineRegistration<>("kiln-cpu", "wg to the LLVM dialect", [](OpPassManager &passes) { addCpuPasses(passes); });
  PassPipelineRegistration<GpuCommonOptions>("kiln-gpu-common", "passes on ocl for GPUs; control flow stays a graph",
                                             [](OpPassManager &passes, const GpuCommonOptions &options) {
                                               addGpuCommonPasses(
                                                   passes, {.maxBlocks = {}, .maxKernelOps = options.maxKernelOps});
                                             });
  PassPipelineRegistration<>("kiln-nvptx", "ocl to the LLVM dialect for NVPTX",
                             [](OpPassManager &passes) { addGpuPasses(passes, {.target = "nvptx", .suffix = {}}); });
  PassPipelineRegistration<>(
      "kiln-amdgpu", "ocl to the LLVM dialect for AMDGPU with sub-groups of 64",
      [](OpPassManager &passes) { addGpuPasses(passes, {.target = "amdgpu", .subGroupSize = 64, .suffix = {}}); });
}

} // namespace kiln
