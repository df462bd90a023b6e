// Every pass of Kiln is declared here; each has a file of its own and a test of its name.
#ifndef KILN_PASSES_TD
#define KILN_PASSES_TD

include "mlir/Pass/PassBase.td"

//===--- on the ocl dialect ------------------------------------------------------------------------------------------===//

def KeepCalls : Pass<"ocl-keep-calls", "mlir::ModuleOp"> {
  let summary = "erases unused functions and chooses those that are too large to be inlined at every call";
  let options = [Option<"maxKernelOps", "max-kernel-ops", "uint64_t", "50000", "operations a kernel may grow to">,
                 Option<"maxOps", "max-ops", "uint64_t", "150000", "operations a module may grow to">];
}

def PassQueries : Pass<"ocl-pass-queries", "mlir::ModuleOp"> {
  let summary = "gives called functions the ids, sizes and addresses that they query as arguments";
}

def InlineCalls : Pass<"ocl-inline-calls", "mlir::ModuleOp"> {
  let summary = "inlines every call whose callee has at most one block or stands in a plain control flow graph";
  let description = [{ Recursion is an error, as is a kernel that outgrows `max-ops`. }];
  let options = [Option<"maxOps", "max-ops", "unsigned", "400000", "operations a module may grow to">,
                 Option<"onlyWithoutBarrier", "only-without-barrier", "bool", "false",
                        "leave calls of functions that contain a barrier">];
  let dependentDialects = ["mlir::cf::ControlFlowDialect"];
  let statistics = [Statistic<"inlined", "calls-inlined", "calls replaced by their callee's body">];
}

def ExpandAsyncCopies : Pass<"ocl-expand-async-copies", "mlir::func::FuncOp"> {
  let summary = "has each work-item copy its share of an asynchronous copy";
  let dependentDialects = ["mlir::cf::ControlFlowDialect", "mlir::arith::ArithDialect"];
}

def NumberBlocks : Pass<"ocl-number-blocks", "mlir::ModuleOp"> {
  let summary = "gives each block that is enqueued its number in the program";
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def CallLibrary : Pass<"ocl-call-library", "mlir::ModuleOp"> {
  let summary = "makes calls of what dialects/library has functions for";
  let dependentDialects = ["mlir::func::FuncDialect", "mlir::LLVM::LLVMDialect"];
}

def KnowImages : Pass<"ocl-know-images", "mlir::func::FuncOp"> {
  let summary = "says of images and samplers what a variant knows, and loads the rest from the arguments";
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::LLVM::LLVMDialect"];
}

def PlaceProgramVariables : Pass<"ocl-place-program-variables", "mlir::ModuleOp"> {
  let summary = "lays out the variables in global memory as one block that the runtime keeps";
}

def ExpandPrintf : Pass<"ocl-expand-printf", "mlir::ModuleOp"> {
  let summary = "turns each printf into a record in the launch's buffer";
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::arith::ArithDialect"];
}

def ZeroUndefined : Pass<"ocl-zero-undefined", "mlir::func::FuncOp"> {
  let summary = "gives numbers that are undefined the value zero";
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def ResolveGeneric : Pass<"ocl-resolve-generic"> {
  let summary = "lets accesses through a generic pointer use the named address space it was made from";
  let dependentDialects = ["mlir::arith::ArithDialect"];
  let statistics = [Statistic<"resolved", "pointers-resolved", "casts to generic that nothing needs any more">];
}

def PromoteVariables : Pass<"ocl-promote-variables", "mlir::func::FuncOp"> {
  let summary = "turns private variables into values where each access can be seen through by itself";
  let statistics = [Statistic<"variablesPromoted", "variables-promoted", "private variables that are values now">];
}

def WidenTriples : Pass<"ocl-widen-triples"> {
  let summary = "gives private three-component vectors the four components that they occupy";
  let dependentDialects = ["mlir::vector::VectorDialect"];
}

def SplitVectors : Pass<"ocl-split-vectors"> {
  let summary = "computes the components of short vectors one by one where nothing needs the vector";
  let dependentDialects = ["mlir::vector::VectorDialect"];
  let statistics = [Statistic<"vectorsSplit", "vectors-split", "operations on vectors that became some on components">];
}

def ChooseComponents : Pass<"ocl-choose-components"> {
  let summary = "chooses among a vector's components where one's number is known only as the kernel runs";
  let options = [Option<"reads", "reads", "bool", "true", "not only where they are written">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::vector::VectorDialect"];
}

def StructureBarriers : Pass<"ocl-structure-barriers", "mlir::ModuleOp"> {
  let summary = "lifts functions that contain a barrier from a control flow graph to structured control flow";
  let options = [Option<"maxBlocks", "max-blocks", "unsigned", "600", "blocks, but for cases of plain switches, that a function may have to be lifted; larger ones stay graphs">];
  let dependentDialects = ["mlir::scf::SCFDialect", "mlir::arith::ArithDialect", "mlir::ub::UBDialect",
                           "mlir::cf::ControlFlowDialect"];
}

def MarkArgumentAccess : Pass<"ocl-mark-argument-access", "mlir::func::FuncOp"> {
  let summary = "marks pointer arguments that a kernel does not read or does not write through";
}

//===--- on the wg dialect -------------------------------------------------------------------------------------------===//

def UnrollRounds : Pass<"wg-unroll-rounds", "mlir::ModuleOp"> {
  let summary = "puts the rounds of loops around regions one after the other where the local size decides how many there are";
  let options = [ListOption<"localSize", "local-size", "int64_t", "three sizes that every group has; empty: any">];
  let dependentDialects = ["mlir::arith::ArithDialect"];
  let statistics = [Statistic<"loopsUnrolled", "loops-unrolled", "loops that became their rounds">];
}

def MergeRegions : Pass<"wg-merge-regions", "mlir::ModuleOp"> {
  let summary = "makes one region of two where work-items that run in the order of their ids would not notice";
  let options = [ListOption<"localSize", "local-size", "int64_t", "three sizes that every group has; empty: any">];
  let statistics = [Statistic<"regionsMerged", "regions-merged", "regions that went into the one before them">];
}

def JamRows : Pass<"wg-jam-rows", "mlir::ModuleOp"> {
  let summary = "lets regions do several rows of a group at a time where neighbours in y access neighbours in memory";
  let options = [ListOption<"localSize", "local-size", "int64_t", "three sizes that every group has; empty: any">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
  let statistics = [Statistic<"regionsJammed", "regions-jammed", "regions that do several rows at a time">];
}

def Vectorize : Pass<"wg-vectorize", "mlir::ModuleOp"> {
  let summary = "gives regions a body that runs a vector of neighbouring work-items at a time";
  let options = [Option<"lanes", "lanes", "unsigned", "8", "work-items to a vector; below two, none">,
                 ListOption<"localSize", "local-size", "int64_t", "three sizes that every group has; empty: any">,
                 Option<"maskBits", "mask-bits", "unsigned", "32", "of a flag that lives through a loop; 1 where there are registers for masks">,
                 Option<"pickFrom", "pick-from", "unsigned", "0", "of how many elements of 32 bits the machine picks one a lane: 32 (AVX-512), 16 (AVX2), 0">,
                 Option<"abreast", "abreast", "unsigned", "4", "vectors side by side at most">,
                 Option<"force", "force", "bool", "false", "where it does not seem to pay, too">,
                 Option<"report", "report", "bool", "false", "say of each region what became of it, as remarks">,
                 Option<"checkAssumptions", "check-assumptions", "bool", "false", "compare what code derives from an assumption with what each lane computes; a launch reports differences">,
                 ListOption<"skipChecks", "skip-checks", "std::string", "leave out the checks of these assumptions (backends/Assumptions.def): plants a fault, for tests">];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::scf::SCFDialect", "mlir::arith::ArithDialect",
                           "mlir::vector::VectorDialect", "mlir::ub::UBDialect", "mlir::cf::ControlFlowDialect"];
  let statistics = [Statistic<"regionsWidened", "regions-widened", "regions with a body for vectors">,
                    Statistic<"regionsLeft", "regions-left", "regions without">];
}

def LowerParallel : Pass<"wg-lower-parallel", "mlir::ModuleOp"> {
  let summary = "turns work-group kernels into functions that run a range of work-groups with loops over work-items";
  let options = [ListOption<"localSize", "local-size", "int64_t", "three sizes that every group has; empty: any">,
                 Option<"suffix", "suffix", "std::string", "\"\"", "appended to the entry points' names">];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::cf::ControlFlowDialect", "mlir::arith::ArithDialect"];
}

//===--- conversions -------------------------------------------------------------------------------------------------===//

def OclToWg : Pass<"ocl-to-wg", "mlir::ModuleOp"> {
  let summary = "splits kernels at their barriers into parallel regions over work-items";
  let options = [Option<"maxRegions", "max-regions", "unsigned", "64", "barriers a kernel may have to get regions of their own">];
  let dependentDialects = ["kiln::wg::WgDialect", "mlir::scf::SCFDialect", "mlir::arith::ArithDialect",
                           "mlir::vector::VectorDialect"];
}

def OclToLlvm : Pass<"ocl-to-llvm", "mlir::ModuleOp"> {
  let summary = "lowers what is left of ocl (atomics, fences, math, conversions) for the CPU and drops address spaces";
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::arith::ArithDialect", "mlir::math::MathDialect",
                           "mlir::vector::VectorDialect"];
}

//===--- to GPUs -----------------------------------------------------------------------------------------------------===//

class GpuPass<string flag> : Pass<flag, "mlir::ModuleOp"> {
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::NVVM::NVVMDialect", "mlir::ROCDL::ROCDLDialect",
                           "mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::cf::ControlFlowDialect"];
}
def GpuTarget : Option<"target", "target", "std::string", "\"\"", "nvptx or amdgpu">;

def LowerGpuEntries : GpuPass<"gpu-lower-entries"> {
  let summary = "turns kernels into the hardware's entry points and answers what they ask about the launch";
  let options = [GpuTarget,
                 Option<"subGroupSize", "sub-group-size", "unsigned", "32", "work-items that run in lockstep">,
                 ListOption<"localSize", "local-size", "int64_t", "three sizes that every group has; empty: any">,
                 Option<"suffix", "suffix", "std::string", "\"\"", "appended to the entry points' names">];
}

def LowerGpuSync : GpuPass<"gpu-lower-sync"> {
  let summary = "lowers barriers, fences, atomics and questions about pointers to the hardware's";
  let options = [GpuTarget];
}

def LowerGpuMath : GpuPass<"gpu-lower-math"> {
  let summary = "lowers math functions and conversions to instructions and calls of the GPU's math library";
  let options = [GpuTarget];
}

def ConvertAddressSpaces : GpuPass<"gpu-convert-address-spaces"> {
  let summary = "gives address spaces the numbers that the target has for them";
  let options = [GpuTarget];
}

#endif
