// Which work-item of a sub-group has which component of a matrix.
#pragma once
#include "dialects/ocl/Ocl.h"

namespace kiln {

struct Component {
  int64_t row, column;
};

/// Components follow each other by rows; component p is in slot p / lanes of work-item p % lanes. So a row of as many
/// components as work-items is a value of each of them.
class MatrixFragment {
public:
  MatrixFragment(ocl::MatrixType type, int64_t lanes)
      : columns_(type.getColumns()), all_(type.getComponents()), lanes_(lanes) {}

  /// Returns true if each work-item has as many components.
  bool isWhole() const { return all_ % lanes_ == 0; }
  /// Of each work-item.
  int64_t slots() const { return all_ / lanes_; }
  int64_t lanes() const { return lanes_; }

  Component at(int64_t slot, int64_t lane) const {
    const int64_t place = slot * lanes_ + lane;
    return {place / columns_, place % columns_};
  }
  int64_t slotOf(Component component) const { return placeOf(component) / lanes_; }
  int64_t laneOf(Component component) const { return placeOf(component) % lanes_; }

private:
  int64_t placeOf(Component component) const { return component.row * columns_ + component.column; }

  int64_t columns_, all_, lanes_;
};

/// Builds values that differ between the work-items of a sub-group.
class LaneTable {
public:
  LaneTable(mlir::OpBuilder &builder, mlir::Location loc) : b_(builder), loc_(loc) {}

  /// Returns values[sub-group local id], as i32.
  mlir::Value lookUp(llvm::ArrayRef<int64_t> values);

private:
  mlir::Value constant(int64_t number);
  mlir::Value laneId();

  mlir::OpBuilder &b_;
  mlir::Location loc_;
};

} // namespace kiln
