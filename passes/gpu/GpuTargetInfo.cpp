#include "passes/gpu/GpuTargetInfo.h"
#include "dialects/ocl/CallIntrinsic.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/LlvmAttributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "passes/gpu/NvptxAtomics.h"
#include "passes/gpu/NvptxGroupVote.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace mlir;

namespace kiln::gpu {
namespace {

using Order = LLVM::AtomicOrdering;

LLVM::ConstantRangeAttr range(OpBuilder &b, int64_t lower, int64_t upper) {
  return LLVM::ConstantRangeAttr::get(b.getContext(), 32, lower, upper);
}

Value constant(OpBuilder &b, Location loc, int64_t value) { return intConstant(b, loc, value, 32); }

Value dividedRoot(OpBuilder &b, Location loc, Value x) {
  auto flags = LLVM::FastmathFlags::contract; // allows LLVM to select one instruction for both
  Value one = LLVM::ConstantOp::create(b, loc, x.getType(), b.getFloatAttr(x.getType(), 1));
  return LLVM::FDivOp::create(b, loc, one, LLVM::SqrtOp::create(b, loc, x, flags), flags);
}

template <typename X, typename Y, typename Z>
Value readRegister(OpBuilder &b, Location loc, unsigned dim, LLVM::ConstantRangeAttr range) {
  Type i32 = b.getI32Type();
  if (dim == 0)
    return X::create(b, loc, i32, range);
  if (dim == 1)
    return Y::create(b, loc, i32, range);
  return Z::create(b, loc, i32, range);
}

/// The name of redux.sync's operation.
StringRef reduction(ocl::CombiningKind kind) {
  using ocl::CombiningKind;
  switch (kind) {
  case CombiningKind::add:
    return "add";
  case CombiningKind::smin:
    return "min";
  case CombiningKind::smax:
    return "max";
  case CombiningKind::umin:
    return "umin";
  case CombiningKind::umax:
    return "umax";
  case CombiningKind::and_:
    return "and";
  case CombiningKind::or_:
    return "or";
  case CombiningKind::xor_:
    return "xor";
  default:
    llvm_unreachable("not a kind of redux.sync");
  }
}

/// PTX's name of a rounding mode.
StringRef roundingName(ocl::Rounding rounding) {
  switch (rounding) {
  case ocl::Rounding::rte:
    return "rn";
  case ocl::Rounding::rtz:
    return "rz";
  case ocl::Rounding::rtp:
    return "rp";
  case ocl::Rounding::rtn:
    return "rm";
  }
  llvm_unreachable("all modes are handled");
}

/// The largest grid of a launch, in groups. The driver part splits larger NDRanges into sub-launches.
constexpr std::array<int64_t, 3> NvidiaGrid = {(int64_t(1) << 31) - 1, 65535, 65535};

class Nvptx : public GpuTargetInfo {
  static Value assembly(OpBuilder &b, Location loc, Type type, ValueRange operands, StringRef text,
                        StringRef constraints, bool hasSideEffects) {
    return LLVM::InlineAsmOp::create(b, loc, TypeRange{type}, operands, text, constraints, hasSideEffects,
                                     /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                     LLVM::AsmDialectAttr(), ArrayAttr())
        .getResult(0);
  }

  Value localId(OpBuilder &b, Location loc, unsigned dim, int64_t size) const override {
    auto bounds = range(b, 0, size ? size : MaxGroupDims[dim]);
    return readRegister<NVVM::ThreadIdXOp, NVVM::ThreadIdYOp, NVVM::ThreadIdZOp>(b, loc, dim, bounds);
  }
  Value gridId(OpBuilder &b, Location loc, unsigned dim) const override {
    auto bounds = range(b, 0, NvidiaGrid[dim]);
    return readRegister<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(b, loc, dim, bounds);
  }
  Value localSize(OpBuilder &b, Location loc, unsigned dim) const override {
    auto bounds = range(b, 1, MaxGroupDims[dim] + 1);
    return readRegister<NVVM::BlockDimXOp, NVVM::BlockDimYOp, NVVM::BlockDimZOp>(b, loc, dim, bounds);
  }

  bool hasSizeRegister() const override { return true; }

  Value laneId(OpBuilder &b, Location loc, unsigned size) const override {
    return NVVM::LaneIdOp::create(b, loc, b.getI32Type(), range(b, 0, size));
  }
  Value activeLanes(OpBuilder &b, Location loc, unsigned) const override {
    return callIntrinsic(b, loc, "llvm.nvvm.activemask", b.getI32Type(), {});
  }
  Value shuffle(OpBuilder &b, Location loc, Value members, Value word, Value lane) const override {
    return callIntrinsic(b, loc, "llvm.nvvm.shfl.sync.idx.i32", b.getI32Type(),
                         {members, word, lane, constant(b, loc, 31)});
  }
  Value ballot(OpBuilder &b, Location loc, Value members, Value predicate, unsigned) const override {
    return callIntrinsic(b, loc, "llvm.nvvm.vote.ballot.sync", b.getI32Type(), {members, predicate});
  }
  Value reduce(OpBuilder &b, Location loc, ocl::CombiningKind kind, Value members, Value word) const override {
    return callIntrinsic(b, loc, ("llvm.nvvm.redux.sync." + reduction(kind)).str(), b.getI32Type(), {word, members});
  }
  void converge(OpBuilder &b, Location loc) const override {
    NVVM::SyncWarpOp::create(b, loc, LLVM::ConstantOp::create(b, loc, b.getI32Type(), -1));
  }
  Value voteOfGroup(OpBuilder &b, Location loc, bool all, Value predicate) const override {
    return nvptxGroupVote(b, loc, all, predicate);
  }

  // The lanes of a warp may have come to it by different calls, so that its barriers are not aligned (PTX ISA,
  // barrier).
  static bool isInFunction(Operation *op) {
    auto function = op->getParentOfType<func::FuncOp>();
    return function && ocl::staysFunction(function);
  }

  // bar.sync and bar.warp.sync order all memory among their threads; a wider scope needs a fence as well.
  void barrier(OpBuilder &b, ocl::BarrierOp op) const override {
    fenced(b, op, op.getExecution(), [&] {
      if (op.getExecution() == ocl::Scope::sub_group)
        converge(b, op.getLoc());
      else if (isInFunction(op))
        callIntrinsic(b, op.getLoc(), "llvm.nvvm.barrier.cta.sync.all", {constant(b, op.getLoc(), 0)});
      else
        NVVM::BarrierOp::create(b, op.getLoc());
    });
  }
  void partialBarrier(OpBuilder &b, ocl::PartialBarrierOp op) const override {
    Location loc = op.getLoc();
    fenced(b, op, ocl::Scope::work_group, [&] {
      if (op.getExecution() == ocl::Scope::sub_group) {
        Value others = arith::SubIOp::create(b, loc, constant(b, loc, 32), op.getItems());
        NVVM::SyncWarpOp::create(b, loc, Value(arith::ShRUIOp::create(b, loc, constant(b, loc, -1), others)));
      } else { // barrier 0 is that of all work-items
        callIntrinsic(b, loc, "llvm.nvvm.barrier.cta.sync.aligned.count", {constant(b, loc, 1), op.getItems()});
      }
    });
  }
  template <typename Op, typename Wait> void fenced(OpBuilder &b, Op op, ocl::Scope ordered, Wait wait) const {
    const bool reachesFurther = op.getScope() > ordered;
    if (reachesFurther)
      fence(b, op.getLoc(), *this, Order::release, op.getScope(), op.getFence());
    wait();
    if (reachesFurther)
      fence(b, op.getLoc(), *this, Order::acquire, op.getScope(), op.getFence());
  }

  Value isAddrSpace(OpBuilder &b, Location loc, ocl::NamedSpace space, Value pointer) const override {
    switch (space) {
    case ocl::NamedSpace::private_:
      return callIntrinsic(b, loc, "llvm.nvvm.isspacep.local", b.getI1Type(), pointer);
    case ocl::NamedSpace::global:
      return callIntrinsic(b, loc, "llvm.nvvm.isspacep.global", b.getI1Type(), pointer);
    case ocl::NamedSpace::local:
      return callIntrinsic(b, loc, "llvm.nvvm.isspacep.shared", b.getI1Type(), pointer);
    }
    llvm_unreachable("all spaces are handled");
  }

  Value atomic(OpBuilder &b, ocl::AtomicRmwOp op) const override { return nvptxAtomic(b, op); }

  // PTX ISA, atom: atom.add.f32 flushes subnormal operands and results, except in shared memory.
  bool flushesSubnormals(ocl::AtomicRmwOp op) const override {
    return op.getKind() == ocl::AtomicKind::fadd && op.getType().isF32() &&
           cast<LLVM::LLVMPointerType>(op.getPointer().getType()).getAddressSpace() != ocl::Local;
  }

  // A multiprocessor, which runs the whole work-group, counts its cycles; the device has a timer in nanoseconds.
  Value readClock(OpBuilder &b, Location loc, ocl::Scope scope) const override {
    StringRef text = scope > ocl::Scope::work_group ? "mov.u64 $0, %globaltimer;" : "mov.u64 $0, %clock64;";
    return assembly(b, loc, b.getI64Type(), {}, text, "=l,~{memory}", /*hasSideEffects=*/true);
  }

  Value reciprocalRoot(OpBuilder &b, Location loc, Value x) const override {
    return x.getType().isF32() ? callIntrinsic(b, loc, "llvm.nvvm.rsqrt.approx.f", x.getType(), x)
                               : dividedRoot(b, loc, x);
  }
  Value approximate(OpBuilder &b, Location loc, Approximate function, Value x) const override {
    switch (function) {
    case Approximate::Exp2:
      return callIntrinsic(b, loc, "llvm.nvvm.ex2.approx.f32", x.getType(), x);
    case Approximate::Log2:
      return callIntrinsic(b, loc, "llvm.nvvm.lg2.approx.f", x.getType(), x);
    case Approximate::Sin:
      return callIntrinsic(b, loc, "llvm.nvvm.sin.approx.f", x.getType(), x);
    case Approximate::Cos:
      return callIntrinsic(b, loc, "llvm.nvvm.cos.approx.f", x.getType(), x);
    }
    llvm_unreachable("all functions are handled");
  }

  // LLVM would round, clamp and convert in separate instructions.
  bool hasRoundingConversion() const override { return true; }
  Value convertToInt(OpBuilder &b, Location loc, Value x, ocl::Rounding rounding, bool isUnsigned,
                     Type type) const override {
    const unsigned bits = type.getIntOrFloatBitWidth();
    std::string text = "cvt." + roundingName(rounding).str() + "i.sat." + (isUnsigned ? "u" : "s") +
                       std::to_string(bits) + ".f32 $0, $1;";
    Value whole = assembly(b, loc, b.getI32Type(), x, text, "=r,f", /*hasSideEffects=*/false);
    return bits < 32 ? Value(arith::TruncIOp::create(b, loc, type, whole)) : whole;
  }

  StringRef syncScope(ocl::Scope scope) const override {
    switch (scope) {
    case ocl::Scope::work_item: // LLVM has no useful scope for one thread
    case ocl::Scope::sub_group: // PTX has no warp scope
    case ocl::Scope::work_group:
      return "block";
    case ocl::Scope::device:
      return "device";
    case ocl::Scope::all_devices:
      return "";
    }
    llvm_unreachable("all scopes are handled");
  }

  // `constant` pointers are global pointers, because they may point into a buffer. Private variables have generic
  // addresses until LLVM infers that they are allocas.
  unsigned addressSpace(ocl::AddressSpace space) const override {
    switch (space) {
    case ocl::Private:
    case ocl::Generic:
      return llvm::NVPTXAS::ADDRESS_SPACE_GENERIC;
    case ocl::Global:
    case ocl::Constant:
      return llvm::NVPTXAS::ADDRESS_SPACE_GLOBAL;
    case ocl::Local:
      return llvm::NVPTXAS::ADDRESS_SPACE_SHARED;
    }
    return space; // a number that only this target has
  }
  bool isShortPointer(ocl::AddressSpace) const override { return false; }
  // Address 0 is valid, and a cast would make it an address of shared memory.
  std::optional<int64_t> nullOfLocal() const override { return 0xffffffff; }
  Value localToGeneric(OpBuilder &b, Location loc, Value pointer, Type type) const override {
    return assembly(b, loc, type, pointer, "cvta.shared.u64 $0, $1;", "=l,l", /*hasSideEffects=*/false);
  }
  ocl::AddressSpace parameterSpace() const override { return ocl::Private; }
  StringRef inlineStructAttr() const override { return LLVM::LLVMDialect::getByValAttrName(); }

  // Kernels of any local size have no bound. With a bound of 1024 work-items, `ptxas` gives a work-item at most 64
  // registers, and fewer to some kernels: on sm_90, FluidX3D's surface_0 gets 32 and spills 956 bytes; without the
  // bound it gets 161 and spills nothing. If a group of a launch has no room, the driver part assembles the code again
  // with a bound (backends/gpu/driver/Code.h).
  void markKernel(LLVM::LLVMFuncOp function, const std::array<int64_t, 3> &size, bool isSmaller,
                  bool isBlock) const override {
    Builder b(function.getContext());
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
    if (size[0])
      function->setAttr(isSmaller ? NVVM::NVVMDialect::getMaxntidAttrName() : NVVM::NVVMDialect::getReqntidAttrName(),
                        b.getDenseI32ArrayAttr({int32_t(size[0]), int32_t(size[1]), int32_t(size[2])}));
    else if (isBlock)
      function->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(), b.getDenseI32ArrayAttr({int32_t(MaxGroupSize)}));
  }
};

class Amdgpu : public GpuTargetInfo {
  Value localId(OpBuilder &b, Location loc, unsigned dim, int64_t size) const override {
    auto bounds = range(b, 0, size ? size : MaxGroupSize);
    return readRegister<ROCDL::ThreadIdXOp, ROCDL::ThreadIdYOp, ROCDL::ThreadIdZOp>(b, loc, dim, bounds);
  }
  Value gridId(OpBuilder &b, Location loc, unsigned dim) const override {
    return readRegister<ROCDL::BlockIdXOp, ROCDL::BlockIdYOp, ROCDL::BlockIdZOp>(b, loc, dim, {});
  }

  // The local size is in the dispatch packet, 16 bits per dimension after header and setup.
  Value localSize(OpBuilder &b, Location loc, unsigned dim) const override {
    auto constant = LLVM::LLVMPointerType::get(b.getContext(), ocl::Constant);
    Value packet = callIntrinsic(b, loc, "llvm.amdgcn.dispatch.ptr", constant, {});
    Value address =
        LLVM::GEPOp::create(b, loc, constant, b.getI8Type(), packet, ArrayRef<LLVM::GEPArg>{int32_t(4 + 2 * dim)});
    auto size = LLVM::LoadOp::create(b, loc, b.getI16Type(), address, 2);
    size.setInvariant(true);
    return LLVM::ZExtOp::create(b, loc, b.getI32Type(), size);
  }
  bool hasSizeRegister() const override { return false; }

  Value laneId(OpBuilder &b, Location loc, unsigned size) const override {
    Type i32 = b.getI32Type();
    Value all = constant(b, loc, -1);
    Value lane = callIntrinsic(b, loc, "llvm.amdgcn.mbcnt.lo", i32, {all, constant(b, loc, 0)});
    return size == 32 ? lane : callIntrinsic(b, loc, "llvm.amdgcn.mbcnt.hi", i32, {all, lane});
  }
  Value activeLanes(OpBuilder &b, Location loc, unsigned size) const override {
    return ballot(b, loc, {}, intConstant(b, loc, 1, 1), size);
  }
  Value shuffle(OpBuilder &b, Location loc, Value, Value word, Value lane) const override {
    Value address = arith::ShLIOp::create(b, loc, lane, constant(b, loc, 2)); // in bytes
    return callIntrinsic(b, loc, "llvm.amdgcn.ds.bpermute", b.getI32Type(), {address, word});
  }
  Value broadcast(OpBuilder &b, Location loc, Value, Value word, Value lane) const override {
    return callIntrinsic(b, loc, "llvm.amdgcn.readlane", b.getI32Type(), {word, lane});
  }
  Value ballot(OpBuilder &b, Location loc, Value, Value predicate, unsigned size) const override {
    return callIntrinsic(b, loc, "llvm.amdgcn.ballot", b.getIntegerType(size), {predicate});
  }

  void barrier(OpBuilder &b, ocl::BarrierOp op) const override {
    Location loc = op.getLoc();
    fence(b, loc, *this, Order::release, op.getScope(), op.getFence());
    if (op.getExecution() == ocl::Scope::sub_group)
      callIntrinsic(b, loc, "llvm.amdgcn.wave.barrier", {});
    else
      ROCDL::SBarrierOp::create(b, loc);
    fence(b, loc, *this, Order::acquire, op.getScope(), op.getFence());
  }
  // Of one wave, whose lanes run in lockstep.
  void partialBarrier(OpBuilder &b, ocl::PartialBarrierOp op) const override {
    Location loc = op.getLoc();
    fence(b, loc, *this, Order::release, op.getScope(), op.getFence());
    callIntrinsic(b, loc, "llvm.amdgcn.wave.barrier", {});
    fence(b, loc, *this, Order::acquire, op.getScope(), op.getFence());
  }

  Value isAddrSpace(OpBuilder &b, Location loc, ocl::NamedSpace space, Value pointer) const override {
    if (space == ocl::NamedSpace::private_)
      return callIntrinsic(b, loc, "llvm.amdgcn.is.private", b.getI1Type(), pointer);
    Value isLocal = callIntrinsic(b, loc, "llvm.amdgcn.is.shared", b.getI1Type(), pointer);
    if (space == ocl::NamedSpace::local)
      return isLocal;
    Value isElsewhere =
        arith::OrIOp::create(b, loc, isLocal, callIntrinsic(b, loc, "llvm.amdgcn.is.private", b.getI1Type(), pointer));
    return arith::XOrIOp::create(b, loc, isElsewhere, intConstant(b, loc, 1, 1));
  }

  // A constant-rate counter of the whole device. The cycle counter has 20 bits on some processors. The fences keep
  // accesses in place.
  Value readClock(OpBuilder &b, Location loc, ocl::Scope) const override {
    auto compilerFence = [&] { LLVM::FenceOp::create(b, loc, Order::seq_cst, "singlethread"); };
    compilerFence();
    Value time = callIntrinsic(b, loc, "llvm.readsteadycounter", b.getI64Type(), {});
    compilerFence();
    return time;
  }

  Value reciprocalRoot(OpBuilder &b, Location loc, Value x) const override { return dividedRoot(b, loc, x); }
  // LLVM's back end adds the handling of subnormal numbers and the conversion from radians to revolutions.
  Value approximate(OpBuilder &b, Location loc, Approximate function, Value x) const override {
    auto flags = LLVM::FastmathFlags::afn;
    switch (function) {
    case Approximate::Exp2:
      return LLVM::Exp2Op::create(b, loc, x, flags);
    case Approximate::Log2:
      return LLVM::Log2Op::create(b, loc, x, flags);
    case Approximate::Sin:
      return LLVM::SinOp::create(b, loc, x, flags);
    case Approximate::Cos:
      return LLVM::CosOp::create(b, loc, x, flags);
    }
    llvm_unreachable("all functions are handled");
  }

  StringRef syncScope(ocl::Scope scope) const override {
    switch (scope) {
    case ocl::Scope::work_item:
      return "singlethread";
    case ocl::Scope::sub_group:
      return "wavefront";
    case ocl::Scope::work_group:
      return "workgroup";
    case ocl::Scope::device:
      return "agent";
    case ocl::Scope::all_devices:
      return "";
    }
    llvm_unreachable("all scopes are handled");
  }

  StringRef fencedMemory(ocl::Fence memory) const override {
    bool local = bitEnumContainsAny(memory, ocl::Fence::local);
    if (local && memory != ocl::Fence::local)
      return {};
    return local ? "local" : "global";
  }

  unsigned addressSpace(ocl::AddressSpace space) const override {
    switch (space) {
    case ocl::Private:
      return 5;
    case ocl::Global:
      return 1;
    case ocl::Constant:
      return 4;
    case ocl::Local:
      return 3;
    case ocl::Generic:
      return 0;
    }
    return space; // a number that only this target has
  }
  bool isShortPointer(ocl::AddressSpace space) const override { return space == ocl::Private || space == ocl::Local; }
  ocl::AddressSpace parameterSpace() const override { return ocl::Constant; }
  StringRef inlineStructAttr() const override { return LLVM::LLVMDialect::getByRefAttrName(); }

  void markKernel(LLVM::LLVMFuncOp function, const std::array<int64_t, 3> &size, bool isSmaller, bool) const override {
    Builder b(function.getContext());
    function.setCConv(LLVM::CConv::AMDGPU_KERNEL);
    int64_t least = 1, most = MaxGroupSize;
    if (size[0])
      most = size[0] * size[1] * size[2];
    if (size[0] && !isSmaller)
      least = most;
    auto pair = [&](StringRef name, const Twine &value) {
      return b.getArrayAttr({b.getStringAttr(name), b.getStringAttr(value)});
    };
    function.setPassthroughAttr(b.getArrayAttr({pair("amdgpu-flat-work-group-size", Twine(least) + "," + Twine(most)),
                                                pair("uniform-work-group-size", "true")}));
  }
};
} // namespace

Value GpuTargetInfo::reduce(OpBuilder &, Location, ocl::CombiningKind, Value, Value) const {
  llvm_unreachable("the target has no instruction that reduces");
}

Value GpuTargetInfo::convertToInt(OpBuilder &, Location, Value, ocl::Rounding, bool, Type) const {
  llvm_unreachable("the target has no conversion that rounds in every mode");
}

const GpuTargetInfo &GpuTargetInfo::of(ocl::TargetAttr target) {
  static const Nvptx nvptx;
  static const Amdgpu amdgpu;
  switch (target.getKind()) {
  case ocl::TargetKind::nvptx:
    return nvptx;
  case ocl::TargetKind::amdgpu:
    return amdgpu;
  case ocl::TargetKind::cpu:
    break;
  }
  llvm_unreachable("a CPU has no GpuTargetInfo");
}

const GpuTargetInfo *GpuTargetInfo::of(ModuleOp module, StringRef pass) {
  const ocl::TargetAttr target = ocl::gpuTargetOf(module, pass);
  return target ? &of(target) : nullptr;
}

void fence(OpBuilder &b, Location loc, const GpuTargetInfo &info, Order order, ocl::Scope scope, ocl::Fence memory) {
  // A work-item observes its own accesses without a fence.
  if (memory == ocl::Fence::none || order == Order::monotonic || scope == ocl::Scope::work_item)
    return;
  if (memory == ocl::Fence::local) // only this work-group can access local memory
    scope = std::min(scope, ocl::Scope::work_group);
  auto fence = LLVM::FenceOp::create(b, loc, order, info.syncScope(scope));
  if (StringRef name = info.fencedMemory(memory); !name.empty())
    fence->setAttr(ocl::SynchronizeAsAttr, b.getStringAttr(name));
}

} // namespace kiln::gpu
