#pragma once
#include "clang/Frontend/CompilerInstance.h"

namespace kiln::frontend {

/// Returns Clang's compiler for arguments of `clang -cc1`, which reads `files` and writes its messages to `log`; null
/// if the arguments are wrong. `log` must outlive it.
std::unique_ptr<clang::CompilerInstance> makeInstance(llvm::ArrayRef<const char *> arguments,
                                                      llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
                                                      llvm::raw_ostream &log);

} // namespace kiln::frontend
