// LLVM 22 emits every `atomicrmw` as a relaxed `atom` of device scope. That is correct for relaxed operations of device
// or narrower scope, which are nearly all. Others are emitted as PTX:
//
//   ocl.atomic_rmw add %p, %v acq_rel device : !llvm.ptr<1>, i32    ==>    atom.acq_rel.gpu.global.add.u32
//
// LLVM preserves order and scope of cmpxchg, loads and stores, and of floating-point minima and maxima and exchanges of
// half, which become cmpxchg loops.
#include "passes/gpu/NvptxAtomics.h"

using namespace mlir;

namespace kiln::gpu {
namespace {

StringRef scopeName(ocl::Scope scope) {
  return scope == ocl::Scope::all_devices ? ".sys" : scope == ocl::Scope::device ? ".gpu" : ".cta";
}

StringRef orderName(ocl::Order order) {
  switch (order) {
  case ocl::Order::relaxed:
    return ".relaxed";
  case ocl::Order::acquire:
    return ".acquire";
  case ocl::Order::release:
    return ".release";
  case ocl::Order::acq_rel:
  case ocl::Order::seq_cst: // after a fence
    return ".acq_rel";
  }
  llvm_unreachable("all orders are handled");
}

StringRef spaceName(Value pointer) {
  switch (cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace()) {
  case ocl::Global:
    return ".global";
  case ocl::Local:
    return ".shared";
  default:
    return "";
  }
}

/// Returns the PTX operation and the prefix of its type; empty if PTX has none.
std::pair<StringRef, StringRef> operation(ocl::AtomicKind kind, bool isHalf) {
  if (isHalf)
    return kind == ocl::AtomicKind::fadd ? std::pair<StringRef, StringRef>(".add.noftz", ".f")
                                         : std::pair<StringRef, StringRef>();
  switch (kind) {
  case ocl::AtomicKind::xchg:
    return {".exch", ".b"};
  case ocl::AtomicKind::add:
  case ocl::AtomicKind::sub: // adds the negated value
    return {".add", ".u"};
  case ocl::AtomicKind::smin:
    return {".min", ".s"};
  case ocl::AtomicKind::smax:
    return {".max", ".s"};
  case ocl::AtomicKind::umin:
    return {".min", ".u"};
  case ocl::AtomicKind::umax:
    return {".max", ".u"};
  case ocl::AtomicKind::and_:
    return {".and", ".b"};
  case ocl::AtomicKind::or_:
    return {".or", ".b"};
  case ocl::AtomicKind::xor_:
    return {".xor", ".b"};
  case ocl::AtomicKind::fadd:
    return {".add", ".f"};
  case ocl::AtomicKind::fmin:
  case ocl::AtomicKind::fmax:
    return {};
  }
  llvm_unreachable("all kinds are handled");
}
} // namespace

Value nvptxAtomic(OpBuilder &b, ocl::AtomicRmwOp op) {
  const bool isHalf = op.getType().isF16();
  auto [name, letter] = operation(op.getKind(), isHalf);
  if (name.empty() || (op.getOrder() == ocl::Order::relaxed && op.getScope() != ocl::Scope::all_devices))
    return {};
  Location loc = op.getLoc();
  Value value = op.getValue();
  Type type = value.getType();
  if (op.getKind() == ocl::AtomicKind::sub)
    value = arith::SubIOp::create(b, loc, arith::ConstantOp::create(b, loc, b.getZeroAttr(type)), value);
  if (op.getOrder() == ocl::Order::seq_cst)
    LLVM::InlineAsmOp::create(b, loc, TypeRange(), ValueRange(), ("fence.sc" + scopeName(op.getScope()) + ";").str(),
                              "~{memory}", /*has_side_effects=*/true, /*is_align_stack=*/false,
                              LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  unsigned bits = type.getIntOrFloatBitWidth();
  std::string text = ("atom" + orderName(op.getOrder()) + scopeName(op.getScope()) + spaceName(op.getPointer()) + name +
                      letter + Twine(bits) + " $0, [$1], $2;")
                         .str();
  std::string number = isHalf ? "h" : isa<FloatType>(type) ? (bits == 64 ? "d" : "f") : (bits == 64 ? "l" : "r");
  Type inRegister = isHalf ? b.getI16Type() : type;
  if (isHalf)
    value = arith::BitcastOp::create(b, loc, inRegister, value);
  auto assembly = LLVM::InlineAsmOp::create(b, loc, TypeRange{inRegister}, ValueRange{op.getPointer(), value}, text,
                                            "=" + number + ",l," + number + ",~{memory}", /*has_side_effects=*/true,
                                            /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                            LLVM::AsmDialectAttr(), ArrayAttr());
  Value old = assembly.getResult(0);
  return isHalf ? arith::BitcastOp::create(b, loc, type, old).getResult() : old;
}

} // namespace kiln::gpu
