// Aligns variables as their accesses require.
//
//   llvm.mlir.global @zeros {alignment = 1}               ==>   llvm.mlir.global @zeros {alignment = 128}
//   memcpy %s, @zeros, 256 {128, 128}
//   %x = llvm.alloca 16 x i8 {alignment = 1}              ==>   %x = llvm.alloca 16 x i8 {alignment = 16}
//   llvm.load %x {alignment = 16} -> vector<4xf32>
//
// A SPIR-V module states alignments twice: of a variable, and of each access. The translator of LLVM 15 to 22 makes
// llvm.memset a copy of a constant array of bytes, with the alignment of the destination for both sides, and a program
// may read vectors from an array of bytes. Legal because a variable may have any alignment. GPUs need this; the CPU
// uses what is known of an address (backends/cpu/codegen/DropClaimedAlignment.h).
//
// Not handled: pointers that control flow selects, or that a called function is given; alignments above a page, which
// only a module that does not come from OpenCL C requires.
#include "dialects/ocl/LlvmAttributes.h"
#include "passes/Pass.h"
#include "passes/analysis/BasePointer.h"

using namespace mlir;

namespace kiln {
#include "passes/AlignVariables.pass.inc"
namespace {

constexpr uint64_t MaxAlignment = 4096; // bytes

struct AlignVariables : impl::AlignVariablesBase<AlignVariables> {
  void runOnOperation() override {
    const DataLayout layout(getOperation());
    SymbolTable symbols(getOperation());
    auto require = [&](Value pointer, uint64_t alignment) {
      Operation *base = basePointer(pointer).getDefiningOp();
      if (alignment > MaxAlignment || !base)
        return;
      if (auto variable = dyn_cast<LLVM::AllocaOp>(base))
        raise(variable, variable.getElemType(), alignment, layout);
      else if (auto address = dyn_cast<LLVM::AddressOfOp>(base))
        if (auto variable = symbols.lookup<LLVM::GlobalOp>(address.getGlobalName()))
          raise(variable, variable.getType(), alignment, layout);
    };
    getOperation().walk([&](Operation *op) {
      if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
        require(load.getAddr(), load.getAlignment().value_or(layout.getTypeABIAlignment(load.getType())));
      } else if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
        const Type type = store.getValue().getType();
        require(store.getAddr(), store.getAlignment().value_or(layout.getTypeABIAlignment(type)));
      } else if (auto copy = dyn_cast<LLVM::MemcpyOp>(op)) {
        if (auto alignments = copy->getAttrOfType<DenseI64ArrayAttr>(ocl::CopyAlignAttr)) {
          require(copy.getDst(), uint64_t(alignments[0]));
          require(copy.getSrc(), uint64_t(alignments[1]));
        }
      }
    });
  }

private:
  template <typename Variable> void raise(Variable variable, Type type, uint64_t alignment, const DataLayout &layout) {
    if (alignment <= variable.getAlignment().value_or(layout.getTypeABIAlignment(type)))
      return;
    variable.setAlignment(alignment);
    ++variablesAligned;
  }
};
} // namespace
} // namespace kiln
