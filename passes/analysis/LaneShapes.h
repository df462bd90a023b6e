// How a value differs between the lanes of a vector: adjacent work-items of a row (`wg.parallel along`).
//
// Uniform: the same in every active lane. Strided: lane n holds lane 0's value plus n times a constant, modulo the
// type's size, so one scalar describes all lanes. An address is consecutive only if its stride is the element's size.
// Varying: each lane may hold any value.
//
// A shape may rest on guards: operations whose result is strided only if a runtime check of the vector passes. Then
// lane 0's value is exact, and nothing else is known. The type enforces this: the stride of such a shape is available
// against a `GuardsPassed` only, which exists where code has emitted the check or has found it emitted before.
//
// Guards that the vector body checks before anything else uses their results (`Optimism::checkedEarly`) are not guards
// of shapes: all code runs where they have passed. So control flow may rest on them.
//
// The analysis works on structured code. A value that a loop carries is uniform inside the loop if its first and its
// next value are, whichever lanes have left; after the loop it is uniform only if all lanes leave together. A load from
// a uniform address is uniform: work-items that disagreed about it would be in a data race.
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Region.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace kiln {
namespace ocl {
class CheckAccessOp;
}

/// The difference between the values of adjacent lanes.
struct StrideInfo {
  int64_t stride = 0;
  /// No step from a lane to the next wraps around, as a signed or as an unsigned number. Both are true for uniform
  /// values.
  bool noSignedWrap = true, noUnsignedWrap = true;
  bool operator==(const StrideInfo &) const = default;
};

/// Proof that generated code runs only where these guards' checks have passed. Only the code that emits the checks
/// (`RuntimeChecks` in `passes/simd`) adds to one.
class GuardsPassed {
public:
  bool contains(mlir::Operation *guard) const { return guards_.contains(guard); }
  bool cover(llvm::ArrayRef<mlir::Operation *> guards) const {
    return llvm::all_of(guards, [&](mlir::Operation *guard) { return contains(guard); });
  }

private:
  friend class RuntimeChecks;
  llvm::SmallPtrSet<mlir::Operation *, 4> guards_;
};

class LaneShape {
public:
  /// The same in all active lanes, unconditionally.
  bool isUniform() const { return kind_ != Varying && info_.stride == 0 && guards_.empty(); }
  /// Lane 0's value is computed as a scalar; the other lanes' values follow from it if the guards hold.
  bool isStrided() const { return kind_ != Varying; }
  /// Strided, with nothing to check.
  bool isStridedAlways() const { return kind_ == Strided && guards_.empty(); }
  /// Returns nothing if the lanes vary, or if guards have to be checked first.
  std::optional<StrideInfo> strideInfo() const { return isStridedAlways() ? std::optional(info_) : std::nullopt; }
  /// The same in code that runs only where the guards' checks have passed.
  std::optional<StrideInfo> strideInfo(const GuardsPassed &passed) const {
    return kind_ == Strided && passed.cover(guards_) ? std::optional(info_) : std::nullopt;
  }
  /// The result of `strideInfo` after the guards have been checked. Used to decide whether checks pay; code that relies
  /// on it must emit them.
  std::optional<StrideInfo> strideInfoIfGuardsHold() const {
    return kind_ == Strided ? std::optional(info_) : std::nullopt;
  }
  /// Operations that need a runtime check: extensions whose operand may wrap around between two lanes, divisions,
  /// remainders, shifts and masks (`isDivRemOrMask`), clamps (`OneSide`), and checks of accesses. At most four.
  llvm::ArrayRef<mlir::Operation *> guards() const { return guards_; }
  /// The maximum of all lanes as unsigned numbers, whether the guards hold or not.
  uint64_t max() const { return max_; }
  bool operator==(const LaneShape &) const = default;

private:
  friend class LaneShapes;
  enum Kind : uint8_t { Unreached, Strided, Varying };

  static LaneShape varying() {
    LaneShape shape;
    shape.kind_ = Varying;
    return shape;
  }
  static LaneShape uniform(uint64_t max = ~uint64_t(0)) {
    LaneShape shape;
    shape.kind_ = Strided, shape.max_ = max;
    return shape;
  }
  /// Adds the guards of `other`. Returns false if there are then more than MaxGuards.
  bool addGuards(const LaneShape &other);

  Kind kind_ = Unreached;
  StrideInfo info_;
  uint64_t max_ = ~uint64_t(0);
  llvm::SmallVector<mlir::Operation *, 2> guards_;
};

/// A choice between a value that steps from lane to lane and one that does not, by a comparison: `max(x - 1, 0)`,
/// `x > last ? last : x`. If the comparison holds in all lanes, the result is the first of the two.
struct OneSide {
  mlir::Value compared, bound; // compared steps from lane to lane, bound does not
  mlir::arith::CmpIPredicate predicate;
  mlir::Value taken; // the result where the comparison holds
};

/// Results that are assumed to be strided, each guarded by its operation.
struct Optimism {
  bool oneTile = false;                                // of `i / n`, `i % n` and `i & n`
  bool oneSide = false;                                // of clamps (OneSide)
  llvm::DenseSet<mlir::Operation *> checkedEarly = {}; // guards that are checked right after the operation, at a
                                                       // place where all lanes are active
};

class LaneShapes {
public:
  /// Analyses a region of a wg.parallel for vectors of `lanes` work-items. `assumeIdsFit31Bits`: global ids and numbers
  /// of work-items fit 31 bits; the region has to be marked `ids_fit_i32`.
  LaneShapes(mlir::Region &region, unsigned lanes, const mlir::DataLayout &layout, bool assumeIdsFit31Bits,
             Optimism optimism = {});

  LaneShape of(mlir::Value value) const;
  bool isUniform(mlir::Value value) const { return of(value).isUniform(); }
  /// Returns true if `op` compares a strided value for equality with a constant above all its lanes.
  bool isKnownUnequal(mlir::Operation *op) const;
  /// Returns true if `op` is an extension that is strided only because its operand has a no-wrap flag. The flag holds
  /// for active lanes only.
  bool reliesOnNoWrapFlag(mlir::Operation *op) const;
  /// Returns the choice that `op` makes: a select, a minimum or a maximum of integers. Nothing for other operations.
  std::optional<OneSide> oneSide(mlir::Operation *op) const;
  /// Returns true if the vector body has to check `op` right after it, and code after it relies on that.
  bool isCheckedEarly(mlir::Operation *op) const;
  /// The operations for which isCheckedEarly returns true.
  llvm::SmallVector<mlir::Operation *> checkedEarly() const;
  /// If a one-sided choice is in its lanes' range, each lane holds at most this number.
  static uint64_t maxOfOneSide(unsigned bits);
  /// Returns true if the check of `op`, a OneSide, has to compare the range of its lanes, too.
  bool needsRangeCheck(mlir::Operation *op) const;
  /// A score for comparing sets of assumptions: one point per property of each value: strided without guards, a
  /// comparison that the end lanes decide, or 64 bits wide, below 2^31 and converted to floating point.
  unsigned precision() const;
  /// Returns the constructor's `assumeIdsFit31Bits`: the analysis may assume that ids fit 31 bits. A shape need not use
  /// it.
  bool mayAssumeIdsFit31Bits() const { return assumeIdsFit31Bits_; }

private:
  void visit(mlir::Block &block);
  void visit(mlir::Operation *op);
  LaneShape transfer(mlir::Operation *op);
  LaneShape ofQuery(mlir::Operation *op);
  LaneShape ofArithmetic(mlir::Operation *op);
  LaneShape ofDivRemOrMask(mlir::Operation *op);
  LaneShape ofOneSide(mlir::Operation *op, const OneSide &choice);
  LaneShape ofExtension(mlir::Operation *op);
  LaneShape ofAddress(mlir::Operation *op);
  LaneShape ofCheck(ocl::CheckAccessOp check);
  bool comparesSteps(mlir::Operation *op, llvm::ArrayRef<LaneShape> in) const;
  std::optional<uint64_t> counterMax(mlir::scf::WhileOp loop, unsigned number) const;
  bool addGuard(LaneShape &shape, mlir::Operation *op);
  void setNoWrapIfFits(LaneShape &shape, unsigned bits) const;
  void join(mlir::Value value, const LaneShape &shape);
  void leave(mlir::Operation *owner, mlir::Value value, LaneShape shape);

  mlir::Region &region_;
  const unsigned lanes_;
  const mlir::DataLayout &layout_;
  const unsigned rowDimension_;
  const bool assumeIdsFit31Bits_;
  const Optimism optimism_;
  bool changed_ = false;
  llvm::DenseSet<mlir::Operation *> usedEarly_; // guards in `checkedEarly` on which a shape rests
  llvm::DenseMap<mlir::Value, LaneShape> shapes_;
};

/// Returns true for a division, a remainder, a shift to the right and a bitwise and.
bool isDivRemOrMask(mlir::Operation *op);

/// Attribute of a private variable that is laid out for a vector: the bytes from one lane's copy to the next one's.
inline constexpr llvm::StringLiteral LaneStrideAttr = "wg.lane_stride";

} // namespace kiln
