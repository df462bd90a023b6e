// A program binary (CL_PROGRAM_BINARIES), as clCreateProgramWithBinary takes it.
//
// It contains SPIR-V, the build options and, for an executable, the code. The bytes come from an application, so every
// field is checked or handed to a compiler in a separate process. The code runs in this process, so it is authenticated
// (Compiler::authenticate). If its HMAC is not made with this user's key, or the code was built from anything else than
// the rest of the binary, it is rebuilt from the SPIR-V.
#pragma once
#include "base/protocol/Protocol.h"
#include "base/support/OpenCL.h"
#include <memory>
#include <optional>
#include <span>

namespace kiln {

/// What a module was made of: source, or if that is null, SPIR-V.
struct ModuleOrigin {
  std::shared_ptr<const protocol::CompileRequest> source;
  std::shared_ptr<const wire::Bytes> spirv;
};

/// The result of a build, compile or link step on one device.
struct ProgramModule {
  uint32_t binaryType = CL_PROGRAM_BINARY_TYPE_NONE;
  std::string options;            // as the application gave them
  protocol::CodeFlags flags;      // uniformWorkGroupSize: also if the language has no other groups
  bool argumentInfo = false;      // clGetKernelArgInfo returns information
  bool enableLinkOptions = false; // of libraries
  wire::Bytes spirv;
  std::vector<protocol::SpecConstant> specConstants;
  wire::Bytes code;        // authenticated; only in binaries of executables, may be empty
  std::string schedules{}; // BuildOptions::schedules; not in binaries
  /// For the located form (LocatedKernel.h), and not in binaries. Empty: `spirv` is its own origin.
  std::vector<ModuleOrigin> origins{};

  auto fields() {
    return std::tie(binaryType, options, flags, argumentInfo, enableLinkOptions, spirv, specConstants, code);
  }
};

wire::Bytes packBinary(const ProgramModule &module);
/// Returns nothing unless the bytes are a complete binary of this version of Kiln.
std::optional<ProgramModule> unpackBinary(std::span<const uint8_t> bytes);

} // namespace kiln
