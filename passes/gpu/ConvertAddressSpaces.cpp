// Converts `ocl` address-space numbers to the target's.
//
//   !llvm.ptr<3>, llvm.alloca ... -> !llvm.ptr           ==> (AMDGPU)   !llvm.ptr<3>, llvm.alloca ... -> !llvm.ptr<5>
//   llvm.addrspacecast %p : !llvm.ptr to !llvm.ptr<4>    ==> (NVPTX)    %p, where both are one space
//
// On AMDGPU, pointers to private and local memory have 32 bits. In memory they keep the 64 bits of the module's layout:
// in types that describe memory (allocas, globals, structs, address arithmetic) they become i64, and a load or store
// accesses the low half. Their null pointer is not 0, which is a valid address there, but the cast of the generic null.
//
// On NVPTX, address 0 of local memory is valid as well, but LLVM's casts do not convert null pointers. So casts of
// pointers to local memory select:
//
//   llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr<4>   ==>   select(%p == 0xffffffff, null, cvta.shared %p)
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "passes/Pass.h"
#include "passes/gpu/GpuTargetInfo.h"

using namespace mlir;

namespace kiln {
#include "passes/ConvertAddressSpaces.pass.inc"
namespace {

struct ConvertAddressSpaces : impl::ConvertAddressSpacesBase<ConvertAddressSpaces> {
  using ConvertAddressSpacesBase::ConvertAddressSpacesBase;

  void runOnOperation() override {
    info_ = gpu::GpuTargetInfo::of(getOperation(), "gpu-convert-address-spaces");
    if (!info_)
      return signalPassFailure();
    getOperation().walk([&](Operation *op) { prepare(op); });

    AttrTypeReplacer replacer;
    replacer.addReplacement([&](LLVM::LLVMPointerType pointer) { return renumbered(pointer); });
    // Aggregates use the memory layout, also as SSA values.
    using Result = std::optional<std::pair<Type, WalkResult>>;
    replacer.addReplacement(
        [&](LLVM::LLVMStructType type) -> Result { return {{inMemory(type), WalkResult::skip()}}; });
    replacer.addReplacement([&](LLVM::LLVMArrayType type) -> Result { return {{inMemory(type), WalkResult::skip()}}; });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    for (auto global : getOperation().getOps<LLVM::GlobalOp>())
      global.setAddrSpace(info_->addressSpace(ocl::AddressSpace(global.getAddrSpace())));
    getOperation().walk([&](Operation *op) { finish(op); });
  }

private:
  static ocl::AddressSpace spaceOf(LLVM::LLVMPointerType pointer) {
    return ocl::AddressSpace(pointer.getAddressSpace());
  }

  Type renumbered(LLVM::LLVMPointerType pointer) {
    return LLVM::LLVMPointerType::get(&getContext(), info_->addressSpace(spaceOf(pointer)));
  }

  // Returns the type's representation in memory.
  Type inMemory(Type type) {
    if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type))
      return info_->isShortPointer(spaceOf(pointer)) ? Type(IntegerType::get(&getContext(), 64)) : renumbered(pointer);
    if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
      return LLVM::LLVMArrayType::get(inMemory(array.getElementType()), array.getNumElements());
    if (auto record = dyn_cast<LLVM::LLVMStructType>(type); record && !record.isIdentified()) {
      SmallVector<Type> members;
      for (Type member : record.getBody())
        members.push_back(inMemory(member));
      return LLVM::LLVMStructType::getLiteral(&getContext(), members, record.isPacked());
    }
    return type;
  }

  // Runs before the numbers are converted.
  void prepare(Operation *op) {
    // A kernel's copy of an image's description is stored to once, so loads from it are not invariant. LLVM would
    // select scalar loads for AMDGPU, which do not reach private memory.
    if (auto load = dyn_cast<LLVM::LoadOp>(op); load && isIn(load.getAddr().getType(), ocl::Private))
      load.setInvariant(false);
    if (std::optional<int64_t> null = info_->nullOfLocal())
      return prepareNull(op, *null);
    OpBuilder b(op);
    auto shortPointer = [&](Type type) {
      auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
      return pointer && info_->isShortPointer(spaceOf(pointer));
    };
    if (auto alloca = dyn_cast<LLVM::AllocaOp>(op); alloca && shortPointer(alloca.getElemType()))
      alloca.setElemType(b.getI64Type());
    else if (auto gep = dyn_cast<LLVM::GEPOp>(op); gep && shortPointer(gep.getElemType()))
      gep.setElemType(b.getI64Type());
    else if (auto global = dyn_cast<LLVM::GlobalOp>(op); global && shortPointer(global.getGlobalType()))
      global.setGlobalType(b.getI64Type());
    else if (auto zero = dyn_cast<LLVM::ZeroOp>(op); zero && shortPointer(zero.getType())) {
      Value null = LLVM::ZeroOp::create(b, op->getLoc(), LLVM::LLVMPointerType::get(&getContext(), ocl::Generic));
      zero.replaceAllUsesWith(Value(LLVM::AddrSpaceCastOp::create(b, op->getLoc(), zero.getType(), null)));
      zero.erase();
    } else if (auto insert = dyn_cast<LLVM::InsertValueOp>(op); insert && shortPointer(insert.getValue().getType())) {
      insert.getValueMutable().set(LLVM::PtrToIntOp::create(b, op->getLoc(), b.getI64Type(), insert.getValue()));
    } else if (auto extract = dyn_cast<LLVM::ExtractValueOp>(op); extract && shortPointer(extract.getType())) {
      b.setInsertionPointAfter(op);
      Type type = extract.getType();
      extract.getResult().setType(b.getI64Type());
      Value pointer = LLVM::IntToPtrOp::create(b, op->getLoc(), type, extract.getResult());
      extract.getResult().replaceAllUsesExcept(pointer, pointer.getDefiningOp());
    }
  }

  static bool isIn(Type type, ocl::AddressSpace space) {
    auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
    return pointer && spaceOf(pointer) == space;
  }

  // Returns true if the pointer points into a variable.
  static bool isVariable(Value pointer) {
    while (auto gep = pointer.getDefiningOp<LLVM::GEPOp>())
      pointer = gep.getBase();
    return pointer.getDefiningOp<LLVM::AddressOfOp>() != nullptr;
  }

  // For a target whose pointers are equally long.
  void prepareNull(Operation *op, int64_t bits) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    auto nullOfLocal = [&](Type type) -> Value {
      Value number = LLVM::ConstantOp::create(b, loc, b.getI64Type(), bits);
      return LLVM::IntToPtrOp::create(b, loc, type, number);
    };
    if (auto zero = dyn_cast<LLVM::ZeroOp>(op); zero && isIn(zero.getType(), ocl::Local)) {
      zero.replaceAllUsesWith(nullOfLocal(zero.getType()));
      zero.erase();
      return;
    }
    auto cast = dyn_cast<LLVM::AddrSpaceCastOp>(op);
    if (!cast)
      return;
    Type from = cast.getArg().getType(), to = cast.getType();
    if (isIn(from, ocl::Local) == isIn(to, ocl::Local) || isVariable(cast.getArg()))
      return;
    auto nullOf = [&](Type type) {
      return isIn(type, ocl::Local) ? nullOfLocal(type) : Value(LLVM::ZeroOp::create(b, loc, type));
    };
    Value isNull = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, cast.getArg(), nullOf(from));
    Value converted = isIn(from, ocl::Local) ? info_->localToGeneric(b, loc, cast.getArg(), to)
                                             : Value(LLVM::AddrSpaceCastOp::create(b, loc, to, cast.getArg()));
    cast.getRes().replaceAllUsesWith(LLVM::SelectOp::create(b, loc, isNull, nullOf(to), converted).getRes());
    cast.erase();
  }

  // Removes casts between spaces that are the same on the target.
  void finish(Operation *op) {
    auto cast = dyn_cast<LLVM::AddrSpaceCastOp>(op);
    if (!cast || cast.getArg().getType() != cast.getType())
      return;
    cast.getRes().replaceAllUsesWith(cast.getArg());
    cast.erase();
  }

  const gpu::GpuTargetInfo *info_ = nullptr;
};
} // namespace
} // namespace kiln
