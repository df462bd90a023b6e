// Runtime checks of a vector body's assumptions. An assumption about a value is a guard of its lane shape. The stride
// of such a shape is available against a GuardsPassed only, which this file creates where it emits the check.
//
//   %sum = addi %i0, 7 : i32        %sum = addi %i0, 7 : i32                      // lane 0's
//   %wide = extsi %sum       ==>    %wide = extsi %sum
//   load %p[%wide]                  %holds = cmpi sle, %sum, 2147483647 - 7       // no lane's i32 wraps around
//                                   scf.if %holds { load %p[%wide] : vector<8xf32> } else { one load per lane }
//
// A guard of an address is checked right after the value that it is about, if no side effect has happened by then. The
// rest of the body runs under the check, and a vector that fails it runs in the fallback or the scalar body. Guards
// that the shapes name as checked early (decide/EarlyChecks) are always checked there. Other guards are checked at each
// access. There the check is about the lanes that were active where the value was computed.
#pragma once
#include "passes/simd/decide/AccessGroups.h"

namespace kiln {
class VectorBody;

/// The value of an emitted check, and the guards that hold where it is true. `holds` is null if nothing needs a check.
struct GuardCheck {
  mlir::Value holds;
  GuardsPassed passed;
};

class RuntimeChecks {
public:
  explicit RuntimeChecks(VectorBody &body) : body_(body) {}

  /// Finds the guards that checkEarly checks. Without a call there are none.
  void collectAddressGuards();
  /// Checks an operation that is a guard of an address, or that the shapes name as checked early; the rest of the body
  /// then runs under the check. No side effect has happened yet.
  void checkEarly(mlir::Operation *guard);
  /// The guards that hold in the rest of the body.
  const GuardsPassed &passed() const { return passed_; }

  /// Records the mask under which an extension or a check of an access that is a guard is emitted. Null: all lanes are
  /// active.
  void setMask(mlir::Operation *guard, mlir::Value mask) { masks_[guard] = mask; }
  mlir::Value maskOf(mlir::Operation *guard) const { return masks_.lookup(guard); }
  /// Records whether the check of an access whose lanes were compared as vectors has failed for an active lane.
  void setFailure(mlir::Operation *check, mlir::Value anyLane) { failures_[check] = anyLane; }
  /// Null if the lanes were not compared.
  mlir::Value failureOf(mlir::Operation *check) const { return failures_.lookup(check); }

  /// Checks the guards of a shape that do not hold in the rest of the body.
  GuardCheck checkGuards(const LaneShape &shape);

private:
  mlir::Value check(mlir::Operation *guard);

  VectorBody &body_;
  llvm::DenseSet<mlir::Operation *> addressGuards_;
  GuardsPassed passed_;
  llvm::DenseMap<mlir::Operation *, mlir::Value> masks_; // of extensions and checks of accesses
  llvm::DenseMap<mlir::Operation *, mlir::Value> failures_;
};

/// Emits the check on which a load of an access group moves above a store.
mlir::Value checkAlias(VectorBody &body, const AccessGroups::AliasCheck &check);

} // namespace kiln
