// This machine's processor, or one of its family by name, as LLVM sees it.
#pragma once
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>

namespace kiln {

/// `name` is empty for the host's processor with exactly its features. Null with `error` set for an unknown one.
std::unique_ptr<llvm::TargetMachine> createCpuMachine(const std::string &name, std::string &error);

/// Lanes of 32 bits that the machine's vectors have: what a work-group size is best a multiple of.
unsigned vectorLanes(const llvm::TargetMachine &machine);

} // namespace kiln
