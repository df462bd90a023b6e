// An address as a sum, so that two of them can be compared: a pointer, numbers times constants, and a constant.
#pragma once
#include "mlir/IR/Value.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/SmallVector.h"

namespace kiln {

struct LinearAddress {
  /// A number of 64 bits, or a narrower one that is extended.
  struct Term {
    mlir::Value number;
    bool isSigned;
    int64_t bytes;
    bool operator==(const Term &) const = default;
  };
  mlir::Value base;
  llvm::SmallVector<Term, 4> terms; // each number once, in one order for all addresses
  int64_t constant = 0;

  LinearAddress() = default;
  LinearAddress(mlir::Value pointer, const mlir::DataLayout &layout);
  /// Is the distance of the two known.
  bool isBeside(const LinearAddress &other) const { return base == other.base && terms == other.terms; }

private:
  void add(mlir::Value number, int64_t bytes, unsigned depth);
  void addTerm(mlir::Value number, bool isSigned, int64_t bytes);
};

} // namespace kiln
