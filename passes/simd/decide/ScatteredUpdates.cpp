#include "passes/simd/decide/ScatteredUpdates.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned MaxOperations = 4;

// Scalar operations of one instruction, which cannot trap.
bool isUpdate(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::MulIOp, arith::MinSIOp,
             arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp, arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp,
             arith::AddFOp, arith::SubFOp, arith::MulFOp>(op) &&
         op->getResult(0).getType().isIntOrFloat();
}

// Collects the operations from a load at the store's address to the stored value. Each result has one use.
bool collect(Value value, LLVM::StoreOp store, ScatteredUpdate &update) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse() || op->getBlock() != store->getBlock())
    return false;
  if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
    if (load.getAddr() != store.getAddr() || load.getVolatile_() ||
        load.getOrdering() != LLVM::AtomicOrdering::not_atomic)
      return false;
    update.load = load;
    return true;
  }
  if (!isUpdate(op) || update.operations.size() == MaxOperations)
    return false;
  update.operations.push_back(op);
  for (Value operand : op->getOperands())
    if (collect(operand, store, update))
      return true;
  update.operations.pop_back();
  return false;
}

// Returns true if the load may be executed at the store: no memory is written between them.
bool canSink(const ScatteredUpdate &update) {
  for (Operation *op = update.load->getNextNode(); op != update.store; op = op->getNextNode()) {
    auto load = dyn_cast<LLVM::LoadOp>(op);
    if (!isMemoryEffectFree(op) && !(load && !load.getVolatile_()))
      return false;
  }
  return true;
}

} // namespace

ScatteredUpdates::ScatteredUpdates(Region &region, const LaneShapes &shapes, const AccessGroups &groups) {
  region.walk([&](LLVM::StoreOp store) {
    if (shapes.of(store.getAddr()).isStrided() || groups.of(store) || store.getVolatile_() ||
        store.getOrdering() != LLVM::AtomicOrdering::not_atomic || !store.getValue().getType().isIntOrFloat())
      return;
    auto update = std::make_unique<ScatteredUpdate>();
    update->store = store;
    if (!collect(store.getValue(), store, *update) || update->operations.empty() || groups.of(update->load) ||
        !canSink(*update))
      return;
    std::reverse(update->operations.begin(), update->operations.end());
    updateOf_[update->load] = updateOf_[store] = update.get();
    for (Operation *op : update->operations)
      updateOf_[op] = update.get();
    updates_.push_back(std::move(update));
  });
}

bool isIndexOfUpdates(Value index, const LaneShapes &shapes, const ScatteredUpdates &updates) {
  return !index.use_empty() && llvm::all_of(index.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<arith::ExtUIOp, arith::ExtSIOp, arith::AddIOp, LLVM::GEPOp>(user))
      return !shapes.of(user->getResult(0)).isStrided() && isIndexOfUpdates(user->getResult(0), shapes, updates);
    auto store = dyn_cast<LLVM::StoreOp>(user);
    if (store && store.getAddr() != use.get())
      return false;
    return updates.of(user) || (store && store.getValue().getType().isIntOrFloat() &&
                                store.getValue().getType().getIntOrFloatBitWidth() < 32);
  });
}

} // namespace kiln
