#include "backends/cpu/codegen/MathLibrary.h"
#include "backends/llvm/Target.h"
#include "passes/lowering/MathSymbols.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/VFABIDemangler.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

extern "C" const char kiln_cpu_math_fused_begin[], kiln_cpu_math_fused_end[];
extern "C" const char kiln_cpu_math_plain_begin[], kiln_cpu_math_plain_end[];
extern "C" const char kiln_cpu_math_scaled_begin[], kiln_cpu_math_scaled_end[];

namespace kiln {
namespace {

// Inlining limits in instructions: growth of a kernel, and size of an inlined function.
constexpr unsigned MaxGrowth = 2000, MaxInlinedSize = 80;

bool isMathFunction(const llvm::Function &function) { return function.getName().starts_with(cpu::MathPrefix); }

llvm::StringRef libraryFor(const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo &processor = *machine.getMCSubtargetInfo();
  if (processor.checkFeatures("+fma,+avx512f,+avx512vl"))
    return {kiln_cpu_math_scaled_begin, size_t(kiln_cpu_math_scaled_end - kiln_cpu_math_scaled_begin)};
  if (processor.checkFeatures("+fma"))
    return {kiln_cpu_math_fused_begin, size_t(kiln_cpu_math_fused_end - kiln_cpu_math_fused_begin)};
  return {kiln_cpu_math_plain_begin, size_t(kiln_cpu_math_plain_end - kiln_cpu_math_plain_begin)};
}

llvm::SmallVector<llvm::Function *> calledFunctions(llvm::Module &module) {
  llvm::SmallVector<llvm::Function *> called;
  for (llvm::Function &function : module)
    if (function.isDeclaration() && isMathFunction(function))
      called.push_back(&function);
  return called;
}

/// Returns true for short functions of one block without calls, which pay to inline into loops.
bool isShort(const llvm::Function &function) {
  if (function.size() != 1 || function.getInstructionCount() > MaxInlinedSize)
    return false;
  return llvm::none_of(function.front(), [](const llvm::Instruction &instruction) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    return call && !llvm::isa<llvm::IntrinsicInst>(call);
  });
}

void inlineShort(llvm::ArrayRef<llvm::Function *> functions) {
  unsigned growth = 0;
  for (llvm::Function *function : functions) {
    if (!isShort(*function))
      continue;
    for (llvm::User *user : llvm::make_early_inc_range(function->users())) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(user);
      if (!call || call->getCalledFunction() != function || growth + function->getInstructionCount() > MaxGrowth)
        continue;
      growth += function->getInstructionCount();
      llvm::InlineFunctionInfo info;
      llvm::InlineFunction(*call, info);
    }
    if (function->use_empty())
      function->eraseFromParent();
  }
}

} // namespace

void addVectorVariants(llvm::Module &module) {
  llvm::SmallVector<llvm::GlobalValue *> instances;
  for (llvm::Function *function : calledFunctions(module)) {
    llvm::Type *number = function->getArg(0)->getType();
    if (number->isVectorTy())
      continue;
    std::string mappings;
    for (unsigned width : cpu::mathWidths(number->isDoubleTy())) {
      auto wide = [&](llvm::Type *type) -> llvm::Type * { return llvm::FixedVectorType::get(type, width); };
      auto operands = llvm::map_to_vector(function->getFunctionType()->params(), wide);
      std::string name = function->getName().str() + "x" + std::to_string(width);
      auto type = llvm::FunctionType::get(wide(function->getReturnType()), operands, false);
      auto *instance = llvm::cast<llvm::Function>(module.getOrInsertFunction(name, type).getCallee());
      instance->setAttributes(function->getAttributes());
      instances.push_back(instance);
      mappings += (mappings.empty() ? "" : ",") + std::string("_ZGV_LLVM_N") + std::to_string(width) +
                  std::string(operands.size(), 'v') + "_" + function->getName().str() + "(" + name + ")";
    }
    for (llvm::User *user : function->users())
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(user))
        call->addFnAttr(llvm::Attribute::get(module.getContext(), llvm::VFABI::MappingsAttrName, mappings));
  }
  llvm::appendToCompilerUsed(module, instances); // keeps them until the vectoriser has run
}

void linkMathFunctions(llvm::Module &module, const llvm::TargetMachine &machine) {
  llvm::removeFromUsedLists(module, [](llvm::Constant *used) {
    auto *function = llvm::dyn_cast<llvm::Function>(used->stripPointerCasts());
    return function && isMathFunction(*function);
  });
  bool isWanted = false;
  for (llvm::Function *function : calledFunctions(module)) {
    function->removeDeadConstantUsers(); // the old llvm.compiler.used
    if (function->use_empty())
      function->eraseFromParent();
    else
      isWanted = true;
  }
  if (!isWanted)
    return;
  auto library =
      llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(libraryFor(machine), "math library"), module.getContext());
  if (!library)
    llvm::report_fatal_error("the math library: " + llvm::Twine(llvm::toString(library.takeError())));
  llvm::DenseSet<llvm::Function *> before; // may have the prefix of math functions as well
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      before.insert(&function);
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded))
    llvm::report_fatal_error("cannot link the math library");
  llvm::SmallVector<llvm::Function *> functions;
  for (llvm::Function &function : module)
    if (isMathFunction(function) && !before.contains(&function)) {
      if (function.isDeclaration())
        llvm::report_fatal_error("the math library has no function '" + function.getName() + "'");
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      setProcessor(function, machine);
      function.addFnAttr("stackrealign");
      functions.push_back(&function);
    }
  inlineShort(functions);
}

} // namespace kiln
