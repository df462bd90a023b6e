// Values that branches and loops carry: the results of scf.if, and what scf.while passes between its blocks.
#pragma once
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

/// How a value is carried: as lane 0's, as all lanes, or as both if guards have to be checked. LLVM removes the lanes
/// that nothing uses.
enum class Carried : uint8_t { Lane0, Lanes, Both };
Carried carriedAs(VectorBody &body, mlir::Value value);

/// The types that carry one value.
llvm::SmallVector<mlir::Type> carriedTypes(VectorBody &body, mlir::Type type, Carried as);
/// Appends what carries a value.
void appendCarried(VectorBody &body, mlir::Value value, Carried as, Vectors &to);
/// Sets the counterparts of a value from the first elements of `from`, and removes these.
void takeCarried(VectorBody &body, mlir::Value value, Carried as, llvm::ArrayRef<mlir::Value> &from);

// The same for ranges, each value as carriedAs of the result or block argument that it becomes.
void appendCarriedTypes(VectorBody &body, mlir::ValueRange targets, llvm::SmallVectorImpl<mlir::Type> &to);
void appendCarried(VectorBody &body, mlir::ValueRange values, mlir::ValueRange targets, Vectors &to);
void takeCarried(VectorBody &body, mlir::ValueRange targets, llvm::ArrayRef<mlir::Value> &from);

/// Returns the vectors of a value of `type` from the first elements of `from`, and removes these.
Vectors takeVectors(VectorBody &body, mlir::Type type, llvm::ArrayRef<mlir::Value> &from);

/// Without mask registers, masks are carried as wider integers (0 or -1), CpuTargetInfo::maskElementBits. Other vectors
/// are returned unchanged.
mlir::Value toMaskInteger(VectorBody &body, mlir::Value vector);
/// The reverse; `laneType` is the type before.
mlir::Value fromMaskInteger(VectorBody &body, mlir::Value vector, mlir::Type laneType);

} // namespace kiln
