// Classification of floating-point numbers.
#pragma once
#include "dialects/import/Body.h"

namespace kiln::import {

/// Returns the result of OpIsNan, OpIsInf, OpIsFinite, OpIsNormal or OpSignBitSet.
mlir::Value classify(Body &body, spv::Op op, mlir::Value number);

} // namespace kiln::import
