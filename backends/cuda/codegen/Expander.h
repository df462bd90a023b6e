#pragma once
#include "llvm/Config/llvm-config.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace kiln {

/// Returns an expander of scalar evolutions to instructions, whose names start with `name`. Its constructor takes the
/// data layout before LLVM 22.
inline llvm::SCEVExpander expander(llvm::ScalarEvolution &evolution, const char *name) {
#if LLVM_VERSION_MAJOR < 22
  return llvm::SCEVExpander(evolution, evolution.getDataLayout(), name);
#else
  return llvm::SCEVExpander(evolution, name);
#endif
}

} // namespace kiln
