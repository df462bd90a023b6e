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
#include "passes/lowering/BroadcastToLlvm.h"
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

// LLVM's AMDGPU part compiles a function of 500 calls in seconds, and of 3,000 in minutes (ocl/KeepCalls.cpp).
static constexpr uint64_t MaxGpuCalls = 500;

// The vectoriser takes kernels of 16,000 operations (simd/Vectorize.cpp), and a kernel has more before its variables
// are values: PBKDF2 with SHA-1 has more than 20,000 then, and 9,900 afterwards.
static constexpr uint64_t MaxCpuOpsWithoutCalls = 40000;

static KeepCallsOptions keepCallsOptions(const CommonLimits &limits) {
  KeepCallsOptions options;
  options.maxKernelOps = limits.maxKernelOps.value_or(options.maxKernelOps);
  return options;
}

// clang-format off: tables of passes, each with its reason

// ---- parts that several pipelines share -------------------------------------------------------------------------------

// Private variables to SSA values: the many simple ones first, then the others.
static void addPromotion(OpPassManager &passes) {
  passes.addPass(createReplaceConstantCopies());    // before SSA values take the place of elements
  passes.addNestedPass<func::FuncOp>(createPromoteVariables());
  passes.addNestedPass<func::FuncOp>(createMem2Reg());
  passes.addNestedPass<func::FuncOp>(createZeroUndefined());
}

// Private structs and arrays with constant indices to SSA values.
static void addMemoryToValues(OpPassManager &passes) {
  passes.addPass(createInferAddressSpaces());       // so that no cast hides a variable
  passes.addPass(createPadVec3());                  // accesses that were behind casts
  passes.addPass(createSROA());
  addPromotion(passes);
}

// The importer's output to kernels without calls, except those that `inlining` leaves and ocl-keep-calls marks.
static void addInlinedKernels(OpPassManager &passes, const KeepCallsOptions &keeping,
                              const InlineCallsOptions &inlining) {
  passes.addPass(createLowerMatrices());            // first, as other passes do not know the type
  passes.addPass(createAlignVariables());           // while accesses are what the module says
  passes.addPass(createNumberBlocks());
  passes.addPass(createLowerToLibrary());           // before passes that look through calls
  passes.addNestedPass<func::FuncOp>(createExpandAsyncCopies()); // to loops, while functions are graphs
  passes.addPass(createPadVec3());                  // so that each variable has one type
  addPromotion(passes);                             // before inlining: mem2reg scans the whole function for each variable
  passes.addPass(createKeepCalls(keeping));         // marks functions that are too large to be inlined
  passes.addPass(createInlineCalls(inlining));
  passes.addPass(createLayOutProgramVariables());   // code contains no variables
  passes.addPass(createPassQueries());              // called functions query nothing
  addMemoryToValues(passes);
  passes.addNestedPass<func::FuncOp>(createSpecializeImages()); // inlined code uses the kernel's image arguments now
  passes.addPass(createInlineCalls(inlining));      // library functions whose image format is a constant now
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

// Uses of arguments, after inlining: formats are literals, and addresses begin at an argument.
static void addArgumentUses(OpPassManager &passes) {
  passes.addPass(createExpandPrintf());
  passes.addPass(createPassQueries());              // the printf buffer, and on GPUs the ids of traps
  passes.addNestedPass<func::FuncOp>(createMarkArgumentAccess());
}

// ---- pipelines --------------------------------------------------------------------------------------------------------

void addCommonPasses(OpPassManager &passes, const PassReports &reports, const CommonLimits &limits) {
  StructurizeBarriersOptions structurize;
  structurize.maxBlocks = limits.maxBlocks.value_or(structurize.maxBlocks);
  KeepCallsOptions keeping = keepCallsOptions(limits);
  keeping.maxOpsWithoutCalls = MaxCpuOpsWithoutCalls;
  if (reports.checkMemory)
    passes.addPass(createCheckImages());            // while accesses of images are operations
  addInlinedKernels(passes, keeping, {.onlyWithoutBarrier = true}); // graphs into graphs
  passes.addPass(createInlineCalls({.onlyWithoutBarrier = true})); // functions whose barriers proved to be dead code
  passes.addPass(createScalarizeVectors());         // coordinates
  passes.addPass(createStructurizeBarriers(structurize)); // cf to scf in functions that contain a barrier
  passes.addPass(createInlineCalls());              // lifted functions have one block and can be inlined into scf regions
  addMemoryToValues(passes);                        // again: arguments of functions that were inlined last
  passes.addPass(createCanonicalizer());
  passes.addPass(createCSEPass());
  passes.addNestedPass<func::FuncOp>(createPromoteArrays()); // accumulators that live across barriers
  passes.addPass(createSplitCarriedSteps());        // pointers that advance around barriers
  addArgumentUses(passes);
}

void addLibraryPasses(OpPassManager &passes) {
  passes.addPass(createPadVec3());
  addPromotion(passes);
  passes.addPass(createInlineCalls());
  addMemoryToValues(passes);
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

void addWorkGroupPasses(OpPassManager &passes, const PassReports &reports) {
  if (reports.tracks())
    passes.addPass(createTrackAccesses({.onlyRaces = !reports.checkInit})); // at the addresses that the program computes
  if (reports.checkMemory)
    passes.addPass(createCheckAccesses()); // accesses that are left, each with its object
  if (reports.checkInit)
    passes.addPass(createCheckPrivateInit());       // accesses that are in their variable
  OclToWgOptions split;
  split.checkBarriers = reports.checkBarriers;
  passes.addPass(createOclToWg(split));             // barriers to ends of parallel regions
  passes.addPass(createCanonicalizer());            // removes empty regions and duplicates
  passes.addPass(createCSEPass());
}

void addCpuPasses(OpPassManager &passes, const PassReports &reports) {
  VectorizeOptions vectorize;
  vectorize.report = reports.remarks, vectorize.checkAssumptions = reports.checkAssumptions;
  passes.addPass(createFuseMultiplyAdd());          // before forms differ: all have the same bits
  passes.addPass(createUnrollBarrierLoops());       // tree reductions in local memory
  passes.addPass(createMergeRegions());             // removes barriers that order nothing
  passes.addPass(createCoalesceSlots());            // values that loops around barriers carry
  passes.addPass(createUnrollAndJam());             // transposed tiles
  passes.addPass(createLowerDynamicIndex({.lowerExtracts = false})); // in scalar code, an extract through memory is faster
  passes.addPass(createVectorize(vectorize));       // adjacent work-items to vectors, mostly in x
  passes.addPass(createEndRows());                  // scalar bodies of regions that first work-items run
  if (reports.checkAssumptions)
    passes.addPass(createCheckAlignment());         // after vectors are formed, so that these are the same
  if (reports.checkMemory || reports.tracks())
    passes.addPass(createExpandChecks());           // checks of scalar and vector bodies to comparisons
  if (reports.notesAccesses) {
    passes.addPass(createNoteAccesses());
    passes.addPass(createPassQueries());            // the note, to functions that are not inlined
  }
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createLowerParallel());            // regions to loops, slots to memory
  passes.addPass(createOclToLlvm());                // atomics, math, conversions; one address space
  passes.addPass(createConvertToLLVMPass());        // everything else
  passes.addPass(createReconcileUnrealizedCastsPass());
}

void addGpuCommonPasses(OpPassManager &passes, const PassReports &reports, const CommonLimits &limits) {
  KeepCallsOptions keeping = keepCallsOptions(limits);
  keeping.maxCalls = MaxGpuCalls;
  if (reports.checkMemory)
    passes.addPass(createCheckImages());            // while accesses of images are operations
  addInlinedKernels(passes, keeping, {});           // a barrier is one hardware instruction: graphs need no structure
  passes.addPass(createLowerGpuTraps());            // after inlining, so that a return ends the work-item
  passes.addPass(createInferAddressSpaces());       // again: pointers that were stored in variables
  addArgumentUses(passes);
  passes.addPass(createRoundLaunches());            // before collectives are shuffles
  passes.addPass(createMakeChildExecutor());        // from the blocks in their last form that has ids and sizes
  passes.addPass(createLowerToLibrary());           // the executor's own steps
  passes.addPass(createInlineCalls());
}

void addGpuPasses(OpPassManager &passes, ocl::TargetKind kind, const PassReports &reports) {
  LowerGpuGroupsOptions groups;
  groups.votesByBarrier = !reports.checkBarriers;
  if (reports.checkMemory)
    passes.addPass(createCheckAccesses());          // accesses that are left, each with its object
  if (kind == ocl::TargetKind::nvptx)               // LLVM's AMDGPU backend lowers dynamic indices itself
    passes.addPass(createLowerDynamicIndex());
  passes.addPass(createLowerGpuGroups(groups));     // shuffles and ballots; makes queries, and local variables
  if (reports.checkBarriers)
    passes.addPass(createCheckBarriers());          // also those of collectives
  if (reports.checkMemory || reports.checkBarriers)
    passes.addPass(createLowerToLibrary());         // the checks' functions
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createLowerGpuEntries());          // parameters, local memory, queries
  passes.addPass(createLowerGpuSync());
  passes.addPass(createLowerGpuMath());
  passes.addPass(createConvertAddressSpaces());
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
  registerBroadcastToLlvm(registry);
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
        addCommonPasses(passes, {}, {.maxBlocks = options.maxBlocks, .maxKernelOps = options.maxKernelOps});
      });
  PassPipelineRegistration<>("kiln-group", "ocl to wg", [](OpPassManager &passes) { addWorkGroupPasses(passes); });
  PassPipelineRegistration<>("kiln-cpu", "wg to the LLVM dialect", [](OpPassManager &passes) { addCpuPasses(passes); });
  PassPipelineRegistration<GpuCommonOptions>("kiln-gpu-common", "passes on ocl for GPUs; control flow stays a graph",
                                             [](OpPassManager &passes, const GpuCommonOptions &options) {
                                               addGpuCommonPasses(
                                                   passes, {}, {.maxBlocks = {}, .maxKernelOps = options.maxKernelOps});
                                             });
  PassPipelineRegistration<>("kiln-nvptx", "ocl to the LLVM dialect for NVPTX",
                             [](OpPassManager &passes) { addGpuPasses(passes, ocl::TargetKind::nvptx); });
  PassPipelineRegistration<>("kiln-amdgpu", "ocl to the LLVM dialect for AMDGPU",
                             [](OpPassManager &passes) { addGpuPasses(passes, ocl::TargetKind::amdgpu); });
}

} // namespace kiln
