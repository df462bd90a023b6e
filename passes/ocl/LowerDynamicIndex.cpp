// Lowers accesses to vector components at a dynamic index to comparisons and selects, which all lanes execute at once.
// Hardware has no register indexing: code generators go through memory, with a separate stack slot for each access, and
// repeat a chain of inserts for each of its results.
//
//   vector.extract %v[%i]      ==>  selects that halve the components for each bit of %i
//   vector.insert %x, %v[%i]   ==>  select([0, 1, 2, 3] == %i, %x, %v)
#include "passes/ocl/LowerDynamicIndex.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Pass.h"

using namespace mlir;

namespace kiln {
#include "passes/LowerDynamicIndex.pass.inc"
namespace {

template <typename Access> bool isDynamic(Access access, VectorType vector) {
  return vector.getRank() == 1 && !vector.isScalable() && access.getDynamicPosition().size() == 1;
}

void lower(vector::ExtractOp access) {
  OpBuilder b(access);
  Location loc = access.getLoc();
  SmallVector<Value> components;
  for (int64_t at = 0; at < access.getSourceVectorType().getNumElements(); ++at)
    components.push_back(vector::ExtractOp::create(b, loc, access->getOperand(0), at));
  Value number = arith::IndexCastUIOp::create(b, loc, b.getI32Type(), access.getDynamicPosition()[0]);
  access.replaceAllUsesWith(selectByIndex(b, loc, std::move(components), number));
  access.erase();
}

void lower(vector::InsertOp access) {
  OpBuilder b(access);
  Location loc = access.getLoc();
  VectorType type = access.getDestVectorType();
  Type element = type.getElementType();
  // Indices as wide as the elements, so that the comparison's mask has their width.
  const unsigned bits = element.isIntOrFloat() ? std::max(8u, element.getIntOrFloatBitWidth()) : 64;
  auto numbers = VectorType::get(type.getShape(), b.getIntegerType(bits));
  SmallVector<APInt> indices;
  for (int64_t at = 0; at < type.getNumElements(); ++at)
    indices.push_back(APInt(bits, uint64_t(at)));
  Value number = arith::IndexCastUIOp::create(b, loc, numbers.getElementType(), access.getDynamicPosition()[0]);
  Value isIt = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                     arith::ConstantOp::create(b, loc, DenseElementsAttr::get(numbers, indices)),
                                     vector::BroadcastOp::create(b, loc, numbers, number));
  Value all = vector::BroadcastOp::create(b, loc, type, access.getValueToStore());
  access.replaceAllUsesWith(arith::SelectOp::create(b, loc, isIt, all, access.getDest()).getResult());
  access.erase();
}

struct LowerDynamicIndex : impl::LowerDynamicIndexBase<LowerDynamicIndex> {
  using LowerDynamicIndexBase::LowerDynamicIndexBase;
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (auto access = dyn_cast<vector::ExtractOp>(op)) {
        if (lowerExtracts && isDynamic(access, access.getSourceVectorType()))
          lower(access);
      } else if (auto access = dyn_cast<vector::InsertOp>(op)) {
        if (isDynamic(access, access.getDestVectorType()))
          lower(access);
      }
    });
  }
};

} // namespace

Value selectByIndex(OpBuilder &b, Location loc, SmallVector<Value> values, Value number) {
  auto constant = [&](int64_t value) { return createScalarOrSplatConstant(b, loc, number.getType(), value); };
  for (int64_t bit = 1; values.size() > 1; bit *= 2) {
    Value own = arith::AndIOp::create(b, loc, number, constant(bit));
    Value isOdd = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, own, constant(0));
    const size_t pairs = values.size() / 2;
    for (size_t pair = 0; pair < pairs; ++pair)
      values[pair] = arith::SelectOp::create(b, loc, isOdd, values[2 * pair + 1], values[2 * pair]);
    if (values.size() % 2)
      values[pairs] = values.back();
    values.truncate((values.size() + 1) / 2);
  }
  return values[0];
}

} // namespace kiln
