#include "passes/analysis/ObjectOf.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "passes/analysis/AddressSteps.h"
#include "passes/analysis/Constants.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace kiln {
namespace {

// Values that are followed before the object counts as unknown.
constexpr unsigned MaxValues = 256;

/// Finds the roots of a pointer: values that are computed from no other pointer.
class Roots {
public:
  explicit Roots(Value pointer) { push(pointer); }

  /// Null if there are several, or one that cannot be followed.
  Value only() {
    while (!work_.empty()) {
      Value value = work_.pop_back_val();
      if (seen_.size() > MaxValues)
        return {};
      if (follow(value))
        continue;
      if (root_ && root_ != value)
        return {};
      root_ = value;
    }
    return root_;
  }

  /// Follows all roots. Calls `visit` with each of them, until it returns false. Returns false then, or if there are
  /// too many values.
  bool all(llvm::function_ref<bool(Value)> visit) {
    while (!work_.empty()) {
      Value value = work_.pop_back_val();
      if (seen_.size() > MaxValues || (!follow(value) && !visit(value)))
        return false;
    }
    return true;
  }
  /// The address arithmetic between the roots and the pointer.
  ArrayRef<LLVM::GEPOp> steps() const { return steps_; }

private:
  void push(Value value) {
    if (seen_.insert(value).second)
      work_.push_back(value);
  }

  // Returns false if the value is a root.
  bool follow(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return followArgument(argument);
    Operation *op = value.getDefiningOp();
    if (auto gep = dyn_cast<LLVM::GEPOp>(op))
      return steps_.push_back(gep), push(gep.getBase()), true;
    if (auto cast = dyn_cast<LLVM::AddrSpaceCastOp>(op))
      return push(cast.getArg()), true;
    if (auto check = dyn_cast<ocl::CheckAccessOp>(op))
      return push(check.getPointer()), true;
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return push(select.getTrueValue()), push(select.getFalseValue()), true;
    const unsigned index = cast<OpResult>(value).getResultNumber();
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      push(branch.thenYield().getOperand(index));
      push(branch.elseYield().getOperand(index));
      return true;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return push(loop.getConditionOp().getArgs()[index]), true;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      push(loop.getInitArgs()[index]);
      push(loop.getBody()->getTerminator()->getOperand(index));
      return true;
    }
    return false;
  }

  bool followArgument(BlockArgument argument) {
    Block *block = argument.getOwner();
    Operation *parent = block->getParentOp();
    const unsigned index = argument.getArgNumber();
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      if (block == loop.getBeforeBody()) {
        push(loop.getInits()[index]);
        push(loop.getYieldOp().getOperand(index));
      } else {
        push(loop.getConditionOp().getArgs()[index]);
      }
      return true;
    }
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      if (index == 0)
        return false;
      push(loop.getInitArgs()[index - 1]);
      push(loop.getBody()->getTerminator()->getOperand(index - 1));
      return true;
    }
    if (block->isEntryBlock() || block->hasNoPredecessors())
      return false;
    for (auto predecessor = block->pred_begin(); predecessor != block->pred_end(); ++predecessor) {
      auto branch = dyn_cast<BranchOpInterface>((*predecessor)->getTerminator());
      Value passed = branch ? branch.getSuccessorOperands(predecessor.getSuccessorIndex())[index] : Value();
      if (!passed)
        return false;
      push(passed);
    }
    return true;
  }

  llvm::SmallPtrSet<Value, 8> seen_;
  SmallVector<Value> work_;
  Value root_;
  SmallVector<LLVM::GEPOp> steps_;
};

/// Returns a power of two that divides the number.
uint64_t divisorOf(Value number, unsigned depth = 0) {
  constexpr unsigned MaxDepth = 8;
  constexpr uint64_t Most = uint64_t(1) << 16; // of any result
  if (const auto constant = constantOf(number))
    return *constant ? std::min(uint64_t(*constant) & -uint64_t(*constant), Most) : Most;
  Operation *op = number.getDefiningOp();
  if (!op || depth == MaxDepth)
    return 1;
  auto of = [&](Value operand) { return divisorOf(operand, depth + 1); };
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp>(op))
    return std::min(of(op->getOperand(0)), Most);
  if (isa<arith::MulIOp>(op))
    return std::min(of(op->getOperand(0)) * of(op->getOperand(1)), Most);
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return std::min(of(op->getOperand(0)), of(op->getOperand(1)));
  if (isa<arith::AndIOp>(op))
    return std::max(of(op->getOperand(0)), of(op->getOperand(1)));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return std::min(of(select.getTrueValue()), of(select.getFalseValue()));
  const auto shift = isa<arith::ShLIOp>(op) ? constantOf(op->getOperand(1)) : std::nullopt;
  return shift && *shift >= 0 && *shift < 16 ? std::min(of(op->getOperand(0)) << *shift, Most) : 1;
}

uint64_t sizeOf(Type type, const DataLayout &layout) { return layout.getTypeSize(type).getFixedValue(); }

Object ofArgument(BlockArgument argument, const DataLayout &layout) {
  auto kernel = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!kernel || !kernel->hasAttr(ocl::KernelAttr) || !argument.getOwner()->isEntryBlock())
    return {};
  const unsigned index = argument.getArgNumber();
  if (auto type = kernel.getArgAttrOfType<TypeAttr>(index, ocl::ArgByValueAttr))
    return {Object::Variable, argument, sizeOf(type.getValue(), layout)};
  if (kernel.getArgAttr(index, ocl::ArgKindAttr)) // an image, a pipe or a queue
    return {Object::Runtime};
  const unsigned space = cast<LLVM::LLVMPointerType>(argument.getType()).getAddressSpace();
  if (space != ocl::Global && space != ocl::Constant && space != ocl::Local)
    return {};
  return {Object::Argument, argument};
}

} // namespace

Object objectOf(Value pointer, const DataLayout &layout) {
  const Value root = Roots(pointer).only();
  if (!root || !isa<LLVM::LLVMPointerType>(root.getType()))
    return {};
  if (auto argument = dyn_cast<BlockArgument>(root))
    return ofArgument(argument, layout);
  if (auto variable = root.getDefiningOp<LLVM::AllocaOp>()) {
    const auto elements = constantOf(variable.getArraySize());
    if (!elements || *elements <= 0)
      return {};
    return {Object::Variable, root, sizeOf(variable.getElemType(), layout) * uint64_t(*elements)};
  }
  if (auto address = root.getDefiningOp<LLVM::AddressOfOp>()) {
    auto variable = SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(address, address.getGlobalNameAttr());
    if (!variable)
      return {};
    return {Object::Variable, root, sizeOf(variable.getGlobalType(), layout), variable.getSymName()};
  }
  if (isa<ocl::PrintfBufferOp, ocl::EnqueueArenaOp>(root.getDefiningOp()))
    return {Object::Runtime};
  if (root.getDefiningOp<ocl::ProgramVariablesOp>()) {
    auto module = root.getDefiningOp()->getParentOfType<ModuleOp>();
    auto block = module->getAttrOfType<DictionaryAttr>(ocl::ProgramVariablesAttr);
    auto size = block ? block.getAs<IntegerAttr>("size") : IntegerAttr();
    if (size)
      return {Object::Variable, root, uint64_t(size.getInt())};
  }
  return {Object::Unknown, root};
}

bool isAlignedInObject(Value pointer, uint64_t alignment, const DataLayout &layout) {
  Roots roots(pointer);
  const bool areObjects = roots.all([](Value root) {
    Operation *op = root.getDefiningOp();
    return op ? isa<LLVM::AllocaOp, LLVM::AddressOfOp, ocl::ProgramVariablesOp>(op)
              : isa<func::FuncOp>(cast<BlockArgument>(root).getOwner()->getParentOp()) &&
                    cast<BlockArgument>(root).getOwner()->isEntryBlock();
  });
  return areObjects && llvm::all_of(roots.steps(), [&](LLVM::GEPOp gep) {
           const auto steps = addressSteps(gep, layout);
           return steps && llvm::all_of(*steps, [&](const AddressStep &step) {
                    const uint64_t bytes = uint64_t(step.bytes) * (step.number ? divisorOf(step.number) : 1);
                    return bytes % alignment == 0;
                  });
         });
}

} // namespace kiln
