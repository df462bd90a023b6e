#include "passes/simd/emit/SpannedAccesses.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/simd/decide/SpannedStride.h"

using namespace mlir;

namespace kiln {
namespace {

/// Adjacent lanes whose elements fill one machine register, and the memory that they span.
struct Part {
  unsigned firstLane, lanes;
  int64_t stride; // in elements

  unsigned rowCount() const { return unsigned(std::abs(stride)); }
  // The element of a lane, from the lowest address of the part on.
  int64_t elementOf(unsigned lane) const { return stride > 0 ? lane * stride : (lanes - 1 - lane) * -stride; }
  int64_t elements() const { return int64_t(lanes - 1) * rowCount() + 1; }
  // The lane of an element.
  std::optional<unsigned> laneOf(int64_t element) const {
    const int64_t lane = element / rowCount();
    if (element % rowCount() || lane >= lanes)
      return {};
    return unsigned(stride > 0 ? lane : lanes - 1 - lane);
  }
  // The first element of a row. `inside`: the last one ends at the last element.
  int64_t rowStart(unsigned index, bool inside) const {
    return inside && index + 1 == rowCount() ? elements() - lanes : int64_t(index) * lanes;
  }
  // The lowest address, in elements from lane 0's.
  int64_t start() const { return int64_t(stride > 0 ? firstLane : firstLane + lanes - 1) * stride; }
};

SmallVector<Part> partsOf(VectorBuilder &b, Type type, int64_t stride) {
  const unsigned lanes = std::min(b.lanes(), std::max(1u, b.registerBits() / type.getIntOrFloatBitWidth()));
  SmallVector<Part> parts;
  for (unsigned first = 0; first < b.lanes(); first += lanes)
    parts.push_back({first, lanes, stride});
  return parts;
}

Value addressOf(VectorBody &body, const MemoryAccess &access, int64_t element) {
  VectorBuilder &b = body.builder();
  Value first = body.lane0(access.pointer);
  if (!element)
    return first;
  const auto bytes = int64_t(body.dataLayout().getTypeSize(access.type).getFixedValue());
  return LLVM::GEPOp::create(b, first.getType(), b.getI8Type(), first, ValueRange{intConstant(b, element * bytes, 64)});
}

Value loadPart(VectorBody &body, const MemoryAccess &access, const Part &part) {
  VectorBuilder &b = body.builder();
  const auto type = VectorType::get({int64_t(part.lanes)}, access.type);
  const int64_t lanes = part.lanes;
  Value selected; // first the whole first row, then the lanes' elements of all rows so far
  for (unsigned index = 0; index < part.rowCount(); ++index) {
    const int64_t start = part.rowStart(index, /*inside=*/true);
    Value row = LLVM::LoadOp::create(b, type, addressOf(body, access, part.start() + start), access.alignment);
    if (!selected && part.rowCount() > 1) {
      selected = row;
      continue;
    }
    SmallVector<int64_t> order;
    for (unsigned lane = 0; lane < part.lanes; ++lane) {
      const int64_t element = part.elementOf(lane);
      const auto from = unsigned(element / lanes);
      const int64_t earlier = index == 1 ? element : lane;
      order.push_back(from < index ? earlier : from > index ? -1 : (selected ? lanes : 0) + element - start);
    }
    selected = b.shuffle(selected ? selected : row, row, order);
  }
  return selected;
}

// Rows overlap as those of loads do. Without masks each row is loaded, gets the elements of its lanes, and is stored.
// All loads come before the stores: a load that spans an earlier store and other bytes waits for the cache. Where two
// rows overlap, both store the same: a lane's element, or what was there.
void storePart(VectorBody &body, const MemoryAccess &access, Value value, const Part &part) {
  VectorBuilder &b = body.builder();
  const bool usesMasks = !isLocalMemory(access.pointer);
  struct Row {
    Value to, merged;
    SmallVector<Attribute> isStored;
  };
  SmallVector<Row> rows;
  for (unsigned index = 0; index < part.rowCount(); ++index) {
    const int64_t lanes = part.lanes, start = part.rowStart(index, /*inside=*/!usesMasks);
    Row &row = rows.emplace_back(Row{addressOf(body, access, part.start() + start), {}, {}});
    SmallVector<int64_t> order;
    for (int64_t at = 0; at < lanes; ++at) {
      const std::optional<unsigned> lane = part.laneOf(start + at);
      order.push_back(lane ? int64_t(*lane) : usesMasks ? -1 : lanes + at);
      row.isStored.push_back(b.getBoolAttr(lane.has_value()));
    }
    const bool isWhole = part.rowCount() == 1 || usesMasks;
    row.merged = b.shuffle(
        value, isWhole ? value : LLVM::LoadOp::create(b, value.getType(), row.to, access.alignment).getResult(), order);
  }
  for (const Row &row : rows)
    if (part.rowCount() > 1 && usesMasks)
      LLVM::MaskedStoreOp::create(b, row.merged, row.to, b.constant(b.getI1Type(), row.isStored),
                                  b.getI32IntegerAttr(int32_t(access.alignment)));
    else
      LLVM::StoreOp::create(b, row.merged, row.to, access.alignment);
}

} // namespace

int64_t spannedStrideOf(VectorBody &body, const MemoryAccess &access, const std::optional<StrideInfo> &info,
                        bool isStore) {
  if (access.mask || isPrivateAlloca(access.pointer))
    return 0;
  return spannedStride(info, access.pointer, access.type, isStore, body.builder().lanes(), body.target(),
                       body.dataLayout());
}

Value loadSpanned(VectorBody &body, const MemoryAccess &access, int64_t stride) {
  SmallVector<Value> loaded;
  for (const Part &part : partsOf(body.builder(), access.type, stride))
    loaded.push_back(loadPart(body, access, part));
  return body.builder().concat(loaded);
}

void storeSpanned(VectorBody &body, const MemoryAccess &access, Value value, int64_t stride) {
  Value all = body.vectors(value)[0];
  for (const Part &part : partsOf(body.builder(), access.type, stride))
    storePart(body, access, body.builder().slice(all, part.firstLane, part.lanes), part);
}

} // namespace kiln
