// Emits the vector body of a region.
//
// A value of the scalar body has one or both of two forms. `lane0`: lane 0's value as a scalar, for uniform and strided
// values. `vectors`: one vector over the lanes for a scalar, N of them for a vector of N components (SoA, so that
// extracting a component costs no shuffle). The second is made from the first at its first use.
//
// A mask is a vector of i1; no mask means that all lanes are active. Code under a mask runs only if some lane is
// active.
//
// Operations are in Widener.cpp, transposes in Transpose.cpp, accesses in WidenMemory.cpp, WidenPermuteLoad.cpp and
// WidenQuads.cpp, branches and loops in WidenFlow.cpp, conditions that two lanes decide in EndLaneConditions.cpp,
// runtime checks in RuntimeChecks.cpp, the comparisons of a debug switch in CheckAssumptions.cpp, the way to the scalar
// body in ScalarFallback.cpp.
#pragma once
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/simd/AccessGroups.h"
#include "passes/simd/SkippedChecks.h"

namespace kiln {

class Widener {
public:
  struct Options {
    unsigned lanes;            // work-items per vector
    unsigned vectorBits;       // size of a machine register
    unsigned maskElementBits;  // element width of masks that branches and loops carry
    unsigned permuteTableSize; // 32-bit elements that one permute selects from; 0: no such instruction
    bool isAos;                // short vectors stay contiguous (AosVectors.h)
    bool checksAssumptions;    // emit the comparisons of CheckAssumptions.cpp
    SkippedChecks skipped;
  };
  Widener(wg::ParallelOp from, const LaneShapes &shapes, const AccessGroups &groups, const Options &options,
          mlir::Region &to);
  /// The shapes of vectors of four lanes, which may lie in one tile where the whole vector does not.
  void setQuadShapes(const LaneShapes &shapes) { quadShapes_ = &shapes; }
  /// `conservative`: writes the fallback body for vectors that fail this body's runtime checks or straddle a bound. It
  /// assumes less and masks lanes that diverge. Null: the scalar body runs those vectors.
  void run(Widener *conservative = nullptr);
  /// Returns true if the guards around the rest of the body contain two or more ordered comparisons that vary by lane
  /// (`x > 0 && x < n - 1`, the interior of a stencil). Each row then has a vector that straddles each bound.
  bool hasTwoSidedBounds();
  /// A remark: an operation or access that is not one vector operation, and how it is done.
  struct Note {
    mlir::Location location;
    std::string text;
  };
  llvm::ArrayRef<Note> notes() const { return notes_; }

private:
  using Vectors = llvm::SmallVector<mlir::Value, 4>;
  struct LaneValues {
    mlir::Value lane0;
    Vectors vectors;
  };

  void note(const llvm::Twine &text) { notes_.push_back({loc, text.str()}); }

  // ---- values -----------------------------------------------------------------------------------------------------
  LaneShape shape(mlir::Value value) const { return shapes_.of(value); }
  bool hasLane0(mlir::Value value) const { return shape(value).isStrided(); }
  bool hasVectors(mlir::Value value) const {
    const auto known = values_.find(value);
    return known != values_.end() && !known->second.vectors.empty();
  }
  std::optional<StrideInfo> knownStrideInfo(const LaneShape &shape) const;
  mlir::Value lane0(mlir::Value value);
  const Vectors &vectors(mlir::Value value);
  Vectors splatVectors(mlir::Value uniform);
  Vectors stridedVectors(mlir::Value value, mlir::Value lane0, const LaneShape &shape);
  mlir::Value stepVector(mlir::Value lane0, int64_t stride);
  mlir::Value stepAddresses(mlir::Value lane0, int64_t stride);
  mlir::Value widenCopy(mlir::Operation *op, bool kept = true);
  mlir::Value recomputeHere(mlir::Value value);
  mlir::Value lane(mlir::Value value, unsigned lane);
  mlir::Value laneOfMultiple(mlir::arith::MulIOp product, unsigned lane);
  mlir::Value address(mlir::Value pointer, const StrideInfo &info, unsigned lane);
  mlir::Value laneOfVectors(llvm::ArrayRef<mlir::Value> vectors, mlir::Type type, unsigned lane);
  void setLane0(mlir::Value value, mlir::Value lane0) { values_[value].lane0 = lane0; }
  void setVectors(mlir::Value value, Vectors vectors) { values_[value].vectors = std::move(vectors); }

  // ---- building blocks --------------------------------------------------------------------------------------------
  /// The vector type that holds a `type` per lane.
  mlir::VectorType wide(mlir::Type type) const;
  /// The number of vectors that hold a value of `type`, and what each of them holds per lane.
  unsigned vectorCount(mlir::Type type) const { return isAos_ ? 1 : componentCount(type); }
  mlir::Type laneType(mlir::Type type) const { return isAos_ ? type : mlir::getElementTypeOrSelf(type); }
  static unsigned componentCount(mlir::Type type);
  mlir::Value splat(mlir::Value scalar);
  mlir::Value constant(mlir::Type type, llvm::ArrayRef<mlir::Attribute> elements);
  mlir::Value poison(mlir::Type type);
  mlir::Value extract(mlir::Value vector, unsigned lane);
  mlir::Value insert(mlir::Value scalar, mlir::Value vector, unsigned lane);
  mlir::Value shuffle(mlir::Value a, mlir::Value b, llvm::ArrayRef<int64_t> order);
  mlir::Value bits(mlir::Value mask);
  mlir::Value any(mlir::Value mask);
  mlir::Value all(mlir::Value mask);
  mlir::Value andMask(mlir::Value mask, mlir::Value condition);
  mlir::Value notMask(mlir::Value mask);
  /// From one vector per component to one vector that has each lane's components side by side, and back.
  mlir::Value interleave(llvm::ArrayRef<mlir::Value> vectors);
  Vectors deinterleave(mlir::Value interleaved, unsigned count);
  /// Takes one row per lane, and returns the columns.
  Vectors transposed(llvm::ArrayRef<mlir::Value> rows);
  /// Takes the columns, whose number is a power of two, and returns one row per lane.
  Vectors untransposed(llvm::ArrayRef<mlir::Value> columns);
  void exchangeAll(llvm::MutableArrayRef<mlir::Value> rows);
  mlir::Value slice(mlir::Value row, unsigned from, unsigned count);
  mlir::Value concat(llvm::ArrayRef<mlir::Value> rows);
  void exchange(llvm::MutableArrayRef<mlir::Value> rows, unsigned step);
  void transposeQuads(llvm::MutableArrayRef<mlir::Value> rows);

  // ---- operations -------------------------------------------------------------------------------------------------
  void widenBlock(mlir::Block &block, mlir::Value mask);
  void widenOperation(mlir::Operation *op, mlir::Value mask);
  void copyForLane0(mlir::Operation *op, mlir::Value mask);
  mlir::Value extendViaActiveLane(mlir::Operation *extension, mlir::Value mask);
  bool widenNarrowed(mlir::Operation *op);
  mlir::Value maskedDivisor(mlir::Value mask, mlir::Value divisor);
  void widenElementwise(mlir::Operation *op, mlir::Value mask);
  bool widenVectorOperation(mlir::Operation *op);
  mlir::Value packed(llvm::ArrayRef<mlir::Value> vectors, mlir::Type to);
  void scalarize(mlir::Operation *op, mlir::Value mask);

  // ---- memory -----------------------------------------------------------------------------------------------------
  void widenLoad(mlir::LLVM::LoadOp load, mlir::Value mask);
  void widenStore(mlir::LLVM::StoreOp store, mlir::Value mask);
  void loadGroup(const AccessGroup &group, mlir::Value mask);
  void storeGroup(const AccessGroup &group, mlir::Value mask);
  mlir::Value maskedAddresses(mlir::Value mask, mlir::Value pointer, const std::optional<StrideInfo> &info);
  mlir::Value maskedAddress(mlir::Value mask, unsigned lane, mlir::Value own);
  mlir::Value laneAddress(const LinearAddress &address, unsigned lane);
  Vectors loadConsecutive(mlir::Value from, mlir::Type type, unsigned alignment, mlir::Value mask, bool hasKnownSize);
  mlir::Value loadWithinPage(mlir::Value from, mlir::VectorType type, llvm::function_ref<mlir::Value()> whole,
                             llvm::function_ref<mlir::Value()> masked);
  void storeConsecutive(mlir::Value to, mlir::Type type, unsigned alignment, mlir::Value value, mlir::Value mask,
                        bool isPrivate);
  Vectors scalarLoads(mlir::Value addresses, mlir::Type type, unsigned alignment, mlir::Value mask);
  void scalarStores(mlir::Value addresses, mlir::Type type, unsigned alignment, mlir::Value value, mlir::Value mask);
  llvm::SmallVector<mlir::Value>
  forEachLane(mlir::Value mask, mlir::ValueRange carried,
              llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);
  unsigned permuteLanes(mlir::Value pointer, mlir::Type type, mlir::Value mask) const;
  mlir::Value permute(mlir::Value window, mlir::Value index, unsigned count);
  mlir::Value permuteLoad(mlir::Value pointer, mlir::Type type, unsigned alignment, unsigned count,
                          llvm::function_ref<mlir::Value()> scalarLoad);
  bool canUseQuads(mlir::Value pointer, mlir::Type type) const;
  /// The operands of a division, a remainder, a shift or a mask, and the stride of the strided one.
  struct TileOperands {
    mlir::Value strided, uniform;
    StrideInfo info;
  };
  std::optional<TileOperands> tileOperandsOf(mlir::Operation *divRemOrMask) const;
  mlir::Value checkQuads(mlir::Value pointer);
  Vectors loadQuads(mlir::Value pointer, mlir::Type type, unsigned alignment, mlir::Value mask,
                    llvm::function_ref<Vectors()> otherwise);
  void storeQuads(mlir::Value pointer, mlir::Type type, unsigned alignment, mlir::Value value, mlir::Value mask,
                  llvm::function_ref<void()> otherwise);
  /// `info`: the addresses' stride; nothing if they vary.
  Vectors gather(mlir::Value pointer, const std::optional<StrideInfo> &info, mlir::Type type, unsigned alignment,
                 mlir::Value mask);
  void scatter(mlir::Value pointer, const std::optional<StrideInfo> &info, mlir::Type type, unsigned alignment,
               mlir::Value value, mlir::Value mask);
  bool isConsecutive(const std::optional<StrideInfo> &info, mlir::Type type) const;
  mlir::Value repeatLanes(mlir::Value lanes, unsigned count) { return repeatLanes(lanes, count, lanes_); }
  mlir::Value repeatLanes(mlir::Value lanes, unsigned count, unsigned from);
  mlir::Value dummySlot(mlir::Type type);

  // ---- conditions -------------------------------------------------------------------------------------------------
  /// A vector of conditions, evaluated with the first and the last lane only.
  struct EndLaneResult {
    mlir::Value all;
    mlir::Value any = {};  // null: needs the vector of conditions
    mlir::Value more = {}; // false: no lane of this vector or of a later one of the row holds; null: unknown
    bool isPrefix = false; // the lanes that hold are the first ones
  };
  bool isDecidedByEndLanes(mlir::Value condition) const;
  bool isDecidedByEndLanes(mlir::arith::CmpIOp comparison) const;
  std::optional<EndLaneResult> evaluateAtEndLanes(mlir::Value condition);
  std::optional<EndLaneResult> evaluateComparison(mlir::arith::CmpIOp op);

  // ---- runtime checks ---------------------------------------------------------------------------------------------
  /// The value of an emitted check, and the guards that hold where it is true. `holds` is null if nothing needs a
  /// check.
  struct GuardCheck {
    mlir::Value holds;
    GuardsPassed passed;
  };
  void collectAddressGuards();
  void proveEarly(mlir::Operation *guard);
  GuardCheck checkGuards(const LaneShape &shape);
  mlir::Value checkGuard(mlir::Operation *guard);
  mlir::Value checkNoWrap(mlir::Operation *extension);
  mlir::Value checkOneTile(mlir::Operation *op);
  mlir::Value checkAlias(const AccessGroups::AliasCheck &check);

  // ---- checked assumptions ----------------------------------------------------------------------------------------
  bool isSkipped(Assumption assumption) const { return skipped_.contains(assumption); }
  void expect(mlir::Value holds, Assumption assumption);
  void expectInLanes(mlir::Value holds, mlir::Value guards, mlir::Value mask, Assumption assumption);
  void expectStrides(mlir::Operation *op, mlir::Value mask);
  void expectOrder(mlir::Value lanes, const StrideInfo &info, mlir::Value guards, mlir::Value mask);
  void expectEndLanes(mlir::Value condition, const EndLaneResult &result);
  void expectLoaded(mlir::Value loaded, mlir::Value pointer, mlir::Type type, unsigned alignment, mlir::Value mask,
                    Assumption assumption);
  void countNeedless(mlir::Value differs, mlir::Value guards, mlir::Value mask);

  // ---- scalar fallback --------------------------------------------------------------------------------------------
  static bool isRepeatable(mlir::Operation *op);
  bool enclosesRestOfBody(mlir::scf::IfOp branch) const;
  bool enterGuard(mlir::scf::IfOp branch);
  void beginGuardedCode(mlir::Value condition, mlir::Value doneElse, mlir::Value moreElse);
  /// Two flags: the vector's work is done, and later vectors of the row may have work. Null: both are always true.
  struct Progress {
    mlir::Value done = {}, more = {};
  };
  Progress emitBody();
  Progress emitFallbackBody(mlir::OpBuilder &at, Progress progress);

  // ---- flow -------------------------------------------------------------------------------------------------------
  void widenIf(mlir::scf::IfOp op, mlir::Value mask);
  void widenUniformIf(mlir::scf::IfOp op, mlir::Value mask);
  void widenSelect(mlir::scf::IfOp op, mlir::Value condition, mlir::Value mask, mlir::Value anyTakes = {});
  Vectors branchValues(mlir::Region &region, mlir::Value mask, mlir::ResultRange results);
  void widenWhile(mlir::scf::WhileOp op, mlir::Value mask);
  bool canRunUnmasked(mlir::scf::WhileOp op) const;
  Vectors emitUnmaskedLoop(mlir::scf::WhileOp op, Vectors inits);
  mlir::Type maskIntegerType(mlir::Type type);
  mlir::Value toMaskInteger(mlir::Value vector);
  mlir::Value fromMaskInteger(mlir::Value vector, mlir::Type laneType);
  /// How branches and loops carry a value: as lane 0's, as all lanes, or as both if guards have to be checked. LLVM
  /// removes the lanes that nothing uses.
  enum class Carried : uint8_t { Lane0, Lanes, Both };
  Carried carriedAs(mlir::Value value) const;
  void appendLaneValues(mlir::Value value, Carried as, Vectors &to);
  Vectors takeVectors(mlir::Type type, llvm::ArrayRef<mlir::Value> &from);
  void bindLaneValues(mlir::Value value, Carried as, llvm::ArrayRef<mlir::Value> &from);
  llvm::SmallVector<mlir::Type> carriedTypes(mlir::Type type, Carried as);

  wg::ParallelOp from_;
  const LaneShapes &shapes_, *quadShapes_ = nullptr;
  const AccessGroups &groups_;
  const unsigned lanes_, vectorBits_, maskElementBits_, permuteTableSize_;
  const bool isAos_, checksAssumptions_;
  const SkippedChecks skipped_;
  mlir::Region &to_;
  mlir::DataLayout layout_;
  mlir::OpBuilder b;
  mlir::Location loc;
  llvm::DenseMap<mlir::Value, LaneValues> values_;
  llvm::SmallVector<Note> notes_;
  Vectors lastAddress_;
  mlir::Value dummySlot_;
  bool masksBounds_ = false;                      // a vector that straddles a bound is masked, not left
  bool canFallBack_ = true;                       // no side effect has happened yet
  llvm::SmallVector<mlir::scf::IfOp> openGuards_; // enclose the rest of the body
  llvm::DenseSet<mlir::Operation *> addressGuards_;
  GuardsPassed passed_;        // hold in the rest of the body
  unsigned duplicatedOps_ = 0; // emitted twice: without and with a mask
};

} // namespace kiln
