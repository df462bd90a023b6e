#include "passes/ocl/PointerAccesses.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/LlvmAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/analysis/AddressSteps.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kiln {

// A vector of three components is loaded and stored as three (OpenCL C 6.2.4 only sets its size in memory).
static uint64_t bytesOf(Type type, const DataLayout &layout) {
  if (auto vector = dyn_cast<VectorType>(type))
    return llvm::divideCeil(layout.getTypeSizeInBits(vector.getElementType()).getFixedValue(), 8) *
           uint64_t(vector.getNumElements());
  return layout.getTypeSize(type).getFixedValue();
}

SmallVector<PointerAccess, 2> pointerAccesses(Operation *op, const DataLayout &layout) {
  using Kind = ocl::AccessKind;
  using Accesses = SmallVector<PointerAccess, 2>;
  return llvm::TypeSwitch<Operation *, Accesses>(op)
      .Case([&](LLVM::LoadOp load) -> Accesses {
        return {{&load.getAddrMutable(), Kind::read, bytesOf(load.getType(), layout)}};
      })
      .Case([&](LLVM::StoreOp store) -> Accesses {
        return {{&store.getAddrMutable(), Kind::write, bytesOf(store.getValue().getType(), layout)}};
      })
      .Case<LLVM::MemcpyOp, LLVM::MemmoveOp>([](auto copy) -> Accesses {
        return {{&copy.getDstMutable(), Kind::write, 0, copy.getLen()},
                {&copy.getSrcMutable(), Kind::read, 0, copy.getLen()}};
      })
      .Case([](LLVM::MemcpyInlineOp copy) -> Accesses {
        const uint64_t bytes = copy.getLen().getZExtValue();
        return {{&copy.getDstMutable(), Kind::write, bytes}, {&copy.getSrcMutable(), Kind::read, bytes}};
      })
      .Case([](LLVM::MemsetOp set) -> Accesses { return {{&set.getDstMutable(), Kind::write, 0, set.getLen()}}; })
      .Case<ocl::AtomicRmwOp, ocl::AtomicCmpXchgOp>([&](auto atomic) -> Accesses {
        return {{&atomic.getPointerMutable(), Kind::atomic, bytesOf(atomic.getOld().getType(), layout)}};
      })
      .Case<ocl::AtomicLoadOp, ocl::AtomicStoreOp>([&](auto atomic) -> Accesses {
        return {{&atomic.getPointerMutable(), Kind::atomic, bytesOf(atomic.getValue().getType(), layout)}};
      })
      .Default([](Operation *) { return Accesses(); });
}

uint64_t alignmentOf(const PointerAccess &access, const DataLayout &layout) {
  auto natural = [&](Type type) { return layout.getTypeABIAlignment(type); };
  return llvm::TypeSwitch<Operation *, uint64_t>(access.pointer->getOwner())
      .Case([&](LLVM::LoadOp load) { return load.getAlignment().value_or(natural(load.getType())); })
      .Case([&](LLVM::StoreOp store) { return store.getAlignment().value_or(natural(store.getValue().getType())); })
      .Case([&](LLVM::MemcpyOp copy) {
        const auto bytes = copy->getAttrOfType<DenseI64ArrayAttr>(ocl::CopyAlignAttr);
        return bytes ? uint64_t(bytes[access.kind == ocl::AccessKind::write ? 0 : 1]) : 1;
      })
      .Case<ocl::AtomicRmwOp, ocl::AtomicCmpXchgOp>([&](auto atomic) { return natural(atomic.getOld().getType()); })
      .Case<ocl::AtomicLoadOp, ocl::AtomicStoreOp>([&](auto atomic) { return natural(atomic.getValue().getType()); })
      .Default([](Operation *) { return 1; });
}

Value bytesOf(const PointerAccess &access, ImplicitLocOpBuilder &b) {
  if (!access.size)
    return intConstant(b, int64_t(access.bytes), 64);
  if (access.size.getType().isInteger(64))
    return access.size;
  return arith::ExtUIOp::create(b, b.getI64Type(), access.size);
}

/// The result of an insertion or a shuffle in which no component of the vector is at another place; else null.
static Value keepingComponents(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto insert = dyn_cast<vector::InsertOp>(op))
    return use == insert.getDestMutable() ? insert.getResult() : Value();
  auto shuffle = dyn_cast<vector::ShuffleOp>(op);
  if (!shuffle || shuffle.getResultVectorType().getRank() != 1 || shuffle.getV1VectorType().getRank() != 1)
    return {};
  const int64_t ofFirst = shuffle.getV1VectorType().getNumElements();
  for (const auto [place, from] : llvm::enumerate(shuffle.getMask())) {
    const bool isOfUse = from >= 0 && (from < ofFirst) == (use.getOperandNumber() == 0);
    if (isOfUse && from % ofFirst != int64_t(place))
      return {};
  }
  return shuffle.getResult();
}

/// Returns true if the number that is loaded goes only to where it came from, with other bits or components set.
static bool isOnlyStoredBack(LLVM::LoadOp load) {
  SmallVector<Value> values{load};
  llvm::SmallPtrSet<Value, 8> known{load};
  while (!values.empty()) {
    const Value value = values.pop_back_val();
    if (value.use_empty())
      return false;
    for (OpOperand &use : value.getUses()) {
      if (auto store = dyn_cast<LLVM::StoreOp>(use.getOwner());
          store && use == store.getValueMutable() && store.getAddr() == load.getAddr())
        continue;
      const Value kept = keepingComponents(use);
      if (!kept)
        return false;
      if (known.insert(kept).second)
        values.push_back(kept);
    }
  }
  return true;
}

bool readsOnlyToStore(Operation *op) {
  if (isa<LLVM::MemcpyOp, LLVM::MemmoveOp, LLVM::MemcpyInlineOp>(op))
    return true;
  auto load = dyn_cast<LLVM::LoadOp>(op);
  if (!load)
    return false;
  if (isa<VectorType>(load.getType()))
    return isOnlyStoredBack(load);
  if (!load->hasOneUse())
    return false;
  auto rest = dyn_cast<arith::AndIOp>(*load->user_begin());
  auto joined = rest && rest->hasOneUse() ? dyn_cast<arith::OrIOp>(*rest->user_begin()) : arith::OrIOp();
  auto store = joined && joined->hasOneUse() ? dyn_cast<LLVM::StoreOp>(*joined->user_begin()) : LLVM::StoreOp();
  return store && store.getAddr() == load.getAddr();
}

Value offsetOf(Value pointer, Value variable, const DataLayout &layout, ImplicitLocOpBuilder &b) {
  const Type number = b.getI64Type();
  Value sum = intConstant(b, 0, 64);
  while (pointer != variable) {
    auto gep = pointer.getDefiningOp<LLVM::GEPOp>();
    const auto steps = gep ? addressSteps(gep, layout) : std::nullopt;
    if (!steps)
      return {};
    for (const AddressStep &step : *steps) {
      Value bytes = intConstant(b, step.bytes, 64);
      if (step.number) {
        Value index = step.number;
        if (!index.getType().isInteger(64))
          index = b.createOrFold<arith::ExtSIOp>(number, index);
        bytes = b.createOrFold<arith::MulIOp>(index, bytes);
      }
      sum = b.createOrFold<arith::AddIOp>(sum, bytes);
    }
    pointer = gep.getBase();
  }
  return sum;
}

} // namespace kiln
