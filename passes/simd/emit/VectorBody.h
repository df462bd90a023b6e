// The vector body of a region while it is emitted: what the files of this folder that widen operations share.
//
// A value of the scalar body has one or two counterparts. `lane0`: lane 0's value as a scalar, for uniform and strided
// values. `vectors`: vectors over the lanes (VectorBuilder.h). The second is made from the first at its first use.
//
// Code under a mask runs only if some lane is active.
#pragma once
#include "dialects/wg/Wg.h"
#include "passes/simd/decide/AccessGroups.h"
#include "passes/simd/decide/ScatteredUpdates.h"
#include "passes/simd/emit/LaneAddresses.h"
#include "passes/simd/emit/RuntimeChecks.h"
#include "passes/simd/emit/ScalarFallback.h"
#include "passes/simd/emit/SkippedChecks.h"
#include "passes/simd/emit/VectorBuilder.h"

namespace kiln {

class VectorBody {
public:
  struct Options {
    const CpuTargetInfo &target;
    unsigned lanes;         // work-items per vector
    unsigned registerBits;  // size of a machine register
    bool isAos;             // short vectors stay contiguous (AosVectors.h)
    bool checksAssumptions; // emit the comparisons of CheckAssumptions.h
    SkippedChecks skipped;
  };
  struct Analyses {
    const LaneShapes &shapes;
    const AccessGroups &groups;
    const ScatteredUpdates &updates;
    /// Shapes of vectors of four lanes, which may lie in one tile where the whole vector does not. Null: there are no
    /// accesses by quads.
    const LaneShapes *quadShapes = nullptr;
    /// Shapes that hold in all vectors of a row, because no check of one vector confirms them. Null: those are
    /// `shapes`.
    const LaneShapes *rowShapes = nullptr;
  };
  /// A remark: an operation or access that is not one vector operation, and how it is done.
  struct Note {
    mlir::Location location;
    std::string text;
  };

  /// Code is emitted to `to`, from the scalar body of `from`.
  VectorBody(wg::ParallelOp from, mlir::Region &to, const Analyses &analyses, const Options &options);
  VectorBody(const VectorBody &) = delete;
  VectorBody &operator=(const VectorBody &) = delete;

  VectorBuilder &builder() { return builder_; }
  wg::ParallelOp from() { return from_; }
  mlir::Region &to() { return to_; }
  const Options &options() const { return options_; }
  const CpuTargetInfo &target() const { return options_.target; }
  bool isSkipped(Assumption assumption) const { return options_.skipped.contains(assumption); }
  const LaneShapes &shapes() const { return analyses_.shapes; }
  const LaneShapes *quadShapes() const { return analyses_.quadShapes; }
  const AccessGroups &groups() const { return analyses_.groups; }
  const ScatteredUpdates &updates() const { return analyses_.updates; }
  /// The scattered update that an operation is a part of; null if it is none, or if quads are faster.
  const ScatteredUpdate *updateOf(mlir::Operation *op) const;
  const mlir::DataLayout &dataLayout() const { return layout_; }

  // Values of the scalar body.
  LaneShape shape(mlir::Value value) const { return shapes().of(value); }
  /// What holds in later vectors of the row as well.
  LaneShape rowShape(mlir::Value value) const {
    return (analyses_.rowShapes ? *analyses_.rowShapes : analyses_.shapes).of(value);
  }
  bool hasLane0(mlir::Value value) const { return shape(value).isStrided(); }
  /// Returns true if the vectors of a value exist: `vectors` emits nothing.
  bool hasVectors(mlir::Value value) const;
  /// The stride, if it has no guards, or only guards that hold in the rest of the body.
  std::optional<StrideInfo> knownStrideInfo(const LaneShape &shape) const { return shape.strideInfo(checks_.passed()); }
  mlir::Value lane0(mlir::Value value) const;
  Vectors vectors(mlir::Value value);
  void setLane0(mlir::Value value, mlir::Value lane0) { values_[value].lane0 = lane0; }
  void setVectors(mlir::Value value, Vectors vectors) { values_[value].vectors = std::move(vectors); }
  /// Replaces both counterparts. Null or empty: the value has only the other one.
  void setCounterparts(mlir::Value value, mlir::Value lane0, Vectors vectors) {
    values_[value] = {lane0, std::move(vectors)};
  }
  /// Restores all counterparts when it is destroyed, because code outside a branch or a loop cannot use vectors made
  /// inside.
  class CounterpartsScope;

  // State of one topic.
  RuntimeChecks &checks() { return checks_; }
  FallbackState &fallback() { return fallback_; }
  DummySlot &dummySlot() { return dummySlot_; }
  /// Returns true if this number of operations may be emitted twice, without and with a mask (MaxDuplicatedOps).
  bool mayDuplicate(unsigned ops) const;
  void countDuplicated(unsigned ops) { duplicatedOps_ += ops; }

  /// Adds a remark about the operation that is being widened.
  void note(const llvm::Twine &text) { notes_.push_back({builder_.getLoc(), text.str()}); }
  llvm::ArrayRef<Note> notes() const { return notes_; }

private:
  struct Counterparts {
    mlir::Value lane0;
    Vectors vectors;
  };

  wg::ParallelOp from_;
  mlir::Region &to_;
  const Analyses analyses_;
  const Options options_;
  const mlir::DataLayout layout_;
  VectorBuilder builder_;
  llvm::DenseMap<mlir::Value, Counterparts> values_;
  RuntimeChecks checks_{*this};
  FallbackState fallback_;
  DummySlot dummySlot_;
  unsigned duplicatedOps_ = 0;
  llvm::SmallVector<Note> notes_;
};

class VectorBody::CounterpartsScope {
public:
  explicit CounterpartsScope(VectorBody &body) : body_(body), outside_(body.values_) {}
  ~CounterpartsScope() { body_.values_ = std::move(outside_); }
  CounterpartsScope(const CounterpartsScope &) = delete;
  CounterpartsScope &operator=(const CounterpartsScope &) = delete;

private:
  VectorBody &body_;
  llvm::DenseMap<mlir::Value, Counterparts> outside_;
};

} // namespace kiln
