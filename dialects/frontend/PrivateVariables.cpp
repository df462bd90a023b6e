#include "dialects/frontend/PrivateVariables.h"
#include "dialects/frontend/Generation.h"
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>
#include <utility>

namespace kiln::frontend {
namespace {

// A phi has two words for each predecessor, and a SPIR-V instruction 65,535 in all. A block with more predecessors
// follows a large switch, where each variable would become a phi of all cases.
constexpr unsigned MaxPredecessors = 1000;

// Variables times blocks. PromoteMemToReg visits a part of the dominator tree for each variable that needs a phi: with
// 4,167 loops in a row it took 10 s of 10.5 s. One million takes about 0.1 s.
constexpr size_t MaxPhiWork = 1'000'000;

bool isPromotedType(const llvm::Type &type) {
  return type.isIntOrIntVectorTy() || type.isFPOrFPVectorTy() ||
         (pointersHaveElementTypes && type.isPointerTy() && handleName(type).empty());
}

/// The name of the conversion function that the value is a call of, otherwise empty.
llvm::StringRef conversionName(const llvm::Value &value) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&value);
  const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
  const bool isConversion = callee && callee->isDeclaration() && callee->getName().contains("convert_");
  return isConversion ? callee->getName() : llvm::StringRef();
}

/// Replaces conversions to the same type by their operands. The translator emits nothing for them: it gives the operand
/// the id that an OpPhi before it has used for the conversion, and forgets uses and decorations of the operand's id.
void removeIdentityConversions(llvm::Function &function) {
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &ins : llvm::make_early_inc_range(block)) {
      llvm::StringRef name = conversionName(ins);
      if (name.empty() || name.contains("_sat") || ins.getOperand(0)->getType() != ins.getType())
        continue;
      ins.replaceAllUsesWith(ins.getOperand(0));
      ins.eraseFromParent();
    }
}

/// Returns true for a conversion with saturation or a rounding mode. The translator loses both, which are decorations,
/// if an OpPhi before the conversion uses its result.
bool isDecoratedConversion(const llvm::Value &value) {
  llvm::StringRef name = conversionName(value);
  return name.contains("_sat") || name.contains("_rt");
}

bool holdsDecoratedConversion(const llvm::AllocaInst &variable) {
  return llvm::any_of(variable.users(), [](const llvm::User *user) {
    auto *store = llvm::dyn_cast<llvm::StoreInst>(user);
    return store && isDecoratedConversion(*store->getValueOperand());
  });
}

bool mayPromote(const llvm::AllocaInst &variable) {
  return isPromotedType(*variable.getAllocatedType()) && llvm::isAllocaPromotable(&variable) &&
         !holdsDecoratedConversion(variable);
}

bool hasLargeMerge(const llvm::Function &function) {
  return llvm::any_of(function,
                      [](const llvm::BasicBlock &block) { return llvm::pred_size(&block) > MaxPredecessors; });
}

/// Returns true if LLVM promotes the variable without a phi: it has one store, or all accesses are in one block.
bool needsNoPhi(const llvm::AllocaInst &variable) {
  unsigned stores = 0;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 2> blocks;
  for (const llvm::User *user : variable.users()) {
    stores += llvm::isa<llvm::StoreInst>(user);
    blocks.insert(llvm::cast<llvm::Instruction>(user)->getParent());
    if (stores > 1 && blocks.size() > 1)
      return false;
  }
  return true;
}

/// Promotes a variable in time proportional to the blocks in which it is live.
void promoteWhereLive(llvm::AllocaInst &variable) {
  llvm::SmallVector<llvm::Instruction *> accesses;
  for (llvm::User *user : variable.users()) {
    if (!llvm::isa<llvm::LoadInst, llvm::StoreInst>(user))
      return;
    accesses.push_back(llvm::cast<llvm::Instruction>(user));
  }
  llvm::SSAUpdater values;
  llvm::LoadAndStorePromoter(accesses, values, variable.getName()).run(accesses);
  variable.eraseFromParent();
}

void promoteIn(llvm::Function &function) {
  removeIdentityConversions(function);
  llvm::SmallVector<llvm::AllocaInst *> variables, withPhis;
  for (llvm::Instruction &ins : function.getEntryBlock())
    if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&ins); variable && mayPromote(*variable))
      (needsNoPhi(*variable) ? variables : withPhis).push_back(variable);
  if (withPhis.size() * function.size() <= MaxPhiWork)
    variables.append(std::exchange(withPhis, {}));
  if (!variables.empty()) {
    llvm::DominatorTree dominators(function);
    llvm::PromoteMemToReg(variables, dominators);
  }
  for (llvm::AllocaInst *variable : withPhis)
    promoteWhereLive(*variable);
}

/// Returns true if an instruction that is no phi uses a value of a later block.
bool usesLaterBlocks(const llvm::Function &function) {
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> positions;
  for (const llvm::BasicBlock &block : function)
    positions.try_emplace(&block, positions.size());
  auto isLater = [&](const llvm::Value *value, const llvm::BasicBlock &block) {
    auto *ins = llvm::dyn_cast<llvm::Instruction>(value);
    return ins && positions.lookup(ins->getParent()) > positions.lookup(&block);
  };
  return llvm::any_of(function, [&](const llvm::BasicBlock &block) {
    return llvm::any_of(block, [&](const llvm::Instruction &ins) {
      return !llvm::isa<llvm::PHINode>(ins) &&
             llvm::any_of(ins.operand_values(), [&](const llvm::Value *value) { return isLater(value, block); });
    });
  });
}

/// SPIR-V requires each block after its dominator. Clang's order has a dominator later after a backward goto.
void putDominatorsFirst(llvm::Function &function) {
  llvm::BasicBlock *last = nullptr;
  for (llvm::BasicBlock *block : llvm::ReversePostOrderTraversal(&function)) {
    if (last)
      block->moveAfter(last);
    last = block;
  }
}

} // namespace

void promotePrivateVariables(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration() || hasLargeMerge(function))
      continue;
    promoteIn(function);
    if (usesLaterBlocks(function))
      putDominatorsFirst(function);
  }
}

} // namespace kiln::frontend
