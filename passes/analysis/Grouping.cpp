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
  if (auto call = dyn_cast<func::CallOp>(op)) // ocl-pass-queries took the queries out of functions that stay
    return !ocl::staysFunction(SymbolTable::lookupNearestSymbolFrom(op, call.getCalleeAttr()));
  if (isa<wg::WgDialect>(op->getDialect()))
    return !isa<wg::ParallelOp, wg::YieldOp>(op); // what work-items keep or do together
  return isa<ocl::EnqueueArenaOp>(op) || llvm::any_of(op->getResultTypes(), isLocal);
}

// What others change while a work-item looks at it.
bool mayChange(Operation *op) {
  auto load = dyn_cast<LLVM::LoadOp>(op);
  return isa<ocl::AtomicRmwOp, ocl::AtomicCmpXchgOp, ocl::AtomicLoadOp>(op) ||
         (load && (load.getVolatile_() || load.getOrdering() != LLVM::AtomicOrdering::not_atomic));
}

// What leads back to a block before it, or to itself, is a loop.
bool hasLoop(func::FuncOp kernel) {
  bool loops = false;
  kernel.walk([&](Operation *op) {
    for (Region &region : op->getRegions()) {
      llvm::DenseMap<Block *, unsigned> places;
      for (Block &block : region)
        places[&block] = unsigned(places.size());
      for (Block &block : region)
        for (Block *next : block.getSuccessors())
          loops |= places[next] <= places[&block];
    }
  });
  return loops;
}

} // namespace

bool seesGroups(func::FuncOp kernel) {
  unsigned regions = 0;
  bool sees = llvm::any_of(kernel.getArgumentTypes(), isLocal), watches = false;
  kernel.walk([&](Operation *op) {
    sees |= seesGroup(op) || (isa<wg::ParallelOp>(op) && ++regions > 1);
    watches |= mayChange(op);
    return sees ? WalkResult::interrupt() : WalkResult::advance();
  });
  return sees || (watches && hasLoop(kernel));
}

bool readsInLoops(func::FuncOp kernel) {
  return hasLoop(kernel) && kernel.walk([](LLVM::LoadOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

} // namespace kiln
