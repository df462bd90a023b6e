// A pass that misbehaves according to the kernel's name: it crashes, spins for ever, exhausts memory, or miscompiles
// (off_by_one: each integer constant 41 becomes 42). It does not change other kernels.
//
//   KILN_PASS_PLUGINS=libMisbehave.so KILN_PIPELINE_CPU="builtin.module(misbehave,kiln-common,kiln-group,kiln-cpu)"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include <cstdlib>

namespace {
volatile unsigned long turns;
constexpr unsigned long Part = 1 << 20;

void fill(volatile char *part) {
  for (unsigned long i = 0; i < Part; i += 512)
    part[i] = 1;
}

struct Misbehave : mlir::PassWrapper<Misbehave, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Misbehave)
  llvm::StringRef getArgument() const override { return "misbehave"; }
  llvm::StringRef getDescription() const override { return "does to kernels what their names say"; }
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<mlir::func::FuncOp>()) {
      if (kernel.getName().starts_with("off_by_one"))
        countOnce(kernel);
      if (kernel.getName() == "crash")
        *reinterpret_cast<volatile int *>(8) = 1;
      if (kernel.getName() == "give_up")
        std::abort();
      if (kernel.getName() == "spin")
        for (;;)
          turns = turns + 1;
      if (kernel.getName() == "eat_with_new")
        for (;;)
          fill(new char[Part]);
      if (kernel.getName() == "eat_with_malloc")
        for (;;)
          fill(static_cast<char *>(std::malloc(Part))); // null some day
      if (kernel.getName() == "recurse")
        turns = deeper(0);
      if (kernel.getName() == "refuse") {
        kernel.emitError() << "this pass takes no kernel of that name";
        return signalPassFailure();
      }
    }
  }
  static void countOnce(mlir::func::FuncOp kernel) {
    kernel.walk([](mlir::arith::ConstantOp constant) {
      auto plusOne = [](const llvm::APInt &value) { return value == 41 ? value + 1 : value; };
      if (auto number = llvm::dyn_cast<mlir::IntegerAttr>(constant.getValue()))
        constant.setValueAttr(mlir::IntegerAttr::get(number.getType(), plusOne(number.getValue())));
      else if (auto numbers = llvm::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue()))
        constant.setValueAttr(numbers.mapValues(numbers.getElementType(), plusOne));
    });
  }
  static unsigned long deeper(unsigned long depth) {
    volatile char room[4096] = {};
    room[depth % sizeof room] = 1;
    return deeper(depth + 1) + static_cast<unsigned long>(room[0]);
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Misbehave", "1", [] { mlir::PassRegistration<Misbehave>(); }};
}
