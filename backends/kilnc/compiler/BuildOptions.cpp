#include "backends/kilnc/compiler/BuildOptions.h"
#include "dialects/ocl/Ocl.h"
#include "dialects/ocl/ProgramOptions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/lowering/MathSymbols.h"

using namespace mlir;

namespace kiln {

CodeOptions codeOptions(const protocol::CodeFlags &flags) {
  return {.correctlyRounded = flags.correctlyRounded, .denormalsAreZero = flags.denormalsAreZero};
}

static bool allowsUnsafeMath(const protocol::CodeFlags &flags) { return flags.unsafeMath || flags.relaxedMath; }

template <typename Change> static void setFastMath(ModuleOp module, Change change) {
  using Flags = arith::FastMathFlags;
  module.walk([&](arith::ArithFastMathInterface op) {
    Flags old = op.getFastMathFlagsAttr() ? op.getFastMathFlagsAttr().getValue() : Flags::none;
    op->setAttr(op.getFastMathAttrName(), arith::FastMathFlagsAttr::get(module.getContext(), change(old)));
  });
}

static void applyMathFlags(ModuleOp module, const protocol::CodeFlags &flags, bool strict) {
  using Flags = arith::FastMathFlags;
  Flags allowed = Flags::none;
  const bool unsafe = allowsUnsafeMath(flags);
  if (unsafe)
    allowed = allowed | Flags::reassoc | Flags::arcp | Flags::afn | Flags::contract;
  if (unsafe || flags.noSignedZeros)
    allowed = allowed | Flags::nsz;
  if (unsafe || flags.madEnable)
    allowed = allowed | Flags::contract;
  if (flags.relaxedMath || flags.finiteMath)
    allowed = allowed | Flags::nnan; // not ninf: programs still compute 1 / infinity (EstimateQuotients.h)
  if (unsafe)
    module.walk([&](ocl::MathOp op) { op->setAttr(cpu::UnsafeMathAttr, UnitAttr::get(module.getContext())); });
  if (strict)
    setFastMath(module, [](Flags) { return Flags::none; });
  else if (allowed != Flags::none)
    setFastMath(module, [allowed](Flags old) { return old | allowed; });
}

void applyOptions(ModuleOp module, const protocol::BuildRequest &request) {
  const protocol::CodeFlags &flags = request.flags;
  applyMathFlags(module, flags, request.strict);
  auto set = UnitAttr::get(module.getContext());
  if (flags.uniformWorkGroupSize)
    module->setAttr(ocl::UniformGroupsAttr, set);
  if (!request.strict && (flags.denormalsAreZero || allowsUnsafeMath(flags)))
    module->setAttr(ocl::FlushSubnormalsAttr, set);
}

void dropFastMath(ModuleOp module) {
  auto none = LLVM::FastmathFlagsAttr::get(module.getContext(), LLVM::FastmathFlags::none);
  module.walk([&](LLVM::FastmathFlagsInterface op) { op->setAttr(op.getFastmathAttrName(), none); });
}

} // namespace kiln
