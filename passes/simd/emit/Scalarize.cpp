#include "passes/simd/emit/Scalarize.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/simd/emit/LaneValues.h"
#include "passes/simd/prepare/PoisonFlags.h"

using namespace mlir;

namespace kiln {

void scalarize(VectorBody &body, Operation *op, Value mask) {
  VectorBuilder &b = body.builder();
  body.note("'" + op->getName().getStringRef() + "' is scalarized: it has no vector form");
  bool guarded = mask && !isMemoryEffectFree(op);
  SmallVector<Vectors> results;
  for (Value result : op->getResults())
    results.emplace_back(b.vectorCount(result.getType()), b.poison(b.wide(b.laneType(result.getType()))));
  SmallVector<Type> types(op->getResultTypes());
  for (unsigned lane = 0; lane < b.lanes(); ++lane) {
    SmallVector<Value> values;
    auto copy = [&] {
      IRMapping mapping;
      for (Value operand : op->getOperands())
        mapping.map(operand, laneOf(body, operand, lane));
      Operation *made = b.clone(*op, mapping);
      if (mask && !guarded)
        dropPoisonGeneratingFlags(made);
      values.assign(made->getResults().begin(), made->getResults().end());
    };
    if (!guarded) {
      copy();
    } else {
      auto branch = scf::IfOp::create(b, types, b.extractLane(mask, lane), /*addThenBlock=*/true,
                                      /*addElseBlock=*/!types.empty());
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      copy();
      scf::YieldOp::create(b, values);
      if (!types.empty()) {
        b.setInsertionPointToStart(branch.elseBlock());
        scf::YieldOp::create(b, llvm::map_to_vector(types, [&](Type type) { return b.poison(type); }));
      }
      values.assign(branch.getResults().begin(), branch.getResults().end());
    }
    for (auto [value, own] : llvm::zip(values, results))
      for (auto [component, vector] : llvm::enumerate(own)) {
        Value scalar = isa<VectorType>(value.getType())
                           ? vector::ExtractOp::create(b, value, int64_t(component)).getResult()
                           : value;
        vector = b.insertLane(scalar, vector, lane);
      }
  }
  for (auto [value, own] : llvm::zip(op->getResults(), results))
    body.setVectors(value, own);
}

} // namespace kiln
