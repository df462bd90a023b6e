// Emits the vector body of a region.
#pragma once
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

/// `conservative`: emits the fallback body for vectors that fail this body's runtime checks or straddle a bound. It
/// assumes less and masks lanes that diverge. Null: the scalar body runs those vectors.
void emitVectorBody(VectorBody &body, VectorBody *conservative = nullptr);

} // namespace kiln
