#include "passes/analysis/GroupShape.h"
#include "dialects/wg/Wg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln {
namespace {

bool isLocal(Type type) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
  return pointer && pointer.getAddressSpace() == ocl::Local;
}

bool queriesGroup(ocl::Query kind) {
  return kind != ocl::Query::global_id && kind != ocl::Query::global_size && kind != ocl::Query::global_offset;
}
bool queriesGroup(ocl::LinearQuery kind) {
  return kind != ocl::LinearQuery::work_dim && kind != ocl::LinearQuery::global_linear_id;
}

bool dependsOnGroup(Operation *op) {
  if (auto query = dyn_cast<ocl::QueryOp>(op))
    return queriesGroup(query.getKind());
  if (auto query = dyn_cast<ocl::LinearQueryOp>(op))
    return queriesGroup(query.getKind());
  if (auto call = dyn_cast<func::CallOp>(op)) // ocl-pass-queries moved queries out of functions that are not inlined
    return !ocl::staysFunction(SymbolTable::lookupNearestSymbolFrom(op, call.getCalleeAttr()));
  if (op->hasTrait<ocl::Convergent>())
    return true;
  if (isa<wg::WgDialect>(op->getDialect()))
    return !isa<wg::ParallelOp, wg::YieldOp, wg::PermuteOp, wg::AssumptionReportOp, wg::DistinctArgumentsOp>(
        op); // slots, collectives
  return isa<ocl::EnqueueArenaOp>(op) || llvm::any_of(op->getResultTypes(), isLocal);
}

bool dependsOnGroup(func::FuncOp kernel) {
  unsigned regions = 0;
  return llvm::any_of(kernel.getArgumentTypes(), isLocal) ||
         kernel
             .walk([&](Operation *op) {
               const bool depends = dependsOnGroup(op) || (isa<wg::ParallelOp>(op) && ++regions > 1);
               return depends ? WalkResult::interrupt() : WalkResult::advance();
             })
             .wasInterrupted();
}

// Returns true if the operation may read a value that another work-item stores meanwhile.
bool mayChange(Operation *op) {
  auto load = dyn_cast<LLVM::LoadOp>(op);
  return isa<ocl::AtomicRmwOp, ocl::AtomicCmpXchgOp, ocl::AtomicLoadOp>(op) ||
         (load && (load.getVolatile_() || load.getOrdering() != LLVM::AtomicOrdering::not_atomic));
}

// Returns true if some block branches to itself or to an earlier block.
bool hasLoop(func::FuncOp kernel) {
  bool loops = false;
  kernel.walk([&](Operation *op) {
    for (Region &region : op->getRegions()) {
      llvm::DenseMap<Block *, unsigned> indices;
      for (Block &block : region)
        indices[&block] = unsigned(indices.size());
      for (Block &block : region)
        for (Block *next : block.getSuccessors())
          loops |= indices[next] <= indices[&block];
    }
  });
  return loops;
}

} // namespace

bool dependsOnLocalSize(func::FuncOp kernel) {
  bool polls = false;
  kernel.walk([&](Operation *op) { polls |= mayChange(op); });
  return dependsOnGroup(kernel) || (polls && hasLoop(kernel));
}

unsigned roundableDims(func::FuncOp kernel) {
  if (dependsOnGroup(kernel))
    return 0;
  constexpr unsigned all = 7;
  unsigned dims = 0;
  kernel.walk([&](Operation *op) {
    if (auto query = dyn_cast<ocl::QueryOp>(op); query && query.getKind() == ocl::Query::global_id) {
      APInt dim;
      dims |= !matchPattern(query.getDim(), m_ConstantInt(&dim)) ? all : dim.ult(3) ? 1u << dim.getZExtValue() : 0;
    } else if (auto linear = dyn_cast<ocl::LinearQueryOp>(op)) {
      dims |= linear.getKind() == ocl::LinearQuery::global_linear_id ? all : 0;
    }
  });
  return dims;
}

bool readsInLoops(func::FuncOp kernel) {
  return hasLoop(kernel) && kernel.walk([](LLVM::LoadOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

} // namespace kiln
