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
// The analysis works on structured code. A value that a loop carries is uniform inside the loop if its first and its
// next value are, whichever lanes have left; after the loop it is uniform only if all lanes leave together. A load from
// a uniform address is uniform: work-items that disagreed about it would be in a data race.
#pragma once
#include "mlir/IR/Region.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/DenseMap.h"
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
  /// remainders, shifts and masks (`isDivRemOrMask`), and checks of accesses. At most four.
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

class LaneShapes {
public:
  /// Analyses a region of a wg.parallel for vectors of `lanes` work-items. `assumeIdsFit31Bits`: global ids and numbers
  /// of work-items fit 31 bits; the region has to be marked `ids_fit_i32`. `assumeOneTile`: the results of `i / n`, `i
  /// % n` and `i & n` are strided, guarded by the operation.
  LaneShapes(mlir::Region &region, unsigned lanes, const mlir::DataLayout &layout, bool assumeIdsFit31Bits,
             bool assumeOneTile = false);

  LaneShape of(mlir::Value value) const;
  bool isUniform(mlir::Value value) const { return of(value).isUniform(); }
  /// Returns true if `op` compares a strided value for equality with a constant above all its lanes.
  bool isKnownUnequal(mlir::Operation *op) const;
  /// Returns true if `op` is an extension that is strided only because its operand has a no-wrap flag. The flag holds
  /// for active lanes only.
  bool reliesOnNoWrapFlag(mlir::Operation *op) const;
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
  LaneShape ofExtension(mlir::Operation *op);
  LaneShape ofAddress(mlir::Operation *op);
  LaneShape ofCheck(ocl::CheckAccessOp check);
  void setNoWrapIfFits(LaneShape &shape, unsigned bits) const;
  void join(mlir::Value value, const LaneShape &shape);
  void leave(mlir::Operation *owner, mlir::Value value, LaneShape shape);

  mlir::Region &region_;
  const unsigned lanes_;
  const mlir::DataLayout &layout_;
  const unsigned rowDimension_;
  const bool assumeIdsFit31Bits_, assumeOneTile_;
  bool changed_ = false;
  llvm::DenseMap<mlir::Value, LaneShape> shapes_;
};

/// Returns true for a division, a remainder, a shift to the right and a bitwise and.
bool isDivRemOrMask(mlir::Operation *op);

/// Attribute of a private variable that is laid out for a vector: the bytes from one lane's copy to the next one's.
inline constexpr llvm::StringLiteral LaneStrideAttr = "wg.lane_stride";

} // namespace kiln
