// Replaces each matrix by the components of the work-item.
//
//   %m = ocl.matrix_load row_major %p, %stride ...         %m0 = llvm.load ..., %m1 = llvm.load ..., ...
//   %d = ocl.matrix_multiply_add %a, %b, %c          ==>   %x = ocl.shuffle sub_group %a0[%k] ...
//                                                          %d0 = arith.addf %c0, (arith.mulf %x, %b0) ...
//
// A value becomes as many values as a work-item has components, also in arguments of blocks and functions; in memory a
// matrix is an array. `MatrixFragment` says which components these are. Where the GPU has an instruction for a
// multiplication (MmaSync.h), that is used. Otherwise a work-item computes its components of the result, and gets those
// of `a` and `b` that it has not by shuffles. All shuffles of a multiplication come first: on the CPU, where values are
// exchanged through memory, they share one barrier then.
#include "base/abi/MatrixVariants.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Target.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Pass.h"
#include "passes/analysis/SubGroupSize.h"
#include "passes/ocl/MatrixFragment.h"
#include "passes/ocl/MmaSync.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>
#include <memory>
#include <numeric>

using namespace mlir;

namespace kiln {
#include "passes/LowerMatrices.pass.inc"
namespace {

bool isMatrix(Type type) { return isa<ocl::MatrixType>(type); }
bool hasMatrix(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isMatrix) || llvm::any_of(op->getResultTypes(), isMatrix);
}

bool has(ocl::MatrixMultiplyAddOp op, ocl::MatrixFlags flag) { return bitEnumContainsAny(op.getFlags(), flag); }

bool isOfType(abi::MatrixComponent component, Type type) {
  return type.getIntOrFloatBitWidth() == abi::bitsOf(component) && isa<FloatType>(type) == abi::isFloat(component);
}

bool isSupported(ocl::MatrixType type) {
  return llvm::any_of(abi::MatrixVariants, [&](const abi::MatrixVariant &v) {
    switch (type.getUse()) {
    case ocl::MatrixUse::a:
      return v.m == type.getRows() && v.k == type.getColumns() && isOfType(v.a, type.getElement());
    case ocl::MatrixUse::b:
      return v.k == type.getRows() && v.n == type.getColumns() && isOfType(v.b, type.getElement());
    case ocl::MatrixUse::accumulator:
      return v.m == type.getRows() && v.n == type.getColumns() && isOfType(v.c, type.getElement());
    }
    llvm_unreachable("a use");
  });
}

bool isSupported(ocl::MatrixMultiplyAddOp op) {
  const ocl::MatrixType a = op.getA().getType(), b = op.getB().getType(), c = op.getC().getType();
  const bool saturates = has(op, ocl::MatrixFlags::saturates);
  return llvm::any_of(abi::MatrixVariants, [&](const abi::MatrixVariant &v) {
    return v.m == a.getRows() && v.k == a.getColumns() && v.n == b.getColumns() && isOfType(v.a, a.getElement()) &&
           isOfType(v.b, b.getElement()) && isOfType(v.c, c.getElement()) && v.saturates == saturates;
  });
}

std::string supportedVariants() {
  std::string text;
  for (const abi::MatrixVariant &v : abi::MatrixVariants)
    text +=
        (llvm::Twine(text.empty() ? "" : ", ") + llvm::Twine(v.m) + "x" + llvm::Twine(v.n) + "x" + llvm::Twine(v.k) +
         " " + nameOf(v.a) + " * " + nameOf(v.b) + " + " + nameOf(v.c) + (v.saturates ? " saturating" : ""))
            .str();
  return text;
}

/// Lowers the matrices of one function.
class FunctionLowering {
public:
  FunctionLowering(func::FuncOp function, int64_t lanes, bool hasMma)
      : function_(function), lanes_(lanes), hasMma_(hasMma), b_(function) {
    inMemory_.addReplacement([](ocl::MatrixType type) -> Type {
      return LLVM::LLVMArrayType::get(type.getElement(), unsigned(type.getComponents()));
    });
  }

  LogicalResult run() {
    if (function_.isExternal())
      return success();
    IRRewriter rewriter(b_);
    (void)eraseUnreachableBlocks(rewriter, function_->getRegions());
    SmallVector<Block *> order;
    for (Block *block : llvm::ReversePostOrderTraversal<Region *>(&function_.getBody()))
      order.push_back(block);
    for (Block *block : order)
      lowerArguments(*block);
    for (Block *block : order)
      for (Operation &op : llvm::make_early_inc_range(*block))
        if (failed(lower(&op)))
          return failure();
    for (Operation *op : llvm::reverse(dead_))
      op->erase();
    for (Block *block : order)
      block->eraseArguments([](BlockArgument argument) { return isMatrix(argument.getType()); });
    return success();
  }

private:
  const MatrixFragment &fragmentOf(ocl::MatrixType type) {
    std::unique_ptr<MatrixFragment> &known = fragments_[type];
    if (!known) {
      std::optional<MatrixFragment> ofUnits = hasMma_ ? mmaFragment(type) : std::nullopt;
      known = std::make_unique<MatrixFragment>(ofUnits ? std::move(*ofUnits) : MatrixFragment(type, lanes_));
    }
    return *known;
  }
  int64_t slotsOf(Type type) { return fragmentOf(cast<ocl::MatrixType>(type)).slots(); }
  Value constant(int64_t number) { return intConstant(b_, loc_, number, 32); }
  ArrayRef<Value> componentsOf(Value matrix) const { return components_.find(matrix)->second; }

  void lowerArguments(Block &block) {
    for (BlockArgument argument : llvm::to_vector(block.getArguments()))
      if (isMatrix(argument.getType())) {
        auto &parts = components_[argument];
        for (int64_t slot = 0; slot < slotsOf(argument.getType()); ++slot)
          parts.push_back(block.addArgument(cast<ocl::MatrixType>(argument.getType()).getElement(), argument.getLoc()));
      }
  }

  LogicalResult lower(Operation *op) {
    b_.setInsertionPoint(op);
    loc_ = op->getLoc();
    replaceTypesInMemory(op);
    const LogicalResult lowered =
        llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case<ocl::MatrixLoadOp, ocl::MatrixStoreOp, ocl::MatrixMultiplyAddOp, ocl::MatrixFillOp, ocl::MatrixMapOp,
                  ocl::MatrixLengthOp, ocl::MatrixExtractOp, ocl::MatrixInsertOp>([&](auto matrixOp) {
              lowerOp(matrixOp);
              dead_.push_back(op);
              return success();
            })
            .Default([&](Operation *other) { return hasMatrix(other) ? lowerOther(other) : success(); });
    return lowered;
  }

  // Operations of other dialects that take or return matrices.
  LogicalResult lowerOther(Operation *op) {
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      return lowerOp(load), dead_.push_back(op), success();
    if (auto store = dyn_cast<LLVM::StoreOp>(op))
      return lowerOp(store), dead_.push_back(op), success();
    if (auto select = dyn_cast<arith::SelectOp>(op); select && !isa<VectorType>(select.getCondition().getType())) {
      auto &parts = components_[select.getResult()];
      for (auto [yes, no] : llvm::zip_equal(componentsOf(select.getTrueValue()), componentsOf(select.getFalseValue())))
        parts.push_back(arith::SelectOp::create(b_, loc_, select.getCondition(), yes, no));
      return dead_.push_back(op), success();
    }
    if (auto call = dyn_cast<func::CallOp>(op))
      return lowerOp(call), dead_.push_back(op), success();
    if (auto branch = dyn_cast<BranchOpInterface>(op)) {
      for (unsigned at = 0; at < op->getNumSuccessors(); ++at)
        expand(branch.getSuccessorOperands(at).getMutableForwardedOperands());
      return success();
    }
    if (auto returned = dyn_cast<func::ReturnOp>(op))
      return expand(returned.getOperandsMutable()), success();
    return op->emitError("an operation on a matrix that is not supported: ") << op->getName();
  }

  // Moves matrices of operands to the end, as components: arguments of blocks are in this order.
  void expand(MutableOperandRange operands) {
    SmallVector<Value> values, parts;
    for (OpOperand &operand : operands)
      if (isMatrix(operand.get().getType()))
        llvm::append_range(parts, componentsOf(operand.get()));
      else
        values.push_back(operand.get());
    values.append(parts);
    operands.assign(values);
  }

  void replaceTypesInMemory(Operation *op) {
    if (auto variable = dyn_cast<LLVM::AllocaOp>(op))
      variable.setElemType(inMemory_.replace(variable.getElemType()));
    else if (auto address = dyn_cast<LLVM::GEPOp>(op))
      address.setElemType(inMemory_.replace(address.getElemType()));
  }

  // ---- memory ----

  // Where a component is, which differs between the work-items.
  struct Place {
    Value address;
    unsigned alignment;
  };

  // Addresses and strides are multiples of abi::MatrixAlignment, unless `alignment` states less.
  Place placeOf(ocl::MatrixType type, int64_t slot, ocl::MatrixLayout layout, Value pointer, Value stride,
                std::optional<uint64_t> alignment) {
    const MatrixFragment &fragment = fragmentOf(type);
    SmallVector<int64_t> lines, columns; // rows and columns, or the other way round if the layout is column_major
    uint64_t common = 0;                 // of all columns
    for (int64_t lane = 0; lane < lanes_; ++lane) {
      const Component component = fragment.at(slot, lane);
      const bool isRowMajor = layout == ocl::MatrixLayout::row_major;
      lines.push_back(isRowMajor ? component.row : component.column);
      columns.push_back(isRowMajor ? component.column : component.row);
      common = std::gcd(common, uint64_t(columns.back()));
    }
    LaneTable table(b_, loc_);
    Value line = arith::ExtUIOp::create(b_, loc_, b_.getI64Type(), table.lookUp(lines));
    Value column = arith::ExtUIOp::create(b_, loc_, b_.getI64Type(), table.lookUp(columns));
    Value bytes = arith::MulIOp::create(b_, loc_, line, stride);
    Value start = LLVM::GEPOp::create(b_, loc_, pointer.getType(), b_.getI8Type(), pointer, ValueRange{bytes});
    Value address = LLVM::GEPOp::create(b_, loc_, pointer.getType(), type.getElement(), start, ValueRange{column});
    const uint64_t size = type.getElement().getIntOrFloatBitWidth() / 8;
    return {address, unsigned(llvm::MinAlign(alignment.value_or(abi::MatrixAlignment), size * common))};
  }

  // Of a component in a private variable.
  static unsigned alignmentOf(ocl::MatrixType type, std::optional<uint64_t> stated) {
    const uint64_t size = type.getElement().getIntOrFloatBitWidth() / 8;
    return unsigned(std::min(stated.value_or(size), size));
  }

  void lowerOp(ocl::MatrixLoadOp op) {
    SmallVector<Value> parts;
    for (int64_t slot = 0; slot < slotsOf(op.getType()); ++slot) {
      const Place place =
          placeOf(op.getType(), slot, op.getLayout(), op.getPointer(), op.getStride(), op.getAlignment());
      parts.push_back(LLVM::LoadOp::create(b_, loc_, op.getType().getElement(), place.address, place.alignment,
                                           op.getIsVolatile(), op.getNontemporal()));
    }
    components_[op.getResult()] = parts;
  }

  void lowerOp(ocl::MatrixStoreOp op) {
    const ocl::MatrixType type = op.getValue().getType();
    for (auto [slot, part] : llvm::enumerate(componentsOf(op.getValue()))) {
      const Place place =
          placeOf(type, int64_t(slot), op.getLayout(), op.getPointer(), op.getStride(), op.getAlignment());
      LLVM::StoreOp::create(b_, loc_, part, place.address, place.alignment, op.getIsVolatile(), op.getNontemporal());
    }
  }

  // A private variable: component i of the work-item is element i.
  Value addressIn(ocl::MatrixType type, Value variable, int64_t slot) {
    return LLVM::GEPOp::create(b_, loc_, variable.getType(), inMemory_.replace(type), variable,
                               ArrayRef<LLVM::GEPArg>{0, int32_t(slot)});
  }

  void lowerOp(LLVM::LoadOp op) {
    const auto type = cast<ocl::MatrixType>(op.getType());
    auto &parts = components_[op.getResult()];
    for (int64_t slot = 0; slot < slotsOf(type); ++slot)
      parts.push_back(LLVM::LoadOp::create(b_, loc_, type.getElement(), addressIn(type, op.getAddr(), slot),
                                           alignmentOf(type, op.getAlignment()), op.getVolatile_()));
  }

  void lowerOp(LLVM::StoreOp op) {
    const auto type = cast<ocl::MatrixType>(op.getValue().getType());
    for (auto [slot, part] : llvm::enumerate(componentsOf(op.getValue())))
      LLVM::StoreOp::create(b_, loc_, part, addressIn(type, op.getAddr(), int64_t(slot)),
                            alignmentOf(type, op.getAlignment()), op.getVolatile_());
  }

  // ---- components ----

  void lowerOp(ocl::MatrixFillOp op) { components_[op.getResult()].assign(slotsOf(op.getType()), op.getValue()); }

  void lowerOp(ocl::MatrixMapOp op) {
    Block &body = op.getBody().front();
    auto &parts = components_[op.getResult()];
    for (int64_t slot = 0; slot < slotsOf(op.getType()); ++slot) {
      IRMapping mapping;
      for (auto [matrix, argument] : llvm::zip_equal(op.getMatrices(), body.getArguments()))
        mapping.map(argument, componentsOf(matrix)[slot]);
      for (Operation &inner : body.without_terminator())
        b_.clone(inner, mapping);
      parts.push_back(mapping.lookupOrDefault(cast<ocl::MatrixYieldOp>(body.getTerminator()).getValue()));
    }
  }

  void lowerOp(ocl::MatrixLengthOp op) {
    op.replaceAllUsesWith(constant(fragmentOf(cast<ocl::MatrixType>(op.getMatrix())).slots()));
  }

  Value isAt(Value index, size_t slot) {
    return arith::CmpIOp::create(b_, loc_, arith::CmpIPredicate::eq, index, constant(int64_t(slot)));
  }

  void lowerOp(ocl::MatrixExtractOp op) {
    ArrayRef<Value> parts = componentsOf(op.getMatrix());
    APInt known;
    if (matchPattern(op.getIndex(), m_ConstantInt(&known)))
      return op.replaceAllUsesWith(parts[known.getLimitedValue(parts.size() - 1)]);
    Value found = parts.back();
    for (auto [slot, part] : llvm::enumerate(parts.drop_back()))
      found = arith::SelectOp::create(b_, loc_, isAt(op.getIndex(), slot), part, found);
    op.replaceAllUsesWith(found);
  }

  void lowerOp(ocl::MatrixInsertOp op) {
    SmallVector<Value> parts(componentsOf(op.getMatrix()));
    Value last = arith::MinUIOp::create(b_, loc_, op.getIndex(), constant(int64_t(parts.size()) - 1));
    for (auto [slot, part] : llvm::enumerate(parts))
      part = arith::SelectOp::create(b_, loc_, isAt(last, slot), op.getValue(), part);
    components_[op.getResult()].assign(parts.begin(), parts.end());
  }

  // Matrices are after the other arguments, as in a block.
  void lowerOp(func::CallOp op) {
    SmallVector<Value> operands, parts;
    for (Value operand : op.getOperands())
      if (isMatrix(operand.getType()))
        llvm::append_range(parts, componentsOf(operand));
      else
        operands.push_back(operand);
    operands.append(parts);
    SmallVector<Type> results, partTypes;
    for (Type type : op.getResultTypes())
      if (auto matrix = dyn_cast<ocl::MatrixType>(type))
        partTypes.append(size_t(slotsOf(matrix)), matrix.getElement());
      else
        results.push_back(type);
    const size_t others = results.size();
    results.append(partTypes);
    auto call = func::CallOp::create(b_, loc_, op.getCalleeAttr(), results, operands);
    call->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    size_t next = 0, nextPart = others;
    for (OpResult result : op->getResults())
      if (isMatrix(result.getType()))
        for (int64_t slot = 0; slot < slotsOf(result.getType()); ++slot)
          components_[result].push_back(call.getResult(unsigned(nextPart++)));
      else
        result.replaceAllUsesWith(call.getResult(unsigned(next++)));
  }

  // ---- multiplication ----

  // Components of one matrix that work-items have got, by the slots and lanes where they are.
  using Gathered = std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, Value>;

  // Returns component `at(lane)` of a matrix, for each work-item.
  Value gather(Value matrix, Gathered &gathered, llvm::function_ref<Component(int64_t lane)> at) {
    const MatrixFragment &fragment = fragmentOf(cast<ocl::MatrixType>(matrix.getType()));
    std::vector<int64_t> slots, sources, own;
    for (int64_t lane = 0; lane < lanes_; ++lane) {
      slots.push_back(fragment.slotOf(at(lane)));
      sources.push_back(fragment.laneOf(at(lane)));
      own.push_back(lane);
    }
    Value &known = gathered[{slots, sources}];
    if (known)
      return known;
    LaneTable table(b_, loc_);
    llvm::SmallSetVector<int64_t, 4> different(slots.begin(), slots.end());
    Value found, slotOfLane = different.size() > 1 ? table.lookUp(slots) : Value();
    for (int64_t slot : different) {
      Value part = componentsOf(matrix)[slot];
      if (sources != own)
        part = ocl::ShuffleOp::create(b_, loc_, ocl::Scope::sub_group, part, table.lookUp(sources), /*uniform=*/false);
      found = found ? arith::SelectOp::create(b_, loc_, isAt(slotOfLane, size_t(slot)), part, found).getResult() : part;
    }
    return known = found;
  }

  Value widened(Value component, Type type, bool isSigned) {
    if (component.getType() == type)
      return component;
    if (isa<FloatType>(type))
      return arith::ExtFOp::create(b_, loc_, type, component);
    if (isSigned)
      return arith::ExtSIOp::create(b_, loc_, type, component);
    return arith::ExtUIOp::create(b_, loc_, type, component);
  }

  // Saturation is not that of the instruction, which may saturate sums within it.
  void lowerByMma(ocl::MatrixMultiplyAddOp op) {
    const ArrayRef<Value> c = componentsOf(op.getC());
    const bool saturates = has(op, ocl::MatrixFlags::saturates);
    const SmallVector<Value> zeros(saturates ? c.size() : 0, constant(0));
    SmallVector<Value> made =
        multiplyByMma(b_, op, componentsOf(op.getA()), componentsOf(op.getB()), saturates ? ArrayRef<Value>(zeros) : c);
    if (saturates)
      for (auto [component, added] : llvm::zip_equal(made, c)) {
        // The products of at most 32 bytes fit 32 bits, with the sign that they have.
        Value sum = arith::AddIOp::create(b_, loc_, arith::ExtSIOp::create(b_, loc_, b_.getI64Type(), component),
                                          widened(added, b_.getI64Type(), has(op, ocl::MatrixFlags::c_signed)));
        component = saturated(sum, component.getType(), has(op, ocl::MatrixFlags::result_signed));
      }
    components_[op.getResult()].assign(made.begin(), made.end());
  }

  void lowerOp(ocl::MatrixMultiplyAddOp op) {
    if (hasMma_ && isMma(op))
      return lowerByMma(op);
    const ocl::MatrixType type = op.getType();
    const Type element = type.getElement();
    const bool isFloat = isa<FloatType>(element), saturates = has(op, ocl::MatrixFlags::saturates);
    // Sums of half are rounded once, and sums that saturate do not wrap before.
    const Type sumType = element.isF16() ? Type(b_.getF32Type()) : saturates ? Type(b_.getI64Type()) : element;
    const MatrixFragment &fragment = fragmentOf(type);
    const int64_t depth = op.getA().getType().getColumns();
    Gathered gatheredA, gatheredB;
    SmallVector<Value> ofA, ofB; // by slot, then by k
    for (int64_t slot = 0; slot < fragment.slots(); ++slot)
      for (int64_t k = 0; k < depth; ++k) {
        ofA.push_back(
            gather(op.getA(), gatheredA, [&](int64_t lane) { return Component{fragment.at(slot, lane).row, k}; }));
        ofB.push_back(
            gather(op.getB(), gatheredB, [&](int64_t lane) { return Component{k, fragment.at(slot, lane).column}; }));
      }
    DenseMap<std::pair<Value, unsigned>, Value> wide; // components are widened once
    const auto widenedOnce = [&](Value component, bool isSigned) {
      Value &known = wide[{component, isSigned}];
      if (!known)
        known = widened(component, sumType, isSigned);
      return known;
    };
    auto &parts = components_[op.getResult()];
    const auto contract = arith::FastMathFlags::contract;
    for (int64_t slot = 0; slot < fragment.slots(); ++slot) {
      Value sum = widened(componentsOf(op.getC())[slot], sumType, has(op, ocl::MatrixFlags::c_signed));
      for (int64_t k = 0; k < depth; ++k) {
        Value a = widenedOnce(ofA[slot * depth + k], has(op, ocl::MatrixFlags::a_signed));
        Value b = widenedOnce(ofB[slot * depth + k], has(op, ocl::MatrixFlags::b_signed));
        if (isFloat)
          sum = arith::AddFOp::create(b_, loc_, arith::MulFOp::create(b_, loc_, a, b, contract), sum, contract);
        else
          sum = arith::AddIOp::create(b_, loc_, arith::MulIOp::create(b_, loc_, a, b), sum);
      }
      if (element.isF16())
        sum = arith::TruncFOp::create(b_, loc_, element, sum);
      else if (saturates)
        sum = saturated(sum, element, has(op, ocl::MatrixFlags::result_signed));
      parts.push_back(sum);
    }
  }

  // An i64 as a narrower integer.
  Value saturated(Value sum, Type type, bool isSigned) {
    const unsigned bits = type.getIntOrFloatBitWidth();
    const auto limit = [&](const APInt &number) {
      return arith::ConstantOp::create(b_, loc_, b_.getIntegerAttr(sum.getType(), number.getZExtValue())).getResult();
    };
    const APInt low = isSigned ? APInt::getSignedMinValue(bits).sext(64) : APInt(64, 0);
    const APInt high = isSigned ? APInt::getSignedMaxValue(bits).sext(64) : APInt::getMaxValue(bits).zext(64);
    sum = arith::MaxSIOp::create(b_, loc_, sum, limit(low));
    sum = arith::MinSIOp::create(b_, loc_, sum, limit(high));
    return arith::TruncIOp::create(b_, loc_, type, sum);
  }

  func::FuncOp function_;
  const int64_t lanes_;
  const bool hasMma_;
  OpBuilder b_;
  Location loc_ = function_.getLoc();
  DenseMap<Type, std::unique_ptr<MatrixFragment>> fragments_;
  DenseMap<Value, SmallVector<Value>> components_; // of a matrix
  SmallVector<Operation *> dead_;
  AttrTypeReplacer inMemory_;
};

struct LowerMatrices : impl::LowerMatricesBase<LowerMatrices> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (usesMatrices(function))
        functions.push_back(function);
    if (functions.empty())
      return markAllAnalysesPreserved();
    const ocl::TargetAttr target = ocl::targetOf(getOperation(), getArgument());
    if (!target || failed(findSizes(target)))
      return signalPassFailure();
    for (func::FuncOp function : functions)
      if (failed(check(function)))
        return signalPassFailure();
    for (func::FuncOp function : functions) {
      const int64_t lanes = sizeOf(function);
      if (failed(FunctionLowering(function, lanes, hasMmaSync(target)).run()))
        return signalPassFailure();
      lowerSignature(function, lanes);
    }
  }

private:
  static bool usesMatrices(func::FuncOp function) {
    if (llvm::any_of(function.getArgumentTypes(), isMatrix) || llvm::any_of(function.getResultTypes(), isMatrix))
      return true;
    return function
        .walk([](Operation *op) {
          return hasMatrix(op) || isa<ocl::MatrixLengthOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  // A function has the sub-group size of the kernels that call it.
  LogicalResult findSizes(ocl::TargetAttr target) {
    SymbolTable symbols(getOperation());
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(ocl::KernelAttr))
        continue;
      const int64_t size = target.isCpu() ? cpuSubGroupSize(kernel) : target.getSubGroupSize();
      SmallVector<func::FuncOp> open{kernel};
      llvm::SmallPtrSet<Operation *, 8> seen;
      while (!open.empty()) {
        func::FuncOp function = open.pop_back_val();
        if (!seen.insert(function).second)
          continue;
        const auto [known, isNew] = sizes_.try_emplace(function, size);
        if (!isNew && known->second != size && usesMatrices(function))
          return function.emitError("uses matrices, and kernels call it that require sub-groups of ")
                 << known->second << " and of " << size << " work-items";
        function.walk([&](func::CallOp call) {
          if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
            open.push_back(callee);
        });
      }
    }
    defaultSize_ = target.isCpu() ? int64_t(abi::CpuSubGroupSize) : target.getSubGroupSize();
    return success();
  }
  int64_t sizeOf(func::FuncOp function) const {
    const auto known = sizes_.find(function);
    return known == sizes_.end() ? defaultSize_ : known->second;
  }

  LogicalResult check(func::FuncOp function) {
    const int64_t lanes = sizeOf(function);
    const auto checkType = [&](Operation *op, Type type) -> LogicalResult {
      auto matrix = dyn_cast<ocl::MatrixType>(type);
      if (!matrix || (isSupported(matrix) && MatrixFragment(matrix, lanes).isWhole()))
        return success();
      return op->emitError("uses a matrix of type ")
             << matrix << ", which no multiplication of the device has: " << supportedVariants();
    };
    const WalkResult result = function.walk([&](Operation *op) -> WalkResult {
      for (Type type : op->getOperandTypes())
        if (failed(checkType(op, type)))
          return failure();
      for (Type type : op->getResultTypes())
        if (failed(checkType(op, type)))
          return failure();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Type type : block.getArgumentTypes())
            if (failed(checkType(op, type)))
              return failure();
      if (auto length = dyn_cast<ocl::MatrixLengthOp>(op); length && failed(checkType(op, length.getMatrix())))
        return failure();
      if (auto product = dyn_cast<ocl::MatrixMultiplyAddOp>(op); product && !isSupported(product))
        return product.emitError("multiplies matrices in a way that the device does not have: ") << supportedVariants();
      return success();
    });
    return failure(result.wasInterrupted());
  }

  void lowerSignature(func::FuncOp function, int64_t lanes) {
    const auto lowered = [&](TypeRange types) {
      SmallVector<Type> others, parts;
      for (Type type : types)
        if (auto matrix = dyn_cast<ocl::MatrixType>(type))
          parts.append(size_t(MatrixFragment(matrix, lanes).slots()), matrix.getElement());
        else
          others.push_back(type);
      others.append(parts);
      return others;
    };
    SmallVector<Attribute> attributes; // of the arguments
    for (auto [at, type] : llvm::enumerate(function.getArgumentTypes()))
      if (!isMatrix(type))
        attributes.push_back(function.getArgAttrDict(unsigned(at)) ? function.getArgAttrDict(unsigned(at))
                                                                   : DictionaryAttr::get(&getContext()));
    const SmallVector<Type> arguments = lowered(function.getArgumentTypes()),
                            results = lowered(function.getResultTypes());
    attributes.append(arguments.size() - attributes.size(), DictionaryAttr::get(&getContext()));
    function.setFunctionType(FunctionType::get(&getContext(), arguments, results));
    function_interface_impl::setAllArgAttrDicts(function, attributes);
    if (function.getResAttrsAttr())
      function.removeResAttrsAttr();
  }

  DenseMap<Operation *, int64_t> sizes_;
  int64_t defaultSize_ = 0;
};
} // namespace
} // namespace kiln
