#include "backends/llvm/SeparateKernels.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace kiln {

llvm::DenseSet<const llvm::GlobalValue *> reachedFrom(const llvm::Function &function) {
  llvm::DenseSet<const llvm::GlobalValue *> reached;
  llvm::DenseSet<const llvm::Constant *> seen{&function};
  llvm::SmallVector<const llvm::Constant *> left{&function};
  auto visit = [&](const llvm::Value *value) {
    if (const auto *constant = llvm::dyn_cast<llvm::Constant>(value); constant && seen.insert(constant).second)
      left.push_back(constant);
  };
  while (!left.empty()) {
    const llvm::Constant *constant = left.pop_back_val();
    if (const auto *global = llvm::dyn_cast<llvm::GlobalValue>(constant)) {
      if (global->isDeclaration())
        continue;
      reached.insert(global);
    }
    for (const llvm::Value *operand : constant->operands()) // of a function its personality, which kernels lack
      visit(operand);
    if (const auto *called = llvm::dyn_cast<llvm::Function>(constant))
      for (const llvm::BasicBlock &block : *called)
        for (const llvm::Instruction &instruction : block)
          for (const llvm::Value *operand : instruction.operands())
            visit(operand);
  }
  return reached;
}

unsigned instructionsOf(const llvm::DenseSet<const llvm::GlobalValue *> &reached) {
  unsigned count = 0;
  for (const llvm::GlobalValue *global : reached)
    if (const auto *function = llvm::dyn_cast<llvm::Function>(global))
      count += function->getInstructionCount();
  return count;
}

std::unique_ptr<llvm::Module> separate(const llvm::Module &module, llvm::ArrayRef<llvm::StringRef> kernels) {
  llvm::DenseSet<const llvm::GlobalValue *> kept;
  for (llvm::StringRef name : kernels)
    for (const llvm::GlobalValue *global : reachedFrom(*module.getFunction(name)))
      kept.insert(global);
  llvm::ValueToValueMapTy map;
  auto part = llvm::CloneModule(module, map, [&](const llvm::GlobalValue *global) { return kept.contains(global); });
  for (llvm::Function &function : llvm::make_early_inc_range(*part))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
  for (llvm::GlobalVariable &variable : llvm::make_early_inc_range(part->globals()))
    if (variable.isDeclaration() && variable.use_empty())
      variable.eraseFromParent();
  return part;
}

std::vector<uint8_t> toBitcode(const llvm::Module &module) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  return {bytes.begin(), bytes.end()};
}

std::unique_ptr<llvm::Module> fromBitcode(llvm::ArrayRef<uint8_t> bytes, llvm::LLVMContext &context,
                                          std::string &error) {
  const llvm::StringRef content(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(content, "kernel"), context);
  if (module)
    return std::move(*module);
  error = llvm::toString(module.takeError());
  return nullptr;
}

} // namespace kiln
