// Built-in variables and the queries that their loads become.
#pragma once
#include "dialects/import/Body.h"

namespace kiln::import {

/// Returns the built-in variable, or component of one, that an id is the address of.
std::optional<BuiltInPointer> builtInPointer(Body &body, uint32_t id);
/// Lifts an access chain on a built-in variable.
mlir::LogicalResult builtInAccess(Body &body, const Instruction &ins, const BuiltInPointer &pointer);
mlir::LogicalResult loadBuiltIn(Body &body, const Instruction &ins, const BuiltInPointer &pointer);

/// `dim` is an integer of any width.
mlir::Value query(Body &body, ocl::Query kind, mlir::Value dim, mlir::Type type);
/// Returns component `index` of a vector loaded from a built-in variable as a query; null for other vectors.
mlir::Value queryComponent(Body &body, mlir::Value vector, mlir::Value index, mlir::Type type);

} // namespace kiln::import
