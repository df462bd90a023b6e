// A program binary: what clGetProgramInfo hands out and clCreateProgramWithBinary takes back.
//
// It holds SPIR-V and what it is to be built with, never code that runs as it is: bytes that come from an application
// are not trusted with that. Code comes from the cache, which a build of the same SPIR-V with the same options finds.
#pragma once
#include "runtime/compiler/Protocol.h"
#include "runtime/support/OpenCL.h"
#include <optional>
#include <span>

namespace kiln {

/// What a program has on a device between the steps of building.
struct ProgramModule {
  uint32_t binaryType = CL_PROGRAM_BINARY_TYPE_NONE;
  std::string options;            // as the application gave them
  std::string math;               // BuildRequest::options
  bool uniformWorkGroups = false; // no launch may have smaller groups at the end
  bool argumentInfo = false;      // clGetKernelArgInfo may answer
  bool enableLinkOptions = false; // of libraries
  wire::Bytes spirv;
  std::vector<protocol::SpecConstant> specConstants;

  auto fields() {
    return std::tie(binaryType, options, math, uniformWorkGroups, argumentInfo, enableLinkOptions, spirv,
                    specConstants);
  }
};

wire::Bytes packBinary(const ProgramModule &module);
/// Nothing when the bytes are no whole binary of this version of Kiln.
std::optional<ProgramModule> unpackBinary(std::span<const uint8_t> bytes);

} // namespace kiln
