// Access groups: adjacent accesses of one work-item whose addresses are not consecutive across work-items (a row or a
// struct each). Each lane loads or stores its group as one vector, and shuffles transpose lanes to components. Groups
// that are side by side are loaded or stored as vectors of several lanes' elements.
//
// Accesses that are checked (`ocl.check_access`) are grouped by their addresses before the checks, if all are checked
// against one object. One check of the group's bytes takes the place of theirs, while it passes.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/analysis/LaneShapes.h"
#include "passes/analysis/LinearAddress.h"
#include "passes/target/CpuTargetInfo.h"

namespace kiln {

struct AccessGroup {
  LinearAddress address;                         // of the first
  llvm::SmallVector<mlir::Operation *> accesses; // all loads or all stores, by address; a power of two
  mlir::Operation *insertionPoint = nullptr;     // the first load or the last store
  ocl::CheckAccessOp check = {};                 // of the access at the insertion point; null: none is checked
  /// The groups of adjacent lanes are side by side, if the guards of `pointer` hold.
  bool isContiguous = false;
  mlir::Value pointer; // the first
};

class AccessGroups {
public:
  /// A runtime alias check. Loads are moved above earlier stores only if bytes [readFrom, readTo) from `read` and
  /// [writtenFrom, writtenTo) from `written` do not overlap. `orSame`: equal pointers pass as well. Both pointers are
  /// uniform, and both sides use the same lane offset.
  struct AliasCheck {
    mlir::Value read, written;
    int64_t readFrom, readTo, writtenFrom, writtenTo;
    bool orSame;
  };

  /// `allowAliasChecks`: loads may move above stores through another uniform pointer; `aliasChecks` returns the checks
  /// that the body then needs. `skipOrderCheck` plants a fault: loads move above stores to the same bytes.
  AccessGroups(mlir::Region &region, const LaneShapes &shapes, const CpuTargetInfo &target,
               const mlir::DataLayout &layout, bool allowAliasChecks, bool skipOrderCheck = false);
  /// The group that contains an access, or null.
  const AccessGroup *of(mlir::Operation *access) const { return groupOf_.lookup(access); }
  llvm::ArrayRef<AliasCheck> aliasChecks() const { return aliasChecks_; }
  /// Returns true if the check of a group takes the place of this one.
  bool covers(ocl::CheckAccessOp check) const { return covered_.contains(check); }

private:
  class ReorderWindow;

  void scan(mlir::Block &block, const LaneShapes &shapes, const mlir::DataLayout &layout);

  mlir::Region &region_;
  const CpuTargetInfo &target_;
  const bool allowAliasChecks_, skipOrderCheck_;
  llvm::SmallVector<std::unique_ptr<AccessGroup>> groups_;
  llvm::DenseMap<mlir::Operation *, const AccessGroup *> groupOf_;
  llvm::SmallVector<AliasCheck> aliasChecks_;
  llvm::DenseSet<mlir::Operation *> covered_;
};

/// Returns true if the pointer is based on a private variable.
bool isPrivateAlloca(mlir::Value pointer);

/// Returns true if LLVM knows the object's size. Reading past its end is then undefined behaviour, even on a mapped
/// page.
bool hasKnownObjectSize(mlir::Value pointer);

/// The largest group of elements of a type: CpuTargetInfo::groupBytes.
unsigned maxGroupSize(mlir::Type element, const CpuTargetInfo &target, const mlir::DataLayout &layout);

} // namespace kiln
