// Promotes private arrays of structured kernels to SSA values: unrolls the loops whose counters index them.
//
//   %a = llvm.alloca 1 x !llvm.array<2 x f32>
//   for (i = 0; i < 2; ++i)                             wg.parallel { ... }            // one value per element
//     a[i] = 0                                          for (...) { // carries a0, a1
//   for (...) {                                   ==>     barrier
//     barrier                                             a0' = a0 + p[0]
//     for (i = 0; i < 2; ++i)                             a1' = a1 + p[1]
//       a[i] += p[i]                                    }
//   }
//
// These are the accumulators of a matrix product that is staged through local memory. As an array in memory they would
// be in a slot, whose elements of one work-item are adjacent: each lane of a vector would load and store its own row.
// Elements may be short vectors, such as the complex numbers of a Fourier transform, and an index may be the element of
// a constant array that a counter indexes (`data[reversed[i]]`).
//
// Kernels without a barrier are graphs here. The vectoriser unrolls their loops (simd/UnrollPrivateArrayLoops), and
// LLVM promotes the arrays.
//
// Not handled: an array with an index that is not a constant after unrolling, with accesses of a part of an element, or
// whose loops contain a barrier or would become too large.
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Explain.h"
#include "passes/Pass.h"
#include "passes/analysis/Constants.h"
#include "passes/analysis/LinearAddress.h"
#include "passes/analysis/PlainAccess.h"
#include "passes/ocl/ConstantTable.h"
#include "passes/ocl/LoopCounter.h"
#include "passes/ocl/PromoteStructured.h"
#include "passes/ocl/UnrollWhile.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln {
#include "passes/PromoteArrays.pass.inc"
namespace {

// Elements of all arrays of a kernel: four times the vector registers of a processor that has many. And operations
// after unrolling, except those that fold.
constexpr int64_t MaxElements = 128;
constexpr uint64_t MaxOperations = 2000;

/// The arrays of one kernel.
class ArrayPromotion {
public:
  explicit ArrayPromotion(func::FuncOp function) : function_(function), layout_(DataLayout::closest(function)) {}

  /// Replaces the addresses of elements that a loop forwards by the addresses themselves. Lifting a loop makes it
  /// forward what it computes and later code uses. Returns true if there were some.
  bool takeAddressesFromLoops() {
    SmallVector<LLVM::GEPOp> addresses;
    function_.walk([&](LLVM::AllocaOp variable) {
      for (Operation *user : variable->getUsers())
        if (auto address = dyn_cast<LLVM::GEPOp>(user); address && address.getDynamicIndices().empty())
          addresses.push_back(address);
    });
    bool hasChanged = false;
    for (LLVM::GEPOp address : addresses)
      while (OpOperand *use = useByCondition(address)) {
        hasChanged = true;
        address->moveAfter(address.getBase().getDefiningOp()); // it has no operand but the variable
        auto loop = cast<scf::WhileOp>(use->getOwner()->getParentOp());
        const unsigned number = use->getOperandNumber() - 1; // the first operand is the condition
        OpBuilder b(loop);
        use->set(LLVM::ZeroOp::create(b, address.getLoc(), address.getType()));
        loop.getResult(number).replaceAllUsesWith(address);
        loop.getAfterArguments()[number].replaceAllUsesWith(address);
      }
    return hasChanged;
  }

  /// Returns the number of arrays that are promoted. If it is 0, nothing has changed.
  unsigned run() {
    function_.walk([&](scf::WhileOp loop) {
      const bool hasBarrier = loop->walk([](ocl::BarrierOp) { return WalkResult::interrupt(); })
                                  .wasInterrupted(); // would become many regions
      if (const auto counter = loopCounter(loop); counter && !hasBarrier)
        counters_[loop] = *counter;
    });
    int64_t elements = 0;
    function_.walk([&](LLVM::AllocaOp variable) {
      llvm::SetVector<Operation *> loops;
      if (!isPromotable(variable, loops))
        return;
      arrays_.insert(variable);
      elements += elementsOf(variable);
      loops_.insert(loops.begin(), loops.end());
    });
    if (arrays_.empty() || elements > MaxElements)
      return 0;
    const uint64_t size = sizeAfterUnrolling();
    explain("ocl-promote-arrays", [&](raw_ostream &os) {
      os << function_.getName() << ": " << arrays_.size() << " arrays of " << elements << " elements, " << loops_.size()
         << " loops of " << size << " operations after unrolling"
         << (size > MaxOperations ? ", which is too much" : "");
    });
    if (size > MaxOperations)
      return 0;
    SmallVector<scf::WhileOp> loops; // inner ones first
    function_.walk([&](scf::WhileOp loop) {
      if (loops_.contains(loop))
        loops.push_back(loop);
    });
    for (scf::WhileOp loop : loops)
      unrollWhile(loop, counters_.lookup(loop).iterations);
    promote();
    return arrays_.size();
  }

private:
  static OpOperand *useByCondition(LLVM::GEPOp address) {
    for (OpOperand &use : address->getUses())
      if (isa<scf::ConditionOp>(use.getOwner()))
        return &use;
    return nullptr;
  }

  static Type elementOf(LLVM::AllocaOp variable) {
    Type type = variable.getElemType();
    while (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
      type = array.getElementType();
    return type;
  }
  int64_t elementBytes(LLVM::AllocaOp variable) const {
    return int64_t(layout_.getTypeSize(elementOf(variable)).getFixedValue());
  }
  int64_t elementsOf(LLVM::AllocaOp variable) const {
    return int64_t(layout_.getTypeSize(variable.getElemType()).getFixedValue()) / elementBytes(variable);
  }

  // Returns true if the variable is an array, and counters of loops determine the element that each of its accesses
  // loads or stores. Collects these loops.
  bool isPromotable(LLVM::AllocaOp variable, llvm::SetVector<Operation *> &loops) {
    if (constantOf(variable.getArraySize()) != 1 || !isa<LLVM::LLVMArrayType>(variable.getElemType()) ||
        !isa<IntegerType, FloatType, VectorType>(elementOf(variable)))
      return false;
    SmallVector<Value> pointers{variable};
    while (!pointers.empty())
      for (OpOperand &use : pointers.pop_back_val().getUses()) {
        Operation *user = use.getOwner();
        const auto access = plainAccess(user, layout_);
        if (isa<LLVM::GEPOp>(user) && use.getOperandNumber() == 0)
          pointers.push_back(user->getResult(0));
        else if (!access || access->pointer != use.get() || access->type != elementOf(variable) ||
                 use.getOperandNumber() != unsigned(access->isStore) || !isInStructure(user))
          return false;
        else if (const LinearAddress address(use.get(), layout_);
                 address.base != variable || !llvm::all_of(address.terms, [&](const LinearAddress::Term &term) {
                   return isCounted(term.number, loops);
                 }))
          return false;
      }
    return true;
  }

  bool isInStructure(Operation *op) {
    Operation *parent = op->getParentOp();
    while (isa<scf::IfOp, scf::WhileOp>(parent))
      parent = parent->getParentOp();
    return parent == function_.getOperation();
  }

  // The loop whose counter the value is, or null.
  scf::WhileOp loopCountedBy(Value value) const {
    auto argument = dyn_cast<BlockArgument>(value);
    auto loop = argument ? dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp()) : scf::WhileOp();
    const auto counter = loop ? counters_.find(loop) : counters_.end();
    return counter != counters_.end() && conditionOperandOf(loop, value) == counter->second.number ? loop
                                                                                                   : scf::WhileOp();
  }

  // Returns true if the value is a constant in each iteration of loops with constant trip counts, which it collects.
  bool isCounted(Value value, llvm::SetVector<Operation *> &loops) const {
    if (scf::WhileOp loop = loopCountedBy(value))
      return loops.insert(loop), true;
    Operation *op = value.getDefiningOp();
    if (auto load = dyn_cast_or_null<LLVM::LoadOp>(op)) {
      const LinearAddress address(load.getAddr(), layout_);
      return constantTableOf(load, layout_) && llvm::all_of(address.terms, [&](const LinearAddress::Term &term) {
               return isCounted(term.number, loops);
             });
    }
    return op && isa<arith::ArithDialect>(op->getDialect()) && op->getNumRegions() == 0 &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return isCounted(operand, loops); });
  }

  bool foldsAway(Operation *op) const {
    if (op->hasTrait<OpTrait::IsTerminator>())
      return true;
    if (const auto access = plainAccess(op, layout_);
        access && arrays_.contains(LinearAddress(access->pointer, layout_).base.getDefiningOp()))
      return true;
    llvm::SetVector<Operation *> loops;
    return op->getNumResults() == 1 && isCounted(op->getResult(0), loops) &&
           llvm::all_of(loops, [&](Operation *loop) { return loops_.contains(loop); });
  }

  // The operations that the unrolled loops become, without those that fold.
  uint64_t sizeAfterUnrolling() {
    uint64_t size = 0;
    function_.walk([&](Operation *op) {
      uint64_t copies = 1;
      bool isCopied = false;
      for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
        if (loops_.contains(parent)) {
          isCopied = true;
          copies = std::min<uint64_t>(copies * counters_.lookup(parent).iterations, MaxOperations + 1);
        }
      if (isCopied && !foldsAway(op))
        size += copies;
    });
    return size;
  }

  // Replaces elements of constant arrays by numbers, and folds the indices that are computed from them.
  void foldIndices() {
    SmallVector<Operation *> changed;
    function_.walk([&](LLVM::LoadOp load) {
      if (TypedAttr number = constantElementOf(load, layout_)) {
        OpBuilder b(load);
        auto constant = arith::ConstantOp::create(b, load.getLoc(), number);
        load.getResult().replaceAllUsesWith(constant.getResult());
        append_range(changed, constant->getUsers());
      }
    });
    while (!changed.empty()) {
      Operation *op = changed.pop_back_val();
      SmallVector<Value> folded;
      OpBuilder b(op);
      if (!isa<arith::ArithDialect>(op->getDialect()) || failed(b.tryFold(op, folded)) || folded.empty())
        continue;
      append_range(changed, op->getUsers());
      op->replaceAllUsesWith(folded);
    }
  }

  void promote() {
    foldIndices();
    SmallVector<Type> types;
    llvm::DenseMap<Operation *, unsigned> first, accesses;
    for (Operation *variable : arrays_) {
      first[variable] = unsigned(types.size());
      types.append(size_t(elementsOf(cast<LLVM::AllocaOp>(variable))), elementOf(cast<LLVM::AllocaOp>(variable)));
    }
    bool isKnown = true;
    function_.walk([&](Operation *op) {
      const auto access = plainAccess(op, layout_);
      if (!access)
        return;
      const LinearAddress address(access->pointer, layout_);
      auto variable = address.base.getDefiningOp<LLVM::AllocaOp>();
      if (!variable || !arrays_.contains(variable))
        return;
      const int64_t element = address.constant / elementBytes(variable);
      isKnown &= address.terms.empty() && address.constant % elementBytes(variable) == 0 && element >= 0 &&
                 element < elementsOf(variable);
      accesses[op] = first[variable] + unsigned(element);
    });
    if (!isKnown) // an index out of bounds, in code that does not run
      return;
    promoteStructured(function_.getBody().front(), types, accesses);
    for (Operation *variable : arrays_)
      eraseWithAddresses(variable);
  }

  static void eraseWithAddresses(Operation *pointer) {
    for (Operation *user : llvm::make_early_inc_range(pointer->getUsers()))
      eraseWithAddresses(user);
    pointer->erase();
  }

  func::FuncOp function_;
  const DataLayout layout_;
  llvm::DenseMap<Operation *, LoopCounter> counters_; // of loops
  llvm::SetVector<Operation *> arrays_, loops_;       // that are promoted, that are unrolled
};

struct PromoteArrays : impl::PromoteArraysBase<PromoteArrays> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !function.getBody().hasOneBlock())
      return;
    ArrayPromotion promotion(function);
    const bool tookAddresses = promotion.takeAddressesFromLoops();
    const unsigned promoted = promotion.run();
    arraysPromoted += promoted;
    if (!promoted && !tookAddresses)
      return;
    OpPassManager simplify(func::FuncOp::getOperationName());
    simplify.addPass(createCanonicalizerPass());
    simplify.addPass(createCSEPass());
    if (failed(runPipeline(simplify, function)))
      signalPassFailure();
  }
};

} // namespace
} // namespace kiln
