// Declares every pass of Kiln. Each has a file and a test of its name.
#ifndef KILN_PASSES_TD
#define KILN_PASSES_TD

include "mlir/Pass/PassBase.td"

//===--- on the ocl dialect ------------------------------------------------------------------------------------------===//

def SetTarget : Pass<"ocl-set-target", "mlir::ModuleOp"> {
  let summary = "Set what the module is compiled for, as kilnc does: `ocl.target` and `ocl.local_size`";
  let description = [{
    For kiln-opt, and for pipelines that compile for another target than the usual one. `target` is the text of
    `#ocl.target<...>` between the angle brackets; without it the module keeps its target.
    `--ocl-set-target="target=cpu,machine_width=8,register_bits=256,vector_registers=16 local-size=64,1,1"`
  }];
  let options = [Option<"target", "target", "std::string", "\"\"", "the parameters of #ocl.target">,
                 ListOption<"localSize", "local-size", "int64_t", "the local size of every group; empty: known at run time">];
  let dependentDialects = ["kiln::ocl::OclDialect"];
}

def AlignVariables : Pass<"ocl-align-variables", "mlir::ModuleOp"> {
  let summary = "Raise the alignment of variables to what accesses of them require";
  let statistics = [Statistic<"variablesAligned", "variables-aligned", "alignments raised">];
}

def KeepCalls : Pass<"ocl-keep-calls", "mlir::ModuleOp"> {
  let summary = "Erase unused functions, and mark functions that are too large to be inlined at every call";
  let options = [Option<"maxKernelOps", "max-kernel-ops", "uint64_t", "50000", "largest kernel, in operations">,
                 Option<"maxOps", "max-ops", "uint64_t", "150000", "largest module, in operations">,
                 Option<"maxCalls", "max-calls", "uint64_t", "1000000000", "most calls of kept functions in a kernel">,
                 Option<"maxOpsWithoutCalls", "max-ops-without-calls", "uint64_t", "0", "largest kernel in which kept functions are inlined, in operations">];
}

def PassQueries : Pass<"ocl-pass-queries", "mlir::ModuleOp"> {
  let summary = "Pass the ids, sizes and addresses that called functions query as arguments";
}

def InlineCalls : Pass<"ocl-inline-calls", "mlir::ModuleOp"> {
  let summary = "Inline calls whose callee has one block, or that are in a function's top-level CFG; hoist allocas to the entry block";
  let description = [{ Recursion is an error, and so is a module of more than `max-ops` operations. }];
  let options = [Option<"maxOps", "max-ops", "unsigned", "400000", "largest module, in operations">,
                 Option<"onlyWithoutBarrier", "only-without-barrier", "bool", "false",
                        "keep calls of functions that contain a barrier">];
  let dependentDialects = ["mlir::cf::ControlFlowDialect"];
  let statistics = [Statistic<"inlined", "calls-inlined", "calls inlined">];
}

def ExpandAsyncCopies : Pass<"ocl-expand-async-copies", "mlir::func::FuncOp"> {
  let summary = "Lower `ocl.async_copy` to a loop in which each work-item copies every n-th element, n being the group's size";
  let dependentDialects = ["mlir::cf::ControlFlowDialect", "mlir::arith::ArithDialect"];
}

def LowerMatrices : Pass<"ocl-lower-matrices", "mlir::ModuleOp"> {
  let summary = "Replace each matrix by the components of the work-item";
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect"];
}

def NumberBlocks : Pass<"ocl-number-blocks", "mlir::ModuleOp"> {
  let summary = "Assign each enqueued block its index in the program and replace `ocl.block_number` by it";
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def LowerToLibrary : Pass<"ocl-lower-to-library", "mlir::ModuleOp"> {
  let summary = "Replace ops that are implemented in `dialects/library` by calls, and import the called functions";
  let dependentDialects = ["mlir::func::FuncDialect", "mlir::LLVM::LLVMDialect"];
}

def SpecializeImages : Pass<"ocl-specialize-images", "mlir::func::FuncOp"> {
  let summary = "Replace image formats and samplers that a variant fixes by constants; load the others from the image argument";
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect"];
}

def LayOutProgramVariables : Pass<"ocl-lay-out-program-variables", "mlir::ModuleOp"> {
  let summary = "Lay out global-memory variables as one block with an initial image and relocations; the runtime allocates it";
}

def ExpandPrintf : Pass<"ocl-expand-printf", "mlir::ModuleOp"> {
  let summary = "Lower `ocl.printf` to a record in the launch's printf buffer";
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::arith::ArithDialect"];
}

def CheckAccesses : Pass<"ocl-check-accesses", "mlir::ModuleOp"> {
  let summary = "Check each access of a kernel against the object that its pointer points into";
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::scf::SCFDialect"];
  let statistics = [Statistic<"accessesChecked", "accesses-checked", "accesses with a check">];
}

def CheckImages : Pass<"ocl-check-images", "mlir::ModuleOp"> {
  let summary = "Check the coordinates of each access of an image that OpenCL C does not define outside of it";
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::vector::VectorDialect"];
}

def TrackAccesses : Pass<"ocl-track-accesses", "mlir::ModuleOp"> {
  let summary = "Note each access of a kernel to memory that work-items share, before it is executed";
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::scf::SCFDialect"];
  let options = [Option<"onlyRaces", "only-races", "bool", "false",
                        "leave out reads that cannot be part of a race: for KILN_CHECK without init">];
  let statistics = [Statistic<"accessesTracked", "accesses-tracked", "accesses that are noted">];
}

def CheckPrivateInit : Pass<"ocl-check-private-init", "mlir::ModuleOp"> {
  let summary = "Report reads of private arrays and structs at bytes that were never written";
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect", "mlir::scf::SCFDialect"];
}

def ZeroUndefined : Pass<"ocl-zero-undefined", "mlir::func::FuncOp"> {
  let summary = "Replace undefined numbers by zero";
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def InferAddressSpaces : Pass<"ocl-infer-address-spaces"> {
  let summary = "Infer the named address space of accesses through generic pointers";
  let dependentDialects = ["mlir::arith::ArithDialect"];
  let statistics = [Statistic<"resolved", "pointers-resolved", "generic casts removed">];
}

def PromoteVariables : Pass<"ocl-promote-variables", "mlir::func::FuncOp"> {
  let summary = "Promote private variables with one dominating store, or with all accesses in one block, to SSA values (cheap mem2reg)";
  let statistics = [Statistic<"variablesPromoted", "variables-promoted", "private variables promoted">];
}

def ReplaceConstantCopies : Pass<"ocl-replace-constant-copies", "mlir::ModuleOp"> {
  let summary = "Replace private arrays that are copies of a constant by the constant";
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
  let statistics = [Statistic<"arraysReplaced", "arrays-replaced", "private arrays replaced">];
}

def PadVec3 : Pass<"ocl-pad-vec3"> {
  let summary = "Store private 3-component vectors as 4 components";
  let dependentDialects = ["mlir::vector::VectorDialect"];
}

def ScalarizeVectors : Pass<"ocl-scalarize-vectors"> {
  let summary = "Scalarize element-wise ops on short vectors (2 components; up to 4 of integers) whose results are only extracted";
  let dependentDialects = ["mlir::vector::VectorDialect"];
  let statistics = [Statistic<"opsScalarized", "ops-scalarized", "vector operations scalarized">];
}

def LowerDynamicIndex : Pass<"ocl-lower-dynamic-index"> {
  let summary = "Lower `vector.extract` and `vector.insert` at a dynamic index to selects";
  let options = [Option<"lowerExtracts", "lower-extracts", "bool", "true", "also lower `vector.extract`">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::vector::VectorDialect"];
}

def StructurizeBarriers : Pass<"ocl-structurize-barriers", "mlir::ModuleOp"> {
  let summary = "Lift functions that contain a barrier from cf to scf";
  let options = [Option<"maxBlocks", "max-blocks", "unsigned", "600", "functions with more blocks stay cf; cases of simple switches are not counted">];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::arith::ArithDialect", "mlir::ub::UBDialect",
                           "mlir::cf::ControlFlowDialect"];
}

def PromoteArrays : Pass<"ocl-promote-arrays", "mlir::func::FuncOp"> {
  let summary = "Promote private arrays of structured kernels to SSA values, by unrolling the loops that index them";
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
  let statistics = [Statistic<"arraysPromoted", "arrays-promoted", "private arrays promoted">];
}

def SplitCarriedSteps : Pass<"ocl-split-carried-steps", "mlir::ModuleOp"> {
  let summary = "In loops around barriers, split varying values that advance by a uniform step into their first value and a uniform offset";
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::arith::ArithDialect"];
  let statistics = [Statistic<"valuesSplit", "values-split", "carried values split">];
}

def MarkArgumentAccess : Pass<"ocl-mark-argument-access", "mlir::func::FuncOp"> {
  let summary = "Mark pointer arguments that the kernel does not read through or does not write through";
}

//===--- on the wg dialect -------------------------------------------------------------------------------------------===//

def UnrollBarrierLoops : Pass<"wg-unroll-barrier-loops", "mlir::ModuleOp"> {
  let summary = "Fully unroll loops around parallel regions whose trip count is constant once the local size is known (at most 16 iterations)";
  let dependentDialects = ["mlir::arith::ArithDialect"];
  let statistics = [Statistic<"loopsUnrolled", "loops-unrolled", "loops unrolled">];
}

def MergeRegions : Pass<"wg-merge-regions", "mlir::ModuleOp"> {
  let summary = "Merge adjacent parallel regions if running work-items in id order preserves every dependence between them";
  let statistics = [Statistic<"regionsMerged", "regions-merged", "regions merged">];
}

def CoalesceSlots : Pass<"wg-coalesce-slots", "mlir::ModuleOp"> {
  let summary = "Merge slots between which values are copied, if no work-item needs both at once";
  let statistics = [Statistic<"slotsMerged", "slots-merged", "slots merged">];
}

def FuseMultiplyAdd : Pass<"cpu-fuse-multiply-add", "mlir::ModuleOp"> {
  let summary = "Fuse products into sums where contraction is allowed, and allow no further one";
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect"];
  let statistics = [Statistic<"sumsFused", "sums-fused", "sums that compute a product as well">];
}

def UnrollAndJam : Pass<"wg-unroll-and-jam", "mlir::ModuleOp"> {
  let summary = "Unroll-and-jam four rows (y) of a region whose accesses are scattered in x but consecutive in y";
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
  let statistics = [Statistic<"regionsJammed", "regions-jammed", "regions jammed">];
}

def EndRows : Pass<"wg-end-rows", "mlir::ModuleOp"> {
  let summary = "End the loop over a row's work-items where no later one has work, or all do the same";
  let dependentDialects = ["mlir::arith::ArithDialect"];
  let statistics = [Statistic<"rowsEnded", "rows-ended", "regions whose rows end early">];
}

def CountLoops : Pass<"wg-count-loops", "mlir::ModuleOp"> {
  let summary = "Turn while loops that count up into scf.for, for schedules that unroll or peel them";
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
  let statistics = [Statistic<"loopsCounted", "loops-counted", "loops that became scf.for">];
}

def Vectorize : Pass<"wg-vectorize", "mlir::ModuleOp"> {
  let summary = "Add to each parallel region a body that runs several work-items at once, one per vector lane";
  let options = [Option<"machineWidth", "machine-width", "unsigned", "0", "machine width: 32-bit elements per machine vector; 1 disables the pass, 0 is that of ocl.target">,
                 Option<"maxInterleave", "max-interleave", "unsigned", "4", "maximum interleave count">,
                 Option<"force", "force", "bool", "false", "vectorize even if the cost model advises against">,
                 Option<"report", "report", "bool", "false", "emit a remark per region">,
                 Option<"checkAssumptions", "check-assumptions", "bool", "false", "compare what code derives from an assumption with what each lane computes; a launch reports differences">,
                 ListOption<"skipChecks", "skip-checks", "std::string", "omit the checks of these assumptions (base/abi/Assumptions.def): plants a fault, for tests">];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::scf::SCFDialect", "mlir::arith::ArithDialect", "mlir::math::MathDialect",
                           "mlir::vector::VectorDialect", "mlir::ub::UBDialect", "mlir::cf::ControlFlowDialect"];
  let statistics = [Statistic<"regionsVectorized", "regions-vectorized", "regions vectorized">,
                    Statistic<"regionsScalar", "regions-scalar", "regions left scalar">];
}

def CheckAlignment : Pass<"wg-check-alignment", "mlir::ModuleOp"> {
  let summary = "Count accesses of kernels whose address is less aligned than their type requires, for the launch's report";
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::scf::SCFDialect", "mlir::arith::ArithDialect"];
}

def ExpandChecks : Pass<"wg-expand-checks", "mlir::ModuleOp"> {
  let summary = "Lower `ocl.check_access` to a comparison, and a call of the runtime where it fails; lower `ocl.track_access` to a call";
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::scf::SCFDialect", "mlir::arith::ArithDialect"];
}

def NoteAccesses : Pass<"wg-note-accesses", "mlir::ModuleOp"> {
  let summary = "Write the source line and the work-item of each access to the launch's access note, before the access";
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::arith::ArithDialect"];
}

def LowerParallel : Pass<"wg-lower-parallel", "mlir::ModuleOp"> {
  let summary = "Lower work-group kernels to functions that run a range of work-groups, with loops over work-items";
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::cf::ControlFlowDialect", "mlir::arith::ArithDialect"];
}

//===--- conversions -------------------------------------------------------------------------------------------------===//

def OclToWg : Pass<"ocl-to-wg", "mlir::ModuleOp"> {
  let summary = "Split kernels at barriers into parallel regions";
  let options = [Option<"maxRegions", "max-regions", "unsigned", "64", "kernels with more barriers use resume points, unless they contain collectives or sub-group barriers">,
                 Option<"checkBarriers", "check-barriers", "bool", "false", "report work-items that do not reach a barrier which others of their group reach">];
  let dependentDialects = ["kiln::wg::WgDialect", "mlir::scf::SCFDialect", "mlir::arith::ArithDialect",
                           "mlir::vector::VectorDialect"];
}

def OclToLlvm : Pass<"ocl-to-llvm", "mlir::ModuleOp"> {
  let summary = "Lower the remaining `ocl` ops for the CPU and remove address spaces";
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::arith::ArithDialect", "mlir::math::MathDialect",
                           "mlir::vector::VectorDialect"];
}

//===--- to GPUs -----------------------------------------------------------------------------------------------------===//

class GpuPass<string flag> : Pass<flag, "mlir::ModuleOp"> {
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::NVVM::NVVMDialect", "mlir::ROCDL::ROCDLDialect",
                           "mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::cf::ControlFlowDialect",
                           "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"];
}

def LowerGpuTraps : GpuPass<"gpu-lower-traps"> {
  let summary = "Lower traps to a record of the first one of a launch and the end of the work-item";
}

def MakeChildExecutor : GpuPass<"gpu-make-child-executor"> {
  let summary = "Make the kernel that runs enqueued blocks on the device";
}

def RoundLaunches : GpuPass<"gpu-round-launches"> {
  let summary = "Mark the dimensions in which launches may be rounded up to whole work-groups";
}

def LowerGpuGroups : GpuPass<"gpu-lower-groups"> {
  let summary = "Lower collectives of sub-groups and work-groups to shuffles, ballots and local memory";
  let options = [Option<"votesByBarrier", "votes-by-barrier", "bool", "true",
                        "use barriers that combine a predicate, where the target has them">];
}

def CheckBarriers : GpuPass<"gpu-check-barriers"> {
  let summary = "Check that all work-items of a group come to each barrier of a kernel";
  let statistics = [Statistic<"barriersChecked", "barriers-checked", "barriers with a check">];
}

def LowerGpuEntries : GpuPass<"gpu-lower-entries"> {
  let summary = "Lower kernels to GPU entry points: parameters, local memory, NDRange queries";
}

def LowerGpuSync : GpuPass<"gpu-lower-sync"> {
  let summary = "Lower barriers, fences, atomics and address-space queries for the GPU target";
}

def LowerGpuMath : GpuPass<"gpu-lower-math"> {
  let summary = "Lower math functions and conversions to GPU instructions, library calls or expansions";
}

def ConvertAddressSpaces : GpuPass<"gpu-convert-address-spaces"> {
  let summary = "Convert `ocl` address-space numbers to the target's";
}

#endif
