// Compiles SPIR-V, or a module of the `ocl` dialect, to the requested stage.
#pragma once
#include "backends/kilnc/compiler/Clock.h"
#include "base/protocol/Protocol.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace kiln {

/// The last stage; its text or bytes are the result. Pipeline: the text of the default passes.
enum class Stage { Pipeline, Ocl, Wg, Llvm, Assembly, Object, Shared };

struct CompileInput {
  protocol::BuildRequest request;
  std::string oclText; // if not empty: a .mlir file, compiled instead of the request's modules
  Stage stage = Stage::Shared;
  bool report = false; // log which regions were vectorized
};

/// Processor time of a compilation's phases, in units of `clock`.
struct Phases {
  uint64_t import = 0, passes = 0, code = 0;
  uint64_t (*clock)() = processorTime;
};

/// Compiles the input. Errors are in the reply's log, the result's bytes in `code`.
protocol::BuildReply compile(const CompileInput &input, Phases *phases = nullptr);

} // namespace kiln
