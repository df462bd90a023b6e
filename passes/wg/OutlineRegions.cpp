#include "passes/wg/OutlineRegions.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "passes/wg/PrivateMemory.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace kiln {
namespace {

class Outliner {
public:
  explicit Outliner(GroupFunction &group)
      : group_(group), builder_(group.builder), symbols_(group.function->getParentOfType<ModuleOp>()) {}

  void outline(const OutlineCandidate &candidate) {
    auto enter = dyn_cast<cf::BranchOp>(candidate.before->getTerminator());
    if (!enter) // one work-item under a mask: no loop
      return;
    collect(candidate, enter);
    auto isKnown = [](Value value) { return LLVM::isCompatibleType(value.getType()); };
    if (!llvm::all_of(inputs_, isKnown) || !llvm::all_of(results_, isKnown) || results_.size() > 1)
      return;
    LLVM::LLVMFuncOp function = makeFunction(candidate, enter);
    builder_.setInsertionPoint(enter);
    auto call = LLVM::CallOp::create(builder_, enter.getLoc(), function, inputs_.getArrayRef());
    if (!results_.empty())
      results_.front().replaceUsesWithIf(call.getResult(), [&](OpOperand &use) {
        return use.getOwner()->getParentRegion() == &group_.function.getBody();
      });
    cf::BranchOp::create(builder_, enter.getLoc(), candidate.after);
    enter.erase();
    call.setCallee(candidate.isCollective ? share(function) : symbols_.insert(function).getValue());
  }

private:
  // Collects the candidate's inputs, split into constants and others, and its results that are used outside.
  void collect(const OutlineCandidate &candidate, cf::BranchOp enter) {
    blocks_.clear(), constants_.clear(), inputs_.clear(), results_.clear();
    for (Block *block = candidate.before->getNextNode(); block != candidate.after; block = block->getNextNode())
      blocks_.insert(block);
    auto use = [&](Value value) {
      if (blocks_.contains(value.getParentBlock()))
        return;
      matchPattern(value, m_Constant()) ? constants_.insert(value) : inputs_.insert(value);
    };
    auto make = [&](Value value) {
      if (llvm::any_of(value.getUsers(), [&](Operation *user) { return !blocks_.contains(user->getBlock()); }))
        results_.push_back(value);
    };
    llvm::for_each(enter.getDestOperands(), use);
    for (Block *block : blocks_) {
      llvm::for_each(block->getArguments(), make);
      for (Operation &op : *block) {
        llvm::for_each(op.getOperands(), use);
        llvm::for_each(op.getResults(), make);
      }
    }
  }

  LLVM::LLVMFuncOp makeFunction(const OutlineCandidate &candidate, cf::BranchOp enter) {
    OpBuilder::InsertionGuard guard(builder_);
    MLIRContext *context = builder_.getContext();
    Type result = results_.empty() ? LLVM::LLVMVoidType::get(context) : results_.front().getType();
    auto type = LLVM::LLVMFunctionType::get(result, llvm::to_vector(ValueRange(inputs_.getArrayRef()).getTypes()));
    builder_.setInsertionPointAfter(group_.function);
    std::string name = (group_.function.getName() + ".part" + Twine(count_++)).str();
    auto function = LLVM::LLVMFuncOp::create(builder_, enter.getLoc(), name, type, LLVM::Linkage::Internal);
    function.setNoInline(true);

    Block *entry = function.addEntryBlock(builder_);
    builder_.setInsertionPointToStart(entry);
    IRMapping mapping;
    mapping.map(inputs_.getArrayRef(), entry->getArguments());
    for (Value constant : constants_)
      mapping.map(constant, builder_.clone(*constant.getDefiningOp())->getResult(0));
    cf::BranchOp::create(
        builder_, enter.getLoc(), enter.getDest(),
        llvm::map_to_vector(enter.getDestOperands(), [&](Value v) { return mapping.lookupOrDefault(v); }));
    auto &body = function.getBody().getBlocks();
    body.splice(body.end(), group_.function.getBody().getBlocks(), std::next(Region::iterator(candidate.before)),
                Region::iterator(candidate.after));
    Block *exit = builder_.createBlock(&function.getBody());
    LLVM::ReturnOp::create(builder_, enter.getLoc(), results_);
    for (Block *block : blocks_) {
      for (Operation &op : *block)
        for (OpOperand &operand : op.getOpOperands())
          operand.set(mapping.lookupOrDefault(operand.get()));
      for (BlockOperand &successor : block->getTerminator()->getBlockOperands())
        if (successor.get() == candidate.after)
          successor.set(exit);
    }
    hoistAllocas(function);
    return function;
  }

  // Returns the name of an equal function that exists already, or of this one.
  StringRef share(LLVM::LLVMFuncOp function) {
    SmallVector<LLVM::LLVMFuncOp> &others = functions_[function.getFunctionType()];
    for (LLVM::LLVMFuncOp other : others)
      if (OperationEquivalence::isRegionEquivalentTo(&function.getBody(), &other.getBody(),
                                                     OperationEquivalence::IgnoreLocations)) {
        function.erase();
        return other.getSymName();
      }
    others.push_back(function);
    return symbols_.insert(function);
  }

  GroupFunction &group_;
  OpBuilder &builder_;
  SymbolTable symbols_;
  unsigned count_ = 0;
  llvm::DenseMap<Type, SmallVector<LLVM::LLVMFuncOp>> functions_;
  llvm::SetVector<Block *> blocks_;
  llvm::SetVector<Value> constants_, inputs_;
  SmallVector<Value> results_;
};

} // namespace

void outlineRegions(GroupFunction &group, ArrayRef<OutlineCandidate> candidates) {
  Outliner outliner(group);
  for (const OutlineCandidate &candidate : candidates)
    outliner.outline(candidate);
}

} // namespace kiln
