// Loads and stores that are neither volatile nor atomic.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include <optional>

namespace kiln {

template <typename LoadOrStore> bool isPlain(LoadOrStore access) {
  return !access.getVolatile_() && access.getOrdering() == mlir::LLVM::AtomicOrdering::not_atomic;
}

struct PlainAccess {
  mlir::Operation *op;
  mlir::Value pointer;
  mlir::Type type;
  int64_t bytes;
  bool isStore;
  unsigned space() const { return mlir::cast<mlir::LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace(); }
};

inline std::optional<PlainAccess> plainAccess(mlir::Operation *op, const mlir::DataLayout &layout) {
  auto size = [&](mlir::Type type) { return int64_t(layout.getTypeSize(type).getFixedValue()); };
  if (auto load = mlir::dyn_cast<mlir::LLVM::LoadOp>(op); load && isPlain(load))
    return PlainAccess{op, load.getAddr(), load.getType(), size(load.getType()), false};
  if (auto store = mlir::dyn_cast<mlir::LLVM::StoreOp>(op); store && isPlain(store)) {
    const mlir::Type type = store.getValue().getType();
    return PlainAccess{op, store.getAddr(), type, size(type), true};
  }
  return {};
}

} // namespace kiln
