// Counts accesses whose address is less aligned than their type requires, for debugging (KILN_CHECK_ASSUMPTIONS).
//
//   %v = llvm.load %p {alignment = 16}   ==>   %address = llvm.ptrtoint %p
//                                              %rest = arith.andi %address, 15
//                                              scf.if (arith.cmpi ne, %rest, 0) {
//                                                write the address, 16 and the line to the launch's report, and count }
//                                              %v = llvm.load %p {alignment = 16}
//
// OpenCL C does not define an access through a pointer that its type's alignment does not divide. The CPU runs it
// (backends/cpu/codegen/DropClaimedAlignment.h), as AMD's GPUs do; NVIDIA's end the context. So the report shows, on
// the CPU, what would fail there. Covers loads, stores, copies and atomic operations of all address spaces.
//
// Not handled: functions that stay functions (ocl-keep-calls), which do not have the address of the report.
#include "dialects/ocl/LlvmAttributes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Pass.h"
#include "passes/simd/emit/LaunchReport.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstddef>

using namespace mlir;

namespace kiln {
#include "passes/CheckAlignment.pass.inc"
namespace {

struct Requirement {
  Value pointer;
  uint64_t alignment;
};

using Requirements = SmallVector<Requirement, 2>;

Requirements requirementsOf(Operation *op, const DataLayout &layout) {
  auto natural = [&](Type type) { return layout.getTypeABIAlignment(type); };
  return llvm::TypeSwitch<Operation *, Requirements>(op)
      .Case([&](LLVM::LoadOp load) -> Requirements {
        return {{load.getAddr(), load.getAlignment().value_or(natural(load.getType()))}};
      })
      .Case([&](LLVM::StoreOp store) -> Requirements {
        return {{store.getAddr(), store.getAlignment().value_or(natural(store.getValue().getType()))}};
      })
      .Case([](LLVM::MaskedLoadOp load) -> Requirements { return {{load.getData(), load.getAlignment()}}; })
      .Case([](LLVM::MaskedStoreOp store) -> Requirements { return {{store.getData(), store.getAlignment()}}; })
      .Case([](LLVM::MemcpyOp copy) -> Requirements {
        const auto bytes = copy->getAttrOfType<DenseI64ArrayAttr>(ocl::CopyAlignAttr);
        if (!bytes)
          return {};
        return {{copy.getDst(), uint64_t(bytes[0])}, {copy.getSrc(), uint64_t(bytes[1])}};
      })
      .Case<ocl::AtomicRmwOp, ocl::AtomicCmpXchgOp, ocl::AtomicLoadOp, ocl::AtomicStoreOp>(
          [&](auto atomic) -> Requirements {
            Type type;
            if constexpr (requires { atomic.getOld(); })
              type = atomic.getOld().getType();
            else
              type = atomic.getValue().getType();
            return {{atomic.getPointer(), natural(type)}};
          })
      .Default([](Operation *) { return Requirements(); });
}

/// Returns true if the pointer is the address of a variable, which Kiln aligns.
bool isVariable(Value pointer) {
  Operation *definition = pointer.getDefiningOp();
  return definition && isa<LLVM::AllocaOp, LLVM::AddressOfOp, wg::AddressOp>(definition);
}

void check(Operation *op, Requirement requirement) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), requirement.pointer);
  Value rest = arith::AndIOp::create(b, address, intConstant(b, int64_t(requirement.alignment - 1), 64));
  Value isMisaligned = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, rest, intConstant(b, 0, 64));
  auto branch = scf::IfOp::create(b, isMisaligned, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  LaunchReport report(b);
  report.put(offsetof(abi::AssumptionReport, misalignedAddress), address);
  report.put(offsetof(abi::AssumptionReport, requiredAlignment), requirement.alignment);
  report.putLine(offsetof(abi::AssumptionReport, misalignedLine));
  report.count(offsetof(abi::AssumptionReport, misaligned));
}

struct CheckAlignment : impl::CheckAlignmentBase<CheckAlignment> {
  using CheckAlignmentBase::CheckAlignmentBase;

  void runOnOperation() override {
    const DataLayout layout(getOperation());
    SmallVector<std::pair<Operation *, Requirement>> checks;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(ocl::KernelAttr))
        continue;
      function.walk([&](Operation *op) {
        for (const Requirement &requirement : requirementsOf(op, layout))
          if (requirement.alignment > 1 && !isVariable(requirement.pointer))
            checks.push_back({op, requirement});
      });
    }
    for (const auto &[op, requirement] : checks)
      check(op, requirement);
  }
};
} // namespace
} // namespace kiln
