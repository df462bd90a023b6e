// What checks of accesses are lowered to: the comparison, the constant that says where the check is in the source
// (abi::CheckSite), and the call of the runtime.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include <cstdint>

namespace kiln {

/// Of a kernel: its groups access local memory alike (abi::CheckLaunch::comparesLocal).
inline constexpr llvm::StringLiteral OneLocalPatternAttr = "ocl.one_local_pattern";
/// Returns a flag: the launch still compares accesses of local memory. For kernels with that attribute.
mlir::Value comparesLocal(mlir::ImplicitLocOpBuilder &b);

/// Of a kernel: its notes are for races only, so that accesses may be noted earlier than they are executed.
inline constexpr llvm::StringLiteral OnlyRacesAttr = "ocl.only_races";
/// Returns a flag: the launch tracks such accesses through this argument.
mlir::Value isTracked(mlir::ImplicitLocOpBuilder &b, uint32_t argument, ocl::AccessKind access);

/// What a site has besides its location.
struct CheckedObject {
  uint8_t access = 0, space = 0; // abi::CheckSite
  int32_t argument = -1;
  llvm::StringRef name = {};
  bool isTracked = false; // has a number
  uint8_t granule = 0, sync = 0;
  uint8_t shape = 0;     // of an image, or the number of a collective
  uint8_t alignment = 0; // log2 of that which is checked; 0: the bytes of the access are
};

/// Makes the constants of a module; equal ones are shared.
class CheckSites {
public:
  explicit CheckSites(mlir::ModuleOp module) : module_(module) {}
  mlir::LLVM::GlobalOp of(mlir::Location location, const CheckedObject &object);

private:
  mlir::ModuleOp module_;
  llvm::StringMap<mlir::LLVM::GlobalOp> sites_;
  unsigned number_ = 0;
  uint16_t tracked_ = 0; // the last number of a tracked site
};

/// The sites of a kernel for a GPU, an attribute of the kernel (`ocl.check_sites`).
class KernelSites {
public:
  /// Begins with the sites that the kernel has already.
  explicit KernelSites(mlir::Operation *kernel);
  /// Returns the index of a site; equal ones are shared.
  uint32_t of(mlir::Location location, const CheckedObject &object);
  /// Returns the index of a new site, even if an equal one exists.
  uint32_t add(mlir::Location location, const CheckedObject &object);
  /// Writes the attribute.
  void finish();

private:
  mlir::Operation *kernel_;
  llvm::StringMap<uint32_t> numbers_;
  llvm::SmallVector<mlir::Attribute> sites_;
};

/// Returns whether `bytes` bytes at `offset` are in an object of `size` bytes. Numbers are unsigned.
mlir::Value isInObject(mlir::ImplicitLocOpBuilder &b, mlir::Value offset, mlir::Value bytes, mlir::Value size);

/// Calls a function whose address is `field` bytes after the start of the launch's abi::CheckLaunch, with the launch
/// and the site as its first operands. `site`: null if it has none. `result`: null if it returns nothing.
mlir::Value callCheck(mlir::ImplicitLocOpBuilder &b, size_t field, mlir::LLVM::GlobalOp site, mlir::ValueRange operands,
                      mlir::Type result);

} // namespace kiln
