#include "passes/simd/prepare/PrivateVariables.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "passes/wg/PrivateMemory.h"

using namespace mlir;

namespace kiln {
namespace {

Type leafOf(Type type) {
  while (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    type = array.getElementType();
  return type;
}

int64_t leavesOf(Type type) {
  int64_t count = 1;
  while (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    count *= array.getNumElements(), type = array.getElementType();
  return count;
}

// Whether memory may have each component of such vectors on its own.
bool hasStorableComponents(VectorType type) {
  Type component = type.getElementType();
  return isa<FloatType>(component) || (component.isInteger() && component.getIntOrFloatBitWidth() >= 8);
}

/// A variable all of whose accesses are of whole elements.
class ElementArray {
public:
  ElementArray(LLVM::AllocaOp variable) : leaf_(leafOf(variable.getElemType())) {
    hasWholeElements_ = isa<IntegerType, FloatType, VectorType, LLVM::LLVMPointerType>(leaf_);
    SmallVector<Value> pointers{variable};
    while (hasWholeElements_ && !pointers.empty())
      for (OpOperand &use : pointers.pop_back_val().getUses())
        visit(use, pointers);
  }
  bool hasWholeElements() const { return hasWholeElements_; }
  Type leaf() const { return leaf_; }

  /// Whether all elements are short vectors that all lanes access at the same index.
  bool hasUniformVectors(const LaneShapes &shapes) const {
    auto vector = dyn_cast<VectorType>(leaf_);
    return vector && hasStorableComponents(vector) && llvm::all_of(addresses_, [&](LLVM::GEPOp gep) {
             return llvm::all_of(gep.getDynamicIndices(), [&](Value at) { return shapes.isUniform(at); });
           });
  }

  /// Makes each component of the short vectors an element.
  void divideVectors(unsigned lanes) {
    auto vector = cast<VectorType>(leaf_);
    leaf_ = vector.getElementType();
    components_ = vector.getNumElements();
    for (Operation *access : accesses_)
      divideAccess(access, lanes);
  }

  void interleave(unsigned lanes) {
    for (LLVM::GEPOp gep : addresses_) {
      OpBuilder b(gep);
      Value element = index(b, gep);
      Value scaled = arith::MulIOp::create(b, gep.getLoc(), element, number(b, gep.getLoc(), lanes * components_));
      auto made = LLVM::GEPOp::create(b, gep.getLoc(), gep.getType(), leaf_, gep.getBase(), ValueRange{scaled});
      gep.replaceAllUsesWith(made.getResult());
      gep.erase();
    }
  }
  int64_t components() const { return components_; }

private:
  void visit(OpOperand &use, SmallVector<Value> &pointers) {
    Operation *user = use.getOwner();
    if (auto gep = dyn_cast<LLVM::GEPOp>(user)) {
      Type type = gep.getElemType();
      for (size_t level = 1; level < gep.getIndices().size(); ++level) {
        auto array = dyn_cast<LLVM::LLVMArrayType>(type);
        hasWholeElements_ &= bool(array);
        if (array)
          type = array.getElementType();
      }
      hasWholeElements_ &= use.getOperandNumber() == 0 && leafOf(gep.getElemType()) == leaf_;
      addresses_.push_back(gep);
      pointers.push_back(gep);
    } else if (auto load = dyn_cast<LLVM::LoadOp>(user)) {
      hasWholeElements_ &= load.getType() == leaf_ && !load.getVolatile_();
      accesses_.push_back(load);
    } else if (auto store = dyn_cast<LLVM::StoreOp>(user)) {
      hasWholeElements_ &= use.getOperandNumber() == 1 && store.getValue().getType() == leaf_ && !store.getVolatile_();
      accesses_.push_back(store);
    } else {
      hasWholeElements_ = false;
    }
  }

  // load %p  ==>  from_elements (load %p), (load %p[lanes]), ...; the same for a store.
  void divideAccess(Operation *access, unsigned lanes) {
    OpBuilder b(access);
    Location loc = access->getLoc();
    auto load = dyn_cast<LLVM::LoadOp>(access);
    Value base = load ? load.getAddr() : cast<LLVM::StoreOp>(access).getAddr();
    SmallVector<Value> values;
    for (int64_t component = 0; component < components_; ++component) {
      Value address = base;
      if (component)
        address = LLVM::GEPOp::create(b, loc, base.getType(), leaf_, base,
                                      ArrayRef<LLVM::GEPArg>{int32_t(component * int64_t(lanes))});
      if (load)
        values.push_back(LLVM::LoadOp::create(b, loc, leaf_, address));
      else
        LLVM::StoreOp::create(
            b, loc, vector::ExtractOp::create(b, loc, cast<LLVM::StoreOp>(access).getValue(), component), address);
    }
    if (load)
      load.replaceAllUsesWith(vector::FromElementsOp::create(b, loc, load.getType(), values).getResult());
    access->erase();
  }

  static Value number(OpBuilder &b, Location loc, int64_t value) { return intConstant(b, loc, value, 64); }

  // The element index of an address, relative to the base.
  static Value index(OpBuilder &b, LLVM::GEPOp gep) {
    Location loc = gep.getLoc();
    Type type = gep.getElemType();
    Value sum;
    bool isFirst = true;
    for (auto one : gep.getIndices()) {
      if (!isFirst)
        type = cast<LLVM::LLVMArrayType>(type).getElementType();
      isFirst = false;
      Value at;
      if (auto value = dyn_cast<Value>(one))
        at = value.getType().isInteger(64) ? value : Value(arith::ExtSIOp::create(b, loc, b.getI64Type(), value));
      else
        at = number(b, loc, cast<IntegerAttr>(one).getInt());
      if (int64_t leaves = leavesOf(type); leaves != 1)
        at = arith::MulIOp::create(b, loc, at, number(b, loc, leaves));
      sum = sum ? arith::AddIOp::create(b, loc, sum, at).getResult() : at;
    }
    return sum;
  }

  Type leaf_;
  int64_t components_ = 1; // elements of what was one before the short vectors were divided
  bool hasWholeElements_ = false;
  SmallVector<LLVM::GEPOp> addresses_;
  SmallVector<Operation *> accesses_;
};

} // namespace

uint64_t variableBytes(wg::ParallelOp region) {
  DataLayout layout = DataLayout::closest(region);
  uint64_t bytes = 0;
  region.getBody().walk([&](LLVM::AllocaOp variable) {
    bytes += llvm::alignTo(layout.getTypeSize(variable.getElemType()).getFixedValue() * uint64_t(elementsOf(variable)),
                           variable.getAlignment().value_or(1));
  });
  return bytes;
}

void layOutVariables(wg::ParallelOp region, unsigned lanes, const LaneShapes *shapes) {
  DataLayout layout = DataLayout::closest(region);
  SmallVector<LLVM::AllocaOp> variables;
  region.getBody().walk([&](LLVM::AllocaOp variable) { variables.push_back(variable); });
  for (LLVM::AllocaOp variable : variables) {
    int64_t elements = elementsOf(variable);
    OpBuilder b(variable);
    Type type = variable.getElemType();
    int64_t stride = int64_t(layout.getTypeSize(type).getFixedValue()) * elements;
    if (ElementArray array(variable); array.hasWholeElements()) {
      if (shapes && array.hasUniformVectors(*shapes))
        array.divideVectors(lanes);
      elements *= leavesOf(type) * array.components();
      type = array.leaf();
      stride = int64_t(layout.getTypeSize(type).getFixedValue());
      array.interleave(lanes);
    } else {
      stride = int64_t(llvm::alignTo(uint64_t(stride), variable.getAlignment().value_or(1)));
      elements = stride, type = b.getI8Type();
    }
    Value room = intConstant(b, variable.getLoc(), elements * lanes, 32);
    // Aligned to a 64-byte vector, or as the kernel requires.
    uint64_t alignment = std::max<uint64_t>(64, variable.getAlignment().value_or(1));
    auto made = LLVM::AllocaOp::create(b, variable.getLoc(), variable.getType(), type, room, alignment);
    made->setAttr(LaneStrideAttr, b.getI64IntegerAttr(stride));
    variable.replaceAllUsesWith(made.getResult());
    variable.erase();
  }
}

} // namespace kiln
