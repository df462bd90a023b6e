// How a value differs between the lanes of a vector: work-items that are neighbours in dimension 0.
//
// Uniform: the same in every active lane. Strided: lane n holds what lane 0 holds and n times a constant, modulo the
// type's size, so that one number stands for all of them and an address means consecutive memory. Varying: anything.
//
// Works on structured code. A value that a loop carries is uniform inside the loop when its first and its next value
// are, whoever has left already; behind the loop it is only if all leave together. A load from a uniform address is
// uniform: work-items that disagreed about it would be in a data race.
#pragma once
#include "mlir/IR/Region.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace kiln {

struct LaneShape {
  enum Kind : uint8_t { Unreached, Strided, Varying };
  Kind kind = Unreached;
  /// No step from lane to lane wraps around, as a signed and as an unsigned number. Of uniform values both hold.
  bool exactSigned = true, exactUnsigned = true;
  int64_t stride = 0;
  /// No lane holds more, read as an unsigned number.
  uint64_t max = ~uint64_t(0);
  /// Operations whose results are only strided where all lanes lie on one side of an edge: extensions, where their
  /// operand wraps around, and what cuts numbers into pieces (`isPartition`). At most four.
  llvm::SmallVector<mlir::Operation *, 2> guards;

  static LaneShape of(Kind kind) {
    LaneShape shape;
    shape.kind = kind;
    return shape;
  }
  static LaneShape varying() { return of(Varying); }
  bool isUniform() const { return kind != Varying && stride == 0 && guards.empty(); }
  bool isStrided() const { return kind != Varying; }
  bool operator==(const LaneShape &) const = default;
};

class LaneShapes {
public:
  /// Of a region with `lanes` work-items to a vector. `idsFit`: no global id, and no number of work-items, needs more
  /// than 31 bits. `takesPieces`: what i / n, i % n and i & n make of a vector's numbers is taken to lie in one piece,
  /// guarded by the operation.
  LaneShapes(mlir::Region &region, unsigned lanes, const mlir::DataLayout &layout, bool idsFit,
             bool takesPieces = false);

  LaneShape of(mlir::Value value) const;
  bool isUniform(mlir::Value value) const { return of(value).isUniform(); }
  /// A comparison of numbers that differ from lane to lane with a constant that none of them can be.
  bool neverEqual(mlir::Operation *op) const;
  /// An extension that is strided only because who made its operand promised not to wrap around. Lanes that are not
  /// active promised nothing.
  bool restsOnPromise(mlir::Operation *op) const;
  /// How much is known that saves work: a better assumption has more of it.
  unsigned known() const;

private:
  void visit(mlir::Block &block);
  void visit(mlir::Operation *op);
  LaneShape transfer(mlir::Operation *op);
  LaneShape ofQuery(mlir::Operation *op);
  LaneShape ofArithmetic(mlir::Operation *op);
  LaneShape ofPartition(mlir::Operation *op);
  LaneShape ofExtension(mlir::Operation *op);
  LaneShape ofAddress(mlir::Operation *op);
  bool fits(LaneShape &shape, unsigned bits) const;
  void join(mlir::Value value, LaneShape shape);

  mlir::Region &region_;
  const unsigned lanes_;
  const mlir::DataLayout &layout_;
  const bool idsFit_, takesPieces_;
  bool changed_ = false;
  llvm::DenseMap<mlir::Value, LaneShape> shapes_;
};

/// A division, a remainder, a shift to the right, a bitwise and.
bool isPartition(mlir::Operation *op);

/// On a private variable of a region that is to become vectors: the bytes from a lane's to the next lane's.
inline constexpr llvm::StringLiteral LaneStrideAttr = "wg.lane_stride";

} // namespace kiln
