// Checks each access of a kernel against the object that it may access (KILN_CHECK=memory).
//
//   %p = llvm.getelementptr %a[%i]       %begin, %size = ocl.argument_range 0
//   %v = llvm.load %p : f32        ==>   %p = llvm.getelementptr %a[%i]
//                                        %q = ocl.check_access read %p in %begin[%size] bytes 4 item(%x, %y, %z) "a"
//                                        %v = llvm.load %q : f32
//
// An access stays an access, so all later passes treat it as before: vector code checks the first and the last lane of
// a consecutive access (passes/simd/emit/WidenCheck). `wg-expand-checks` makes comparisons of what is left.
//
// The object of an access is found by following the pointer back through address arithmetic, casts, choices and loops
// to an argument or a variable. OpenCL C defines no access to another object through such a pointer (C99 6.5.6p8).
// Where the pointer may come from several arguments, or from memory, the object has size 0, and the runtime decides: it
// reports null pointers, freed allocations, and accesses across the end of a live object. If the address is computed
// from one pointer, that is the base, and the access has to be in the live object that it points into.
//
// Private variables become registers, or are interleaved by lane, if all their pointers are address arithmetic. So
// their accesses are left out by a branch, whose condition is the offset:
//
//   %p = llvm.getelementptr %x[%i]       %fits = arith.cmpi ule, 4 * %i, 28
//   %v = llvm.load %p : f32        ==>   %v = scf.if %fits { scf.yield load %p } else { report; scf.yield 0 }
//
// On GPUs all accesses are left out by a branch. `gpu-lower-entries` lowers the ranges to loads, and the report is a
// function of the device library, which decides about accesses outside of the object:
//
//   %p = llvm.getelementptr %a[%i]       %fits = arith.cmpi ule, %p - %begin, %size - 4
//   %v = llvm.load %p : f32        ==>   %right = scf.if %fits { yield true } else { ocl.report_access %check site 5
//   ... }
//                                        %v = scf.if %right { scf.yield load %p } else { scf.yield 0 }
//
// An access whose type requires an alignment that its address may not have is reported as well, and carried out: the
// CPU accesses any address. Programs that index by the type of the access need no such check.
//
//   %p = llvm.getelementptr %a[4 * %i + 1] : f32     %misaligned = %p & 15 != 0
//   %v = llvm.load %p {alignment = 16}        ==>    scf.if %misaligned { report }
//
// On GPUs the access of a misaligned address is divided:
//
//                                             ==>    %v = scf.if %misaligned { yield load %p {alignment = 1} }
//                                                         else { yield load %p {alignment = 16} }
//
// Checks of images (ocl-check-images) are lowered: ImageChecks.h. Numbers of collectives are compared with their
// limits: CollectiveChecks.h.
//
// An access at a constant offset in an object of constant size needs no check. Covers loads, stores, copies and atomic
// operations. Not handled: functions that stay functions (ocl-keep-calls), accesses of the device library, whose
// pointers do not come from the program, and accesses of private variables through pointers that branches or loops
// choose. On GPUs also not: blocks that kernels enqueue, kernels that the runtime launches, and pointers to private or
// local memory whose object is not known, because 0 is an address there.
#include "base/abi/Check.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/LlvmAttributes.h"
#include "dialects/ocl/Target.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "passes/Pass.h"
#include "passes/analysis/Constants.h"
#include "passes/analysis/ObjectOf.h"
#include "passes/analysis/SubGroupSize.h"
#include "passes/lowering/CheckSites.h"
#include "passes/ocl/CollectiveChecks.h"
#include "passes/ocl/ImageChecks.h"
#include "passes/ocl/PointerAccesses.h"
#include <array>
#include <cstddef>

using namespace mlir;

namespace kiln {
#include "passes/CheckAccesses.pass.inc"
namespace {

/// The ids that a kernel's reports name: those in the dimensions of which it queries something. In other dimensions its
/// work-items do the same, and the passes that follow depend on that.
class ReportedIds {
public:
  explicit ReportedIds(func::FuncOp kernel) {
    kernel.walk([&](Operation *op) {
      auto query = dyn_cast<ocl::QueryOp>(op);
      const auto dim = query ? constantOf(query.getDim()) : std::nullopt;
      const bool isOfAll = query ? !dim : isa<ocl::LinearQueryOp>(op);
      for (int64_t one : {1, 2})
        isQueried_[one] |= isOfAll || (dim && *dim == one);
    });
  }

  SmallVector<Value, 3> emit(ImplicitLocOpBuilder &b) const {
    SmallVector<Value, 3> ids;
    for (int64_t dim : {0, 1, 2})
      if (isQueried_[dim])
        ids.push_back(ocl::QueryOp::create(b, b.getI64Type(), ocl::Query::global_id, intConstant(b, dim, 32)));
      else
        ids.push_back(intConstant(b, -1, 64));
    return ids;
  }

private:
  std::array<bool, 3> isQueried_{true, false, false};
};

Value zero(ImplicitLocOpBuilder &b, Type type) {
  if (TypedAttr number = b.getZeroAttr(type))
    return arith::ConstantOp::create(b, number);
  return LLVM::ZeroOp::create(b, type);
}

SmallVector<Value> zeros(ImplicitLocOpBuilder &b, TypeRange types) {
  return llvm::map_to_vector(types, [&](Type type) { return zero(b, type); });
}

/// Executes the operation only if the condition is `isRight`. Otherwise `other` is, which returns the results.
void guard(Operation *op, Value condition, bool isRight,
           llvm::function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, Operation *)> other) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto branch = scf::IfOp::create(b, op->getResultTypes(), condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
  op->replaceAllUsesWith(branch);
  auto finish = [&](Block *block, ValueRange results) {
    b.setInsertionPointToEnd(block);
    if (block->empty() || !block->back().hasTrait<OpTrait::IsTerminator>())
      scf::YieldOp::create(b, results);
  };
  Block *right = isRight ? branch.thenBlock() : branch.elseBlock();
  Block *wrong = isRight ? branch.elseBlock() : branch.thenBlock();
  op->moveBefore(right, right->begin());
  finish(right, op->getResults());
  b.setInsertionPointToStart(wrong);
  finish(wrong, other(b, op));
}

SmallVector<PointerAccess> accessesOf(func::FuncOp kernel, const DataLayout &layout) {
  SmallVector<PointerAccess> found;
  kernel.walk([&](Operation *op) {
    if (!op->hasAttr(ocl::TrustedAttr))
      llvm::append_range(found, pointerAccesses(op, layout));
  });
  return found;
}

StringRef nameOf(func::FuncOp kernel, const Object &object) {
  if (object.kind == Object::Argument)
    if (auto known =
            kernel.getArgAttrOfType<StringAttr>(cast<BlockArgument>(object.base).getArgNumber(), ocl::ArgNameAttr))
      return known.getValue();
  return object.name;
}

unsigned spaceOf(Value pointer) { return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace(); }

/// An address that may be no multiple of what the type of its access requires.
struct Misalignment {
  Value address; // i64; of a private variable its offset
  Value isMisaligned;
  CheckedObject site;
};

/// Compares the address before the access. Returns nothing if the access needs no check. Variables and arguments are
/// aligned: by Kiln, and by the application.
std::optional<Misalignment> misalignmentOf(ImplicitLocOpBuilder &b, func::FuncOp kernel, const PointerAccess &access,
                                           const DataLayout &layout) {
  const Value pointer = access.pointer->get();
  const uint64_t alignment = alignmentOf(access, layout);
  if (alignment < 2 || isAlignedInObject(pointer, alignment, layout))
    return {};
  const Object object = objectOf(pointer, layout);
  if (object.kind == Object::Runtime)
    return {};
  const bool isPrivate = object.kind == Object::Variable && object.base.getDefiningOp<LLVM::AllocaOp>();
  const Value address = isPrivate ? offsetOf(pointer, object.base, layout, b)
                                  : LLVM::PtrToIntOp::create(b, b.getI64Type(), pointer).getResult();
  if (!address)
    return {};
  const Value rest = arith::AndIOp::create(b, address, intConstant(b, int64_t(alignment - 1), 64));
  const Value isMisaligned = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne, rest, intConstant(b, 0, 64));
  if (matchPattern(isMisaligned, m_Zero()))
    return {};
  Misalignment found{address,
                     isMisaligned,
                     {.access = uint8_t(access.kind),
                      .space = uint8_t(spaceOf(pointer)),
                      .name = nameOf(kernel, object),
                      .alignment = uint8_t(llvm::Log2_64(alignment))}};
  if (object.kind == Object::Argument)
    found.site.argument = int32_t(cast<BlockArgument>(object.base).getArgNumber());
  return found;
}

/// Checks the accesses of one kernel.
class KernelChecks {
public:
  KernelChecks(func::FuncOp kernel, CheckSites &sites)
      : kernel_(kernel), layout_(DataLayout::closest(kernel)), ids_(kernel), sites_(sites) {}

  /// Returns the number of accesses with a check.
  unsigned run() {
    const auto accesses = accessesOf(kernel_, layout_);
    for (const PointerAccess &access : accesses)
      checkAlignment(access);
    const auto reportOutside = [&](ImplicitLocOpBuilder &b, const CheckedObject &site, Value image,
                                   const std::array<Value, 3> &coordinates) {
      SmallVector<Value> operands{image};
      llvm::append_range(operands, coordinates);
      llvm::append_range(operands, ids_.emit(b));
      callCheck(b, offsetof(abi::CheckLaunch, outsideImage), sites_.of(b.getLoc(), site), operands, {});
    };
    const auto reportNumber = [&](ImplicitLocOpBuilder &b, abi::CheckedNumber what, Value number, Value limit) {
      SmallVector<Value> operands{number, limit};
      llvm::append_range(operands, ids_.emit(b));
      const CheckedObject site{.access = abi::CheckedCollective, .shape = what};
      callCheck(b, offsetof(abi::CheckLaunch, wrongNumber), sites_.of(b.getLoc(), site), operands, {});
    };
    return unsigned(llvm::count_if(accesses, [&](const auto &access) { return check(access); })) +
           lowerImageChecks(kernel_, reportOutside) + checkCollectives(kernel_, cpuSubGroupSize(kernel_), reportNumber);
  }

private:
  // Returns false if the access needs no check.
  bool check(const PointerAccess &access) {
    const Object object = objectOf(access.pointer->get(), layout_);
    if (object.kind == Object::Runtime)
      return false;
    if (object.kind == Object::Variable && object.base.getDefiningOp<LLVM::AllocaOp>())
      return checkPrivate(access, object);
    Operation *op = access.pointer->getOwner();
    ImplicitLocOpBuilder b(op->getLoc(), op);
    const Value pointer = access.pointer->get();
    Value base, size;
    const StringRef name = nameOf(kernel_, object);
    IntegerAttr argument;
    if (object.kind == Object::Argument) {
      std::tie(base, size) = rangeOf(object.base);
      argument = b.getI32IntegerAttr(int32_t(cast<BlockArgument>(object.base).getArgNumber()));
    } else {
      Value known = object.base;
      const bool hasBase = known && known.getParentRegion()->isAncestor(op->getParentRegion());
      base = hasBase ? known : LLVM::ZeroOp::create(b, pointer.getType()).getResult();
      size = intConstant(b, int64_t(object.bytes), 64);
    }
    const Value bytes = bytesOf(access, b);
    const auto ids = ids_.emit(b);
    const Value checked = b.createOrFold<ocl::CheckAccessOp>(pointer.getType(), access.kind, pointer, base, size, bytes,
                                                             ids[0], ids[1], ids[2], b.getStringAttr(name), argument);
    access.pointer->set(checked);
    return checked != pointer;
  }

  // A kernel's local argument is an address in the group's local memory, and its range has only a size.
  std::pair<Value, Value> rangeOf(Value argument) {
    ocl::ArgumentRangeOp &range = ranges_[argument];
    if (!range) {
      auto b = ImplicitLocOpBuilder::atBlockBegin(kernel_.getLoc(), &kernel_.getBody().front());
      range = ocl::ArgumentRangeOp::create(b, argument.getType(), b.getI64Type(),
                                           cast<BlockArgument>(argument).getArgNumber());
    }
    return {spaceOf(argument) == ocl::Local ? argument : range.getBegin(), range.getSize()};
  }

  bool checkPrivate(const PointerAccess &access, const Object &object) {
    Operation *op = access.pointer->getOwner();
    ImplicitLocOpBuilder b(op->getLoc(), op);
    const Value offset = offsetOf(access.pointer->get(), object.base, layout_, b);
    if (!offset)
      return false;
    const Value bytes = bytesOf(access, b), size = intConstant(b, int64_t(object.bytes), 64);
    const Value fits = isInObject(b, offset, bytes, size);
    if (matchPattern(fits, m_One()))
      return false;
    guard(op, fits, /*isRight=*/true, [&](ImplicitLocOpBuilder &b, Operation *) {
      report(b, access, offset, size, bytes);
      return zeros(b, op->getResultTypes());
    });
    return true;
  }

  void checkAlignment(const PointerAccess &access) {
    ImplicitLocOpBuilder b(access.pointer->getOwner()->getLoc(), access.pointer->getOwner());
    const auto misalignment = misalignmentOf(b, kernel_, access, layout_);
    if (!misalignment)
      return;
    auto branch = scf::IfOp::create(b, misalignment->isMisaligned, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    SmallVector<Value> operands{LLVM::IntToPtrOp::create(b, pointer, misalignment->address)};
    llvm::append_range(operands, ids_.emit(b));
    callCheck(b, offsetof(abi::CheckLaunch, misaligned), sites_.of(b.getLoc(), misalignment->site), operands, {});
  }

  // The variable is at no address, so that it can become a register: the report has the offset as its address.
  void report(ImplicitLocOpBuilder &b, const PointerAccess &access, Value offset, Value size, Value bytes) {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    SmallVector<Value> operands{LLVM::IntToPtrOp::create(b, pointer, offset), LLVM::ZeroOp::create(b, pointer), size,
                                bytes};
    llvm::append_range(operands, ids_.emit(b));
    callCheck(b, offsetof(abi::CheckLaunch, check), sites_.of(b.getLoc(), {.access = uint8_t(access.kind)}), operands,
              pointer);
  }

  func::FuncOp kernel_;
  const DataLayout layout_;
  const ReportedIds ids_;
  CheckSites &sites_;
  DenseMap<Value, ocl::ArgumentRangeOp> ranges_;
};

/// Checks the accesses of one kernel for a GPU.
class GpuKernelChecks {
public:
  GpuKernelChecks(func::FuncOp kernel, int64_t subGroupSize)
      : kernel_(kernel), layout_(DataLayout::closest(kernel)), subGroupSize_(subGroupSize), sites_(kernel) {}

  /// Returns the number of accesses with a check.
  unsigned run() {
    const auto accesses = accessesOf(kernel_, layout_);
    const auto areMisaligned =
        llvm::map_to_vector(accesses, [&](const PointerAccess &access) { return checkAlignment(access); });
    auto checked = unsigned(llvm::count_if(accesses, [&](const PointerAccess &access) { return check(access); }));
    for (auto [access, isMisaligned] : llvm::zip(accesses, areMisaligned)) // of right accesses
      if (isMisaligned)
        guard(access.pointer->getOwner(), isMisaligned, /*isRight=*/false, accessByBytes);
    checked += lowerImageChecks(kernel_, [&](ImplicitLocOpBuilder &b, const CheckedObject &site, Value,
                                             const std::array<Value, 3> &coordinates) {
      std::array<Value, 3> bits;
      for (unsigned i = 0; i < 3; ++i)
        bits[i] = arith::BitcastOp::create(b, b.getI64Type(), coordinates[i]);
      reportFinding(b, site, bits);
    });
    checked += checkCollectives(
        kernel_, subGroupSize_, [&](ImplicitLocOpBuilder &b, abi::CheckedNumber what, Value number, Value limit) {
          reportFinding(b, {.access = abi::CheckedCollective, .shape = what}, {number, limit, intConstant(b, 0, 64)});
        });
    sites_.finish();
    return checked;
  }

private:
  /// What an access is compared with, and what is reported. All are i64; `pointer` and `base` may be offsets.
  struct Bounds {
    Value pointer, base, size;
    int64_t range; // index of its abi::GpuCheckRange; -1: none
  };

  // Returns false if the access needs no check.
  bool check(const PointerAccess &access) {
    const Object object = objectOf(access.pointer->get(), layout_);
    if (object.kind == Object::Runtime)
      return false;
    Operation *op = access.pointer->getOwner();
    ImplicitLocOpBuilder b(op->getLoc(), op);
    const auto bounds = boundsOf(b, access.pointer->get(), object);
    if (!bounds)
      return false;
    const Value bytes = bytesOf(access, b);
    const Value offset = b.createOrFold<arith::SubIOp>(bounds->pointer, bounds->base);
    const Value fits = isInObject(b, offset, bytes, bounds->size);
    if (matchPattern(fits, m_One()))
      return false;
    auto decides = scf::IfOp::create(b, b.getI1Type(), fits, /*addThenBlock=*/true, /*addElseBlock=*/true);
    b.setInsertionPointToStart(decides.thenBlock());
    scf::YieldOp::create(b, intConstant(b, 1, 1));
    b.setInsertionPointToStart(decides.elseBlock());
    scf::YieldOp::create(b, report(b, access, object, *bounds, bytes));
    guard(op, decides.getResult(0), /*isRight=*/true,
          [](ImplicitLocOpBuilder &b, Operation *op) { return zeros(b, op->getResultTypes()); });
    return true;
  }

  // Returns a flag: the address is no multiple of what the type requires. Null if the access needs no check.
  Value checkAlignment(const PointerAccess &access) {
    ImplicitLocOpBuilder b(access.pointer->getOwner()->getLoc(), access.pointer->getOwner());
    const auto misalignment = misalignmentOf(b, kernel_, access, layout_);
    if (!misalignment)
      return {};
    auto branch = scf::IfOp::create(b, misalignment->isMisaligned, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    const Value none = intConstant(b, 0, 64);
    reportFinding(b, misalignment->site, {misalignment->address, none, none});
    return misalignment->isMisaligned;
  }

  // NVIDIA's GPUs fault at misaligned addresses. LLVM divides an access of which no alignment is known. Atomic
  // operations are left out.
  static SmallVector<Value> accessByBytes(ImplicitLocOpBuilder &b, Operation *op) {
    if (!isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::MemcpyOp>(op))
      return zeros(b, op->getResultTypes());
    Operation *divided = b.clone(*op);
    if (auto load = dyn_cast<LLVM::LoadOp>(divided))
      load.setAlignment(1);
    else if (auto store = dyn_cast<LLVM::StoreOp>(divided))
      store.setAlignment(1);
    else
      divided->removeAttr(ocl::CopyAlignAttr);
    return divided->getResults();
  }

  std::optional<Bounds> boundsOf(ImplicitLocOpBuilder &b, Value pointer, const Object &object) {
    const unsigned space = spaceOf(pointer);
    if (object.kind == Object::Unknown) {
      if (space == ocl::Private || space == ocl::Local)
        return {};
      const auto last = int64_t(kernel_.getNumArguments());
      auto [begin, size] = rangeOf(LLVM::LLVMPointerType::get(b.getContext(), ocl::Global), unsigned(last));
      return Bounds{address(b, pointer), address(b, begin), size, last};
    }
    const bool isVariable = object.kind == Object::Variable;
    const auto index = isVariable ? -1 : int64_t(cast<BlockArgument>(object.base).getArgNumber());
    Value size, base = object.base;
    if (isVariable) {
      size = intConstant(b, int64_t(object.bytes), 64);
    } else {
      Value begin;
      std::tie(begin, size) = rangeOf(base.getType(), unsigned(index));
      if (spaceOf(base) != ocl::Local)
        return Bounds{address(b, pointer), address(b, begin), size, index};
    }
    // An offset leaves a private variable without an address, so that it can become a register.
    if (const Value offset = offsetOf(pointer, base, layout_, b))
      return Bounds{offset, intConstant(b, 0, 64), size, -1};
    const unsigned ofBase = spaceOf(base);
    if (ofBase == ocl::Private || space != ofBase)
      return {};
    if (ofBase != ocl::Local)
      return Bounds{address(b, pointer), address(b, base), size, -1};
    // Addresses of local memory have 32 bits on some targets.
    auto low = [&](Value of) { return LLVM::PtrToIntOp::create(b, b.getI32Type(), of).getResult(); };
    const Value offset = arith::SubIOp::create(b, low(pointer), low(base));
    return Bounds{arith::ExtSIOp::create(b, b.getI64Type(), offset), intConstant(b, 0, 64), size, -1};
  }

  static Value address(ImplicitLocOpBuilder &b, Value pointer) {
    return LLVM::PtrToIntOp::create(b, b.getI64Type(), pointer);
  }

  // In the entry block, so that all accesses share the loads.
  std::pair<Value, Value> rangeOf(Type type, unsigned index) {
    ocl::ArgumentRangeOp &range = ranges_[index];
    if (!range) {
      auto b = ImplicitLocOpBuilder::atBlockBegin(kernel_.getLoc(), &kernel_.getBody().front());
      range = ocl::ArgumentRangeOp::create(b, type, b.getI64Type(), index);
    }
    return {range.getBegin(), range.getSize()};
  }

  Value report(ImplicitLocOpBuilder &b, const PointerAccess &access, const Object &object, const Bounds &bounds,
               Value bytes) {
    const bool isUnknown = object.kind == Object::Unknown;
    const int32_t argument =
        object.kind == Object::Argument ? int32_t(cast<BlockArgument>(object.base).getArgNumber()) : -1;
    const uint32_t site = sites_.of(
        b.getLoc(), {uint8_t(access.kind), uint8_t(spaceOf(access.pointer->get())), argument, nameOf(kernel_, object)});
    const Value none = isUnknown ? intConstant(b, 0, 64) : Value();
    const auto ids = globalIds(b);
    return ocl::ReportAccessOp::create(b, b.getI1Type(), launch(b), intConstant(b, site, 32),
                                       intConstant(b, bounds.range, 32), bounds.pointer, isUnknown ? none : bounds.base,
                                       isUnknown ? none : bounds.size, bytes, ids[0], ids[1], ids[2]);
  }

  void reportFinding(ImplicitLocOpBuilder &b, const CheckedObject &site, const std::array<Value, 3> &numbers) {
    const auto ids = globalIds(b);
    ocl::ReportFindingOp::create(b, launch(b), intConstant(b, sites_.of(b.getLoc(), site), 32), numbers[0], numbers[1],
                                 numbers[2], ids[0], ids[1], ids[2]);
  }

  static Value launch(ImplicitLocOpBuilder &b) {
    return ocl::CheckLaunchOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), ocl::Global));
  }

  static SmallVector<Value, 3> globalIds(ImplicitLocOpBuilder &b) {
    SmallVector<Value, 3> ids;
    for (int64_t dim : {0, 1, 2})
      ids.push_back(ocl::QueryOp::create(b, b.getI64Type(), ocl::Query::global_id, intConstant(b, dim, 32)));
    return ids;
  }

  func::FuncOp kernel_;
  const DataLayout layout_;
  const int64_t subGroupSize_;
  KernelSites sites_;
  DenseMap<unsigned, ocl::ArgumentRangeOp> ranges_;
};

struct CheckAccesses : impl::CheckAccessesBase<CheckAccesses> {
  void runOnOperation() override {
    const ocl::TargetAttr target = getOperation()->getAttrOfType<ocl::TargetAttr>(ocl::TargetAttr::name);
    CheckSites sites(getOperation());
    SmallVector<func::FuncOp> kernels;
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(ocl::KernelAttr) && !kernel.isExternal())
        kernels.push_back(kernel);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr(ocl::KernelAttr))
        removeImageChecks(function);
    for (func::FuncOp kernel : kernels)
      if (!target || target.isCpu())
        accessesChecked += KernelChecks(kernel, sites).run();
      else if (ocl::isLaunchedByHost(kernel))
        accessesChecked += GpuKernelChecks(kernel, target.getSubGroupSize()).run();
      else
        removeImageChecks(kernel);
  }
};
} // namespace
} // namespace kiln
