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
/// offset. A load that no copy precedes has an undefined result, so the order of loads and copies is of no interest.
class ConstantCopy {
public:
  ConstantCopy(LLVM::AllocaOp variable, SymbolTable &symbols, const DataLayout &layout)
      : variable_(variable), symbols_(symbols), layout_(layout) {}

  bool matches() {
    return constantOf(variable_.getArraySize()) == 1 && isReadOrFilled(variable_) && constant_ &&
           sizeOf(variable_.getElemType()) <= sizeOf(constant_.getType());
  }

  void replace() {
    for (Operation *write : writes_)
      write->erase();
    const uint64_t alignment = std::max<uint64_t>(constant_.getAlignment().value_or(1), alignment_);
    constant_.setAlignmentAttr(OpBuilder(constant_).getI64IntegerAttr(int64_t(alignment)));
    OpBuilder builder(variable_);
    readFrom(variable_, LLVM::AddressOfOp::create(builder, variable_.getLoc(), constant_));
    variable_.erase();
  }

private:
  uint64_t sizeOf(Type type) const { return layout_.getTypeSize(type).getFixedValue(); }

  bool isReadOrFilled(Value pointer) {
    return llvm::all_of(pointer.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (auto step = dyn_cast<LLVM::GEPOp>(user))
        return &use == &step.getBaseMutable() && isReadOrFilled(step);
      if (auto load = dyn_cast<LLVM::LoadOp>(user)) {
        alignment_ = std::max(alignment_, load.getAlignment().value_or(layout_.getTypeABIAlignment(load.getType())));
        return isPlain(load);
      }
      return isFill(user, use);
    });
  }

  bool isFill(Operation *user, OpOperand &use) {
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

  static void readFrom(Value pointer, Value replacement) {
    for (OpOperand &use : llvm::make_early_inc_range(pointer.getUses())) {
      auto step = dyn_cast<LLVM::GEPOp>(use.getOwner());
      if (!step) {
        use.set(replacement);
        continue;
      }
      OpBuilder builder(step);
      IRMapping mapping;
      mapping.map(pointer, replacement);
      Operation *copy = builder.clone(*step, mapping);
      copy->getResult(0).setType(replacement.getType()); // the address space is the constant's
      readFrom(step, copy->getResult(0));
      step.erase();
    }
  }

  LLVM::AllocaOp variable_;
  SymbolTable &symbols_;
  const DataLayout &layout_;
  LLVM::GlobalOp constant_;
  SmallVector<Operation *> writes_;
  uint64_t alignment_ = 1; // of the loads
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
