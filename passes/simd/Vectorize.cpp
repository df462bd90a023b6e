// Gives regions a second body that runs a vector of neighbouring work-items at a time.
//
//   wg.parallel {                                     wg.parallel { ... } lanes 8 {
//     %i = ocl.query global_id[0]                       %i = ocl.query global_id[0]            // of the first
//     %p = llvm.getelementptr %a[%i]             ==>    %p = llvm.getelementptr %a[%i]
//     %v = llvm.load %p : f32                           %v = llvm.load %p : vector<8xf32>
//     %w = arith.mulf %v, %k : f32                      %w = arith.mulf %v, %ks : vector<8xf32>
//     ...                                               ...
//
// The programming model promises what a loop vectoriser has to prove: within a region work-items do not depend on each
// other. So the whole region becomes vector code, loops and branches included. LaneShapes finds what is the same in all
// lanes and stays scalar, and which addresses are consecutive; Widener writes the code; PrepareLanes gives a copy of
// the body the form for it. A region stays as it is where a loop may wait for what another work-item does (`waits`),
// where something has no form for vectors, and where Cost finds that vectors do not pay. The attribute
// `wg.scalar_because` says so.
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "passes/Passes.h"
#include "passes/analysis/Grouping.h"
#include "passes/analysis/Size.h"
#include "passes/simd/Cost.h"
#include "passes/simd/Flat.h"
#include "passes/simd/NarrowSums.h"
#include "passes/simd/PrepareLanes.h"
#include "passes/simd/Pressure.h"
#include "passes/simd/RowLoops.h"
#include "passes/simd/Waits.h"
#include "passes/simd/Widener.h"
#include "passes/simd/Width.h"
#include "passes/wg/ItemLoops.h"
#include <set>

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_VECTORIZE
#include "passes/Passes.h.inc"
namespace {

// Private variables of a vector's work-items, which are used at the same time.
constexpr uint64_t MostVariableBytes = 256 * 1024;

// Values that are alive at the same time, beyond what registers hold. Longer than that, one work-item after the other
// was faster in each of three kernels that are nothing but such values.
constexpr uint64_t MostLiveBytes = 64 * 1024;

// A vector that does not lie in one piece is left to the body for one work-item, which takes several times as long:
// what is won by the others has to be more than that.
constexpr double WorthPieces = 0.75;

// Operations of a body that is there once for vectors in one piece and once for others.
constexpr unsigned MostTwice = 120;

// Of a lane of the vectors that `lanes` names.
constexpr unsigned LaneBits = 32;

// What has no form for vectors, whatever its operands are.
const char *obstacleIn(Region &body) {
  const char *found = nullptr;
  auto isPlain = [](Type type) { return !isa<LLVM::LLVMStructType, LLVM::LLVMArrayType>(type); };
  body.walk([&](Operation *op) {
    if (op->getNumRegions() && !isa<scf::IfOp, scf::WhileOp>(op))
      found = "it has control flow of another kind than branches and loops";
    else if (isa<func::CallOp>(op))
      found = "it calls a function";
    else if (auto query = dyn_cast<ocl::LinearQueryOp>(op);
             query && query.getKind() == ocl::LinearQuery::sub_group_size)
      found = "it asks for the size of its sub-group";
    else if (!llvm::all_of(op->getResultTypes(), isPlain) || !llvm::all_of(op->getOperandTypes(), isPlain))
      found = "it computes with structs or arrays as values";
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

bool asksForAnyDimension(Region &body, const LaneShapes &shapes) {
  return body
      .walk([&](ocl::QueryOp query) {
        return shapes.of(query.getResult()).isStrided() ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

// Is there a division or the like whose pieces a vector might lie in one of.
bool cutsNumbers(Region &body, const LaneShapes &shapes) {
  return body
      .walk([&](Operation *op) {
        const bool cuts = isDivRemOrMask(op) && !shapes.of(op->getResult(0)).isStrided();
        return cuts ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

// Does one work-item load or store vectors that are as long as the machine's.
bool fillsRegisters(Region &body, unsigned bits, const DataLayout &layout) {
  auto fills = [&](Type type) {
    return isa<VectorType>(type) && layout.getTypeSizeInBits(type).getFixedValue() >= bits;
  };
  return body
      .walk([&](Operation *op) {
        auto load = dyn_cast<LLVM::LoadOp>(op);
        auto store = dyn_cast<LLVM::StoreOp>(op);
        return (load && fills(load.getType())) || (store && fills(store.getValue().getType())) ? WalkResult::interrupt()
                                                                                               : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What is known of a body, and what vectors would cost then.
struct View {
  View(Region &body, unsigned lanes, bool picks, const DataLayout &layout, bool assumeIdsFit31Bits, bool assumeOneTile,
       bool mayLeave, bool skipsOrder)
      : shapes(body, lanes, layout, assumeIdsFit31Bits, assumeOneTile),
        runs(body, shapes, layout, mayLeave, skipsOrder), cost(costOf(body, shapes, runs, lanes, picks, layout)) {}
  LaneShapes shapes;
  AccessRuns runs;
  Cost cost;
};

struct Vectorize : impl::VectorizeBase<Vectorize> {
  using VectorizeBase::VectorizeBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    for (const std::string &name : skipChecks)
      if (!skipped_.add(name))
        return emitError(UnknownLoc::get(context)) << "wg-vectorize: no assumption is called '" << name << "'";
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(patterns);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(patterns, context);
    populateNarrowSums(patterns);
    simplify_ = std::move(patterns);
    return success();
  }

  void runOnOperation() override {
    SmallVector<wg::ParallelOp> regions;
    getOperation().walk([&](wg::ParallelOp region) { regions.push_back(region); });
    if (lanesFor(lanes) < 2)
      return;
    llvm::DenseMap<Operation *, bool> seen; // of kernels
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      seen[kernel] = !kernel.isExternal() && seesGroups(kernel);
    for (wg::ParallelOp region : regions) {
      isSeen_ = seen[region->getParentOfType<func::FuncOp>()];
      OpBuilder builder(region);
      auto copy = cast<wg::ParallelOp>(builder.clone(*region));
      if (const char *reason = widen(region, copy)) {
        region->setAttr("wg.scalar_because", builder.getStringAttr(reason));
        if (report)
          emitRemark(region.getLoc()) << nameOf(region) << " runs one work-item after the other: " << reason;
        ++regionsLeft;
      } else {
        ++regionsWidened;
      }
      copy.erase();
    }
  }

private:
  static std::string nameOf(wg::ParallelOp region) {
    return "kernel '" + region->getParentOfType<func::FuncOp>().getName().str() + "'";
  }

  // No more than a row has, where that is known. Of any size, it is taken to have one vector where the application
  // decides, and two where the runtime may.
  unsigned lanesFor(unsigned wanted) const {
    if (localSize.empty())
      return std::min<unsigned>(wanted, isSeen_ ? lanes : 2 * lanes);
    return unsigned(std::min<uint64_t>(wanted, llvm::bit_floor(uint64_t(localSize[0]))));
  }

  // Of vectors: those with masks have twice as many.
  unsigned registers() const { return maskBits == 1 ? 32 : 16; }

  // What the runtime is told, and that it gains by knowing the size if it does not run so now.
  void noteBest(func::FuncOp kernel, unsigned wanted) {
    Builder builder(kernel);
    if (lanesFor(wanted) < wanted && localSize.empty())
      kernel->setAttr(ocl::WantsSizeAttr, builder.getUnitAttr());
    auto known = kernel->getAttrOfType<IntegerAttr>(ocl::BestMultipleAttr);
    const int64_t best = std::max<int64_t>(wanted, known ? known.getInt() : 0);
    kernel->setAttr(ocl::BestMultipleAttr, builder.getI64IntegerAttr(best));
  }

  // Null, or why not.
  const char *widen(wg::ParallelOp region, wg::ParallelOp copy) {
    if (isTooLargeForVectors(region.getBody()))
      return "it is too large";
    if (const char *reason = structureBody(copy, simplify_))
      return reason;
    Region &body = copy.getBody();
    if (const char *reason = obstacleIn(body))
      return reason;
    DataLayout layout = DataLayout::closest(region);
    const uint64_t items = itemsAtWork(body);
    unsigned width = unsigned(std::min<uint64_t>(lanesFor(lanes), llvm::bit_floor(items)));
    const LaneShapes given(body, width, layout, /*assumeIdsFit31Bits=*/true);
    const unsigned flat = lanesFor(flatLanes(body, given, lanes * LaneBits, layout));
    const bool isFlat = flat > 1;
    if (isFlat)
      width = flat;
    else
      blockRowLoops(body, given, layout);
    DominanceInfo dominance(copy);
    IRRewriter rewriter(copy.getContext()); // what rounds of a loop compute alike once more is one value
    eliminateCommonSubExpressions(rewriter, dominance, copy);
    const bool mayLeave = !region.getMask();
    const LaneShapes unrolled(body, width, layout, /*assumeIdsFit31Bits=*/true);
    const unsigned most =
        isFlat || items <= lanes ? 1 : unsigned(llvm::bit_floor(std::min<uint64_t>(abreast, items / lanes)));
    const AccessRuns unrolledRuns(body, unrolled, layout, mayLeave);
    if (unsigned vectors = std::min(most, vectorsAbreast(body, unrolled, unrolledRuns, registers(), layout));
        vectors > 1) {
      width = lanesFor(lanes * vectors);
      noteBest(region->getParentOfType<func::FuncOp>(), lanes * vectors);
    }
    if (variableBytes(copy) * width > MostVariableBytes)
      return "its private variables would not fit in caches";
    layOutVariables(copy, width);
    const bool countingHelps = LaneShapes(body, width, layout, /*assumeIdsFit31Bits=*/true).precision() >
                               LaneShapes(body, width, layout, /*assumeIdsFit31Bits=*/false).precision();
    const View careful(body, width, pickFrom > 0, layout, countingHelps, /*assumeOneTile=*/false, mayLeave,
                       skipped_.contains(Assumption::AccessOrder));
    std::optional<View> bold;
    if (cutsNumbers(body, careful.shapes))
      bold.emplace(body, width, pickFrom > 0, layout, /*assumeIdsFit31Bits=*/true, /*assumeOneTile=*/true, mayLeave,
                   skipped_.contains(Assumption::AccessOrder));
    const bool isBold = bold && (force || bold->cost.vector < WorthPieces * careful.cost.vector);
    const View &view = isBold ? *bold : careful;
    if (uint64_t(vectorPressure(body, view.shapes, layout)) * width * (LaneBits / 8) > MostLiveBytes)
      return "too many of its values are alive at the same time";
    // The fallback body is made by the conservative view, whose assumptions are the other's, too.
    const bool assumesSmallIds = view.shapes.assumesIdsFit31Bits() || careful.shapes.assumesIdsFit31Bits();
    if (asksForAnyDimension(body, view.shapes))
      return "it asks for an id of a dimension that is not known";
    if (waits(body, view.shapes))
      return "a loop may wait for another work-item";
    if (!force && !isFlat && !view.cost.pays())
      return fillsRegisters(body, lanes * LaneBits, layout)
                 ? "its own vectors fill the machine's registers"
                 : "its memory accesses are scattered, and vectors would do too little else";
    auto widenerFor = [&](const View &one) {
      return Widener(copy, one.shapes, one.runs,
                     {width, lanes * LaneBits, maskBits, pickFrom, isFlat, checkAssumptions, skipped_},
                     region.getWide());
    };
    Widener widener = widenerFor(view), other = widenerFor(careful);
    std::optional<LaneShapes> fours;
    if (isBold)
      other.takeFours(fours.emplace(body, 4, layout, /*assumeIdsFit31Bits=*/true, /*assumeOneTile=*/true));
    const bool leavesMuch = isBold || widener.hasEdges();
    widener.run(leavesMuch && careful.cost.pays() && operationsIn(body) <= MostTwice ? &other : nullptr);
    if (report) {
      emitRemark(region.getLoc()) << nameOf(region) << " runs " << width << " work-items at a time";
      std::set<std::pair<const void *, std::string>> said; // code that stands several times has one line
      for (const Widener::Note &note : widener.notes())
        if (said.insert({note.place.getAsOpaquePointer(), note.sentence}).second)
          emitRemark(note.place) << note.sentence;
    }
    region.setLanes(width);
    region.setSmallIds(assumesSmallIds && !skipped_.contains(Assumption::SmallIds));
    return nullptr;
  }

  FrozenRewritePatternSet simplify_;
  SkippedChecks skipped_;
  bool isSeen_ = false; // how the kernel at hand is grouped, by itself
};
} // namespace
} // namespace kiln
