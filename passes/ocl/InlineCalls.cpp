// Inlines calls, callees before callers, and hoists private variables to the entry block.
//
//   func.func private @half(%x: i32) -> i32 {...}
//   %y = func.call @half(%x)                          ==>   the body of @half
//
// Upstream's inliner leaves an inlined function's allocas at the call: in a loop, the stack grows in each iteration.
// Here they move to the entry block of the caller, which is legal because OpenCL C's private variables have constant
// sizes and start undefined.
//
// A body of one block is inlined anywhere; a body of several blocks only if the call is in a function's top-level
// control flow graph, because an scf region holds one block. Functions that ocl-keep-calls has marked are
// inlined only in the kernels that it has marked for that.
// Library code that handles many cases (ocl.inline_if_constant) is inlined once its first argument is constant, which
// selects one case. OpenCL has no recursion: a module that has it is an error here, before a later pass recurses
// without end.
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"
#include "passes/Pass.h"
#include "passes/analysis/Barriers.h"
#include "passes/analysis/Size.h"
#include "passes/analysis/SymbolUses.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace kiln {
#include "passes/InlineCalls.pass.inc"
namespace {

void hoistAllocas(func::FuncOp function) {
  Block &entry = function.getBody().front();
  SmallVector<LLVM::AllocaOp> allocas;
  function.walk([&](LLVM::AllocaOp alloca) { allocas.push_back(alloca); });
  OpBuilder builder(function.getContext());
  for (LLVM::AllocaOp alloca : llvm::reverse(allocas)) {
    // The importer emits constant sizes only: the constant moves with the alloca.
    Operation *size = alloca.getArraySize().getDefiningOp();
    if (alloca->getBlock() == &entry || !size || !size->hasTrait<OpTrait::ConstantLike>())
      continue;
    alloca->moveBefore(&entry, entry.begin());
    builder.setInsertionPoint(alloca);
    alloca.getArraySizeMutable().set(builder.clone(*size)->getResult(0));
  }
}

struct InlineCalls : impl::InlineCallsBase<InlineCalls> {
  using InlineCallsBase::InlineCallsBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    Barriers barriers(getOperation());
    InlinerInterface interface(&getContext());
    SmallVector<func::FuncOp> order;
    DenseMap<func::FuncOp, bool> done; // absent: not visited; false: its callees are being visited
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(visit(function, symbols, done, order)))
        return signalPassFailure();
    uses_.clear(), erased_.clear();
    countUses(getOperation(), 1);
    size_ = operationsIn(getOperation());

    for (func::FuncOp caller : order) {
      bool again = true;
      while (again) {
        const FailureOr<bool> any = inlineInto(caller, symbols, barriers, interface);
        if (failed(any))
          return signalPassFailure();
        again = *any && caller->hasAttr(ocl::InlinesAllAttr); // kept functions may have calls of others
      }
      if (!caller.isExternal())
        hoistAllocas(caller);
    }
    // Erase functions that no kernel calls, callers first.
    for (func::FuncOp function : llvm::reverse(order))
      if (!erased_.contains(function))
        eraseIfUnused(function);
  }

private:
  // Inlines the calls of one function. Returns true if there was one.
  FailureOr<bool> inlineInto(func::FuncOp caller, SymbolTable &symbols, Barriers &barriers,
                             InlinerInterface &interface) {
    const InlinerConfig config;
    bool any = false;
    SmallVector<func::CallOp> calls;
    caller.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!callee || callee.isExternal() ||
          (callee->hasAttr(ocl::CalledAttr) && !caller->hasAttr(ocl::InlinesAllAttr)) ||
          (onlyWithoutBarrier && barriers.contains(callee)))
        continue;
      if (callee->hasAttr(ocl::InlineIfConstantAttr) &&
          (call.getNumOperands() == 0 || !matchPattern(call.getOperand(0), m_Constant())))
        continue;
      bool fits = callee.getBody().hasOneBlock() || call->getParentOp() == caller;
      if (!fits)
        continue;
      const size_t added = operationsIn(callee);
      size_ += added;
      if (size_ > maxOps) {
        call.emitError() << "the module has " << size_ << " operations after inlining, must be at most "
                         << maxOps.getValue();
        return failure();
      }
      if (callee.getBody().hasOneBlock()) {
        inlineBlock(call, callee.getBody().front());
      } else {
        auto callable = cast<CallableOpInterface>(callee.getOperation());
        if (failed(inlineCall(interface, config.getCloneCallback(), call, callable, callable.getCallableRegion())))
          continue;
        call.erase();
      }
      ++inlined;
      any = true;
      --uses_[callee.getSymNameAttr()];
      countUses(callee, 1);
      if (eraseIfUnused(callee))
        size_ -= added;
    }
    return any;
  }

  // Faster than upstream's inliner, which moves all operations after the call to another block and back: O(n) per call.
  static void inlineBlock(func::CallOp call, Block &body) {
    OpBuilder builder(call);
    IRMapping mapping;
    mapping.map(body.getArguments(), call.getOperands());
    const bool hasLine = bool(call.getLoc()->findInstanceOf<FileLineColLoc>());
    for (Operation &op : body.without_terminator()) {
      Operation *copy = builder.clone(op, mapping);
      if (hasLine) // debug information has the line of the call as well
        copy->walk([&](Operation *inner) { inner->setLoc(CallSiteLoc::get(inner->getLoc(), call.getLoc())); });
    }
    for (auto [result, value] : llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    call.erase();
  }

  void countUses(Operation *user, int change) {
    forEachSymbolUse(user, [&](SymbolRefAttr reference) { uses_[reference.getRootReference()] += unsigned(change); });
  }

  bool eraseIfUnused(func::FuncOp function) {
    if (function->hasAttr(ocl::KernelAttr) || uses_.lookup(function.getSymNameAttr()))
      return false;
    countUses(function, -1);
    erased_.insert(function);
    function.erase();
    return true;
  }

  // Callees first. An explicit stack, because a chain of calls may have any length.
  LogicalResult visit(func::FuncOp root, SymbolTable &symbols, DenseMap<func::FuncOp, bool> &done,
                      SmallVector<func::FuncOp> &order) {
    if (done.count(root))
      return success();
    struct Frame {
      func::FuncOp function;
      SmallVector<func::FuncOp> callees;
    };
    auto open = [&](func::FuncOp function) {
      Frame frame{function, {}};
      function.walk([&](func::CallOp call) {
        if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
          frame.callees.push_back(callee);
      });
      done[function] = false;
      return frame;
    };
    SmallVector<Frame> stack{open(root)};
    while (!stack.empty()) {
      if (stack.back().callees.empty()) {
        order.push_back(stack.back().function);
        done[stack.back().function] = true;
        stack.pop_back();
        continue;
      }
      func::FuncOp callee = stack.back().callees.pop_back_val();
      auto state = done.find(callee);
      if (state == done.end())
        stack.push_back(open(callee));
      else if (!state->second)
        return callee.emitError() << "function '" << callee.getName() << "' calls itself, which OpenCL does not allow";
    }
    return success();
  }

  size_t size_ = 0;                    // of the module, in operations
  DenseMap<Attribute, unsigned> uses_; // of each symbol
  DenseSet<Operation *> erased_;
};
} // namespace
} // namespace kiln
