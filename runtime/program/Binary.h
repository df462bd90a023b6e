// A program binary: what clGetProgramInfo hands out and clCreateProgramWithBinary takes back.
//
// It holds SPIR-V, what that is to be built with, and for an executable the code that came of it. What is read here
// comes from an application: everything is checked or goes to a compiler, which is a process of its own. The code is
// what must not be believed, for it would run as it is. So it is sealed (Compiler::seal): where the seal is not this
// user's, or the code was made of anything else than what the rest of the binary says, it is made anew from the SPIR-V.
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
  wire::Bytes code; // sealed; in binaries of executables only, and perhaps not there

  auto fields() {
    return std::tie(binaryType, options, math, uniformWorkGroups, argumentInfo, enableLinkOptions, spirv, specConstants,
                    code);
  }
};

wire::Bytes packBinary(const ProgramModule &module);
/// Nothing when the bytes are no whole binary of this version of Kiln.
std::optional<ProgramModule> unpackBinary(std::span<const uint8_t> bytes);

} // namespace kiln
