// Builds operations on vectors that hold a value for each lane.
//
// A scalar is one vector over the lanes. A short vector of N components is N vectors, one for each component (SoA, so
// that extracting a component costs no shuffle), or one vector that has each lane's components side by side (AoS;
// AosVectors.h). A mask is a vector of i1; a null mask means that all lanes are active.
#pragma once
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "passes/analysis/ShortVectors.h"
#include "passes/target/CpuTargetInfo.h"

namespace kiln {

/// The vectors that hold one value: one, or one for each component.
using Vectors = llvm::SmallVector<mlir::Value, 4>;

class VectorBuilder : public mlir::ImplicitLocOpBuilder {
public:
  /// `registerBits`: size of a machine register. `isAos`: short vectors stay contiguous.
  VectorBuilder(mlir::Location loc, const CpuTargetInfo &target, unsigned lanes, unsigned registerBits, bool isAos)
      : ImplicitLocOpBuilder(loc, loc.getContext()), target_(target), lanes_(lanes), registerBits_(registerBits),
        isAos_(isAos) {}

  const CpuTargetInfo &target() const { return target_; }
  unsigned lanes() const { return lanes_; }
  unsigned registerBits() const { return registerBits_; }
  bool isAos() const { return isAos_; }

  /// The vector type that holds a `type` for each lane.
  mlir::VectorType wide(mlir::Type type) const;
  /// The number of vectors that hold a value of `type`, and what each of them holds for each lane.
  unsigned vectorCount(mlir::Type type) const { return isAos_ ? 1 : componentCount(type); }
  mlir::Type laneType(mlir::Type type) const { return isAos_ ? type : mlir::getElementTypeOrSelf(type); }

  /// Builds an operation of the same kind, with the same attributes.
  mlir::Operation *createLike(mlir::Operation *op, mlir::TypeRange types, mlir::ValueRange operands);

  // Vectors from scalars.
  mlir::Value splat(mlir::Value scalar);
  /// The vectors of a scalar or a short vector that is the same in all lanes.
  Vectors splatVectors(mlir::Value uniform);
  /// Lane n of the result is lane0 + n * stride.
  mlir::Value stepVector(mlir::Value lane0, int64_t stride);
  /// As stepVector, for pointers; the stride is in bytes.
  mlir::Value stepAddresses(mlir::Value lane0, int64_t stride);
  mlir::Value constant(mlir::Type type, llvm::ArrayRef<mlir::Attribute> elements);
  mlir::Value poison(mlir::Type type);

  // Elements of vectors.
  mlir::Value extractLane(mlir::Value vector, unsigned lane);
  mlir::Value insertLane(mlir::Value scalar, mlir::Value vector, unsigned lane);
  mlir::Value shuffle(mlir::Value a, mlir::Value other, llvm::ArrayRef<int64_t> order);
  /// `count` elements from index `from` on. Elements past the end are poison.
  mlir::Value slice(mlir::Value row, unsigned from, unsigned count);
  /// Joins vectors of one type, whose number is a power of two.
  mlir::Value concat(llvm::ArrayRef<mlir::Value> rows);
  /// Repeats each lane `count` times: a mask of lanes becomes a mask of components. Null for a null mask.
  mlir::Value repeatLanes(mlir::Value lanes, unsigned count) { return repeatLanes(lanes, count, lanes_); }
  /// As above, for a vector of `from` lanes.
  mlir::Value repeatLanes(mlir::Value lanes, unsigned count, unsigned from);

  // Masks.
  /// An integer with a bit for each lane.
  mlir::Value maskBits(mlir::Value mask);
  mlir::Value any(mlir::Value mask);
  mlir::Value all(mlir::Value mask);
  mlir::Value andMask(mlir::Value mask, mlir::Value condition);
  mlir::Value notMask(mlir::Value mask);

private:
  const CpuTargetInfo &target_;
  const unsigned lanes_, registerBits_;
  const bool isAos_;
};

} // namespace kiln
