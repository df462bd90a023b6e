#pragma once
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/Triple.h"

namespace kiln {

/// Returns the triple as the functions of llvm::Target that create parts of MC take it. Before LLVM 22 they take its
/// name.
#if LLVM_VERSION_MAJOR < 22
inline llvm::StringRef tripleParameter(const llvm::Triple &triple) { return triple.str(); }
#else
inline const llvm::Triple &tripleParameter(const llvm::Triple &triple) { return triple; }
#endif

} // namespace kiln
