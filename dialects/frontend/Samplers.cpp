#include "dialects/frontend/Samplers.h"
#include "dialects/frontend/Generation.h"
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <map>
#include <vector>

namespace kiln::frontend {
namespace {

bool isSampler(const llvm::Type *type) { return handleName(*type) == "sampler_t"; }

/// Promotes variables of sampler type to values. The translator ends the process if a function other than a kernel
/// stores an argument of that type, and without variables withOneSamplerType has fewer uses to fix.
void promote(llvm::Function &function) {
  std::vector<llvm::AllocaInst *> variables;
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : block)
      if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
        if (isSampler(variable->getAllocatedType()) && llvm::isAllocaPromotable(variable))
          variables.push_back(variable);
  if (variables.empty())
    return;
  llvm::DominatorTree tree(function);
  llvm::PromoteMemToReg(variables, tree);
}

/// Adds CLK_FILTER_NEAREST to literal samplers without a filter: the translator would write an invalid enumerant.
void complete(llvm::Function &literal) {
  constexpr uint64_t Filters = 0x30, Nearest = 0x10; // as in the base header
  for (llvm::User *user : literal.users())
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(user))
      if (auto *bits = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0));
          bits && !(bits->getZExtValue() & Filters))
        call->setArgOperand(0, llvm::ConstantInt::get(bits->getType(), bits->getZExtValue() | Nearest));
}

} // namespace

bool prepareSamplers(llvm::Module &module) {
  bool found = false;
  for (llvm::Function &function : module) {
    found |= isSampler(function.getReturnType());
    for (llvm::Argument &argument : function.args())
      found |= isSampler(argument.getType());
    promote(function);
  }
  if (llvm::Function *literal = module.getFunction("__translate_sampler_initializer"))
    complete(*literal);
  return found;
}

spirv::Words withOneSamplerType(const spirv::Words &words) {
  spirv::Words kept(words.begin(), words.begin() + spirv::HeaderWords);
  uint32_t sampler = 0;
  std::map<uint32_t, uint32_t> same;                   // type -> the type that replaces it
  std::map<std::vector<uint32_t>, uint32_t> functions; // function types by their words after the id
  auto merge = [&](uint32_t &id) {
    if (auto found = same.find(id); found != same.end())
      id = found->second;
  };
  spirv::each(words, [&](spirv::Instruction old) {
    std::vector<uint32_t> ins(old.begin(), old.end());
    const spv::Op opcode = spirv::opcode(ins);
    switch (opcode) {
    case spv::Op::TypeSampler:
      if (!sampler)
        sampler = ins[1];
      else
        same[ins[1]] = sampler;
      break;
    case spv::Op::TypeFunction: {
      for (size_t i = 2; i < ins.size(); ++i)
        merge(ins[i]);
      auto [known, isNew] = functions.try_emplace({ins.begin() + 2, ins.end()}, ins[1]);
      if (!isNew)
        same[ins[1]] = known->second;
      break;
    }
    case spv::Op::Function:
      merge(ins[4]);
      break;
    case spv::Op::Undef:
    case spv::Op::ConstantSampler:
    case spv::Op::FunctionParameter:
    case spv::Op::Select:
    case spv::Op::Phi:
      merge(ins[1]);
      break;
    default:
      break;
    }
    if ((opcode != spv::Op::TypeSampler && opcode != spv::Op::TypeFunction) || !same.count(ins[1]))
      spirv::append(kept, ins);
  });
  return kept;
}

} // namespace kiln::frontend
