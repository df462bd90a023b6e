// The latency and the rate of each instruction of an assembly text, by LLVM's scheduling model of the target's
// processor.
#pragma once
#include "backends/kilnc/explorer/Recorder.h"
#include "llvm/Target/TargetMachine.h"

namespace kiln::explorer {

/// Records the costs of the text's instructions. Lines that LLVM's assembler does not accept have none. Records nothing
/// if the target has no assembler in LLVM, as PTX.
void recordCosts(llvm::StringRef assembly, const llvm::TargetMachine &machine, Recorder &recorder);

} // namespace kiln::explorer
