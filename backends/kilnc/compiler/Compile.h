// SPIR-V, or a module of the `ocl` dialect, to whatever stage is asked for. The whole compiler as one call.
#pragma once
#include "backends/kilnc/compiler/Clock.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/compiler/Protocol.h"

namespace kiln {

/// How far to go; each stage's text or bytes are the result.
enum class Stage { Ocl, Wg, Llvm, Assembly, Object, Shared };

struct CompileInput {
  protocol::BuildRequest request;
  std::string oclText; // compiled instead of the request's modules where not empty: a .mlir file
  Stage stage = Stage::Shared;
  bool report = false; // say in the log what became vectors
};

/// Where a compilation's processor time went, or what else `clock` counts.
struct Phases {
  uint64_t import = 0, passes = 0, code = 0;
  uint64_t (*clock)() = processorTime;
};

/// Everything that goes wrong is in the reply's log; the result's bytes are in `code`.
protocol::BuildReply compile(const CompileInput &input, Phases *phases = nullptr);

/// zygote::WarmUp: what every build loads; and a whole build of a small kernel.
void prepare();
void rehearse();

} // namespace kiln
