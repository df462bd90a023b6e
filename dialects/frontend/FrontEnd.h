// OpenCL C and C++ for OpenCL to SPIR-V, in memory: Clang makes LLVM IR that no pass has touched, the
// SPIRV-LLVM-Translator makes SPIR-V of it. May be called any number of times in a process, one call after the other.
#pragma once
#include "runtime/compiler/Protocol.h"
#include <string>

namespace kiln::frontend {

/// Where the embedded headers seem to lie. Also the current folder, so that `#include "./x.h"` finds them, and nothing
/// in the folder that this process happens to run in.
inline constexpr char EmbeddedFolder[] = "/kiln/embedded";

enum class Emit : uint8_t { Spirv, Llvm };

/// `name` stands for the source in diagnostics and debug information. With Emit::Llvm the reply holds LLVM's text.
protocol::CompileReply compile(const protocol::CompileRequest &request, const std::string &name = "<source>",
                               Emit emit = Emit::Spirv);

/// Every extension and feature that Clang can be asked for: what the command line compiles for.
std::vector<std::string> allExtensions();

} // namespace kiln::frontend
