// Lowers each printf to a record in the launch's printf buffer (base/abi/KernelAbi.h).
//
//                                                  %b = ocl.printf_buffer
//   %r = ocl.printf %format(%x)                    %old = ocl.atomic_rmw add %b, 24
//                                          ==>     %record = %b + 16 + (%old + 24 fits ? %old : %capacity)
//                                                  llvm.store (24, 0), 1, %x, at %record
//                                                  %r = fits ? 0 : -1
//
// A record that does not fit is stored after the buffer's end, where the runtime does not read it. So no branch is
// needed, and the lowering works in structured control flow and in graphs.
//
// String literals stay on the host: a pointer that may point to a literal is replaced by the literal's index in the
// module's table. If it may point to several literals, which formats can as well, it is compared with each at run time.
#include "base/abi/KernelAbi.h"
#include "base/abi/ProgramInfo.h"
#include "base/abi/TrapAbi.h"
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/Ocl.h"
#include "dialects/ocl/TrapMessage.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/Pass.h"
#include "passes/ocl/InitialValue.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln {
#include "passes/ExpandPrintf.pass.inc"
namespace {

using Kind = PrintfArgument::Kind;
constexpr uint64_t MaxTextBytes = 1 << 20; // of one literal

struct Literal {
  LLVM::GlobalOp global;
  uint64_t offset;
  bool operator==(const Literal &other) const { return global == other.global && offset == other.offset; }
};

struct ExpandPrintf : impl::ExpandPrintfBase<ExpandPrintf> {
  void runOnOperation() override {
    SmallVector<ocl::PrintfOp> calls;
    getOperation().walk([&](ocl::PrintfOp call) { calls.push_back(call); });
    if (calls.empty())
      return;
    for (ocl::PrintfOp call : calls)
      if (failed(expand(call)))
        return signalPassFailure();
    Builder b(&getContext());
    getOperation()->setAttr(ocl::PrintfStringsAttr, b.getArrayAttr(tableOf(strings_)));
    getOperation()->setAttr(ocl::PrintfSignaturesAttr, b.getArrayAttr(tableOf(signatures_)));
  }

private:
  using Table = llvm::MapVector<Attribute, uint64_t>;
  static uint64_t numberIn(Table &table, Attribute entry) { return table.insert({entry, table.size()}).first->second; }
  static SmallVector<Attribute> tableOf(const Table &table) {
    SmallVector<Attribute> entries;
    for (const auto &[entry, number] : table)
      entries.push_back(entry);
    return entries;
  }

  // ---- literals
  // ------------------------------------------------------------------------------------------------------

  /// The literal that a pointer points to, if it is a constant address.
  std::optional<Literal> literalAt(Value pointer) {
    uint64_t offset = 0;
    while (auto step = pointer.getDefiningOp<LLVM::GEPOp>()) {
      DataLayout layout = DataLayout::closest(step);
      Type type = step.getElemType();
      bool first = true;
      for (auto index : step.getIndices()) {
        APInt value;
        if (auto constant = dyn_cast<IntegerAttr>(index))
          value = constant.getValue();
        else if (!matchPattern(cast<Value>(index), m_ConstantInt(&value)))
          return {};
        if (!first) {
          auto array = dyn_cast<LLVM::LLVMArrayType>(type);
          if (!array)
            return {};
          type = array.getElementType();
        }
        first = false;
        offset += value.getSExtValue() * layout.getTypeSize(type).getFixedValue();
      }
      pointer = step.getBase();
    }
    if (auto cast = pointer.getDefiningOp<LLVM::AddrSpaceCastOp>())
      pointer = cast.getArg();
    auto address = pointer.getDefiningOp<LLVM::AddressOfOp>();
    auto global = address ? getOperation().lookupSymbol<LLVM::GlobalOp>(address.getGlobalName()) : LLVM::GlobalOp();
    if (!global || global.getAddrSpace() != ocl::Constant)
      return {};
    auto array = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
    if (!array || !array.getElementType().isInteger(8) || offset > array.getNumElements())
      return {};
    return Literal{global, offset};
  }

  /// The bytes of a literal up to the first null byte. Fails with a diagnostic if its value is not a constant.
  FailureOr<StringAttr> textOf(const Literal &literal) {
    FailureOr<InitialValue> value =
        initialValue(literal.global, DataLayout(getOperation()), MaxTextBytes, NullPointers());
    if (failed(value))
      return failure();
    StringRef bytes(reinterpret_cast<const char *>(value->bytes.data()), value->bytes.size());
    return StringAttr::get(
        &getContext(),
        bytes.drop_front(std::min<size_t>(literal.offset, bytes.size())).take_until([](char c) { return c == 0; }));
  }

  /// The values that a pointer may be, through selects and block arguments.
  static SetVector<Value> sources(Value pointer) {
    SetVector<Value> seen, leaves;
    seen.insert(pointer);
    for (size_t i = 0; i < seen.size(); ++i) {
      Value value = seen[i];
      if (auto select = value.getDefiningOp<arith::SelectOp>()) {
        seen.insert(select.getTrueValue());
        seen.insert(select.getFalseValue());
      } else if (auto choice = value.getDefiningOp<scf::IfOp>()) {
        unsigned index = cast<OpResult>(value).getResultNumber();
        seen.insert(choice.thenYield().getOperand(index));
        seen.insert(choice.elseYield().getOperand(index));
      } else if (auto argument = dyn_cast<BlockArgument>(value); argument && !argument.getOwner()->isEntryBlock()) {
        for (auto edge = argument.getOwner()->pred_begin(); edge != argument.getOwner()->pred_end(); ++edge) {
          auto branch = dyn_cast<BranchOpInterface>((*edge)->getTerminator());
          Value brought =
              branch ? branch.getSuccessorOperands(edge.getSuccessorIndex())[argument.getArgNumber()] : Value();
          brought ? (void)seen.insert(brought) : (void)leaves.insert(value);
        }
      } else {
        leaves.insert(value);
      }
    }
    return leaves;
  }

  /// The index plus one of the literal that `pointer` points to; 0 if it points to none. A null value if no source is a
  /// literal, or, with `all`, if some source is not one.
  FailureOr<Value> numberOf(OpBuilder &b, Location loc, Value pointer, bool all) {
    SmallVector<std::pair<Value, uint64_t>> candidates;
    for (Value source : sources(pointer)) {
      std::optional<Literal> literal = literalAt(source);
      if (!literal) {
        if (all)
          return Value();
        continue;
      }
      FailureOr<StringAttr> text = textOf(*literal);
      if (failed(text))
        return failure();
      candidates.push_back({source, numberIn(strings_, *text) + 1});
    }
    if (candidates.empty())
      return Value();
    auto number = [&](uint64_t n) { return intConstant(b, loc, int64_t(n), 64); };
    if (candidates.size() == 1 && candidates[0].first == pointer)
      return Value(number(candidates[0].second));
    Value result = number(0);
    for (auto &[source, n] : candidates) {
      std::optional<Literal> literal = literalAt(source); // a new address: `source` may not dominate the call
      Value address = LLVM::AddressOfOp::create(b, loc, literal->global);
      if (literal->offset)
        address = LLVM::GEPOp::create(b, loc, address.getType(), b.getI8Type(), address,
                                      ArrayRef<LLVM::GEPArg>{int32_t(literal->offset)});
      if (address.getType() != pointer.getType())
        address = LLVM::AddrSpaceCastOp::create(b, loc, pointer.getType(), address);
      Value same = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, pointer, address);
      result = arith::SelectOp::create(b, loc, same, number(n), result);
    }
    return result;
  }

  // ---- records
  // -------------------------------------------------------------------------------------------------------

  struct Part {
    Value value;
    uint64_t offset;
  };

  LogicalResult expand(ocl::PrintfOp call) {
    OpBuilder b(call);
    Location loc = call.getLoc();
    FailureOr<Value> format = numberOf(b, loc, call.getFormat(), /*all=*/true);
    if (failed(format))
      return failure();
    if (!*format)
      return call.emitError("printf has a format that is not a string literal");
    SmallVector<int8_t> signature;
    SmallVector<Part> parts;
    uint64_t size = sizeof(abi::PrintfRecord);
    auto put = [&](Value value, uint64_t bytes) {
      parts.push_back({value, size});
      size += llvm::alignTo(bytes, 8);
    };
    for (Value value : call.getValues()) {
      if (isa<LLVM::LLVMPointerType>(value.getType())) {
        FailureOr<Value> literal = numberOf(b, loc, value, /*all=*/false);
        if (failed(literal))
          return failure();
        Kind kind = *literal ? Kind::Literal : Kind::Pointer;
        signature.append({int8_t(kind), 8, 1});
        put(LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), value), 8);
        if (*literal)
          put(*literal, 8);
        continue;
      }
      Type element = getElementTypeOrSelf(value.getType());
      auto vector = dyn_cast<VectorType>(value.getType());
      uint64_t components = vector ? uint64_t(vector.getNumElements()) : 1, bytes = element.getIntOrFloatBitWidth() / 8;
      signature.append(
          {int8_t(isa<FloatType>(element) ? Kind::Float : Kind::Integer), int8_t(bytes), int8_t(components)});
      put(value, bytes * components);
    }
    if (size > abi::MaxPrintfRecord)
      return call.emitError("the record of printf has ") << size << " bytes, must be at most " << abi::MaxPrintfRecord;
    write(b, call, *format, numberIn(signatures_, b.getDenseI8ArrayAttr(signature)), parts, size);
    return success();
  }

  static void write(OpBuilder &b, ocl::PrintfOp call, Value format, uint64_t signature, ArrayRef<Part> parts,
                    uint64_t size) {
    Location loc = call.getLoc();
    auto number = [&](uint64_t value) { return intConstant(b, loc, int64_t(value), 64); };
    Value buffer = ocl::PrintfBufferOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), ocl::Global));
    auto at = [&](Value base, LLVM::GEPArg offset) -> Value {
      return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{offset});
    };
    Value old =
        ocl::AtomicRmwOp::create(b, loc, ocl::AtomicKind::add, at(buffer, int32_t(offsetof(abi::PrintfBuffer, used))),
                                 number(size), ocl::Order::relaxed, ocl::Scope::device);
    Value capacity =
        LLVM::LoadOp::create(b, loc, b.getI64Type(), at(buffer, int32_t(offsetof(abi::PrintfBuffer, capacity))), 8);
    Value last = arith::SubIOp::create(b, loc, capacity, number(size));
    Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, old, last);
    Value distance = arith::SelectOp::create(b, loc, fits, old, capacity);
    Value record = at(at(buffer, int32_t(sizeof(abi::PrintfBuffer))), distance);
    auto store = [&](Value value, uint64_t offset) {
      LLVM::StoreOp::create(b, loc, value, at(record, int32_t(offset)), 8);
    };
    if (call->hasAttr(ocl::TrapMessageAttr))
      signature |= abi::TrapMessageBit;
    store(number(size | signature << 32), offsetof(abi::PrintfRecord, bytes));
    store(format, offsetof(abi::PrintfRecord, format));
    for (const Part &part : parts)
      store(part.value, part.offset);
    Value done = intConstant(b, loc, 0, 32), lost = intConstant(b, loc, -1, 32);
    call.replaceAllUsesWith(Value(arith::SelectOp::create(b, loc, fits, done, lost)));
    call.erase();
  }

  Table strings_, signatures_;
};
} // namespace
} // namespace kiln
