#include "backends/cpu/codegen/NontemporalLoads.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace kiln {

constexpr uint64_t VectorBytes = 16;

void dropNontemporalHints(llvm::Module &module) {
  const llvm::DataLayout &layout = module.getDataLayout();
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
        if (layout.getTypeStoreSize(load->getType()).getKnownMinValue() < VectorBytes)
          load->setMetadata(llvm::LLVMContext::MD_nontemporal, nullptr);
}

} // namespace kiln
