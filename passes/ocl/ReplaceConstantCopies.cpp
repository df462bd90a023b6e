// Replaces private arrays that are copies of a constant by the constant.
//
//   %v = llvm.alloca 1 x !llvm.array<9 x f32>
//   llvm.intr.memcpy(%v, @weights, 36)            ==>
//   %p = llvm.getelementptr %v[0, %i]                   %p = llvm.getelementptr @weights[0, %i]
//   %w = llvm.load %p                                   %w = llvm.load %p
//
// `const float weights[9] = {...};` in a function becomes such an array. The copy may be in parts, or element by
// element. Without this pass every work-item has a copy, and a vector loads from as many addresses as it has lanes.
// LLVM does the same later, but only for a copy by one memcpy.
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/Pass.h"
#include "passes/analysis/Constants.h"
#include "passes/analysis/LinearAddress.h"
#include "passes/analysis/PlainAccess.h"

using namespace mlir;

namespace kiln {
#include "passes/ReplaceConstantCopies.pass.inc"
namespace {

/// A private variable that is only loaded from, and filled from one constant: each byte from the byte at the same
/// offset. A load that no copy precedes has an undefined result, so the order of loads and copies does not matter.
class ConstantCopy {
public:
  ConstantCopy(LLVM::AllocaOp variable, SymbolTable &symbols, const DataLayout &layout)
      : variable_(variable), symbols_(symbols), layout_(layout) {}

  bool matches() {
    if (constantOf(variable_.getArraySize()) != 1 || !takesUses(variable_))
      return false;
    for (size_t at = 0; at < steps_.size();
         ++at) // `takesUses` appends; no recursion, because a chain may have any length
      if (!takesUses(steps_[at]))
        return false;
    return constant_ && sizeOf(variable_.getElemType()) <= sizeOf(constant_.getType());
  }

  void replace() {
    alignConstant();
    for (Operation *write : writes_)
      write->erase();
    OpBuilder builder(variable_);
    const Value address = LLVM::AddressOfOp::create(builder, variable_.getLoc(), constant_);
    IRMapping replaced;
    replaced.map(variable_.getResult(), address);
    for (LLVM::GEPOp step : steps_) {
      builder.setInsertionPoint(step);
      builder.clone(*step, replaced);
      replaced.lookup(step.getResult()).setType(address.getType()); // in the constant's address space
    }
    for (LLVM::LoadOp load : loads_)
      load.getAddrMutable().assign(replaced.lookup(load.getAddr()));
    for (LLVM::GEPOp step : llvm::reverse(steps_))
      step.erase();
    variable_.erase();
  }

private:
  uint64_t sizeOf(Type type) const { return layout_.getTypeSize(type).getFixedValue(); }

  // Records the uses of the variable, or of an address in it. Returns false if one is neither a load, a step to another
  // address, nor a copy from the constant.
  bool takesUses(Value pointer) {
    return llvm::all_of(pointer.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (auto step = dyn_cast<LLVM::GEPOp>(user)) {
        steps_.push_back(step);
        return &use == &step.getBaseMutable();
      }
      if (auto load = dyn_cast<LLVM::LoadOp>(user)) {
        loads_.push_back(load);
        return isPlain(load);
      }
      return isCopy(user, use);
    });
  }

  bool isCopy(Operation *user, OpOperand &use) {
    Value source;
    if (auto copy = dyn_cast<LLVM::MemcpyOp>(user); copy && !copy.getIsVolatile() && constantOf(copy.getLen())) {
      if (&use == &copy.getDstMutable())
        source = copy.getSrc();
    } else if (auto store = dyn_cast<LLVM::StoreOp>(user); store && isPlain(store) && &use == &store.getAddrMutable()) {
      if (auto load = store.getValue().getDefiningOp<LLVM::LoadOp>(); load && isPlain(load))
        source = load.getAddr();
    }
    if (!source || !isSameOffset(use.get(), source))
      return false;
    writes_.push_back(user);
    return true;
  }

  bool isSameOffset(Value destination, Value source) {
    const LinearAddress to(destination, layout_), from(source, layout_);
    auto address = from.base.getDefiningOp<LLVM::AddressOfOp>();
    auto global = address ? symbols_.lookup<LLVM::GlobalOp>(address.getGlobalName()) : LLVM::GlobalOp();
    if (!global || !global.getConstant() || (constant_ && constant_ != global))
      return false;
    constant_ = global;
    return to.base == variable_ && to.terms.empty() && from.terms.empty() && to.constant == from.constant;
  }

  // The loads may rely on the alignment of the variable.
  void alignConstant() {
    uint64_t alignment = constant_.getAlignment().value_or(layout_.getTypeABIAlignment(constant_.getType()));
    for (LLVM::LoadOp load : loads_)
      alignment =
          std::max<uint64_t>(alignment, load.getAlignment().value_or(layout_.getTypeABIAlignment(load.getType())));
    constant_.setAlignmentAttr(OpBuilder(constant_).getI64IntegerAttr(int64_t(alignment)));
  }

  LLVM::AllocaOp variable_;
  SymbolTable &symbols_;
  const DataLayout &layout_;
  LLVM::GlobalOp constant_;
  SmallVector<LLVM::GEPOp> steps_; // each after the one that computes its base
  SmallVector<LLVM::LoadOp> loads_;
  SmallVector<Operation *> writes_;
};

struct ReplaceConstantCopies : impl::ReplaceConstantCopiesBase<ReplaceConstantCopies> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    const DataLayout layout(module);
    SmallVector<LLVM::AllocaOp> variables;
    module.walk([&](LLVM::AllocaOp variable) { variables.push_back(variable); });
    for (LLVM::AllocaOp variable : variables)
      if (ConstantCopy copy(variable, symbols, layout); copy.matches()) {
        copy.replace();
        ++arraysReplaced;
      }
  }
};
} // namespace
} // namespace kiln
