#include "passes/analysis/Grouping.h"
#include "dialects/wg/Wg.h"

using namespace mlir;

namespace kiln {
namespace {

bool isLocal(Type type) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
  return pointer && pointer.getAddressSpace() == ocl::Local;
}

bool asksForGroup(ocl::Query kind) {
  return kind != ocl::Query::global_id && kind != ocl::Query::global_size && kind != ocl::Query::global_offset;
}
bool asksForGroup(ocl::LinearQuery kind) {
  return kind != ocl::LinearQuery::work_dim && kind != ocl::LinearQuery::global_linear_id;
}

bool seesGroup(Operation *op) {
  if (auto query = dyn_cast<ocl::QueryOp>(op))
    return asksForGroup(query.getKind());
  if (auto query = dyn_cast<ocl::LinearQueryOp>(op))
    return asksForGroup(query.getKind());
  if (auto call = dyn_cast<func::CallOp>(op)) // of code that many kernels share, which asks nothing
    return !SymbolTable::lookupNearestSymbolFrom(op, call.getCalleeAttr())->hasAttr(ocl::SharedAttr);
  if (isa<wg::WgDialect>(op->getDialect()))
    return !isa<wg::ParallelOp, wg::YieldOp>(op); // what work-items keep or do together
  return isa<ocl::EnqueueArenaOp>(op) || llvm::any_of(op->getResultTypes(), isLocal);
}

} // namespace

bool seesGroups(func::FuncOp kernel) {
  unsigned regions = 0;
  bool sees = llvm::any_of(kernel.getArgumentTypes(), isLocal);
  kernel.walk([&](Operation *op) {
    sees |= seesGroup(op) || (isa<wg::ParallelOp>(op) && ++regions > 1);
    return sees ? WalkResult::interrupt() : WalkResult::advance();
  });
  return sees;
}

bool readsInLoops(func::FuncOp kernel) {
  bool loops = false, reads = false;
  kernel.walk([&](Block *block) {
    unsigned place = 0;
    llvm::DenseMap<Block *, unsigned> places; // what leads back to a block before it, or to itself, is a loop
    for (Block &each : *block->getParent())
      places[&each] = place++;
    for (Block *next : block->getSuccessors())
      loops |= places[next] <= places[block];
    reads |= llvm::any_of(*block, [](Operation &op) { return isa<LLVM::LoadOp>(op); });
  });
  return loops && reads;
}

} // namespace kiln
