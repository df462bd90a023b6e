#include "passes/wg/OwnFunctions.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "passes/wg/PrivateMemory.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace kiln {
namespace {

class Mover {
public:
  explicit Mover(GroupFunction &group)
      : group_(group), builder_(group.builder), symbols_(group.function->getParentOfType<ModuleOp>()) {}

  void move(const Piece &piece) {
    auto enter = dyn_cast<cf::BranchOp>(piece.before->getTerminator());
    if (!enter) // one work-item, which a mask may leave out: no loop
      return;
    collect(piece, enter);
    auto isKnown = [](Value value) { return LLVM::isCompatibleType(value.getType()); };
    if (!llvm::all_of(needed_, isKnown) || !llvm::all_of(made_, isKnown) || made_.size() > 1)
      return;
    LLVM::LLVMFuncOp function = makeFunction(piece, enter);
    builder_.setInsertionPoint(enter);
    auto call = LLVM::CallOp::create(builder_, enter.getLoc(), function, needed_.getArrayRef());
    if (!made_.empty())
      made_.front().replaceUsesWithIf(call.getResult(), [&](OpOperand &use) {
        return use.getOwner()->getParentRegion() == &group_.function.getBody();
      });
    cf::BranchOp::create(builder_, enter.getLoc(), piece.after);
    enter.erase();
    call.setCallee(piece.isCollective ? share(function) : symbols_.insert(function).getValue());
  }

private:
  // Splits what a piece uses from elsewhere into constants and the rest, and finds what is used of it elsewhere.
  void collect(const Piece &piece, cf::BranchOp enter) {
    blocks_.clear(), constants_.clear(), needed_.clear(), made_.clear();
    for (Block *block = piece.before->getNextNode(); block != piece.after; block = block->getNextNode())
      blocks_.insert(block);
    auto use = [&](Value value) {
      if (blocks_.contains(value.getParentBlock()))
        return;
      matchPattern(value, m_Constant()) ? constants_.insert(value) : needed_.insert(value);
    };
    auto make = [&](Value value) {
      if (llvm::any_of(value.getUsers(), [&](Operation *user) { return !blocks_.contains(user->getBlock()); }))
        made_.push_back(value);
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

  LLVM::LLVMFuncOp makeFunction(const Piece &piece, cf::BranchOp enter) {
    OpBuilder::InsertionGuard guard(builder_);
    MLIRContext *context = builder_.getContext();
    Type result = made_.empty() ? LLVM::LLVMVoidType::get(context) : made_.front().getType();
    auto type = LLVM::LLVMFunctionType::get(result, llvm::to_vector(ValueRange(needed_.getArrayRef()).getTypes()));
    builder_.setInsertionPointAfter(group_.function);
    std::string name = (group_.function.getName() + ".part" + Twine(count_++)).str();
    auto function = LLVM::LLVMFuncOp::create(builder_, enter.getLoc(), name, type, LLVM::Linkage::Internal);
    function.setNoInline(true);

    Block *entry = function.addEntryBlock(builder_);
    builder_.setInsertionPointToStart(entry);
    IRMapping own;
    own.map(needed_.getArrayRef(), entry->getArguments());
    for (Value constant : constants_)
      own.map(constant, builder_.clone(*constant.getDefiningOp())->getResult(0));
    cf::BranchOp::create(builder_, enter.getLoc(), enter.getDest(),
                         llvm::map_to_vector(enter.getDestOperands(), [&](Value v) { return own.lookupOrDefault(v); }));
    auto &body = function.getBody().getBlocks();
    body.splice(body.end(), group_.function.getBody().getBlocks(), std::next(Region::iterator(piece.before)),
                Region::iterator(piece.after));
    Block *exit = builder_.createBlock(&function.getBody());
    LLVM::ReturnOp::create(builder_, enter.getLoc(), made_);
    for (Block *block : blocks_) {
      for (Operation &op : *block)
        for (OpOperand &operand : op.getOpOperands())
          operand.set(own.lookupOrDefault(operand.get()));
      for (BlockOperand &successor : block->getTerminator()->getBlockOperands())
        if (successor.get() == piece.after)
          successor.set(exit);
    }
    liftVariables(function);
    return function;
  }

  // The name of a function that is there already, where this one is the same, or else of this one.
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
  llvm::SetVector<Value> constants_, needed_;
  SmallVector<Value> made_;
};

} // namespace

void giveOwnFunctions(GroupFunction &group, ArrayRef<Piece> pieces) {
  Mover mover(group);
  for (const Piece &piece : pieces)
    mover.move(piece);
}

} // namespace kiln
