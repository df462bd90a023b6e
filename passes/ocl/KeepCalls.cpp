// Marks functions that are not inlined because inlining every call would make the program too large.
//
//   func.func private @sha(...) {...}      // 20,000 operations, called from 40 places
//                                   ==>   func.func private @sha(...) attributes {ocl.called} {...}
//
// Later passes need whole kernels, above all the vectoriser. But inlining can grow code without limit: each kernel of
// hashcat would have millions of operations. So a kernel may have `max-kernel-ops` operations and a module `max-ops`.
// Above that, the function whose calls would add most operations is kept, then the next one, until the rest fits. The
// result depends on the module only, so compilation is deterministic.
//
// A function can be kept if it contains nothing that needs the kernel or its group: no barrier, local variable or
// enqueue. Ids, sizes and the printf buffer are allowed (ocl-pass-queries). A printf is allowed if its format and all
// other pointers are literals: a pointer that the function gets from its callers may be one of their literals.
//
// On GPUs, a kernel or kept function may have `max-calls` calls of kept functions. Above that, callees that contain
// many of these calls are kept, even if they are called once. LLVM's AMDGPU part (SIFixSGPRCopies) follows, from each
// phi that is a call's argument, all uses of the argument's register in the function: O(phis * calls). A kernel with
// 3,200 calls and 2,300 phis did not end in 68 s of processor time, and takes 12 s in parts of at most 500 calls.
//
// A kept function is inlined nevertheless in kernels that have at most `max-ops-without-calls` operations then: the CPU
// vectorizes such kernels, which it cannot with a call.
//
// Functions that no kernel calls are erased first, so that they do not count.
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "passes/Pass.h"
#include "passes/analysis/BasePointer.h"
#include "passes/analysis/Reachable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln {
#include "passes/KeepCalls.pass.inc"
namespace {

struct Function {
  func::FuncOp op;
  llvm::MapVector<unsigned, uint64_t> calls; // function and number of calls
  uint64_t ownSize = 0;
  bool canStay = true;
  bool isRoot = false; // a kernel, or kept

  uint64_t size = 0;             // after inlining all callees that are not roots
  uint64_t sizeWithoutCalls = 0; // after inlining kept callees as well
  uint64_t keptCalls = 0;        // calls of roots then
  uint64_t copies = 0;           // in the roots that countCopies considers
};

bool isVariable(Value pointer) { return basePointer(pointer).getDefiningOp<LLVM::AddressOfOp>() != nullptr; }

bool needsKernel(Operation *op) {
  if (auto print = dyn_cast<ocl::PrintfOp>(op))
    return llvm::any_of(print->getOperands(), [](Value operand) {
      return isa<LLVM::LLVMPointerType>(operand.getType()) && !isVariable(operand);
    });
  if (auto query = dyn_cast<ocl::QueryOp>(op))
    return !matchPattern(query.getDim(), m_Constant());
  if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
    return cast<LLVM::LLVMPointerType>(address.getType()).getAddressSpace() == ocl::Local;
  return op->hasTrait<ocl::Convergent>() || op->hasTrait<ocl::LibraryOp>() ||
         isa<ocl::AsyncCopyOp, ocl::EnqueueArenaOp, ocl::BlockNumberOp, ocl::IsAddrSpaceOp>(op);
}

class Calls {
public:
  Calls(ModuleOp module) {
    SymbolTable symbols(module);
    for (auto kernel : module.getOps<func::FuncOp>())
      if (kernel->hasAttr(ocl::KernelAttr))
        visit(kernel, symbols);
  }

  /// Marks functions until no kernel has more than `maxKernel` operations and the module at most `maxAll`, or until
  /// no other function can be kept.
  void keep(uint64_t maxKernel, uint64_t maxAll) {
    for (;;) {
      measure();
      uint64_t all = 0;
      bool outgrown = false;
      for (const Function &function : functions_)
        if (function.isRoot) {
          all = llvm::SaturatingAdd(all, function.size);
          outgrown |= function.size > maxKernel;
        }
      if (!outgrown && all <= maxAll)
        return;
      countCopies([&](const Function &root) { return root.size > (outgrown ? maxKernel : 0); });
      Function *largest = nullptr;
      uint64_t maxSaved = 0;
      for (Function &function : functions_) {
        if (function.isRoot || !function.canStay || function.copies < 2)
          continue;
        if (uint64_t saved = llvm::SaturatingMultiply(function.size, function.copies - 1); saved > maxSaved)
          largest = &function, maxSaved = saved;
      }
      if (!largest)
        return;
      mark(*largest);
    }
  }

  /// Marks functions until no kernel and no kept function has more than `maxCalls` calls of kept functions, or until no
  /// other function can be kept.
  void limitCalls(uint64_t maxCalls) {
    for (;;) {
      measure();
      countCopies([&](const Function &root) { return root.keptCalls > maxCalls; });
      Function *most = nullptr;
      for (Function &function : functions_)
        if (!function.isRoot && function.canStay && function.copies && function.keptCalls <= maxCalls &&
            function.keptCalls > (most ? most->keptCalls : 1))
          most = &function;
      if (!most)
        return;
      mark(*most);
    }
  }

  /// Marks kernels that have at most `maxOpsWithoutCalls` operations with their kept callees inlined, if the module
  /// then has at most `maxAll`.
  void inlineInSmallKernels(uint64_t maxOpsWithoutCalls, uint64_t maxAll) {
    measure();
    uint64_t all = 0;
    for (const Function &function : functions_)
      all = llvm::SaturatingAdd(all, function.isRoot ? function.size : 0);
    for (Function &function : functions_) {
      const uint64_t added = function.sizeWithoutCalls - function.size;
      if (!function.op->hasAttr(ocl::KernelAttr) || !added || function.sizeWithoutCalls > maxOpsWithoutCalls ||
          all + added > maxAll)
        continue;
      all += added;
      function.op->setAttr(ocl::InlinesAllAttr, UnitAttr::get(function.op.getContext()));
    }
  }

private:
  static void mark(Function &function) {
    function.isRoot = true;
    function.op->setAttr(ocl::CalledAttr, UnitAttr::get(function.op.getContext()));
    function.op->setAttr("llvm.linkage", LLVM::LinkageAttr::get(function.op.getContext(), LLVM::Linkage::Internal));
    function.op.removeArgAttrsAttr(); // they describe kernel arguments
  }

  // Callees before callers. Ignores recursion, which is an error in ocl-inline-calls.
  void visit(func::FuncOp root, SymbolTable &symbols) {
    SmallVector<std::pair<func::FuncOp, SmallVector<func::FuncOp>>> stack;
    llvm::DenseSet<Operation *> seen;
    auto open = [&](func::FuncOp function) {
      if (numbers_.contains(function) || !seen.insert(function).second)
        return;
      SmallVector<func::FuncOp> callees;
      function.walk([&](func::CallOp call) {
        if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
          callees.push_back(callee);
      });
      stack.push_back({function, std::move(callees)});
    };
    open(root);
    while (!stack.empty()) {
      if (!stack.back().second.empty()) {
        open(stack.back().second.pop_back_val());
        continue;
      }
      add(stack.back().first, symbols);
      stack.pop_back();
    }
  }

  void add(func::FuncOp op, SymbolTable &symbols) {
    Function function;
    function.op = op;
    function.isRoot = op->hasAttr(ocl::KernelAttr) || op->hasAttr(ocl::InlineIfConstantAttr);
    function.canStay = !op.isExternal();
    op.walk([&](Operation *inner) {
      ++function.ownSize;
      function.canStay = function.canStay && !needsKernel(inner);
      auto call = dyn_cast<func::CallOp>(inner);
      auto callee = call ? symbols.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
      if (auto number = numbers_.find(callee); callee && number != numbers_.end()) {
        ++function.calls[number->second];
        function.canStay =
            function.canStay && (functions_[number->second].canStay || callee->hasAttr(ocl::InlineIfConstantAttr));
      }
    });
    numbers_[op] = unsigned(functions_.size());
    functions_.push_back(std::move(function));
  }

  void measure() {
    for (Function &function : functions_) {
      function.size = function.sizeWithoutCalls = function.ownSize;
      function.keptCalls = 0;
      for (auto [number, count] : function.calls) {
        const Function &callee = functions_[number];
        if (!callee.isRoot)
          function.size = llvm::SaturatingMultiplyAdd(callee.size, count, function.size);
        if (!callee.op->hasAttr(ocl::InlineIfConstantAttr))
          function.sizeWithoutCalls =
              llvm::SaturatingMultiplyAdd(callee.sizeWithoutCalls, count, function.sizeWithoutCalls);
        function.keptCalls =
            llvm::SaturatingMultiplyAdd(callee.isRoot ? uint64_t(1) : callee.keptCalls, count, function.keptCalls);
      }
    }
  }

  // Counts each function's copies in the roots that `counts`.
  void countCopies(llvm::function_ref<bool(const Function &)> counts) {
    for (Function &function : functions_)
      function.copies = function.isRoot && counts(function) ? 1 : 0;
    for (Function &function : llvm::reverse(functions_)) {
      for (auto [callee, count] : function.calls)
        if (!functions_[callee].isRoot)
          functions_[callee].copies = llvm::SaturatingMultiplyAdd(function.copies, count, functions_[callee].copies);
    }
  }

  SmallVector<Function, 0> functions_; // callees before callers
  DenseMap<Operation *, unsigned> numbers_;
};

struct KeepCalls : impl::KeepCallsBase<KeepCalls> {
  using KeepCallsBase::KeepCallsBase;

  void runOnOperation() override {
    eraseUnused();
    Calls calls(getOperation());
    calls.keep(maxKernelOps, maxOps);
    calls.limitCalls(maxCalls);
    calls.inlineInSmallKernels(maxOpsWithoutCalls, maxOps);
  }

private:
  void eraseUnused() {
    SmallVector<func::FuncOp> all(getOperation().getOps<func::FuncOp>()), kernels;
    llvm::copy_if(all, std::back_inserter(kernels),
                  [](func::FuncOp function) { return function->hasAttr(ocl::KernelAttr); });
    llvm::DenseSet<Operation *> needed = reachable(getOperation(), kernels);
    for (func::FuncOp function : all)
      if (!needed.contains(function))
        function.erase();
  }
};
} // namespace
} // namespace kiln
