// An initial value is an attribute, or, if it contains an address, a region of operations that ends in a return. The
// region is evaluated backwards from the return: aggregates are filled in place, insertion by insertion, and a pointer
// or an integer is the address of at most one variable plus a number.
#include "passes/ocl/InitialValue.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln {
namespace {
constexpr unsigned MaxDepth = 1024; // of nested operands; insertions into one aggregate count once

class Evaluation {
public:
  Evaluation(LLVM::GlobalOp global, const DataLayout &layout, uint64_t maxBytes, NullPointers nulls)
      : global_(global), layout_(layout), maxBytes_(maxBytes), nulls_(nulls) {}

  FailureOr<InitialValue> run() {
    Attribute attribute = global_.getValueOrNull();
    Block *block = global_.getInitializerBlock();
    if (!attribute && !block)
      return global_.emitError() << "variable '" << global_.getSymName() << "' has no initial value", failure();
    Type type = global_.getGlobalType();
    bool zeroIsZero = !holdsOtherNull(type);
    if (attribute && isZero(attribute) && zeroIsZero)
      return std::move(result_);
    Value value;
    if (block) {
      auto end = dyn_cast<LLVM::ReturnOp>(block->getTerminator());
      if (!end || end.getNumOperands() != 1)
        return refuse();
      value = end.getArg();
      if (value.getDefiningOp<LLVM::ZeroOp>() && zeroIsZero)
        return std::move(result_);
    }
    uint64_t size = sizeOf(type);
    if (size > maxBytes_)
      return global_.emitError() << "variable '" << global_.getSymName() << "' has an initial value of " << size
                                 << " bytes, must be at most " << maxBytes_,
             failure();
    result_.bytes.resize(size);
    clear(type, 0);
    if (failed(block ? write(value, 0) : write(attribute, type, 0)))
      return refuse();
    if (result_.addresses.empty() && llvm::all_of(result_.bytes, [](uint8_t byte) { return byte == 0; }))
      result_.bytes.clear();
    return std::move(result_);
  }

private:
  LogicalResult refuse() {
    return global_.emitError() << "variable '" << global_.getSymName()
                               << "' has an initial value that is not a constant";
  }

  uint64_t sizeOf(Type type) { return layout_.getTypeSize(type).getFixedValue(); }
  uint64_t stride(Type type) { return llvm::alignTo(sizeOf(type), layout_.getTypeABIAlignment(type)); }

  /// The offset and type of an aggregate's member; a null type if it has no such member.
  std::pair<uint64_t, Type> part(Type aggregate, uint64_t index) {
    if (auto array = dyn_cast<LLVM::LLVMArrayType>(aggregate); array && index < array.getNumElements())
      return {index * stride(array.getElementType()), array.getElementType()};
    auto record = dyn_cast<LLVM::LLVMStructType>(aggregate);
    if (!record || index >= record.getBody().size())
      return {};
    uint64_t offset = 0;
    for (auto [i, member] : llvm::enumerate(record.getBody())) {
      if (!record.isPacked())
        offset = llvm::alignTo(offset, layout_.getTypeABIAlignment(member));
      if (i == index)
        return {offset, member};
      offset += sizeOf(member);
    }
    return {};
  }

  /// The bits of the type's null pointer; 0 for other types.
  uint64_t nullOf(Type type) const {
    auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
    if (!pointer)
      return 0;
    return pointer.getAddressSpace() == ocl::Local     ? nulls_.ofLocal
           : pointer.getAddressSpace() == ocl::Private ? nulls_.ofPrivate
                                                       : 0;
  }
  /// Returns true if null pointers in a value of the type are not all zero bits.
  bool holdsOtherNull(Type type) const {
    if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
      return holdsOtherNull(array.getElementType());
    auto record = dyn_cast<LLVM::LLVMStructType>(type);
    return record ? llvm::any_of(record.getBody(), [&](Type member) { return holdsOtherNull(member); })
                  : nullOf(type) != 0;
  }

  /// Sets the bytes of a value to zero, and its pointers to null.
  void clear(Type type, uint64_t offset) {
    uint64_t end = offset + sizeOf(type);
    result_.addresses.erase(result_.addresses.lower_bound(offset), result_.addresses.lower_bound(end));
    std::fill(result_.bytes.begin() + offset, result_.bytes.begin() + end, 0);
    if (holdsOtherNull(type))
      writeNulls(type, offset);
  }
  void writeNulls(Type type, uint64_t offset) {
    if (uint64_t null = nullOf(type))
      return (void)writeNumber(APInt(64, null), IntegerType::get(type.getContext(), 64), offset);
    auto array = dyn_cast<LLVM::LLVMArrayType>(type);
    auto record = dyn_cast<LLVM::LLVMStructType>(type);
    uint64_t count = array ? array.getNumElements() : record ? record.getBody().size() : 0;
    for (uint64_t i = 0; i < count; ++i) {
      auto [at, inner] = part(type, i);
      writeNulls(inner, offset + at);
    }
  }

  // ---- attributes --------------------------------------------------------------------------------------------------

  static bool isZero(Attribute attribute) {
    if (isa<LLVM::ZeroAttr, LLVM::UndefAttr, LLVM::PoisonAttr>(attribute))
      return true;
    if (auto splat = dyn_cast<SplatElementsAttr>(attribute))
      return isZero(splat.getSplatValue<Attribute>());
    if (auto number = dyn_cast<IntegerAttr>(attribute))
      return number.getValue().isZero();
    auto real = dyn_cast<FloatAttr>(attribute);
    return real && real.getValue().bitcastToAPInt().isZero();
  }

  LogicalResult writeNumber(const APInt &value, Type type, uint64_t offset) {
    uint64_t size = sizeOf(type);
    if (!type.isIntOrFloat() || value.getBitWidth() > 64 || size > 8)
      return failure();
    uint64_t bits = value.getZExtValue();
    for (uint64_t i = 0; i < size; ++i)
      result_.bytes[offset + i] = uint8_t(bits >> (8 * i));
    return success();
  }

  LogicalResult write(Attribute attribute, Type type, uint64_t offset) {
    if (isZero(attribute))
      return success();
    if (auto number = dyn_cast<IntegerAttr>(attribute))
      return number.getType() == type ? writeNumber(number.getValue(), type, offset) : failure();
    if (auto real = dyn_cast<FloatAttr>(attribute))
      return real.getType() == type ? writeNumber(real.getValue().bitcastToAPInt(), type, offset) : failure();
    if (auto text = dyn_cast<StringAttr>(attribute)) {
      if (text.size() != sizeOf(type))
        return failure();
      llvm::copy(text.getValue(), result_.bytes.begin() + offset);
      return success();
    }
    if (auto elements = dyn_cast<DenseElementsAttr>(attribute))
      return writeElements(elements, type, offset);
    auto parts = dyn_cast<ArrayAttr>(attribute);
    if (!parts)
      return failure();
    auto array = dyn_cast<LLVM::LLVMArrayType>(type);
    auto record = dyn_cast<LLVM::LLVMStructType>(type);
    if (parts.size() != (array ? array.getNumElements() : record ? record.getBody().size() : parts.size() + 1))
      return failure();
    for (auto [index, attribute] : llvm::enumerate(parts)) {
      auto [at, element] = part(type, index);
      if (failed(write(attribute, element, offset + at)))
        return failure();
    }
    return success();
  }

  // The elements of a vector or of an array of numbers. Neither has padding between elements.
  LogicalResult writeElements(DenseElementsAttr elements, Type type, uint64_t offset) {
    Type element = elements.getElementType();
    uint64_t size = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() / 8 : 0;
    if (!size || element.getIntOrFloatBitWidth() % 8 || uint64_t(elements.getNumElements()) > (sizeOf(type)) / size)
      return failure();
    ArrayRef<char> raw = elements.getRawData();
    for (int64_t i = 0; i < elements.getNumElements(); ++i)
      llvm::copy(elements.isSplat() ? raw.take_front(size) : raw.slice(uint64_t(i) * size, size),
                 result_.bytes.begin() + offset + uint64_t(i) * size);
    return success();
  }

  // ---- operations --------------------------------------------------------------------------------------------------

  LogicalResult write(Value value, uint64_t offset) {
    // Later insertions overwrite earlier ones, so the innermost is written first.
    SmallVector<LLVM::InsertValueOp> insertions;
    while (auto insertion = value.getDefiningOp<LLVM::InsertValueOp>()) {
      insertions.push_back(insertion);
      value = insertion.getContainer();
    }
    if (failed(writeWhole(value, offset)))
      return failure();
    for (LLVM::InsertValueOp insertion : llvm::reverse(insertions)) {
      uint64_t at = offset;
      Type type = insertion.getContainer().getType();
      for (int64_t index : insertion.getPosition()) {
        auto [distance, inner] = part(type, uint64_t(index));
        if (!inner)
          return failure();
        at += distance, type = inner;
      }
      clear(type, at);
      if (++depth_ > MaxDepth || failed(write(insertion.getValue(), at)))
        return failure();
      --depth_;
    }
    return success();
  }

  LogicalResult writeWhole(Value value, uint64_t offset) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return failure();
    if (isa<LLVM::UndefOp, LLVM::PoisonOp, LLVM::ZeroOp>(op))
      return success();
    Attribute attribute;
    if (!isa<LLVM::AddressOfOp>(op) && matchPattern(value, m_Constant(&attribute)))
      return write(attribute, value.getType(), offset);
    std::optional<VariableAddress> scalar = evaluate(value);
    uint64_t size = sizeOf(value.getType());
    if (!scalar || size > 8)
      return failure();
    if (!scalar->variable && !scalar->distance)
      return success();
    if (!scalar->variable)
      return isa<LLVM::LLVMPointerType>(value.getType())
                 ? writeNumber(APInt(64, scalar->distance), IntegerType::get(value.getContext(), 64), offset)
                 : writeNumber(APInt(64, scalar->distance), value.getType(), offset);
    if (size != 8)
      return failure();
    result_.addresses[offset] = *scalar;
    return success();
  }

  std::optional<VariableAddress> evaluate(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || depth_ >= MaxDepth)
      return std::nullopt;
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)))
      return number.getBitWidth() <= 64 ? std::optional(VariableAddress{{}, number.getZExtValue()}) : std::nullopt;
    if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
      return VariableAddress{address.getGlobalNameAttr().getAttr(), 0};
    if (isa<LLVM::ZeroOp, LLVM::UndefOp, LLVM::PoisonOp>(op))
      return isa<LLVM::LLVMPointerType>(value.getType()) ? std::optional(VariableAddress{}) : std::nullopt;
    ++depth_;
    std::optional<VariableAddress> result = compute(op);
    --depth_;
    return result;
  }

  std::optional<VariableAddress> compute(Operation *op) {
    if (isa<LLVM::AddrSpaceCastOp, LLVM::BitcastOp>(op))
      return evaluate(op->getOperand(0)); // program variables are in global memory, whatever the pointer's type says
    if (isa<LLVM::PtrToIntOp, LLVM::IntToPtrOp>(op)) {
      Type narrow = isa<LLVM::PtrToIntOp>(op) ? op->getResult(0).getType() : op->getOperand(0).getType();
      return narrow.isInteger(64) ? evaluate(op->getOperand(0)) : std::nullopt;
    }
    if (auto gep = dyn_cast<LLVM::GEPOp>(op))
      return address(gep);
    bool adds = isa<arith::AddIOp>(op), subtracts = isa<arith::SubIOp>(op);
    if ((!adds && !subtracts) || !op->getResult(0).getType().isInteger(64))
      return std::nullopt;
    std::optional<VariableAddress> left = evaluate(op->getOperand(0)), right = evaluate(op->getOperand(1));
    if (!left || !right)
      return std::nullopt;
    if (adds && !(left->variable && right->variable))
      return VariableAddress{left->variable ? left->variable : right->variable, left->distance + right->distance};
    if (subtracts && (!right->variable || right->variable == left->variable))
      return VariableAddress{right->variable ? StringAttr() : left->variable, left->distance - right->distance};
    return std::nullopt;
  }

  std::optional<VariableAddress> address(LLVM::GEPOp gep) {
    std::optional<VariableAddress> result = evaluate(gep.getBase());
    if (!result)
      return std::nullopt;
    Type type = gep.getElemType();
    bool isFirst = true;
    for (LLVM::GEPIndicesAdaptor<ValueRange>::value_type index : gep.getIndices()) {
      int64_t number = 0;
      APInt known;
      if (auto attribute = dyn_cast<IntegerAttr>(index))
        number = attribute.getInt();
      else if (matchPattern(cast<Value>(index), m_ConstantInt(&known)) && known.getBitWidth() <= 64)
        number = known.getSExtValue();
      else
        return std::nullopt;
      if (isFirst) {
        result->distance += uint64_t(number) * stride(type);
      } else if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
        type = array.getElementType();
        result->distance += uint64_t(number) * stride(type); // one past the end is an address too
      } else {
        auto [distance, inner] = part(type, uint64_t(number));
        if (!inner)
          return std::nullopt;
        result->distance += distance, type = inner;
      }
      isFirst = false;
    }
    return result;
  }

  LLVM::GlobalOp global_;
  const DataLayout &layout_;
  const uint64_t maxBytes_;
  const NullPointers nulls_;
  InitialValue result_;
  unsigned depth_ = 0;
};
} // namespace

FailureOr<InitialValue> initialValue(LLVM::GlobalOp global, const DataLayout &layout, uint64_t maxBytes,
                                     NullPointers nulls) {
  return Evaluation(global, layout, maxBytes, nulls).run();
}

} // namespace kiln
