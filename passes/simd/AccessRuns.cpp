#include "passes/simd/AccessRuns.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr uint64_t RowBytes = 32;

bool isCandidate(LLVM::LoadOp load, const LaneShapes &shapes) {
  if (load.getVolatile_() || load.getOrdering() != LLVM::AtomicOrdering::not_atomic ||
      !isa<IntegerType, FloatType>(load.getType()) || load.getType().getIntOrFloatBitWidth() % 8)
    return false;
  LaneShape shape = shapes.of(load.getAddr());
  const int64_t bytes = load.getType().getIntOrFloatBitWidth() / 8;
  return !shape.isStrided() || (shape.guards.empty() && shape.stride != 0 && shape.stride != bytes);
}

} // namespace

unsigned longestRun(Type element, const DataLayout &layout) {
  return unsigned(RowBytes / std::max<uint64_t>(layout.getTypeSize(element).getFixedValue(), 1));
}

AccessRuns::AccessRuns(Region &region, const LaneShapes &shapes, const DataLayout &layout) {
  look(region.front(), shapes, layout);
}

bool isOwn(Value pointer) {
  while (auto gep = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = gep.getBase();
  return bool(pointer.getDefiningOp<LLVM::AllocaOp>());
}

// All between two writes may be read at once: what the first of them reads, the last reads too.
void AccessRuns::look(Block &block, const LaneShapes &shapes, const DataLayout &layout) {
  SmallVector<Candidate> candidates;
  for (Operation &op : block) {
    if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
      if (isCandidate(load, shapes) && !isOwn(load.getAddr()))
        candidates.push_back({load, LinearAddress(load.getAddr(), layout)});
      continue;
    }
    for (Region &region : op.getRegions())
      if (!region.empty())
        look(region.front(), shapes, layout);
    auto store = dyn_cast<LLVM::StoreOp>(op);
    if (!isMemoryEffectFree(&op) && !(store && isOwn(store.getAddr())))
      close(candidates, layout);
  }
  close(candidates, layout);
}

void AccessRuns::close(SmallVector<Candidate> &candidates, const DataLayout &layout) {
  while (!candidates.empty()) {
    // Those beside the first of what is left, in the order of memory.
    Candidate first = candidates.front();
    SmallVector<Candidate> beside;
    llvm::erase_if(candidates, [&](Candidate &one) {
      const bool is = one.load.getType() == first.load.getType() && one.address.isBeside(first.address);
      if (is)
        beside.push_back(one);
      return is;
    });
    llvm::sort(beside, [](const Candidate &a, const Candidate &b) { return a.address.constant < b.address.constant; });
    const auto bytes = int64_t(layout.getTypeSize(first.load.getType()).getFixedValue());
    for (size_t start = 0; start < beside.size();) {
      size_t count = 1;
      while (start + count < beside.size() &&
             beside[start + count].address.constant == beside[start].address.constant + int64_t(count) * bytes)
        ++count;
      count = std::min<size_t>(llvm::bit_floor(count), longestRun(first.load.getType(), layout));
      if (count > 1) {
        auto run = std::make_unique<Run>();
        run->address = beside[start].address;
        for (const Candidate &one : ArrayRef(beside).slice(start, count)) {
          run->loads.push_back(one.load);
          runs_[one.load] = run.get();
        }
        made_.push_back(std::move(run));
      }
      start += count;
    }
  }
}

} // namespace kiln
