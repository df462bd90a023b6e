#pragma once
#include "llvm/ADT/StringRef.h"

namespace kiln {

/// Attribute of a region that the vectoriser left scalar: the reason. LLVM's vectoriser leaves the loop over its
/// work-items as well.
inline constexpr llvm::StringLiteral NotVectorizedAttr = "wg.not_vectorized";

} // namespace kiln
