// Reports reads of private arrays and structs at bytes that were never written (KILN_CHECK=init).
//
//   %x = llvm.alloca array<8 x i32>         %x = llvm.alloca array<8 x i32>
//                                           %w = llvm.alloca array<32 x i8>     // 1 for each byte that was written
//                                           llvm.store 0, %w ...
//   llvm.store %v, %x[%i]             ==>   llvm.store 0x01010101, %w[4 * %i]
//                                           llvm.store %v, %x[%i]
//   %v = llvm.load %x[%i]                   %f = llvm.load %w[4 * %i] : i32
//                                           scf.if %f != 0x01010101 { report }
//                                           %v = llvm.load %x[%i]
//
// Runs after `ocl-check-accesses`, so that only accesses in the variable have flags. Not handled: variables that have
// become values, variables whose address goes elsewhere than into loads, stores and constant copies, variables of more
// than MaxBytes bytes, and variables of an inner block, which are not written anew in each iteration of a loop.
#include "base/abi/Check.h"
#include "dialects/ocl/IntConstant.h"
#include "passes/Pass.h"
#include "passes/analysis/Constants.h"
#include "passes/lowering/CheckSites.h"
#include "passes/ocl/PointerAccesses.h"
#include <cstddef>

using namespace mlir;

namespace kiln {
#include "passes/CheckPrivateInit.pass.inc"
namespace {

// The flags of larger variables take too many stores.
constexpr uint64_t MaxBytes = 1024;
constexpr uint64_t WordBytes = 8;

/// The accesses of a variable, of which no other use exists.
std::optional<SmallVector<PointerAccess>> accessesOf(LLVM::AllocaOp variable, const DataLayout &layout) {
  SmallVector<PointerAccess> found;
  SmallVector<Value> pointers{variable};
  while (!pointers.empty())
    for (OpOperand &use : pointers.pop_back_val().getUses()) {
      Operation *op = use.getOwner();
      if (isa<LLVM::GEPOp>(op) && use.getOperandNumber() == 0) {
        pointers.push_back(op->getResult(0));
        continue;
      }
      bool isAccess = isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp>(op);
      for (const PointerAccess &access : pointerAccesses(op, layout))
        if (access.pointer == &use) {
          APInt size;
          if (access.kind == ocl::AccessKind::atomic ||
              (access.size && !matchPattern(access.size, m_ConstantInt(&size))))
            return std::nullopt;
          found.push_back(access);
          if (access.size)
            found.back().bytes = size.getZExtValue(), found.back().size = {};
          isAccess = true;
        }
      if (!isAccess)
        return std::nullopt;
    }
  return found;
}

/// Calls `each` with the offset and the size of each word of `bytes` bytes.
template <typename Each> void forEachWord(uint64_t bytes, const Each &each) {
  for (uint64_t at = 0; at < bytes;) {
    uint64_t word = WordBytes;
    while (word > bytes - at)
      word /= 2;
    each(at, word);
    at += word;
  }
}

class Flags {
public:
  Flags(LLVM::AllocaOp variable, uint64_t bytes) {
    ImplicitLocOpBuilder b(variable.getLoc(), variable);
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), unsigned(llvm::alignTo(bytes, WordBytes)));
    flags_ = LLVM::AllocaOp::create(b, variable.getType(), type, intConstant(b, 1, 32), /*alignment=*/WordBytes);
    b.setInsertionPointAfter(variable);
    forEachWord(llvm::alignTo(bytes, WordBytes), [&](uint64_t at, uint64_t word) {
      trusted(LLVM::StoreOp::create(b, intConstant(b, 0, unsigned(8 * word)), addressOf(b, intConstant(b, 0, 64), at),
                                    /*alignment=*/WordBytes));
    });
  }

  void set(ImplicitLocOpBuilder &b, Value offset, uint64_t bytes) const {
    forEachWord(bytes, [&](uint64_t at, uint64_t word) {
      trusted(LLVM::StoreOp::create(b, written(b, word), addressOf(b, offset, at), /*alignment=*/1));
    });
  }

  /// Returns a flag: a byte was not written.
  Value isMissing(ImplicitLocOpBuilder &b, Value offset, uint64_t bytes) const {
    Value missing;
    forEachWord(bytes, [&](uint64_t at, uint64_t word) {
      auto flags = LLVM::LoadOp::create(b, b.getIntegerType(unsigned(8 * word)), addressOf(b, offset, at),
                                        /*alignment=*/1);
      trusted(flags);
      Value differs = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, flags, written(b, word));
      missing = missing ? arith::OrIOp::create(b, missing, differs).getResult() : differs;
    });
    return missing;
  }

private:
  static void trusted(Operation *op) { op->setAttr(ocl::TrustedAttr, UnitAttr::get(op->getContext())); }
  static Value written(ImplicitLocOpBuilder &b, uint64_t word) {
    return intConstant(b, int64_t(uint64_t(0x0101010101010101) >> (64 - 8 * word)), unsigned(8 * word));
  }
  Value addressOf(ImplicitLocOpBuilder &b, Value offset, uint64_t at) const {
    Value sum = b.createOrFold<arith::AddIOp>(offset, intConstant(b, int64_t(at), 64));
    return LLVM::GEPOp::create(b, flags_.getType(), b.getI8Type(), flags_, sum);
  }
  Value flags_;
};

struct CheckPrivateInit : impl::CheckPrivateInitBase<CheckPrivateInit> {
  void runOnOperation() override {
    CheckSites sites(getOperation());
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(ocl::TrackedAttr))
        continue;
      SmallVector<LLVM::AllocaOp> variables(kernel.getBody().front().getOps<LLVM::AllocaOp>());
      for (LLVM::AllocaOp variable : variables)
        if (!variable->hasAttr(ocl::TrustedAttr)) // a request of the device library has members that it does not use
          check(variable, sites);
    }
  }

private:
  void check(LLVM::AllocaOp variable, CheckSites &sites) {
    const DataLayout layout = DataLayout::closest(variable);
    const auto elements = constantOf(variable.getArraySize());
    const uint64_t bytes =
        elements ? layout.getTypeSize(variable.getElemType()).getFixedValue() * uint64_t(*elements) : 0;
    const auto accesses = accessesOf(variable, layout);
    if (bytes == 0 || bytes > MaxBytes || !accesses || accesses->empty())
      return;
    const auto reads = [](const PointerAccess &access) { return access.kind == ocl::AccessKind::read; };
    if (llvm::none_of(*accesses, reads))
      return;
    SmallVector<Value> offsets;
    for (const PointerAccess &access : *accesses) {
      ImplicitLocOpBuilder b(access.pointer->getOwner()->getLoc(), access.pointer->getOwner());
      offsets.push_back(offsetOf(access.pointer->get(), variable, layout, b));
      if (!offsets.back() || access.bytes > MaxBytes)
        return;
    }
    const Flags flags(variable, bytes);
    for (auto [access, offset] : llvm::zip(*accesses, offsets)) {
      Operation *op = access.pointer->getOwner();
      ImplicitLocOpBuilder b(op->getLoc(), op);
      if (!reads(access))
        flags.set(b, offset, access.bytes);
      else if (!readsOnlyToStore(op))
        report(b, flags.isMissing(b, offset, access.bytes), sites);
    }
  }

  static void report(ImplicitLocOpBuilder &b, Value isMissing, CheckSites &sites) {
    auto branch = scf::IfOp::create(b, isMissing, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    Value item = ocl::LinearQueryOp::create(b, b.getI64Type(), ocl::LinearQuery::local_linear_id);
    callCheck(b, offsetof(abi::CheckLaunch, undefinedPrivate), sites.of(b.getLoc(), {.access = 0}), item, {});
  }
};
} // namespace
} // namespace kiln
