// Which work-item of a sub-group has which component of a matrix.
#pragma once
#include "dialects/ocl/Ocl.h"

namespace kiln {

struct Component {
  int64_t row, column;
};

class MatrixFragment {
public:
  /// Components follow each other by rows; component p is in slot p / lanes of work-item p % lanes. So a row of as many
  /// components as work-items is a value of each of them.
  MatrixFragment(ocl::MatrixType type, int64_t lanes);
  /// `places`: the component in slot i / lanes of work-item i % lanes. Each component has one place.
  MatrixFragment(ocl::MatrixType type, int64_t lanes, std::vector<Component> places);

  /// Returns true if each work-item has as many components.
  bool isWhole() const { return int64_t(places_.size()) % lanes_ == 0; }
  /// Of each work-item.
  int64_t slots() const { return int64_t(places_.size()) / lanes_; }

  Component at(int64_t slot, int64_t lane) const { return places_[size_t(slot * lanes_ + lane)]; }
  int64_t slotOf(Component component) const { return placeOf(component) / lanes_; }
  int64_t laneOf(Component component) const { return placeOf(component) % lanes_; }

private:
  int64_t placeOf(Component c) const { return indices_[size_t(c.row * columns_ + c.column)]; }

  int64_t columns_, lanes_;
  std::vector<Component> places_;
  std::vector<int64_t> indices_; // in `places_`, by row and column
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
