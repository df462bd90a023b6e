// Barriers, fences, atomics and clocks. A scope or memory order that is not a constant becomes the strongest one, which
// is always legal.
#include "dialects/import/Sync.h"
#include "dialects/import/Instructions.h"

using namespace mlir;

namespace kiln::import {
namespace {
bool has(uint64_t semantics, spv::MemorySemantics bit) { return (semantics & static_cast<uint32_t>(bit)) != 0; }

bool isAtomicType(Type type) {
  return type.isF16() || ((llvm::isa<IntegerType>(type) || llvm::isa<FloatType>(type)) &&
                          (type.getIntOrFloatBitWidth() == 32 || type.getIntOrFloatBitWidth() == 64));
}

ocl::Order orderOf(Body &body, uint32_t id) {
  auto semantics = body.module.integer(id);
  if (!semantics || has(*semantics, spv::MemorySemantics::SequentiallyConsistent))
    return ocl::Order::seq_cst;
  bool acquires = has(*semantics, spv::MemorySemantics::Acquire),
       releases = has(*semantics, spv::MemorySemantics::Release);
  if (has(*semantics, spv::MemorySemantics::AcquireRelease) || (acquires && releases))
    return ocl::Order::acq_rel;
  return acquires ? ocl::Order::acquire : releases ? ocl::Order::release : ocl::Order::relaxed;
}

ocl::Fence storageOf(Body &body, uint32_t id) {
  auto semantics = body.module.integer(id);
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

LogicalResult waitEvents(Body &body, const Instruction &ins) {
  ocl::BarrierOp::create(body.builder, body.loc, ocl::Scope::work_group, ocl::Fence::local | ocl::Fence::global,
                         ocl::Scope::work_group);
  return success();
}

LogicalResult buildFence(Body &body, uint32_t scopeId, uint32_t semanticsId) {
  ocl::Order order = orderOf(body, semanticsId);
  ocl::Fence fence = storageOf(body, semanticsId);
  if (order != ocl::Order::relaxed && fence != ocl::Fence::none)
    ocl::FenceOp::create(body.builder, body.loc, order, scopeOf(body, scopeId), fence);
  return success();
}

LogicalResult controlBarrier(Body &body, const Instruction &ins) {
  ocl::Scope execution = scopeOf(body, ins.args[0]);
  if (!body.module.integer(ins.args[0]))
    return body.error(ins) << "has an Execution scope that is not a constant, which is not supported";
  if (execution == ocl::Scope::work_item) // no other work-item to wait for: only the fence remains
    return buildFence(body, ins.args[1], ins.args[2]);
  if (execution != ocl::Scope::work_group && execution != ocl::Scope::sub_group)
    return body.error(ins) << "has an unsupported Execution scope, must be Workgroup, Subgroup or Invocation";
  ocl::BarrierOp::create(body.builder, body.loc, execution, storageOf(body, ins.args[2]), scopeOf(body, ins.args[1]));
  return success();
}

LogicalResult memoryBarrier(Body &body, const Instruction &ins) { return buildFence(body, ins.args[0], ins.args[1]); }

// The result is 64 bits, or two components of 32 with the low half first.
LogicalResult readClock(Body &body, const Instruction &ins) {
  ocl::Scope scope = scopeOf(body, ins.args[0]);
  if (!body.module.integer(ins.args[0]) || scope == ocl::Scope::work_item || scope == ocl::Scope::all_devices)
    return body.error(ins) << "has an unsupported Scope, must be a constant Device, Workgroup or Subgroup";
  Type type = body.resultType(ins);
  if (!type)
    return failure();
  Value time = ocl::ReadClockOp::create(body.builder, body.loc, body.builder.getI64Type(), scope);
  if (type == VectorType::get(2, body.builder.getI32Type()))
    time = LLVM::BitcastOp::create(body.builder, body.loc, type, time);
  return body.define(ins, time);
}

// Operands: scope, destination, source, count, stride, event.
LogicalResult asyncCopy(Body &body, const Instruction &ins) {
  Values in;
  if (!body.operands(ins, in, 5, 1))
    return failure();
  const TypeInfo *element = body.module.memoryType(body.module.pointeeOf(ins.args[1]), ins);
  if (!element)
    return failure();
  auto space = [](Value pointer) {
    auto type = llvm::dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
    return type ? type.getAddressSpace() : unsigned(ocl::Private);
  };
  bool toLocal = space(in[0]) == ocl::Local, fromLocal = space(in[1]) == ocl::Local;
  if (toLocal == fromLocal || space(in[0]) == ocl::Private || space(in[1]) == ocl::Private ||
      space(in[0]) == ocl::Constant || !in[2].getType().isInteger(64) || !in[3].getType().isInteger(64) ||
      !in[4].getType().isInteger(64) || body.module.pointeeOf(ins.args[1]) != body.module.pointeeOf(ins.args[2]))
    return body.mismatch(ins);
  ocl::AsyncCopyOp::create(body.builder, body.loc, in[0], in[1], in[2], in[3], element->type);
  return body.define(ins, in[4]);
}

struct Atomic {
  Value pointer;
  Type type;
  ocl::Scope scope;
  ocl::Order order;
};

/// Returns the operands that all atomics have; nullopt, with a diagnostic, if they are invalid.
std::optional<Atomic> atomicOf(Body &body, const Instruction &ins) {
  Value pointer = body.value(ins.args[0], ins);
  if (!pointer)
    return std::nullopt;
  const TypeInfo *pointee = body.module.memoryType(body.module.pointeeOf(ins.args[0]), ins);
  if (!pointee)
    return std::nullopt;
  auto pointerType = llvm::dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
  if (!pointerType)
    return (void)body.mismatch(ins), std::nullopt;
  if (!isAtomicType(pointee->type))
    return body.error(ins) << "has a type other than half and 32-bit and 64-bit numbers, which is not supported",
           std::nullopt;
  Atomic atomic{pointer, pointee->type, scopeOf(body, ins.args[1]), orderOf(body, ins.args[2])};
  // OpenCL 1.x atomics apply to all work-items of a device, but producers write narrower scopes for them (the
  // translator: Workgroup). Relaxed order is not slower at device scope.
  if (atomic.order == ocl::Order::relaxed && pointerType.getAddressSpace() != ocl::Local &&
      atomic.scope <= ocl::Scope::work_group)
    atomic.scope = ocl::Scope::device;
  return atomic;
}

LogicalResult buildReadModifyWrite(Body &body, const Instruction &ins, ocl::AtomicKind kind, const Atomic &atomic) {
  Value operand;
  if (ins.op == spv::Op::AtomicIIncrement || ins.op == spv::Op::AtomicIDecrement) {
    if (!llvm::isa<IntegerType>(atomic.type))
      return body.mismatch(ins);
    operand = body.constantInt(atomic.type, 1);
  } else {
    operand = body.value(ins.args[3], ins);
    if (!operand)
      return failure();
  }
  bool wantsFloat = kind == ocl::AtomicKind::fadd || kind == ocl::AtomicKind::fmin || kind == ocl::AtomicKind::fmax;
  if (operand.getType() != atomic.type ||
      (kind != ocl::AtomicKind::xchg && llvm::isa<FloatType>(atomic.type) != wantsFloat))
    return body.mismatch(ins);
  return body.define(
      ins, ocl::AtomicRmwOp::create(body.builder, body.loc, kind, atomic.pointer, operand, atomic.order, atomic.scope));
}

template <ocl::AtomicKind kind> LogicalResult readModifyWrite(Body &body, const Instruction &ins) {
  std::optional<Atomic> atomic = atomicOf(body, ins);
  return atomic ? buildReadModifyWrite(body, ins, kind, *atomic) : failure();
}

LogicalResult otherAtomic(Body &body, const Instruction &ins) {
  std::optional<Atomic> common = atomicOf(body, ins);
  if (!common)
    return failure();
  const Atomic &atomic = *common;
  auto readOrder = [](ocl::Order order) { // replaces orders that are invalid for loads by a stronger one
    return order == ocl::Order::release || order == ocl::Order::acq_rel ? ocl::Order::seq_cst : order;
  };
  auto writeOrder = [](ocl::Order order) {
    return order == ocl::Order::acquire || order == ocl::Order::acq_rel ? ocl::Order::seq_cst : order;
  };
  switch (ins.op) {
  case spv::Op::AtomicLoad:
    return body.define(ins, ocl::AtomicLoadOp::create(body.builder, body.loc, atomic.type, atomic.pointer,
                                                      readOrder(atomic.order), atomic.scope));
  case spv::Op::AtomicStore: {
    Value stored = body.value(ins.args[3], ins);
    if (!stored)
      return failure();
    if (stored.getType() != atomic.type)
      return body.mismatch(ins);
    ocl::AtomicStoreOp::create(body.builder, body.loc, stored, atomic.pointer, writeOrder(atomic.order), atomic.scope);
    return success();
  }
  case spv::Op::AtomicCompareExchange:
  case spv::Op::AtomicCompareExchangeWeak: {
    Values in;
    if (!body.operands(ins, in, 2, 4)) // value, comparator
      return failure();
    if (!llvm::isa<IntegerType>(atomic.type) || in[0].getType() != atomic.type || in[1].getType() != atomic.type)
      return body.mismatch(ins);
    return body.define(ins,
                       ocl::AtomicCmpXchgOp::create(body.builder, body.loc, atomic.pointer, in[1], in[0], atomic.order,
                                                    readOrder(orderOf(body, ins.args[3])), atomic.scope));
  }
  default: // flags: 0 is clear
    if (!atomic.type.isInteger(32))
      return body.mismatch(ins);
    if (ins.op == spv::Op::AtomicFlagClear) {
      ocl::AtomicStoreOp::create(body.builder, body.loc, body.constantInt(atomic.type, 0), atomic.pointer,
                                 writeOrder(atomic.order), atomic.scope);
      return success();
    }
    Value old = ocl::AtomicRmwOp::create(body.builder, body.loc, ocl::AtomicKind::xchg, atomic.pointer,
                                         body.constantInt(atomic.type, 1), atomic.order, atomic.scope);
    return body.define(ins, body.make<arith::CmpIOp>(arith::CmpIPredicate::ne, old, body.constantInt(atomic.type, 0)));
  }
}
} // namespace

ocl::Scope scopeOf(Body &body, uint32_t id) {
  auto value = body.module.integer(id);
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

void addSync(InstructionTable &table) {
  table.add(spv::Op::ControlBarrier, controlBarrier);
  table.add(spv::Op::MemoryBarrier, memoryBarrier);
  table.add(spv::Op::ReadClockKHR, readClock);
  table.add(spv::Op::GroupAsyncCopy, asyncCopy);
  table.add(spv::Op::GroupWaitEvents, waitEvents);
  table.add(spv::Op::AtomicExchange, readModifyWrite<ocl::AtomicKind::xchg>);
  table.add({spv::Op::AtomicIIncrement, spv::Op::AtomicIAdd}, readModifyWrite<ocl::AtomicKind::add>);
  table.add({spv::Op::AtomicIDecrement, spv::Op::AtomicISub}, readModifyWrite<ocl::AtomicKind::sub>);
  table.add(spv::Op::AtomicSMin, readModifyWrite<ocl::AtomicKind::smin>);
  table.add(spv::Op::AtomicUMin, readModifyWrite<ocl::AtomicKind::umin>);
  table.add(spv::Op::AtomicSMax, readModifyWrite<ocl::AtomicKind::smax>);
  table.add(spv::Op::AtomicUMax, readModifyWrite<ocl::AtomicKind::umax>);
  table.add(spv::Op::AtomicAnd, readModifyWrite<ocl::AtomicKind::and_>);
  table.add(spv::Op::AtomicOr, readModifyWrite<ocl::AtomicKind::or_>);
  table.add(spv::Op::AtomicXor, readModifyWrite<ocl::AtomicKind::xor_>);
  table.add(spv::Op::AtomicFAddEXT, readModifyWrite<ocl::AtomicKind::fadd>);
  table.add(spv::Op::AtomicFMinEXT, readModifyWrite<ocl::AtomicKind::fmin>);
  table.add(spv::Op::AtomicFMaxEXT, readModifyWrite<ocl::AtomicKind::fmax>);
  table.add({spv::Op::AtomicLoad, spv::Op::AtomicStore, spv::Op::AtomicCompareExchange,
             spv::Op::AtomicCompareExchangeWeak, spv::Op::AtomicFlagTestAndSet, spv::Op::AtomicFlagClear},
            otherAtomic);
}

} // namespace kiln::import
