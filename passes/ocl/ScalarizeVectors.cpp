// Scalarizes element-wise operations on short vectors whose results are only extracted.
//
//   %v = arith.addi %a, %b : vector<2xi32>              %a0 = vector.extract %a[0]
//   %x = vector.extract %v[0]                     ==>   %b0 = vector.extract %b[0]
//   %y = vector.extract %v[1]                           %x = arith.addi %a0, %b0 : i32        and %y likewise
//
// Programs compute coordinates as int2 and float2, and index pixels and arrays by their components. In vector form,
// LICM cannot hoist a loop-invariant component, and each step moves values to a vector register and back. Handles
// vectors of two components, and up to four of integers. Four floats stay: they are worth a vector instruction.
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Pass.h"

using namespace mlir;

namespace kiln {
#include "passes/ScalarizeVectors.pass.inc"
namespace {

struct ScalarizeVectors : impl::ScalarizeVectorsBase<ScalarizeVectors> {
  void runOnOperation() override {
    SmallVector<Operation *> candidates;
    getOperation()->walk([&](Operation *op) {
      if (isShortVector(op))
        candidates.push_back(op);
    });
    for (Operation *op : llvm::reverse(candidates)) // users first: a scalarized user only extracts its operands
      if (llvm::all_of(op->getUsers(), isComponent))
        scalarize(op);
  }

private:
  static bool isShortVector(Operation *op) {
    if (op->getNumResults() != 1 || op->getNumRegions() || op->getNumOperands() == 0 ||
        !OpTrait::hasElementwiseMappableTraits(op))
      return false;
    auto type = dyn_cast<VectorType>(op->getResult(0).getType());
    if (!type || type.getRank() != 1 || type.isScalable())
      return false;
    return type.getNumElements() == 2 || (type.getNumElements() <= 4 && type.getElementType().isInteger());
  }

  static bool isComponent(Operation *user) {
    auto extract = dyn_cast<vector::ExtractOp>(user);
    return extract && extract.getDynamicPosition().empty() && extract.getStaticPosition().size() == 1;
  }

  void scalarize(Operation *op) {
    OpBuilder b(op);
    Type element = cast<VectorType>(op->getResult(0).getType()).getElementType();
    llvm::SmallDenseMap<int64_t, Value> components;
    for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
      auto extract = cast<vector::ExtractOp>(user);
      const int64_t at = extract.getStaticPosition()[0];
      Value &scalar = components[at];
      if (!scalar)
        scalar = component(b, op, element, at);
      extract.replaceAllUsesWith(scalar);
      extract.erase();
    }
    op->erase();
    ++opsScalarized;
  }

  static Value component(OpBuilder &b, Operation *op, Type element, int64_t at) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isa<VectorType>(operand.getType())
                             ? vector::ExtractOp::create(b, op->getLoc(), operand, ArrayRef<int64_t>{at}).getResult()
                             : operand);
    return b
        .insert(Operation::create(op->getLoc(), op->getName(), element, operands,
                                  NamedAttrList(op->getDiscardableAttrDictionary()), op->getPropertiesStorage()))
        ->getResult(0);
  }
};
} // namespace
} // namespace kiln
