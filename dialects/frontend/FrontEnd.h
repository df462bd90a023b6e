// Compiles OpenCL C and C++ for OpenCL to SPIR-V in memory: Clang emits unoptimised LLVM IR, which the
// SPIRV-LLVM-Translator translates. May be called any number of times in a process, not concurrently.
#pragma once
#include "base/protocol/EmbeddedFolder.h"
#include "base/protocol/Protocol.h"
#include <string>

namespace kiln::frontend {

/// Also the working folder, so that `#include "./x.h"` finds embedded headers and not files in the folder in which this
/// process runs.
using protocol::EmbeddedFolder;

enum class Emit : uint8_t { Spirv, Llvm };

/// `name` is the source's name in diagnostics and debug information. With Emit::Llvm the reply contains LLVM IR as
/// text.
protocol::CompileReply compile(const protocol::CompileRequest &request, const std::string &name = protocol::SourceName,
                               Emit emit = Emit::Spirv);

} // namespace kiln::frontend
