// Notes each access of a kernel to memory that work-items share, before it is executed (KILN_CHECK=races, init).
//
//   %v = llvm.load %p : f32      ==>   ocl.track_access read %p bytes 4 step 0 lanes 1 item %local_linear_id "a"
//                                      %v = llvm.load %p : f32
//
// The runtime keeps the last accesses of each few bytes, the granule, and compares them (runtime/check/RaceCheck).
// Vector code notes the accesses of all lanes by one operation (passes/simd/emit/WidenTrack). The granule is the
// largest power of two, up to 8 bytes, that divides the sizes of all tracked accesses of the kernel in global or in
// local memory: bytes would take eight times the memory of double numbers.
//
// Tracked are loads, stores, copies, atomic operations and fences in global and local memory. Legal because the
// operation changes nothing that the program can observe.
//
// With `only-races`, reads of local memory that no work-item writes between the barriers around them are left out: such
// a read is ordered with all writes (passes/ocl/ReadOnlyStretches.h). So are reads of bytes that the work-item writes
// next: a race with the read is one with the write.
//
// With `only-races`, a kernel is marked if its groups access local memory alike (GroupPattern.h): its code notes these
// accesses until one group has ended without a race.
//
// With `only-races`, accesses whose bytes no two work-items of some launches share (OwnBytes.h) are noted in a branch
// that such a launch does not take:
//
//   llvm.store %v, %p            ==>   %own = ...                                    at the start of the kernel
//                                      %overlaps = CheckTracksOwn of ocl.argument_tracked 0
//                                      scf.if !%own | %overlaps { ocl.track_access write %p ... }
//                                      llvm.store %v, %p
//
// Of an access through a generic pointer, the address decides which memory it is in:
//
//   llvm.store %v, %p : !llvm.ptr<4>    ==>   scf.if ocl.is_addrspace local %p {
//                                               ocl.track_access write %p as !llvm.ptr<3> ...
//                                             } else {
//                                               scf.if ocl.is_addrspace global %p { ... as !llvm.ptr<1> ... } }
//                                             llvm.store %v, %p : !llvm.ptr<4>
//
// Not handled: accesses of the device library, and kernels that call functions (ocl-keep-calls), which may contain
// fences.
#include "base/abi/Check.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Pass.h"
#include "passes/analysis/Constants.h"
#include "passes/analysis/ObjectOf.h"
#include "passes/lowering/CheckSites.h"
#include "passes/ocl/GroupPattern.h"
#include "passes/ocl/OwnBytes.h"
#include "passes/ocl/PointerAccesses.h"
#include "passes/ocl/ReadOnlyStretches.h"
#include "llvm/ADT/TypeSwitch.h"
#include <array>

using namespace mlir;

namespace kiln {
#include "passes/TrackAccesses.pass.inc"
namespace {

constexpr unsigned MostGranule = 3; // log2

uint32_t syncOf(ocl::Order order, ocl::Scope scope) {
  uint32_t sync = 0;
  if (order != ocl::Order::relaxed && order != ocl::Order::acquire)
    sync |= abi::CheckReleases;
  if (order != ocl::Order::relaxed && order != ocl::Order::release)
    sync |= abi::CheckAcquires;
  if (scope == ocl::Scope::device || scope == ocl::Scope::all_devices)
    sync |= abi::CheckOfDevice;
  return sync;
}

uint32_t syncOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, uint32_t>(op)
      .Case([](ocl::AtomicLoadOp load) { return abi::CheckOnlyReads | syncOf(load.getOrder(), load.getScope()); })
      .Case([](ocl::AtomicStoreOp store) { return abi::CheckOnlyWrites | syncOf(store.getOrder(), store.getScope()); })
      .Case<ocl::AtomicRmwOp, ocl::AtomicCmpXchgOp>(
          [](auto atomic) { return syncOf(atomic.getOrder(), atomic.getScope()); })
      .Case([](ocl::FenceOp fence) {
        const auto has = [&](ocl::Fence space) { return bitEnumContainsAny(fence.getFence(), space); };
        return syncOf(fence.getOrder(), fence.getScope()) | (has(ocl::Fence::local) ? abi::CheckOfLocal : 0) |
               (has(ocl::Fence::global) ? abi::CheckOfGlobal : 0);
      })
      .Default([](Operation *) { return 0; });
}

/// The bytes of which an access consists: those of a component, of a scalar, or the alignment that a struct has.
uint64_t partOf(Operation *op, const PointerAccess &access, const DataLayout &layout) {
  Type type;
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    type = load.getType();
  else if (auto store = dyn_cast<LLVM::StoreOp>(op))
    type = store.getValue().getType();
  if (auto vector = dyn_cast_or_null<VectorType>(type))
    return access.bytes / uint64_t(vector.getNumElements());
  if (type && !type.isIntOrFloat() && !isa<LLVM::LLVMPointerType>(type))
    return layout.getTypeABIAlignment(type);
  return access.bytes; // of a copy all; 0 if that is not known
}

unsigned spaceOf(Value pointer) { return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace(); }
bool isLocal(Value pointer) { return spaceOf(pointer) == ocl::Local; }
bool isGeneric(Value pointer) { return spaceOf(pointer) == ocl::Generic; }
bool mayBeShared(Value pointer) { return spaceOf(pointer) == ocl::Global || isLocal(pointer) || isGeneric(pointer); }

struct TrackAccesses : impl::TrackAccessesBase<TrackAccesses> {
  using TrackAccessesBase::TrackAccessesBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(ocl::KernelAttr) && !kernel.isExternal() && !hasCalls(kernel))
        track(kernel);
  }

private:
  // Memory that functions write would seem never to be written.
  static bool hasCalls(func::FuncOp kernel) {
    return kernel.walk([](func::CallOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  void track(func::FuncOp kernel) {
    kernel->setAttr(ocl::TrackedAttr, UnitAttr::get(&getContext()));
    if (onlyRaces)
      kernel->setAttr(OnlyRacesAttr, UnitAttr::get(&getContext()));
    const DataLayout layout = DataLayout::closest(kernel);
    SmallVector<Operation *> fences;
    SmallVector<PointerAccess> accesses;
    // All sizes, in global and in local memory; the lowest bit is their common divisor.
    std::array<uint64_t, 2> parts{uint64_t(1) << MostGranule, uint64_t(1) << MostGranule};
    kernel.walk([&](Operation *op) {
      if (op->hasAttr(ocl::TrustedAttr))
        return;
      if (isa<ocl::FenceOp>(op))
        fences.push_back(op);
      for (const PointerAccess &access : pointerAccesses(op, layout))
        if (mayBeShared(access.pointer->get()) && objectOf(access.pointer->get(), layout).kind != Object::Runtime) {
          accesses.push_back(access);
          const uint64_t part = partOf(op, access, layout);
          for (const bool local : {false, true})
            if (isGeneric(access.pointer->get()) || isLocal(access.pointer->get()) == local)
              parts[local] |= part ? part : 1;
        }
    });
    shared_.clear();
    if (onlyRaces)
      shared_ = sharedInSomeLaunches(kernel, accesses, layout);
    if (onlyRaces && hasOneLocalPattern(kernel, accesses))
      kernel->setAttr(OneLocalPatternAttr, UnitAttr::get(&getContext()));
    for (size_t i = 0; i < parts.size(); ++i)
      granules_[i] = unsigned(llvm::countr_zero(parts[i]));
    if (onlyRaces) {
      ReadOnlyStretches stretches(kernel, accesses);
      llvm::erase_if(accesses, [&](const PointerAccess &access) {
        return stretches.contain(access) || isWrittenNext(access, layout);
      });
    }
    for (Operation *fence : fences)
      track(fence, ocl::AccessKind::atomic, LLVM::LLVMPointerType::get(&getContext(), ocl::Global));
    for (const PointerAccess &access : accesses)
      track(access);
    accessesTracked += accesses.size();
  }

  // Returns true if the work-item also writes the bytes that it reads, before it can be ordered with others: whatever
  // is a race with the read is one with the write.
  static bool isWrittenNext(const PointerAccess &access, const DataLayout &layout) {
    constexpr unsigned MostOperations = 100; // that are looked at
    Operation *next = access.pointer->getOwner();
    if (access.kind != ocl::AccessKind::read || access.size)
      return false;
    for (unsigned i = 0; i < MostOperations && (next = next->getNextNode()); ++i) {
      if (auto store = dyn_cast<LLVM::StoreOp>(next); store && store.getAddr() == access.pointer->get()) {
        const auto own = pointerAccesses(next, layout);
        return own.size() == 1 && own.front().bytes == access.bytes;
      }
      if (next->getNumRegions() || next->hasTrait<ocl::Convergent>() ||
          isa<ocl::FenceOp, ocl::AtomicLoadOp, ocl::AtomicStoreOp, ocl::AtomicRmwOp, ocl::AtomicCmpXchgOp>(next))
        return false;
    }
    return false;
  }

  void track(const PointerAccess &access) {
    Operation *op = access.pointer->getOwner();
    auto kernel = op->getParentOfType<func::FuncOp>();
    const Object object = objectOf(access.pointer->get(), DataLayout::closest(op));
    StringRef name = object.name;
    IntegerAttr argument;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    if (object.kind == Object::Argument) {
      const unsigned index = cast<BlockArgument>(object.base).getArgNumber();
      argument = b.getI32IntegerAttr(int32_t(index));
      if (auto known = kernel.getArgAttrOfType<StringAttr>(index, ocl::ArgNameAttr))
        name = known.getValue();
    }
    const Value bytes = bytesOf(access, b);
    if (const Value isShared = shared_.lookup(access.pointer)) {
      auto branch = scf::IfOp::create(b, isShared, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    const uint32_t sync = syncOf(op) | (readsOnlyToStore(op) ? abi::CheckIsCopy : 0);
    Value pointer = access.pointer->get();
    if (!isGeneric(pointer)) {
      emit(b, access.kind, pointer, bytes, name, argument, sync);
      return;
    }
    const auto emitIn = [&](ocl::AddressSpace space, Block *block) {
      b.setInsertionPointToStart(block);
      Value named = LLVM::AddrSpaceCastOp::create(b, LLVM::LLVMPointerType::get(&getContext(), space), pointer);
      emit(b, access.kind, named, bytes, name, argument, sync);
    };
    auto ifLocal = scf::IfOp::create(b, ocl::IsAddrSpaceOp::create(b, ocl::NamedSpace::local, pointer),
                                     /*withElseRegion=*/true);
    emitIn(ocl::Local, ifLocal.thenBlock());
    b.setInsertionPointToStart(ifLocal.elseBlock());
    auto ifGlobal = scf::IfOp::create(b, ocl::IsAddrSpaceOp::create(b, ocl::NamedSpace::global, pointer),
                                      /*withElseRegion=*/false);
    emitIn(ocl::Global, ifGlobal.thenBlock());
  }

  void track(Operation *fence, ocl::AccessKind kind, Type pointer) {
    ImplicitLocOpBuilder b(fence->getLoc(), fence);
    emit(b, kind, LLVM::ZeroOp::create(b, pointer), intConstant(b, 0, 64), "", {}, syncOf(fence));
  }

  void emit(ImplicitLocOpBuilder &b, ocl::AccessKind kind, Value pointer, Value bytes, StringRef name,
            IntegerAttr argument, uint32_t sync) const {
    Value item = ocl::LinearQueryOp::create(b, b.getI64Type(), ocl::LinearQuery::local_linear_id);
    ocl::TrackAccessOp::create(b, kind, pointer, bytes, intConstant(b, 0, 64), intConstant(b, 1, 64), item,
                               b.getStringAttr(name), argument, granules_[isLocal(pointer)], sync);
  }

  std::array<uint32_t, 2> granules_{};        // of global and of local memory
  llvm::DenseMap<OpOperand *, Value> shared_; // an i1 for accesses that are noted only if it is true
};
} // namespace
} // namespace kiln
