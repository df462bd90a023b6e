// Prints the stages of a compilation with the source line of each of their lines.
#pragma once
#include "backends/kilnc/explorer/Recorder.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include <span>

namespace kiln::explorer {

/// The places of an MLIR location.
Places placesOf(mlir::Location location, Recorder &recorder);
/// The places of an LLVM debug location; none for null.
Places placesOf(const llvm::DILocation *location, Recorder &recorder);

LinkedText linkedText(mlir::ModuleOp module, Recorder &recorder);
/// Leaves out debug information, which the places replace.
LinkedText linkedText(const llvm::Module &module, Recorder &recorder);
/// Disassembles SPIR-V, without its OpLine instructions. The words were validated before.
LinkedText disassemble(std::span<const uint8_t> spirv, Recorder &recorder);
/// Reads the places of assembly or PTX from its .loc directives, and leaves these and debug sections out.
LinkedText linkedAssembly(llvm::StringRef assembly, Recorder &recorder);

} // namespace kiln::explorer
