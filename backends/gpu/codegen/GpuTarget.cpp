#include "backends/gpu/codegen/GpuTarget.h"
#include "backends/gpu/codegen/FormFma.h"
#include "backends/gpu/codegen/MakeLoopsReducible.h"
#include "backends/gpu/codegen/MathLibrary.h"
#include "backends/gpu/codegen/UnrollIndexedLoops.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "passes/Pipelines.h"
#include "passes/gpu/GpuTargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace kiln {

ocl::TargetAttr GpuTarget::describe(mlir::MLIRContext &context) const {
  return ocl::TargetAttr::get(&context, kind(), machine().getTargetCPU(), /*machine_width=*/0, /*register_bits=*/0,
                              /*vector_registers=*/0, subGroupSize(), features());
}

void GpuTarget::addCommonPasses(mlir::OpPassManager &passes, const PassReports &reports) const {
  addGpuCommonPasses(passes, reports);
}

void GpuTarget::addLoweringPasses(mlir::OpPassManager &passes, const PassReports &reports) const {
  addGpuPasses(passes, kind(), reports);
}

static bool hasLoop(mlir::LLVM::LLVMFuncOp function) {
  if (function.getBody().hasOneBlock())
    return false;
  mlir::DominanceInfo dominance(function);
  return !mlir::CFGLoopInfo(dominance.getDomTree(&function.getBody())).getTopLevelLoops().empty();
}

/// Returns true if the kernel reads an image with rows. The pixels that a group reads are near each other in both
/// dimensions, so a tile finds more of them in the cache.
static bool readsPlane(const KernelInfo &info) {
  constexpr uint32_t LastWithRows = 0x10f3; // CL_MEM_OBJECT_IMAGE2D, 3D and 2D_ARRAY; types of one dimension follow
  return llvm::any_of(info.args, [](const ArgInfo &arg) {
    return arg.kind == ArgKind::Image && arg.access != AccessQualifier::WriteOnly && arg.imageType <= LastWithRows;
  });
}

void GpuTarget::completePlan(KernelInfo &info, RecordedPlan &values) const {
  namespace recorded = ocl::plan;
  KernelPlan &plan = info.plan;
  plan.subGroupSize = plan.preferredMultiple = subGroupSize();
  plan.maxWorkGroupSize = gpu::MaxGroupSize;
  plan.staticLocalBytes = values[recorded::StaticLocalBytes];
  plan.privateBytes = values[recorded::PrivateBytes];
  plan.roundedDims = uint32_t(values[recorded::RoundedDims]);
  plan.prints = values[recorded::Prints];
  plan.enqueues = values[recorded::Enqueues];
  plan.prefersTiles = readsPlane(info);
  plan.prefersFixedLocalSize = gainsFromLocalSize() && !info.requiredLocalSize[0] && hasLoop(values.kernel());
}

bool GpuTarget::prepare(llvm::Module &module, const CodeOptions &options, std::string &error) const {
  if (!linkMathLibrary(module, mathLibrary(), error))
    return false;
  setProcessor(module, machine());
  if (options.denormalsAreZero)
    for (llvm::Function &function : module)
      if (!function.isDeclaration())
        function.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
  return true;
}

void GpuTarget::optimise(llvm::Module &module, Effort effort, const CodeOptions &options) const {
  formFma(module);
  kiln::optimise(module, *this, effort, options.observer);
  makeLoopsReducible(module);
}

void GpuTarget::extendPipeline(llvm::PassBuilder &builder) const {
  // Folds `a && b` to one branch if b has few instructions, because divergence costs more. Runs first, before other
  // passes share these instructions or rely on a loop with two exits.
  builder.registerPipelineStartEPCallback([](llvm::ModulePassManager &passes, llvm::OptimizationLevel level) {
    if (level != llvm::OptimizationLevel::O0)
      passes.addPass(llvm::createModuleToFunctionPassAdaptor(
          llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().bonusInstThreshold(8))));
  });
  // Runs just before LLVM's full unrolling.
  builder.registerLateLoopOptimizationsEPCallback([](llvm::LoopPassManager &passes, llvm::OptimizationLevel level) {
    if (level != llvm::OptimizationLevel::O0)
      passes.addPass(UnrollIndexedLoopsPass());
  });
}

} // namespace kiln
