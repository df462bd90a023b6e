#include "backends/hip/codegen/AmdgpuTarget.h"
#include "backends/gpu/codegen/GpuTarget.h"
#include "backends/gpu/codegen/MathLibrary.h"
#include "backends/hip/codegen/HoistPhiValues.h"
#include "backends/hip/codegen/PadTwoWayBranches.h"
#include "backends/hip/codegen/SetKnownHalves.h"
#include "backends/llvm/LinkElf.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Transforms/Utils.h"

extern "C" void LLVMInitializeAMDGPUTarget();
extern "C" void LLVMInitializeAMDGPUTargetInfo();
extern "C" void LLVMInitializeAMDGPUTargetMC();
extern "C" void LLVMInitializeAMDGPUAsmPrinter();
extern "C" void LLVMInitializeAMDGPUAsmParser(); // for asm statements

namespace kiln {
namespace {

// The code object version that current and recent ROCm versions load.
constexpr unsigned CodeObjectVersion = 500;

// Sets OpenCL's error bounds of single-precision division and square root as !fpmath, by which LLVM selects code.
void allowErrors(llvm::Module &module) {
  llvm::MDBuilder metadata(module.getContext());
  llvm::MDNode *division = metadata.createFPMath(2.5f), *root = metadata.createFPMath(3.0f);
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      if (!instruction.getType()->getScalarType()->isFloatTy())
        continue;
      auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (instruction.getOpcode() == llvm::Instruction::FDiv)
        instruction.setMetadata(llvm::LLVMContext::MD_fpmath, division);
      else if (intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::sqrt)
        instruction.setMetadata(llvm::LLVMContext::MD_fpmath, root);
    }
}

// LLVM lowers a divergent branch around the rest of the kernel to one `s_and exec` if the target is later in the
// function, and else saves the mask of the lanes that return, which needs an `s_xor` more for each branch.
void placeReturnsLast(llvm::Module &module) {
  for (llvm::Function &function : module) {
    std::vector<llvm::BasicBlock *> returns;
    for (llvm::BasicBlock &block : function)
      if (llvm::isa<llvm::ReturnInst>(block.getTerminator()) && !block.isEntryBlock() && &block != &function.back())
        returns.push_back(&block);
    for (llvm::BasicBlock *block : returns)
      block->moveAfter(&function.back());
  }
}

class AmdgpuTarget : public GpuTarget {
public:
  using GpuTarget::GpuTarget;

  bool prepare(llvm::Module &module, const CodeOptions &options, std::string &error) const override {
    if (!options.correctlyRounded)
      allowErrors(module); // before the library is linked, whose code keeps its precision
    module.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", CodeObjectVersion);
    return GpuTarget::prepare(module, options, error);
  }

  void optimise(llvm::Module &module, Effort effort, const CodeOptions &options) const override {
    GpuTarget::optimise(module, effort, options);
    setKnownHalves(module);
    placeReturnsLast(module);
  }
  std::vector<LlvmOption> llvmOptions(const llvm::Module &, Effort) const override {
    // Keeps private arrays out of local memory, whose size per kernel is part of its plan.
    return {{"disable-promote-alloca-to-lds", "true"}};
  }
  llvm::SmallVector<InsertedPass> codeGeneratorPasses() const override {
    const std::unique_ptr<llvm::Pass> unify(llvm::createUnifyLoopExitsPass()); // StructurizeCFG follows
    llvm::SmallVector<InsertedPass> passes = {{unify->getPassID(), createHoistPhiValuesPass()}};
    if (machine().getTargetCPU().starts_with("gfx9"))
      passes.push_back({&llvm::PostRAHazardRecognizerID, createPadTwoWayBranchesPass()});
    return passes;
  }

  std::vector<uint8_t> finish(llvm::Module &module, llvm::ArrayRef<EntryCode> entries, const CodeOptions &options,
                              std::string &error) const override {
    optimise(module, leastEffort(entries), options);
    auto object = emit(module, *this, llvm::CodeGenFileType::ObjectFile);
    return linkSharedObject(llvm::ArrayRef<char>(object), {}, error);
  }

private:
  ocl::TargetKind kind() const override { return ocl::TargetKind::amdgpu; }
  unsigned subGroupSize() const override {
    return machine().getMCSubtargetInfo()->checkFeatures("+wavefrontsize32") ? 32 : 64;
  }
  llvm::StringRef mathLibrary() const override { return amdgpuMathLibrary(); }
};

bool isSupported(llvm::StringRef processor) {
  // gfx906 is 9.0.6 and gfx1030 is 10.3.0: the major version is the name without its last two characters.
  unsigned major = 0;
  return processor.consume_front("gfx") && processor.size() >= 3 && llvm::all_of(processor, llvm::isAlnum) &&
         !processor.drop_back(2).getAsInteger(10, major) && major >= 9;
}
} // namespace

std::unique_ptr<Target> createAmdgpuTarget(const std::string &name, std::string &error) {
  static bool initialised =
      (LLVMInitializeAMDGPUTargetInfo(), LLVMInitializeAMDGPUTarget(), LLVMInitializeAMDGPUTargetMC(),
       LLVMInitializeAMDGPUAsmPrinter(), LLVMInitializeAMDGPUAsmParser(), true);
  (void)initialised;
  auto [processor, rest] = llvm::StringRef(name).split(':');
  if (!isSupported(processor)) {
    error = "processor is '" + processor.str() + "', must be gfx900 or newer";
    return nullptr;
  }
  std::string features;
  while (!rest.empty()) {
    llvm::StringRef feature;
    std::tie(feature, rest) = rest.split(':');
    llvm::StringRef word = feature.empty() ? feature : feature.drop_back();
    if ((word != "sramecc" && word != "xnack") || (feature.back() != '+' && feature.back() != '-')) {
      error = "unknown processor feature '" + feature.str() + "'";
      return nullptr;
    }
    features += (features.empty() ? "" : ",") + feature.take_back().str() + word.str();
  }
  auto machine = createMachine("amdgcn-amd-amdhsa", processor, features, llvm::Reloc::PIC_, error);
  return machine ? std::make_unique<AmdgpuTarget>(std::move(machine)) : nullptr;
}

} // namespace kiln
