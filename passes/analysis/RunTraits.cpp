#include "passes/analysis/RunTraits.h"
#include "base/abi/ProgramInfo.h"
#include "dialects/ocl/Ocl.h"
#include "passes/analysis/BasePointer.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln {
namespace {

bool holdsPointer(Type type) {
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type))
    return llvm::any_of(structure.getBody(), holdsPointer);
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
    return holdsPointer(array.getElementType());
  if (auto vector = dyn_cast<VectorType>(type))
    return holdsPointer(vector.getElementType());
  return isa<LLVM::LLVMPointerType>(type);
}

class Traits {
public:
  Traits(ModuleOp module, func::FuncOp kernel) : kernel_(kernel) {
    llvm::SetVector<Operation *> functions;
    functions.insert(kernel);
    for (size_t i = 0; i < functions.size(); ++i)
      functions[i]->walk([&](Operation *op) {
        if (auto call = dyn_cast<func::CallOp>(op)) {
          if (auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee()))
            functions.insert(callee);
        } else {
          visit(op);
        }
      });
  }

  uint32_t bits() const {
    uint32_t bits = found_;
    if (loads_ && writes_)
      bits |= TraitAtomicOrder;
    return bits;
  }

private:
  void visit(Operation *op) {
    if (auto update = dyn_cast<ocl::AtomicRmwOp>(op)) {
      if (!basePointer(update.getPointer()).getDefiningOp<ocl::PrintfBufferOp>())
        visitUpdate(update);
    } else if (auto exchange = dyn_cast<ocl::AtomicCmpXchgOp>(op)) {
      found_ |= TraitAtomicOrder;
      visitScope(exchange.getScope());
    } else if (auto store = dyn_cast<ocl::AtomicStoreOp>(op)) {
      found_ |= TraitAtomicOrder;
      visitScope(store.getScope());
    } else if (auto load = dyn_cast<ocl::AtomicLoadOp>(op)) {
      loads_ = true;
      visitScope(load.getScope());
    } else if (auto fence = dyn_cast<ocl::FenceOp>(op)) {
      visitScope(fence.getScope());
    } else if (isa<ocl::ReadClockOp>(op)) {
      found_ |= TraitClock;
    } else if (auto cast = dyn_cast<LLVM::IntToPtrOp>(op)) {
      if (!isPixelAddress(cast))
        found_ |= TraitFollowsPointers;
    } else if (auto read = dyn_cast<LLVM::LoadOp>(op)) {
      if (holdsPointer(read.getType()))
        found_ |= TraitFollowsPointers;
    }
  }

  /// Returns true if `cast` makes the address in an image argument, which the runtime tracks as an argument. Library
  /// functions that are not inlined cast no other address.
  bool isPixelAddress(LLVM::IntToPtrOp cast) {
    if (cast->getParentOfType<func::FuncOp>()->hasAttr(ocl::InlineIfConstantAttr))
      return true;
    auto load = cast.getArg().getDefiningOp<LLVM::LoadOp>();
    auto argument = load ? dyn_cast<BlockArgument>(basePointer(load.getAddr())) : BlockArgument();
    if (!argument || argument.getOwner() != &kernel_.getBody().front())
      return false;
    auto kind = kernel_.getArgAttrOfType<StringAttr>(argument.getArgNumber(), ocl::ArgKindAttr);
    return kind && kind == "image";
  }

  void visitScope(ocl::Scope scope) {
    if (scope == ocl::Scope::all_devices)
      found_ |= TraitHostAtomics;
  }

  void visitUpdate(ocl::AtomicRmwOp update) {
    visitScope(update.getScope());
    writes_ = true;
    ocl::AtomicKind kind = update.getKind();
    if (kind == ocl::AtomicKind::sub)
      kind = ocl::AtomicKind::add;
    const bool commutes = kind != ocl::AtomicKind::xchg && isa<IntegerType>(update.getValue().getType());
    if (!update.getOld().use_empty() || !commutes)
      found_ |= TraitAtomicOrder;
    // Two updates are of different memory only if both bases are identified: arguments of a called function may alias.
    Value base = basePointer(update.getPointer());
    auto argument = dyn_cast<BlockArgument>(base);
    const bool isArgument = argument && argument.getOwner() == &kernel_.getBody().front();
    auto address = base.getDefiningOp<LLVM::AddressOfOp>();
    Attribute variable = address ? Attribute(address.getGlobalNameAttr()) : Attribute();
    const void *memory = isArgument ? argument.getAsOpaquePointer()
                         : variable ? variable.getAsOpaquePointer()
                                    : nullptr;
    for (auto &[other, otherKind] : updates_)
      if (otherKind != kind && (other == memory || !other || !memory))
        found_ |= TraitAtomicOrder;
    updates_.push_back({memory, kind});
  }

  func::FuncOp kernel_;
  uint32_t found_ = 0;
  bool loads_ = false, writes_ = false;
  SmallVector<std::pair<const void *, ocl::AtomicKind>> updates_;
};

} // namespace

uint32_t runTraits(ModuleOp module, func::FuncOp kernel) {
  return kernel.isExternal() ? 0 : Traits(module, kernel).bits();
}

} // namespace kiln
