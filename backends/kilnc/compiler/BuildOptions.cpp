#include "backends/kilnc/compiler/BuildOptions.h"
#include "dialects/ocl/Ocl.h"
#include "dialects/ocl/ProgramOptions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/lowering/MathSymbols.h"

using namespace mlir;

namespace kiln {

bool hasOption(const protocol::BuildRequest &request, llvm::StringRef option) {
  SmallVector<llvm::StringRef> words;
  llvm::StringRef(request.options).split(words, ' ', -1, false);
  return llvm::is_contained(words, option);
}

CodeOptions codeOptions(const protocol::BuildRequest &request) {
  return {.correctlyRounded = hasOption(request, "-cl-fp32-correctly-rounded-divide-sqrt"),
          .denormalsAreZero = hasOption(request, "-cl-denorms-are-zero")};
}

static void record(ModuleOp module, const protocol::BuildRequest &request, llvm::StringRef attribute,
                   std::initializer_list<llvm::StringRef> options) {
  if (llvm::any_of(options, [&](llvm::StringRef option) { return hasOption(request, option); }))
    module->setAttr(attribute, UnitAttr::get(module.getContext()));
}

template <typename Change> static void setFastMath(ModuleOp module, Change change) {
  using Flags = arith::FastMathFlags;
  module.walk([&](arith::ArithFastMathInterface op) {
    Flags old = op.getFastMathFlagsAttr() ? op.getFastMathFlagsAttr().getValue() : Flags::none;
    op->setAttr(op.getFastMathAttrName(), arith::FastMathFlagsAttr::get(module.getContext(), change(old)));
  });
}

static void applyMathOptions(ModuleOp module, const protocol::BuildRequest &request) {
  using Flags = arith::FastMathFlags;
  Flags flags = Flags::none;
  const bool relaxed = hasOption(request, "-cl-fast-relaxed-math");
  const bool unsafe = relaxed || hasOption(request, "-cl-unsafe-math-optimizations");
  if (unsafe)
    flags = flags | Flags::reassoc | Flags::arcp | Flags::afn | Flags::contract;
  if (unsafe || hasOption(request, "-cl-no-signed-zeros"))
    flags = flags | Flags::nsz;
  if (unsafe || hasOption(request, "-cl-mad-enable"))
    flags = flags | Flags::contract;
  if (relaxed || hasOption(request, "-cl-finite-math-only"))
    flags = flags | Flags::nnan; // not ninf: programs still compute 1 / infinity (EstimateQuotients.h)
  if (unsafe)
    module.walk([&](ocl::MathOp op) { op->setAttr(cpu::UnsafeMathAttr, UnitAttr::get(module.getContext())); });
  if (request.strict)
    setFastMath(module, [](Flags) { return Flags::none; });
  else if (flags != Flags::none)
    setFastMath(module, [flags](Flags old) { return old | flags; });
}

void applyOptions(ModuleOp module, const protocol::BuildRequest &request) {
  applyMathOptions(module, request);
  // For OpenCL C 1.x, Program::makeExecutable adds this option.
  record(module, request, ocl::UniformGroupsAttr, {"-cl-uniform-work-group-size"});
  if (!request.strict)
    record(module, request, ocl::FlushSubnormalsAttr,
           {"-cl-denorms-are-zero", "-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math"});
}

void dropFastMath(ModuleOp module) {
  auto none = LLVM::FastmathFlagsAttr::get(module.getContext(), LLVM::FastmathFlags::none);
  module.walk([&](LLVM::FastmathFlagsInterface op) { op->setAttr(op.getFastmathAttrName(), none); });
}

} // namespace kiln
