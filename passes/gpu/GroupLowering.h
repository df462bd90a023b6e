// Lowers collectives of a GPU's work-items: reductions, scans, votes, ballots and shuffles.
//
// The work-items of a sub-group are the lanes of a warp or wave, in the order of their linear local ids. The target has
// two primitives, a shuffle of 32 bits and a ballot (GpuTargetInfo). All other operations are built from them here.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Builders.h"
#include "passes/gpu/GpuTargetInfo.h"

namespace kiln::gpu {

/// The lanes that execute a collective together.
enum class Lanes {
  Active,   // any: some are in another branch, or have returned
  Existing, // all that exist: the last sub-group of a work-group has lanes 0..n-1 only
  Full      // all lanes of a whole warp or wave
};

/// The builder of the collectives at one place of a kernel, whose lanes are in `lanes`.
class SubGroupBuilder {
public:
  SubGroupBuilder(mlir::OpBuilder &builder, mlir::Location loc, const GpuTargetInfo &info, unsigned size,
                  bool hasReduceInstruction, Lanes lanes);

  /// Returns the value of another lane; unspecified if that lane does not take part. `isUniform`: all lanes have the
  /// same `lane`.
  mlir::Value shuffle(mlir::Value value, mlir::Value lane, bool isUniform = false);

  /// Returns an integer with a bit for each lane: true if the lane takes part and its predicate is true.
  mlir::Value ballot(mlir::Value predicate);

  /// Combines the values of all lanes that take part, or of those in this lane's cluster.
  mlir::Value reduce(ocl::CombiningKind kind, mlir::Value value, unsigned cluster);

  struct Scan {
    mlir::Value inclusive, exclusive;
  };
  /// Combines the values of the lanes up to this one, and before it.
  Scan scan(ocl::CombiningKind kind, mlir::Value value);

  /// Combines i1: `all` is `and`, `any` is `or`.
  mlir::Value vote(ocl::GroupOperation operation, ocl::CombiningKind kind, mlir::Value predicate, unsigned cluster);

  /// Returns the first or the last lane that takes part.
  mlir::Value firstLane();
  mlir::Value lastLane();

  mlir::Value laneId();
  /// Returns the number of lanes; valid unless `lanes` is Active.
  mlir::Value laneCount();

private:
  // The active lanes before this one, as a chain: each lane's next one, -1 at its end.
  mlir::Value previousLane(mlir::Value mask);
  mlir::Value followChain(ocl::CombiningKind kind, mlir::Value value, mlir::Value previous, unsigned length);

  mlir::Value members();
  mlir::Value activeLanes();
  mlir::Value shuffleScalar(mlir::Value value, mlir::Value lane, bool isUniform);
  mlir::Value reduceByInstruction(ocl::CombiningKind kind, mlir::Value value);
  mlir::Value clusterMask(unsigned cluster);
  mlir::Value maskBelow();
  mlir::Value lastOf(mlir::Value mask);

  mlir::Value constant(int64_t value, mlir::Type type);
  mlir::Value number(int64_t value) { return constant(value, i32_); }
  mlir::Value bits(int64_t value) { return constant(value, mask_); }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);
  mlir::Value resize(mlir::Value value, mlir::Type type, bool isSigned = false);

  mlir::OpBuilder &b_;
  mlir::Location loc_;
  const GpuTargetInfo &info_;
  const unsigned size_;
  const bool hasReduceInstruction_;
  const Lanes lanes_;
  mlir::Type i32_, mask_; // mask_: an integer with a bit for each lane
  mlir::Value lane_, members_;
};

/// Lowers the collectives of a work-group, through local memory. All its work-items execute them.
class WorkGroupBuilder {
public:
  /// `scratch`: local memory for one value per sub-group.
  WorkGroupBuilder(mlir::OpBuilder &builder, mlir::Location loc, SubGroupBuilder &subGroup, mlir::Value scratch)
      : b_(builder), loc_(loc), subGroup_(subGroup), scratch_(scratch) {}

  mlir::Value combine(ocl::GroupOperation operation, ocl::CombiningKind kind, mlir::Value value);
  /// Returns the value of the work-item with that linear local id.
  mlir::Value broadcast(mlir::Value value, mlir::Value item);

private:
  mlir::Value query(ocl::LinearQuery kind);
  mlir::Value address(mlir::Type type, mlir::Value index);
  void storeIf(mlir::Value condition, mlir::Value value, mlir::Value index);
  mlir::Value combineFirst(ocl::CombiningKind kind, mlir::Type type, mlir::Value count);
  void barrier();

  mlir::OpBuilder &b_;
  mlir::Location loc_;
  SubGroupBuilder &subGroup_;
  mlir::Value scratch_;
};

} // namespace kiln::gpu
