// Computes the components of a short vector one by one where nothing needs the vector.
//
//   %v = arith.addi %a, %b : vector<2xi32>              %a0 = vector.extract %a[0]
//   %x = vector.extract %v[0]                     ==>   %b0 = vector.extract %b[0]
//   %y = vector.extract %v[1]                           %x = arith.addi %a0, %b0 : i32        and %y likewise
//
// Programs compute coordinates as int2 and float2, and address pixels and arrays by their components. As a vector, what
// one component shares with a loop is hidden from whoever hoists it, and each step goes to a vector register and back.
// Pairs of any type, and whole numbers of up to four components: four floats at once are worth an instruction.
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Passes.h"

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_SPLITVECTORS
#include "passes/Passes.h.inc"
namespace {

struct SplitVectors : impl::SplitVectorsBase<SplitVectors> {
  void runOnOperation() override {
    SmallVector<Operation *> candidates;
    getOperation()->walk([&](Operation *op) {
      if (isShortVector(op))
        candidates.push_back(op);
    });
    for (Operation *op : llvm::reverse(candidates)) // users first: what is split needs components alone
      if (llvm::all_of(op->getUsers(), isComponent))
        split(op);
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

  void split(Operation *op) {
    OpBuilder b(op);
    Type element = cast<VectorType>(op->getResult(0).getType()).getElementType();
    llvm::SmallDenseMap<int64_t, Value> parts;
    for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
      auto extract = cast<vector::ExtractOp>(user);
      const int64_t at = extract.getStaticPosition()[0];
      Value &part = parts[at];
      if (!part)
        part = component(b, op, element, at);
      extract.replaceAllUsesWith(part);
      extract.erase();
    }
    op->erase();
    ++vectorsSplit;
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
