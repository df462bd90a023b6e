#include "dialects/frontend/SpirvFixups.h"
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <optional>
#include <unordered_set>

namespace kiln::frontend {
namespace {

/// Returns the module with only the instructions for which `keeps` returns true.
template <typename Keeps> spirv::Words filtered(const spirv::Words &words, Keeps keeps) {
  spirv::Words kept(words.begin(), words.begin() + spirv::HeaderWords);
  spirv::each(words, [&](spirv::Instruction ins) {
    if (keeps(ins))
      spirv::append(kept, ins);
  });
  return kept;
}

/// Returns the value of a query for a dimension above 2; nullopt for other functions.
std::optional<uint64_t> outOfRangeValue(llvm::StringRef function) {
  for (const char *id : {"_Z13get_global_idj", "_Z12get_local_idj", "_Z12get_group_idj", "_Z17get_global_offsetj"})
    if (function == id)
      return 0;
  for (const char *size :
       {"_Z15get_global_sizej", "_Z14get_local_sizej", "_Z23get_enqueued_local_sizej", "_Z14get_num_groupsj"})
    if (function == size)
      return 1;
  return std::nullopt;
}

} // namespace

void foldOutOfRangeQueries(llvm::Module &module) {
  constexpr uint64_t Dimensions = 3;
  for (llvm::Function &function : module) {
    std::optional<uint64_t> value = outOfRangeValue(function.getName());
    if (!value || !function.isDeclaration())
      continue;
    for (llvm::User *user : llvm::make_early_inc_range(function.users()))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(user); call && call->getCalledFunction() == &function)
        if (auto *dimension = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
            dimension && dimension->getZExtValue() >= Dimensions) {
          call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), *value));
          call->eraseFromParent();
        }
  }
}

void splatConditions(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &ins : block)
        if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&ins);
            select && !select->getCondition()->getType()->isVectorTy())
          if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(select->getType())) {
            llvm::IRBuilder<> b(select);
            select->setCondition(b.CreateVectorSplat(vector->getNumElements(), select->getCondition()));
          }
}

spirv::Words withUniqueMergeBlocks(const spirv::Words &words) {
  std::unordered_set<uint32_t> ends;
  return filtered(words, [&](spirv::Instruction ins) {
    const spv::Op opcode = spirv::opcode(ins);
    if (opcode == spv::Op::LoopMerge && ins[1] == ins[2])
      return false;
    return (opcode != spv::Op::LoopMerge && opcode != spv::Op::SelectionMerge) || ends.insert(ins[1]).second;
  });
}

spirv::Words withoutLinesAfterMerges(const spirv::Words &words) {
  bool followsMerge = false;
  return filtered(words, [&](spirv::Instruction ins) {
    const spv::Op opcode = spirv::opcode(ins);
    if (followsMerge && (opcode == spv::Op::Line || opcode == spv::Op::NoLine))
      return false;
    followsMerge = opcode == spv::Op::LoopMerge || opcode == spv::Op::SelectionMerge;
    return true;
  });
}

spirv::Words withoutDebugInstructions(const spirv::Words &words) {
  uint32_t set = 0;
  return filtered(words, [&](spirv::Instruction ins) {
    if (spirv::opcode(ins) == spv::Op::ExtInstImport && spirv::text(ins, 2).starts_with("OpenCL.DebugInfo")) {
      set = ins[1];
      return false;
    }
    return spirv::opcode(ins) != spv::Op::ExtInst || !set || ins[3] != set;
  });
}

} // namespace kiln::frontend
