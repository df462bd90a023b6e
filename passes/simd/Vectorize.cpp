// Adds to each parallel region a vector body that runs a vector of adjacent work-items per iteration.
//
//   wg.parallel {                                     wg.parallel { ... } lanes 8 {
//     %i = ocl.query global_id[0]                       %i = ocl.query global_id[0]            // lane 0's
//     %p = llvm.getelementptr %a[%i]             ==>    %p = llvm.getelementptr %a[%i]
//     %v = llvm.load %p : f32                           %v = llvm.load %p : vector<8xf32>
//     %w = arith.mulf %v, %k : f32                      %w = arith.mulf %v, %ks : vector<8xf32>
//     ...                                               ...
//
// Legal because OpenCL orders work-items only at barriers, of which a region contains none, and through atomics. So no
// dependence analysis is needed, and the whole region becomes vector code, loops and branches included.
// PrepareVectorBody structurizes a copy of the body, LaneShapes finds uniform values (they stay scalar) and consecutive
// addresses, EmitVectorBody emits the code. Not handled: loops that may wait for another work-item (SpinLoops),
// operations without a vector form, and regions for which Cost estimates that the vector body is slower. The attribute
// `wg.not_vectorized` has the reason.
#include "dialects/ocl/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "passes/Canonicalizations.h"
#include "passes/Explain.h"
#include "passes/Pass.h"
#include "passes/analysis/GroupShape.h"
#include "passes/analysis/LinearRows.h"
#include "passes/analysis/NotVectorized.h"
#include "passes/analysis/Size.h"
#include "passes/simd/decide/AosVectors.h"
#include "passes/simd/decide/Cost.h"
#include "passes/simd/decide/EarlyChecks.h"
#include "passes/simd/decide/InterleaveCount.h"
#include "passes/simd/decide/Pressure.h"
#include "passes/simd/decide/RowDimension.h"
#include "passes/simd/decide/SpinLoops.h"
#include "passes/simd/emit/EmitVectorBody.h"
#include "passes/simd/prepare/JoinRemainders.h"
#include "passes/simd/prepare/NarrowSums.h"
#include "passes/simd/prepare/PoisonChoices.h"
#include "passes/simd/prepare/PrepareVectorBody.h"
#include "passes/simd/prepare/PrivateVariables.h"
#include "passes/simd/prepare/UnrollRowLoops.h"
#include "llvm/Support/Format.h"
#include <set>

using namespace mlir;

namespace kiln {
#include "passes/Vectorize.pass.inc"
namespace {

// Private variables of a vector's work-items, which should fit in a core's caches.
constexpr uint64_t MaxVariableBytes = 256 << 10;

// Values of a vector's work-items that are live at once. Above this limit the scalar body was faster in each of three
// kernels that do nothing but keep values live.
constexpr uint64_t MaxLiveBytes = 64 << 10;

// Vectors that span two tiles run in the scalar body, which is several times slower. So the optimistic body must cost
// less than this part of the conservative one.
constexpr double OptimisticCostRatio = 0.75;

// LLVM compiles a vector body of 15,000 operations in one to four seconds, unless it has thousands of scattered
// accesses: bcrypt's took 54 s, and ran in twice the time of the scalar body. Such a body is estimated to cost more
// than half of the scalar one, those of hash functions a fifteenth to a half.
constexpr unsigned MaxOps = 16000, LargeBodyOps = 3000;
constexpr double LargeBodyCostRatio = 0.5;

// Operations of a body that may be emitted twice, optimistic and as the fallback. Vectors at the borders of images take
// the fallback of a body with clamps in each row, which must not be scalar.
constexpr unsigned MaxDuplicatedOps = 120, MaxClampedOps = 400;

// The machine's vectors have `width_` elements of this size.
constexpr unsigned ElementBits = 32;

// The reason why an operation has no vector form, or null if all have one.
const char *findUnsupportedOp(Region &body) {
  const char *found = nullptr;
  auto isPlain = [](Type type) { return !isa<LLVM::LLVMStructType, LLVM::LLVMArrayType>(type); };
  body.walk([&](Operation *op) {
    if (op->getNumRegions() && !isa<scf::IfOp, scf::WhileOp>(op))
      found = "its control flow has other operations than scf.if and scf.while";
    else if (isa<func::CallOp>(op))
      found = "it calls a function";
    else if (auto query = dyn_cast<ocl::LinearQueryOp>(op);
             query && query.getKind() == ocl::LinearQuery::sub_group_size)
      found = "it queries the size of its sub-group";
    else if (!llvm::all_of(op->getResultTypes(), isPlain) || !llvm::all_of(op->getOperandTypes(), isPlain))
      found = "it has values of struct or array type";
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

bool hasDynamicDimension(Region &body, const LaneShapes &shapes) {
  return body
      .walk([&](ocl::QueryOp query) {
        return shapes.of(query.getResult()).isStrided() ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

// The results that an optimistic analysis may assume to be strided: of divisions, remainders, shifts and masks within
// one tile, and of clamps on one side.
Optimism possibleOptimism(Region &body, const LaneShapes &shapes) {
  Optimism possible;
  body.walk([&](Operation *op) {
    if (op->getNumResults() != 1 || shapes.of(op->getResult(0)).isStrided())
      return;
    possible.oneTile |= isDivRemOrMask(op);
    possible.oneSide |= isa<arith::SelectOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(op) &&
                        op->getResult(0).getType().isInteger();
  });
  return possible;
}

// Returns true if a work-item loads or stores vectors of a machine register's size.
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

/// The analyses of a body under a set of assumptions, and the cost of its vector form.
struct BodyAnalysis {
  BodyAnalysis(Region &body, LaneShapes analysed, unsigned lanes, const CpuTargetInfo &target, const DataLayout &layout,
               bool canFallBack, bool skipOrderCheck)
      : shapes(std::move(analysed)), groups(body, shapes, target, layout, canFallBack, skipOrderCheck),
        updates(body, shapes, groups), cost(costOf(body, shapes, groups, updates, lanes, target, layout)) {}
  LaneShapes shapes;
  AccessGroups groups;
  ScatteredUpdates updates;
  Cost cost;
};

struct Vectorize : impl::VectorizeBase<Vectorize> {
  using VectorizeBase::VectorizeBase;

  LogicalResult initialize(MLIRContext *context) override {
    for (const std::string &name : skipChecks)
      if (!skipped_.add(name))
        return emitError(UnknownLoc::get(context)) << "wg-vectorize: no assumption is called '" << name << "'";
    auto simplifications = [&] {
      RewritePatternSet patterns(context);
      populateCanonicalizations(patterns);
      populateNarrowSums(patterns);
      populateJoinRemainders(patterns);
      return patterns;
    };
    simplify_ = simplifications();
    RewritePatternSet last = simplifications();
    populatePoisonChoices(last);
    finish_ = std::move(last);
    return success();
  }

  void runOnOperation() override {
    const ocl::TargetAttr target = ocl::cpuTargetOf(getOperation(), "wg-vectorize");
    if (!target)
      return signalPassFailure();
    target_ = CpuTargetInfo::of(target);
    width_ = machineWidth ? unsigned(machineWidth) : target.getMachineWidth();
    registerLanes_ = target.getRegisterBits() / ElementBits;
    localSize_ = ocl::fixedLocalSize(getOperation());
    SmallVector<wg::ParallelOp> regions;
    getOperation().walk([&](wg::ParallelOp region) { regions.push_back(region); });
    llvm::DenseMap<Operation *, bool> dependent; // of kernels
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      dependent[kernel] = !kernel.isExternal() && dependsOnLocalSize(kernel);
    for (wg::ParallelOp region : regions) {
      dependsOnLocalSize_ = dependent[region->getParentOfType<func::FuncOp>()];
      rowDimension_ = region.getJam() || queriesGlobalLinearId(region.getBody()) ? 0 : lowestLongDimension(localSize_);
      // The dimension of rows is chosen in scalar forms as well: it is part of the kernel's plan.
      if (clampWidth(width_) < 2 && !mayChooseRowDimension(region))
        continue;
      OpBuilder builder(region);
      auto copy = cast<wg::ParallelOp>(builder.clone(*region));
      const char *reason = prepare(region, copy);
      if (clampWidth(width_) < 2) {
        copy.erase();
        continue;
      }
      if (!reason)
        reason = widen(region, copy);
      if (reason) {
        region->setAttr(NotVectorizedAttr, builder.getStringAttr(reason));
        explain("wg-vectorize", [&](raw_ostream &os) { os << "  stays scalar: " << reason; });
        if (report)
          emitRemark(locationOf(region)) << nameOf(region) << " is not vectorized: " << reason;
        ++regionsScalar;
      } else {
        ++regionsVectorized;
      }
      copy.erase();
    }
  }

private:
  static std::string nameOf(wg::ParallelOp region) {
    return "kernel '" + region->getParentOfType<func::FuncOp>().getName().str() + "'";
  }

  // Returns the region's location, or that of its first operation with a line if a pass has made the region.
  static Location locationOf(wg::ParallelOp region) {
    Location location = region.getLoc();
    if (!location->findInstanceOf<FileLineColLoc>())
      region.getBody().walk([&](Operation *op) {
        if (!op->getLoc()->findInstanceOf<FileLineColLoc>())
          return WalkResult::advance();
        location = op->getLoc();
        return WalkResult::interrupt();
      });
    return location;
  }

  // At most a row's size, if that is known. Otherwise a row is assumed to have one vector if the application chooses
  // the local size, and two if the runtime may (the kernel does not depend on it).
  unsigned clampWidth(unsigned wanted) const {
    if (localSize_.empty())
      return std::min<unsigned>(wanted, dependsOnLocalSize_ ? width_ : 2 * width_);
    return unsigned(std::min<uint64_t>(wanted, llvm::bit_floor(uint64_t(localSize_[rowDimension_]))));
  }

  // The size of the groups that run this code; empty if the runtime chooses it, or if it is not known.
  ArrayRef<int64_t> knownLocalSize(wg::ParallelOp region) const {
    auto required = region->getParentOfType<func::FuncOp>()->getAttrOfType<DenseI64ArrayAttr>(ocl::RequiredSizeAttr);
    return localSize_.empty() && required ? required.asArrayRef() : localSize_;
  }

  // If the kernel depends on a local size that is not known, rows along another dimension than x may have one item.
  bool mayChooseRowDimension(wg::ParallelOp region) const {
    return (!dependsOnLocalSize_ || !knownLocalSize(region).empty()) && canChooseRowDimension(region);
  }

  // Sets attributes for the runtime: the preferred multiple of the local size, and a flag if a variant for a fixed
  // local size would be faster than this one.
  void recordPreferredWidth(func::FuncOp kernel, unsigned wanted) {
    Builder builder(kernel);
    if (clampWidth(wanted) < wanted && localSize_.empty())
      kernel->setAttr(ocl::PrefersFixedLocalSizeAttr, builder.getUnitAttr());
    auto recorded = kernel->getAttrOfType<IntegerAttr>(ocl::PreferredMultipleAttr);
    const int64_t multiple = std::max<int64_t>(wanted, recorded ? recorded.getInt() : 0);
    kernel->setAttr(ocl::PreferredMultipleAttr, builder.getI64IntegerAttr(multiple));
  }

  // Structurizes the copy and chooses the dimension of rows. Returns null, or the reason why the region stays scalar.
  const char *prepare(wg::ParallelOp region, wg::ParallelOp copy) {
    if (hasMoreOperations(region.getBody(), MaxOps))
      return "it has too many operations to vectorize";
    if (const char *reason = structurizeBody(copy, simplify_, finish_))
      return reason;
    if (const char *reason = findUnsupportedOp(copy.getBody()))
      return reason;
    if (rowDimension_ == 0 && mayChooseRowDimension(region))
      rowDimension_ = chooseRowDimension(copy, knownLocalSize(region), registerLanes_, target_);
    if (rowDimension_ == 0)
      return nullptr;
    for (wg::ParallelOp along : {region, copy})
      along.setAlong(rowDimension_);
    if (localSize_.empty()) // short rows of a launch may be better along another dimension
      region->getParentOfType<func::FuncOp>()->setAttr(ocl::PrefersFixedLocalSizeAttr, Builder(region).getUnitAttr());
    return nullptr;
  }

  // Returns null, or the reason why the region stays scalar.
  const char *widen(wg::ParallelOp region, wg::ParallelOp copy) {
    Region &body = copy.getBody();
    DataLayout layout = DataLayout::closest(region);
    const uint64_t activeItems = activeItemBound(body, rowDimension_);
    unsigned width = unsigned(std::min<uint64_t>(clampWidth(width_), llvm::bit_floor(activeItems)));
    const LaneShapes initialShapes(body, width, layout, /*assumeIdsFit31Bits=*/true);
    const unsigned aos = clampWidth(aosWidth(body, initialShapes, width_ * ElementBits, layout));
    const bool isAos = aos > 1;
    explain("wg-vectorize", [&](raw_ostream &os) {
      os << nameOf(region) << " at " << locationOf(region) << ": machine width " << width_ << ", at most " << width
         << " work-items a row" << (rowDimension_ ? " along dimension " + std::to_string(rowDimension_) : "")
         << (isAos ? ", short vectors stay contiguous" : "");
    });
    if (isAos)
      width = aos;
    else
      unrollRowLoops(body, initialShapes, target_, layout);
    DominanceInfo dominance(copy);
    IRRewriter rewriter(copy.getContext()); // iterations that are unrolled have common subexpressions
    eliminateCommonSubExpressions(rewriter, dominance, copy);
    const bool canFallBack = !region.getMask();
    const LaneShapes unrolledShapes(body, width, layout, /*assumeIdsFit31Bits=*/true);
    const unsigned maxCount = isAos || activeItems <= width_
                                  ? 1
                                  : unsigned(llvm::bit_floor(std::min<uint64_t>(maxInterleave, activeItems / width_)));
    const AccessGroups unrolledGroups(body, unrolledShapes, target_, layout, canFallBack);
    if (unsigned count = std::min(maxCount, interleaveCount(body, unrolledShapes, unrolledGroups, target_, layout));
        count > 1) {
      explain("wg-vectorize",
              [&](raw_ostream &os) { os << "  interleave count " << count << " of at most " << maxCount; });
      width = clampWidth(width_ * count);
      recordPreferredWidth(region->getParentOfType<func::FuncOp>(), width_ * count);
    }
    if (variableBytes(copy) * width > MaxVariableBytes)
      return "the private variables of one vector need more than 256 KiB";
    layOutVariables(copy, width, isAos ? nullptr : &unrolledShapes);
    const bool idsFitHelps = LaneShapes(body, width, layout, /*assumeIdsFit31Bits=*/true).precision() >
                             LaneShapes(body, width, layout, /*assumeIdsFit31Bits=*/false).precision();
    const bool skipsOrder = skipped_.contains(Assumption::AccessOrder);
    const BodyAnalysis conservative(body, LaneShapes(body, width, layout, idsFitHelps), width, target_, layout,
                                    canFallBack, skipsOrder);
    std::optional<BodyAnalysis> optimistic;
    Optimism possible = possibleOptimism(body, conservative.shapes);
    possible.oneSide &= canFallBack && conservative.cost.pays() && operationsIn(body) <= MaxClampedOps;
    if (possible.oneTile || possible.oneSide)
      optimistic.emplace(body,
                         canFallBack ? withEarlyChecks(body, width, layout, possible, conservative.shapes)
                                     : LaneShapes(body, width, layout, /*assumeIdsFit31Bits=*/true, possible),
                         width, target_, layout, canFallBack, skipsOrder);
    const bool useOptimistic =
        optimistic && (force || optimistic->cost.vector < OptimisticCostRatio * conservative.cost.vector);
    const BodyAnalysis &chosen = useOptimistic ? *optimistic : conservative;
    const std::string assumed = !possible.oneSide   ? "one tile"
                                : !possible.oneTile ? "one side of clamps"
                                                    : "one tile and one side of clamps";
    explain("wg-vectorize", [&](raw_ostream &os) {
      os << "  cost of " << width << " work-items: scalar " << llvm::format("%.0f", chosen.cost.scalar) << ", vector "
         << llvm::format("%.0f", chosen.cost.vector) << (idsFitHelps ? ", if ids fit 31 bits" : "");
      if (optimistic)
        os << "; " << (useOptimistic ? assumed + " is assumed, otherwise " : "would be ")
           << llvm::format("%.0f", (useOptimistic ? conservative : *optimistic).cost.vector)
           << (useOptimistic ? "" : " with " + assumed + ", which is not worth its check") << "; "
           << optimistic->shapes.checkedEarly().size() << " checks at its beginning";
    });
    if (uint64_t(vectorPressure(body, chosen.shapes, target_, layout)) * width * (ElementBits / 8) > MaxLiveBytes)
      return "the live values of one vector need more than 64 KiB";
    // The fallback body is emitted from the conservative analysis, so the region rests on the assumptions of both.
    const bool assumesSmallIds = chosen.shapes.mayAssumeIdsFit31Bits() || conservative.shapes.mayAssumeIdsFit31Bits();
    if (hasDynamicDimension(body, chosen.shapes))
      return "a work-item query has a non-constant dimension";
    if (mayWaitForOtherItem(body, chosen.shapes))
      return "a loop may wait for another work-item";
    if (!force && hasMoreOperations(body, LargeBodyOps) && chosen.cost.vector > LargeBodyCostRatio * chosen.cost.scalar)
      return "not profitable: the body is large, and its vector form is estimated to save less than half";
    if (!force && !isAos && !chosen.cost.pays())
      return fillsRegisters(body, width_ * ElementBits, layout)
                 ? "not profitable: the kernel's own vectors fill a vector register"
                 : "not profitable: the vector body is estimated to be slower (scattered memory accesses)";
    std::optional<LaneShapes> quadShapes;
    if (useOptimistic)
      quadShapes.emplace(body, 4, layout, /*assumeIdsFit31Bits=*/true, Optimism{.oneTile = true});
    const VectorBody::Options options{.target = target_,
                                      .lanes = width,
                                      .registerBits = width_ * ElementBits,
                                      .isAos = isAos,
                                      .checksAssumptions = checkAssumptions,
                                      .skipped = skipped_};
    VectorBody vectorBody(copy, region.getVectorBody(),
                          {.shapes = chosen.shapes,
                           .groups = chosen.groups,
                           .updates = chosen.updates,
                           .rowShapes = &conservative.shapes},
                          options);
    VectorBody fallback(
        copy, region.getVectorBody(),
        {conservative.shapes, conservative.groups, conservative.updates, quadShapes ? &*quadShapes : nullptr}, options);
    const bool usesFallback = useOptimistic || hasTwoSidedBounds(vectorBody);
    const bool isShort = operationsIn(body) <= (possible.oneSide ? MaxClampedOps : MaxDuplicatedOps);
    emitVectorBody(vectorBody, usesFallback && conservative.cost.pays() && isShort ? &fallback : nullptr);
    if (report) {
      emitRemark(locationOf(region)) << nameOf(region) << " is vectorized: " << width << " work-items per vector"
                                     << (rowDimension_ ? " along dimension " + std::to_string(rowDimension_) : "");
      std::set<std::pair<const void *, std::string>> reported; // code that is emitted twice has one remark
      for (const VectorBody::Note &note : vectorBody.notes())
        if (reported.insert({note.location.getAsOpaquePointer(), note.text}).second)
          emitRemark(note.location) << note.text;
    }
    region.setLanes(width);
    region.setIdsFitI32(assumesSmallIds && !skipped_.contains(Assumption::SmallIds));
    return nullptr;
  }

  FrozenRewritePatternSet simplify_, finish_;
  SkippedChecks skipped_;
  CpuTargetInfo target_{};
  unsigned width_ = 0;         // machine width
  unsigned registerLanes_ = 0; // the same if it is not reduced
  ArrayRef<int64_t> localSize_;
  bool dependsOnLocalSize_ = false; // the current kernel's
  unsigned rowDimension_ = 0;       // the current region's
};
} // namespace
} // namespace kiln
