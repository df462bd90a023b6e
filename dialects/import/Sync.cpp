// Barriers, fences, atomics and clocks. A scope or memory order that is not a constant becomes the strongest one, which
// is always legal.
#include "dialects/import/BodyImporter.h"

using namespace mlir;

namespace kiln::import {
namespace {
bool has(uint64_t semantics, spv::MemorySemantics bit) { return (semantics & static_cast<uint32_t>(bit)) != 0; }

bool isAtomicType(Type type) {
  return (llvm::isa<IntegerType>(type) || llvm::isa<FloatType>(type)) &&
         (type.getIntOrFloatBitWidth() == 32 || type.getIntOrFloatBitWidth() == 64);
}
} // namespace

ocl::Scope BodyImporter::scope(uint32_t id) {
  auto value = module.integer(id);
  switch (value ? static_cast<spv::Scope>(*value) : spv::Scope::CrossDevice) {
  case spv::Scope::Device:
  case spv::Scope::QueueFamily:
    return ocl::Scope::device;
  case spv::Scope::Workgroup:
    return ocl::Scope::work_group;
  case spv::Scope::Subgroup:
    return ocl::Scope::sub_group;
  case spv::Scope::Invocation:
    return ocl::Scope::work_item;
  default:
    return ocl::Scope::all_devices;
  }
}

ocl::Order BodyImporter::order(uint32_t id) {
  auto semantics = module.integer(id);
  if (!semantics || has(*semantics, spv::MemorySemantics::SequentiallyConsistent))
    return ocl::Order::seq_cst;
  bool acquires = has(*semantics, spv::MemorySemantics::Acquire),
       releases = has(*semantics, spv::MemorySemantics::Release);
  if (has(*semantics, spv::MemorySemantics::AcquireRelease) || (acquires && releases))
    return ocl::Order::acq_rel;
  return acquires ? ocl::Order::acquire : releases ? ocl::Order::release : ocl::Order::relaxed;
}

ocl::Fence BodyImporter::fence(uint32_t id) {
  auto semantics = module.integer(id);
  if (!semantics)
    return ocl::Fence::local | ocl::Fence::global | ocl::Fence::image;
  ocl::Fence fence = ocl::Fence::none;
  if (has(*semantics, spv::MemorySemantics::WorkgroupMemory))
    fence = fence | ocl::Fence::local;
  if (has(*semantics, spv::MemorySemantics::CrossWorkgroupMemory))
    fence = fence | ocl::Fence::global;
  if (has(*semantics, spv::MemorySemantics::ImageMemory))
    fence = fence | ocl::Fence::image;
  return fence;
}

ImportResult BodyImporter::importSync(const Instruction &ins) {
  switch (ins.op) {
  case spv::Op::ControlBarrier:
    return importResult(controlBarrier(ins));
  case spv::Op::MemoryBarrier:
    return importResult(memoryBarrier(ins));
  case spv::Op::ReadClockKHR:
    return importResult(readClock(ins));
  case spv::Op::GroupAsyncCopy:
    return importResult(asyncCopy(ins));
  case spv::Op::GroupWaitEvents:
    ocl::BarrierOp::create(builder, loc, ocl::Scope::work_group, ocl::Fence::local | ocl::Fence::global,
                           ocl::Scope::work_group);
    return ImportResult::Success;
  default:
    return importAtomic(ins);
  }
}

LogicalResult BodyImporter::controlBarrier(const Instruction &ins) {
  ocl::Scope execution = scope(ins.args[0]);
  if (!module.integer(ins.args[0]))
    return error(ins) << "has an Execution scope that is not a constant, which is not supported";
  if (execution == ocl::Scope::work_item) // no other work-item to wait for: only the fence remains
    return fenceOf(ins.args[1], ins.args[2]);
  if (execution != ocl::Scope::work_group && execution != ocl::Scope::sub_group)
    return error(ins) << "has an unsupported Execution scope, must be Workgroup, Subgroup or Invocation";
  ocl::BarrierOp::create(builder, loc, execution, fence(ins.args[2]), scope(ins.args[1]));
  return success();
}

LogicalResult BodyImporter::memoryBarrier(const Instruction &ins) { return fenceOf(ins.args[0], ins.args[1]); }

LogicalResult BodyImporter::fenceOf(uint32_t scopeId, uint32_t semanticsId) {
  ocl::Order order = this->order(semanticsId);
  ocl::Fence fence = this->fence(semanticsId);
  if (order != ocl::Order::relaxed && fence != ocl::Fence::none)
    ocl::FenceOp::create(builder, loc, order, scope(scopeId), fence);
  return success();
}

// The result is 64 bits, or two components of 32 with the low half first.
LogicalResult BodyImporter::readClock(const Instruction &ins) {
  ocl::Scope scope = this->scope(ins.args[0]);
  if (!module.integer(ins.args[0]) || scope == ocl::Scope::work_item || scope == ocl::Scope::all_devices)
    return error(ins) << "has an unsupported Scope, must be a constant Device, Workgroup or Subgroup";
  Type type = resultType(ins);
  if (!type)
    return failure();
  Value time = ocl::ReadClockOp::create(builder, loc, builder.getI64Type(), scope);
  if (type == VectorType::get(2, builder.getI32Type()))
    time = LLVM::BitcastOp::create(builder, loc, type, time);
  return define(ins, time);
}

// Operands: scope, destination, source, count, stride, event.
LogicalResult BodyImporter::asyncCopy(const Instruction &ins) {
  Values in;
  if (!operands(ins, in, 5, 1))
    return failure();
  const TypeInfo *element = module.memoryType(module.pointeeOf(ins.args[1]), ins);
  if (!element)
    return failure();
  auto space = [](Value pointer) {
    auto type = llvm::dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
    return type ? type.getAddressSpace() : unsigned(ocl::Private);
  };
  bool toLocal = space(in[0]) == ocl::Local, fromLocal = space(in[1]) == ocl::Local;
  if (toLocal == fromLocal || space(in[0]) == ocl::Private || space(in[1]) == ocl::Private ||
      space(in[0]) == ocl::Constant || !in[2].getType().isInteger(64) || !in[3].getType().isInteger(64) ||
      !in[4].getType().isInteger(64) || module.pointeeOf(ins.args[1]) != module.pointeeOf(ins.args[2]))
    return mismatch(ins);
  ocl::AsyncCopyOp::create(builder, loc, in[0], in[1], in[2], in[3], element->type);
  return define(ins, in[4]);
}

ImportResult BodyImporter::importAtomic(const Instruction &ins) {
  std::optional<ocl::AtomicKind> kind;
  switch (ins.op) {
  case spv::Op::AtomicLoad:
  case spv::Op::AtomicStore:
  case spv::Op::AtomicCompareExchange:
  case spv::Op::AtomicCompareExchangeWeak:
  case spv::Op::AtomicFlagTestAndSet:
  case spv::Op::AtomicFlagClear:
    break;
  case spv::Op::AtomicExchange:
    kind = ocl::AtomicKind::xchg;
    break;
  case spv::Op::AtomicIIncrement:
  case spv::Op::AtomicIAdd:
    kind = ocl::AtomicKind::add;
    break;
  case spv::Op::AtomicIDecrement:
  case spv::Op::AtomicISub:
    kind = ocl::AtomicKind::sub;
    break;
  case spv::Op::AtomicSMin:
    kind = ocl::AtomicKind::smin;
    break;
  case spv::Op::AtomicUMin:
    kind = ocl::AtomicKind::umin;
    break;
  case spv::Op::AtomicSMax:
    kind = ocl::AtomicKind::smax;
    break;
  case spv::Op::AtomicUMax:
    kind = ocl::AtomicKind::umax;
    break;
  case spv::Op::AtomicAnd:
    kind = ocl::AtomicKind::and_;
    break;
  case spv::Op::AtomicOr:
    kind = ocl::AtomicKind::or_;
    break;
  case spv::Op::AtomicXor:
    kind = ocl::AtomicKind::xor_;
    break;
  case spv::Op::AtomicFAddEXT:
    kind = ocl::AtomicKind::fadd;
    break;
  case spv::Op::AtomicFMinEXT:
    kind = ocl::AtomicKind::fmin;
    break;
  case spv::Op::AtomicFMaxEXT:
    kind = ocl::AtomicKind::fmax;
    break;
  default:
    return ImportResult::NotHandled;
  }
  Value pointer = value(ins.args[0], ins);
  if (!pointer)
    return ImportResult::Failure;
  const TypeInfo *pointee = module.memoryType(module.pointeeOf(ins.args[0]), ins);
  if (!pointee)
    return ImportResult::Failure;
  auto pointerType = llvm::dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
  if (!pointerType)
    return importResult(mismatch(ins));
  if (!isAtomicType(pointee->type))
    return error(ins) << "has a type other than 32-bit and 64-bit numbers, which is not supported",
           ImportResult::Failure;
  Atomic atomic{pointer, pointee->type, scope(ins.args[1]), order(ins.args[2])};
  // OpenCL 1.x atomics apply to all work-items of a device, but producers write narrower scopes for them (the
  // translator: Workgroup). Relaxed order is not slower at device scope.
  if (atomic.order == ocl::Order::relaxed && pointerType.getAddressSpace() != ocl::Local &&
      atomic.scope <= ocl::Scope::work_group)
    atomic.scope = ocl::Scope::device;
  return importResult(kind ? readModifyWrite(ins, *kind, atomic) : otherAtomic(ins, atomic));
}

LogicalResult BodyImporter::readModifyWrite(const Instruction &ins, ocl::AtomicKind kind, const Atomic &atomic) {
  Value operand;
  if (ins.op == spv::Op::AtomicIIncrement || ins.op == spv::Op::AtomicIDecrement) {
    if (!llvm::isa<IntegerType>(atomic.type))
      return mismatch(ins);
    operand = constantInt(atomic.type, 1);
  } else {
    operand = value(ins.args[3], ins);
    if (!operand)
      return failure();
  }
  bool wantsFloat = kind == ocl::AtomicKind::fadd || kind == ocl::AtomicKind::fmin || kind == ocl::AtomicKind::fmax;
  if (operand.getType() != atomic.type ||
      (kind != ocl::AtomicKind::xchg && llvm::isa<FloatType>(atomic.type) != wantsFloat))
    return mismatch(ins);
  return define(ins, ocl::AtomicRmwOp::create(builder, loc, kind, atomic.pointer, operand, atomic.order, atomic.scope));
}

LogicalResult BodyImporter::otherAtomic(const Instruction &ins, const Atomic &atomic) {
  auto readOrder = [](ocl::Order order) { // replaces orders that are invalid for loads by a stronger one
    return order == ocl::Order::release || order == ocl::Order::acq_rel ? ocl::Order::seq_cst : order;
  };
  auto writeOrder = [](ocl::Order order) {
    return order == ocl::Order::acquire || order == ocl::Order::acq_rel ? ocl::Order::seq_cst : order;
  };
  switch (ins.op) {
  case spv::Op::AtomicLoad:
    return define(ins, ocl::AtomicLoadOp::create(builder, loc, atomic.type, atomic.pointer, readOrder(atomic.order),
                                                 atomic.scope));
  case spv::Op::AtomicStore: {
    Value stored = value(ins.args[3], ins);
    if (!stored)
      return failure();
    if (stored.getType() != atomic.type)
      return mismatch(ins);
    ocl::AtomicStoreOp::create(builder, loc, stored, atomic.pointer, writeOrder(atomic.order), atomic.scope);
    return success();
  }
  case spv::Op::AtomicCompareExchange:
  case spv::Op::AtomicCompareExchangeWeak: {
    Values in;
    if (!operands(ins, in, 2, 4)) // value, comparator
      return failure();
    if (!llvm::isa<IntegerType>(atomic.type) || in[0].getType() != atomic.type || in[1].getType() != atomic.type)
      return mismatch(ins);
    return define(ins, ocl::AtomicCmpXchgOp::create(builder, loc, atomic.pointer, in[1], in[0], atomic.order,
                                                    readOrder(order(ins.args[3])), atomic.scope));
  }
  default: // flags: 0 is clear
    if (!atomic.type.isInteger(32))
      return mismatch(ins);
    if (ins.op == spv::Op::AtomicFlagClear) {
      ocl::AtomicStoreOp::create(builder, loc, constantInt(atomic.type, 0), atomic.pointer, writeOrder(atomic.order),
                                 atomic.scope);
      return success();
    }
    Value old = ocl::AtomicRmwOp::create(builder, loc, ocl::AtomicKind::xchg, atomic.pointer,
                                         constantInt(atomic.type, 1), atomic.order, atomic.scope);
    return define(ins, make<arith::CmpIOp>(arith::CmpIPredicate::ne, old, constantInt(atomic.type, 0)));
  }
}

} // namespace kiln::import
