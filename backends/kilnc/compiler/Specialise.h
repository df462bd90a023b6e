// What a request fixes for its kernels before the passes run. Each function returns an error, or an empty text.
#pragma once
#include "base/protocol/Protocol.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln {

/// Records the constant arguments of a variant as argument attributes, for ocl-specialize-images.
std::string recordKnownArguments(mlir::ModuleOp module, const protocol::BuildRequest &request);

/// cl_intel_required_subgroup_size: a size that the device does not have is an error. Kernels that require no size get
/// `size`, which is a profile's, if the device has it.
std::string setSubGroupSizes(mlir::ModuleOp module, uint64_t size, llvm::ArrayRef<uint64_t> sizesOfDevice);

/// Removes all functions that the request's one specialised kernel does not need.
std::string keepSpecialised(mlir::ModuleOp module, const protocol::BuildRequest &request);

} // namespace kiln
