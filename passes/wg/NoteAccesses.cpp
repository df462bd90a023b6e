// Writes the source line and the work-item of each access to the launch's abi::AccessNote, before the access: the
// located form of a program, in which a fault is run again to find its place (runtime/program/FaultReplay.h).
//
//   wg.parallel {                              wg.parallel {
//     ...                                        %note = ocl.access_note
//                                                llvm.store volatile global ids, 1, to %note
//     llvm.store %v, %p              ==>         ...
//   }                                            llvm.store volatile @site, %note    // "k.cl:3\n"
//                                                llvm.store volatile %v, %p
//                                              }
//
// A work-item runs a region to its end before the next one starts, so its ids are written once, at the start. Code
// between regions runs once for a group, and writes the group's ids with each access.
//
// An access is every operation that reads or writes memory outside of Kiln's slots, and every call of a function that
// is not inlined: its accesses have no ids of their own. Loads and stores become volatile, because LLVM keeps the order
// of volatile accesses (LangRef, "Volatile Memory Accesses"). Others stay in place because the code is not optimised.
//
// Not handled: vector bodies, whose accesses are of several work-items. The located form is scalar.
#include "base/abi/AccessNote.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "passes/Pass.h"
#include "llvm/ADT/StringMap.h"
#include <cstddef>

using namespace mlir;

namespace kiln {
#include "passes/NoteAccesses.pass.inc"
namespace {

bool isAccess(Operation *op) {
  return !op->getNumRegions() && !op->hasTrait<OpTrait::IsTerminator>() && !isa<wg::WgDialect>(op->getDialect()) &&
         !isa<LLVM::AllocaOp>(op) && !isMemoryEffectFree(op);
}

/// "file:line\n" of the location, then of each call that it was inlined through.
std::string siteOf(Location location) {
  if (const auto call = dyn_cast<CallSiteLoc>(location))
    return siteOf(call.getCallee()) + siteOf(call.getCaller());
  const auto line = location->findInstanceOf<FileLineColLoc>();
  return line ? (line.getFilename().getValue() + ":" + Twine(line.getLine()) + "\n").str() : std::string();
}

struct NoteAccesses : impl::NoteAccessesBase<NoteAccesses> {
  using NoteAccessesBase::NoteAccessesBase;

  void runOnOperation() override {
    SmallVector<Operation *> accesses;
    SmallVector<wg::ParallelOp> regions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Operation *op) {
        if (auto region = dyn_cast<wg::ParallelOp>(op))
          regions.push_back(region);
        else if (isAccess(op))
          accesses.push_back(op);
      });
    for (Operation *access : accesses)
      noteAccess(access);
    for (wg::ParallelOp region : regions)
      noteItem(region);
  }

private:
  /// Emits stores to the launch's note.
  class Note {
  public:
    explicit Note(ImplicitLocOpBuilder &builder)
        : b_(builder), note_(ocl::AccessNoteOp::create(b_, LLVM::LLVMPointerType::get(builder.getContext()))) {}
    void put(size_t field, Value value) {
      Value address = LLVM::GEPOp::create(b_, note_.getType(), b_.getI8Type(), note_, LLVM::GEPArg(int32_t(field)));
      LLVM::StoreOp::create(b_, value, address, /*alignment=*/8, /*isVolatile=*/true);
    }
    void putIds(size_t field, ocl::Query kind) {
      for (int dim : {0, 1, 2})
        put(field + 8 * size_t(dim), ocl::QueryOp::create(b_, b_.getI64Type(), kind, intConstant(b_, dim, 32)));
    }

  private:
    ImplicitLocOpBuilder &b_;
    Value note_;
  };

  void noteAccess(Operation *access) {
    ImplicitLocOpBuilder b(access->getLoc(), access);
    Note note(b);
    if (!access->getParentOfType<wg::ParallelOp>() &&
        access->getParentOfType<func::FuncOp>()->hasAttr(ocl::KernelAttr)) {
      note.put(offsetof(abi::AccessNote, isItem), intConstant(b, 0, 64));
      note.putIds(offsetof(abi::AccessNote, groupId), ocl::Query::group_id);
    }
    note.put(offsetof(abi::AccessNote, site), addressOf(siteOf(access->getLoc()), b));
    if (auto load = dyn_cast<LLVM::LoadOp>(access))
      load.setVolatile_(true);
    else if (auto store = dyn_cast<LLVM::StoreOp>(access))
      store.setVolatile_(true);
  }

  static void noteItem(wg::ParallelOp region) {
    Block &start = region.getBody().front();
    ImplicitLocOpBuilder b(region.getLoc(), &start, start.begin());
    Note note(b);
    note.put(offsetof(abi::AccessNote, isItem), intConstant(b, 1, 64));
    note.putIds(offsetof(abi::AccessNote, globalId), ocl::Query::global_id);
  }

  /// Returns the address of a constant with the text and a null byte.
  Value addressOf(const std::string &text, ImplicitLocOpBuilder &b) {
    LLVM::GlobalOp &constant = sites_[text];
    if (!constant) {
      OpBuilder atEnd = OpBuilder::atBlockEnd(getOperation().getBody());
      const StringRef bytes(text.c_str(), text.size() + 1);
      constant = LLVM::GlobalOp::create(atEnd, UnknownLoc::get(&getContext()),
                                        LLVM::LLVMArrayType::get(atEnd.getI8Type(), unsigned(bytes.size())),
                                        /*isConstant=*/true, LLVM::Linkage::Internal,
                                        ("kiln.site." + Twine(sites_.size())).str(), atEnd.getStringAttr(bytes));
    }
    return LLVM::AddressOfOp::create(b, constant);
  }

  llvm::StringMap<LLVM::GlobalOp> sites_;
};
} // namespace
} // namespace kiln
