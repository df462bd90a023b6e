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
#include "passes/ocl/LiftFlow.h"

using namespace mlir;

namespace kiln {

// MLIR's, with its own settings; for structured code.
static std::unique_ptr<Pass> createCanonicalizer() {
  return createCanonicalizerPass(GreedyRewriteConfig()
                                     .setUseTopDownTraversal(true)
                                     .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal)
                                     .setListener(unrollHintKeeper()));
}

// Private variables to values: the many simple ones, then the others.
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

void addCommonPasses(OpPassManager &passes, const CommonLimits &limits) {
  StructureBarriersOptions structure;
  structure.maxBlocks = limits.maxBlocks.value_or(structure.maxBlocks);
  passes.addPass(createNumberBlocks());
  passes.addPass(createCallLibrary());              // before anything wants to see through calls
  passes.addNestedPass<func::FuncOp>(createExpandAsyncCopies()); // into loops, while functions are graphs
  passes.addPass(createWidenTriples());             // so that a variable has one type
  addPromotion(passes);                             // in time that grows with their square: while they are apart
  passes.addPass(createKeepCalls(limits));          // what would be copied too often stays a function
  passes.addPass(createInlineCalls({.maxOps = 400000, .onlyWithoutBarrier = true})); // graphs into graphs, while they are graphs
  passes.addPass(createPlaceProgramVariables());    // code holds none
  passes.addPass(createPassQueries());              // functions know their arguments alone
  passes.addPass(createResolveGeneric());           // so that no cast hides a variable
  passes.addPass(createWidenTriples());             // once more, behind the casts
  passes.addPass(createSROA());                     // structs and arrays with known indices to their parts
  addPromotion(passes);                             // private variables to values
  passes.addNestedPass<func::FuncOp>(createKnowImages()); // the kernel's own are known as its arguments now
  passes.addPass(createInlineCalls({.maxOps = 400000, .onlyWithoutBarrier = true})); // what formats decide
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createSplitVectors());             // coordinates to numbers
  passes.addPass(createStructureBarriers(structure)); // what waits gets structure
  passes.addPass(createInlineCalls());              // and is one block now, so it fits anywhere
  passes.addPass(createResolveGeneric());           // arguments of the inlined are known only now
  passes.addPass(createSROA());
  addPromotion(passes);
  passes.addPass(createCanonicalizer());
  passes.addPass(createCSEPass());
  passes.addPass(createExpandPrintf());             // formats have met their calls
  passes.addNestedPass<func::FuncOp>(createMarkArgumentAccess());
}

void addLibraryPasses(OpPassManager &passes) {
  passes.addPass(createWidenTriples());
  addPromotion(passes);
  passes.addPass(createInlineCalls());
  passes.addPass(createResolveGeneric());
  passes.addPass(createWidenTriples());
  passes.addPass(createSROA());
  addPromotion(passes);
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

void addGroupPasses(OpPassManager &passes) {
  passes.addPass(createOclToWg());                  // barriers become the ends of regions
  passes.addPass(createCanonicalizer());            // what moved out of a region left it empty, or twice the same
  passes.addPass(createCSEPass());
}

void addCpuPasses(OpPassManager &passes, const CpuVariant &variant) {
  LowerParallelOptions options;
  VectorizeOptions vectors;
  UnrollRoundsOptions rounds;
  MergeRegionsOptions merge;
  JamRowsOptions jam;
  if (variant.localSize[0]) {
    rounds.localSize.assign(variant.localSize.begin(), variant.localSize.end());
    merge.localSize.assign(variant.localSize.begin(), variant.localSize.end());
    jam.localSize.assign(variant.localSize.begin(), variant.localSize.end());
    options.localSize.assign(variant.localSize.begin(), variant.localSize.end());
    vectors.localSize.assign(variant.localSize.begin(), variant.localSize.end());
  }
  options.suffix = variant.suffix;
  vectors.lanes = variant.lanes, vectors.report = variant.report;
  vectors.checkAssumptions = variant.checkAssumptions;
  vectors.maskBits = variant.hasMasks ? 1 : 32, vectors.pickFrom = variant.pickFrom;
  passes.addPass(createUnrollRounds(rounds));       // trees in local memory, level by level
  passes.addPass(createMergeRegions(merge));        // barriers that nobody needs
  passes.addPass(createJamRows(jam));               // tiles that are turned
  passes.addPass(createChooseComponents({.reads = false})); // one work-item alone reads better from memory
  passes.addPass(createVectorize(vectors));         // neighbours in x do one thing together
  passes.addPass(createSCFToControlFlowPass());     // regions hold graphs again
  passes.addPass(createLowerParallel(options));     // work-items become loops, slots memory
  passes.addPass(createOclToLlvm());                // atomics, math, conversions; one address space
  passes.addPass(createConvertToLLVMPass());        // everything else
  passes.addPass(createReconcileUnrealizedCastsPass());
}

void addGpuCommonPasses(OpPassManager &passes, const CommonLimits &limits) {
  passes.addPass(createNumberBlocks());
  passes.addPass(createCallLibrary());
  passes.addNestedPass<func::FuncOp>(createExpandAsyncCopies());
  passes.addPass(createWidenTriples());
  addPromotion(passes);
  passes.addPass(createKeepCalls(limits));
  passes.addPass(createInlineCalls());              // barriers are calls to the hardware: they fit anywhere
  passes.addPass(createPlaceProgramVariables());
  passes.addPass(createPassQueries());
  passes.addPass(createResolveGeneric());
  passes.addPass(createWidenTriples());
  passes.addPass(createSROA());
  addPromotion(passes);
  passes.addNestedPass<func::FuncOp>(createKnowImages());
  passes.addPass(createInlineCalls());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createResolveGeneric());           // pointers that were kept in variables are values now
  passes.addPass(createExpandPrintf());
  passes.addNestedPass<func::FuncOp>(createMarkArgumentAccess());
}

void addGpuPasses(OpPassManager &passes, const GpuVariant &variant) {
  LowerGpuEntriesOptions entries;
  entries.target = variant.target, entries.subGroupSize = variant.subGroupSize, entries.suffix = variant.suffix;
  if (variant.localSize[0])
    entries.localSize.assign(variant.localSize.begin(), variant.localSize.end());
  if (variant.target == "nvptx")                    // LLVM does so for AMDGPU, too
    passes.addPass(createChooseComponents());
  passes.addPass(createLowerGpuEntries(entries));   // parameters, local memory, queries
  passes.addPass(createLowerGpuSync({variant.target}));
  passes.addPass(createLowerGpuMath({variant.target}));
  passes.addPass(createConvertAddressSpaces({variant.target}));
  passes.addPass(createConvertToLLVMPass());        // everything else
  passes.addPass(createReconcileUnrealizedCastsPass());
}

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
    Option<uint64_t> maxKernelOps{*this, "max-kernel-ops", llvm::cl::desc("of ocl-keep-calls"),
                                  llvm::cl::init(KeepCallsOptions().maxKernelOps)};
  };
  struct CommonOptions : PassPipelineOptions<CommonOptions> {
    Option<unsigned> maxBlocks{*this, "max-blocks", llvm::cl::desc("of ocl-structure-barriers"),
                               llvm::cl::init(StructureBarriersOptions().maxBlocks)};
    Option<uint64_t> maxKernelOps{*this, "max-kernel-ops", llvm::cl::desc("of ocl-keep-calls"),
                                  llvm::cl::init(KeepCallsOptions().maxKernelOps)};
  };
  PassPipelineRegistration<CommonOptions>(
      "kiln-common", "what every target shares", [](OpPassManager &passes, const CommonOptions &options) {
        addCommonPasses(passes, {.maxBlocks = options.maxBlocks, .maxKernelOps = options.maxKernelOps});
      });
  PassPipelineRegistration<>("kiln-group", "ocl to wg", addGroupPasses);
  PassPipelineRegistration<>("kiln-cpu", "wg to the LLVM dialect", [](OpPassManager &passes) { addCpuPasses(passes); });
  PassPipelineRegistration<GpuCommonOptions>("kiln-gpu-common", "what GPUs share",
                                             [](OpPassManager &passes, const GpuCommonOptions &options) {
                                               addGpuCommonPasses(passes, {.maxBlocks = {}, .maxKernelOps = options.maxKernelOps});
                                             });
  PassPipelineRegistration<>("kiln-nvptx", "ocl to the LLVM dialect for NVPTX",
                             [](OpPassManager &passes) { addGpuPasses(passes, {.target = "nvptx", .suffix = {}}); });
  PassPipelineRegistration<>("kiln-amdgpu", "ocl to the LLVM dialect for AMDGPU with sub-groups of 64",
                             [](OpPassManager &passes) { addGpuPasses(passes, {.target = "amdgpu", .subGroupSize = 64, .suffix = {}}); });
}

} // namespace kiln
