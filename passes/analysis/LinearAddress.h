// An address as a sum of a base pointer, values times constants, and a constant, so that two addresses can be compared.
#pragma once
#include "mlir/IR/Value.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/SmallVector.h"

namespace kiln {

struct LinearAddress {
  /// A 64-bit integer, or a narrower one that is extended.
  struct Term {
    mlir::Value number;
    bool isSigned;
    int64_t bytes;
    bool operator==(const Term &) const = default;
  };
  mlir::Value base;
  llvm::SmallVector<Term, 4> terms; // sorted by value, each value once
  int64_t constant = 0;

  LinearAddress() = default;
  LinearAddress(mlir::Value pointer, const mlir::DataLayout &layout);
  /// Returns true if the two addresses differ by a constant.
  bool hasConstantDistanceTo(const LinearAddress &other) const { return base == other.base && terms == other.terms; }

private:
  void add(mlir::Value number, int64_t bytes, unsigned depth);
  void addTerm(mlir::Value number, bool isSigned, int64_t bytes);
};

} // namespace kiln
