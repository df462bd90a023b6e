// Stores private 3-component vectors as 4 components.
//
//   %p = llvm.alloca %one x vector<3xf32>            %p = llvm.alloca %one x vector<4xf32>
//   llvm.store %v, %p : vector<3xf32>, !llvm.ptr  ==>  %w = vector.shuffle %v, %v [0, 1, 2, -1]
//   %x = llvm.load %p : !llvm.ptr -> vector<4xf32>     llvm.store %w, %p : vector<4xf32>, !llvm.ptr ...
//
// Front ends access such a variable as three components in one place and as four in another. Upstream's mem2reg
// connects the two by a bitcast, because they have the same size in memory, and LLVM rejects the bitcast. Legal because
// the fourth component is padding. Accesses that are aligned less than the whole vector stay: a vload3 may end at its
// array's end.
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "passes/Pass.h"

using namespace mlir;

namespace kiln {
#include "passes/PadVec3.pass.inc"
namespace {

VectorType widened(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getShape() == ArrayRef<int64_t>{3} ? VectorType::get(4, vector.getElementType())
                                                             : VectorType();
}

bool isPrivate(Value pointer) {
  return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == ocl::Private;
}

// Returns true if the access is aligned like the whole vector, so that the padding exists. No attribute means the
// type's alignment.
bool isWhole(std::optional<uint64_t> alignment, VectorType wide) {
  return !alignment || *alignment >= uint64_t(wide.getNumElements()) * wide.getElementTypeBitWidth() / 8;
}

struct PadVec3 : impl::PadVec3Base<PadVec3> {
  void runOnOperation() override {
    AttrTypeReplacer inTypes;
    inTypes.addReplacement([](VectorType vector) -> std::optional<Type> {
      if (VectorType wide = widened(vector))
        return wide;
      return std::nullopt;
    });
    getOperation()->walk([&](Operation *op) {
      OpBuilder builder(op);
      if (auto alloca = dyn_cast<LLVM::AllocaOp>(op)) {
        alloca.setElemType(inTypes.replace(alloca.getElemType()));
      } else if (auto gep = dyn_cast<LLVM::GEPOp>(op); gep && isPrivate(gep.getBase())) {
        gep.setElemType(inTypes.replace(gep.getElemType()));
      } else if (auto store = dyn_cast<LLVM::StoreOp>(op); store && isPrivate(store.getAddr())) {
        VectorType wide = widened(store.getValue().getType());
        if (!wide || !isWhole(store.getAlignment(), wide))
          return;
        Value value = store.getValue();
        store.getValueMutable().set(vector::ShuffleOp::create(builder, op->getLoc(), value, value, {0, 1, 2, -1}));
      } else if (auto load = dyn_cast<LLVM::LoadOp>(op); load && isPrivate(load.getAddr())) {
        VectorType wide = widened(load.getType());
        if (!wide || !isWhole(load.getAlignment(), wide))
          return;
        load.getResult().setType(wide);
        builder.setInsertionPointAfter(load);
        auto narrow = vector::ShuffleOp::create(builder, op->getLoc(), load, load, {0, 1, 2});
        load.getResult().replaceAllUsesExcept(narrow, narrow);
      }
    });
  }
};
} // namespace
} // namespace kiln
