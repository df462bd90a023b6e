#include "passes/simd/emit/WidenMemory.h"
#include "dialects/ocl/IntConstant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Explain.h"
#include "passes/simd/emit/CheckAssumptions.h"
#include "passes/simd/emit/ConsecutiveAccesses.h"
#include "passes/simd/emit/CopyForLane0.h"
#include "passes/simd/emit/LaneAccesses.h"
#include "passes/simd/emit/LaneValues.h"
#include "passes/simd/emit/SpannedAccesses.h"
#include "passes/simd/emit/Transpose.h"
#include "passes/simd/emit/WidenCheck.h"
#include "passes/simd/emit/WidenNearlyConsecutive.h"
#include "passes/simd/emit/WidenPermuteLoad.h"
#include "passes/simd/emit/WidenQuads.h"

using namespace mlir;

namespace kiln {
namespace {

// Says which form an access gets.
void explainForm(Operation *access, const LaneShape &where, StringRef form) {
  explain("wg-vectorize", [&](raw_ostream &os) {
    os << "  " << access->getName().stripDialect() << " at " << access->getLoc() << ": " << form;
    if (!where.guards().empty())
      os << ", if " << where.guards().size() << " checks pass";
    if (const auto info = where.strideInfoIfGuardsHold(); info && info->stride)
      os << ", stride " << info->stride;
  });
}

// The access's alignment attribute, or the type's ABI alignment.
template <typename Access> unsigned alignmentOf(Access access, Type type, const DataLayout &layout) {
  return unsigned(access.getAlignment().value_or(layout.getTypeABIAlignment(type)));
}

std::string distance(const std::optional<StrideInfo> &info) {
  return info ? ", " + std::to_string(info->stride) + " bytes after its neighbour's" : "";
}

// Returns true if the lanes' groups are one piece of memory. Guards that only a check of this access would cover do not
// count.
bool isContiguous(VectorBody &body, const AccessGroup &group, Value mask) {
  return group.isContiguous && !group.check && !mask && body.knownStrideInfo(body.shape(group.pointer));
}

Value pointerOf(Operation *access) {
  auto load = dyn_cast<LLVM::LoadOp>(access);
  return load ? load.getAddr() : cast<LLVM::StoreOp>(access).getAddr();
}

// Emits a group. If it is checked, one check covers the bytes of all accesses, and `each` is emitted for lanes that
// fail: it accesses the lanes' elements serially, at checked pointers. Returns a vector for each result.
SmallVector<Value> emitGroup(VectorBody &body, const AccessGroup &group, Value mask, Type element, bool hasResults,
                             llvm::function_ref<SmallVector<Value>()> rows,
                             llvm::function_ref<Vectors(Operation *access, Value pointers)> each) {
  if (!group.check)
    return rows();
  VectorBuilder &b = body.builder();
  const uint64_t bytes = body.dataLayout().getTypeSize(element).getFixedValue();
  ocl::CheckAccessOp check = group.check;
  const Value pointer = check.getPointer(), own = body.vectors(pointer)[0];
  // Of the access with this number in the group.
  auto pointers = [&](size_t index) -> Value {
    const size_t ownIndex = size_t(llvm::find(group.accesses, group.insertionPoint) - group.accesses.begin());
    const int64_t distance = (int64_t(index) - int64_t(ownIndex)) * int64_t(bytes);
    return LLVM::GEPOp::create(b, own.getType(), b.getI8Type(), own, LLVM::GEPArg(int32_t(distance)));
  };
  Value total = intConstant(b, int64_t(bytes * group.accesses.size()), 64);
  Value fails = anyLaneFails(body, check, pointers(0), total, mask);
  SmallVector<Type> types(hasResults ? group.accesses.size() : 0, b.wide(element));
  auto branch = scf::IfOp::create(b, types, fails, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  {
    VectorBody::CounterpartsScope scope(body);
    b.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> columns;
    for (auto [index, access] : llvm::enumerate(group.accesses)) {
      Value checked = checkLanes(body, check, pointers(index), mask, nullptr, pointerOf(access).getLoc());
      llvm::append_range(columns, each(access, checked));
    }
    scf::YieldOp::create(b, columns);
  }
  VectorBody::CounterpartsScope scope(body);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, rows());
  return SmallVector<Value>(branch.getResults());
}

void loadGroup(VectorBody &body, const AccessGroup &group, Value mask) {
  VectorBuilder &b = body.builder();
  auto load = cast<LLVM::LoadOp>(group.accesses.front());
  const unsigned alignment = alignmentOf(load, load.getType(), body.dataLayout());
  if (isContiguous(body, group, mask)) {
    auto all = VectorType::get({int64_t(group.accesses.size()) * b.lanes()}, load.getType());
    Value loaded = LLVM::LoadOp::create(b, all, laneAddress(body, group.address, 0), alignment);
    for (auto [one, column] : llvm::zip(group.accesses, deinterleave(b, loaded, unsigned(group.accesses.size()))))
      body.setVectors(one->getResult(0), {column});
    return;
  }
  auto type = VectorType::get({int64_t(group.accesses.size())}, load.getType());
  auto loadRows = [&]() -> SmallVector<Value> {
    SmallVector<Value> rows;
    for (unsigned lane = 0; lane < b.lanes(); ++lane) {
      Value from = maskedAddress(body, mask, lane, laneAddress(body, group.address, lane));
      rows.push_back(LLVM::LoadOp::create(b, type, from, std::min(alignment, DummySlot::Alignment)));
    }
    const auto columns = transposed(b, rows);
    return SmallVector<Value>(columns.begin(), columns.end());
  };
  const auto columns = emitGroup(body, group, mask, load.getType(), true, loadRows, [&](Operation *one, Value checked) {
    return loadInLoop(body, {pointerOf(one), load.getType(), alignment, mask}, checked);
  });
  for (auto [one, column] : llvm::zip(group.accesses, columns))
    body.setVectors(one->getResult(0), {column});
}

void storeGroup(VectorBody &body, const AccessGroup &group, Value mask) {
  VectorBuilder &b = body.builder();
  auto store = cast<LLVM::StoreOp>(group.accesses.front());
  const Type type = store.getValue().getType();
  const unsigned alignment = alignmentOf(store, type, body.dataLayout());
  SmallVector<Value> columns;
  for (Operation *one : group.accesses)
    columns.push_back(body.vectors(cast<LLVM::StoreOp>(one).getValue())[0]);
  if (isContiguous(body, group, mask)) {
    LLVM::StoreOp::create(b, interleave(b, columns), laneAddress(body, group.address, 0), alignment);
    return;
  }
  auto storeRows = [&]() -> SmallVector<Value> {
    SmallVector<Value> rows = untransposed(b, columns);
    for (unsigned lane = 0; lane < b.lanes(); ++lane) {
      Value to = maskedAddress(body, mask, lane, laneAddress(body, group.address, lane));
      LLVM::StoreOp::create(b, rows[lane], to, std::min(alignment, DummySlot::Alignment));
    }
    return {};
  };
  emitGroup(body, group, mask, type, false, storeRows, [&](Operation *one, Value checked) {
    storeInLoop(body, {pointerOf(one), type, alignment, mask}, checked, cast<LLVM::StoreOp>(one).getValue());
    return Vectors();
  });
}

} // namespace

void widenLoad(VectorBody &body, LLVM::LoadOp load, Value mask) {
  VectorBuilder &b = body.builder();
  const Value pointer = load.getAddr();
  const Type type = load.getType();
  const LaneShape where = body.shape(pointer);
  const MemoryAccess access{pointer, type, alignmentOf(load, type, body.dataLayout()), mask};
  if (const AccessGroup *group = body.groups().of(load)) {
    explainForm(load, where, "one row for each lane, transposed");
    if (group->insertionPoint == load)
      loadGroup(body, *group, mask);
    if (body.options().checksAssumptions)
      expectLoaded(body, body.vectors(load.getResult())[0], access, Assumption::AccessOrder);
    return;
  }
  if (where.isUniform()) {
    explainForm(load, where, "one load for all lanes");
    return copyForLane0(body, load, mask);
  }
  const unsigned count = permuteLanes(body, access);
  const auto [holds, passed] = body.checks().checkGuards(where);
  const std::optional<StrideInfo> info = where.strideInfo(passed);
  const int64_t spanned = spannedStrideOf(body, access, info, /*isStore=*/false);
  enum { Uniform, Consecutive, Spanned, Window, NearlyConsecutive, Quads, EachLane } form = EachLane;
  if (info && info->stride == 0)
    form = Uniform;
  else if (isConsecutive(body, info, type))
    form = Consecutive;
  else if (spanned)
    form = Spanned;
  else if (count)
    form = Window;
  else if (isNearlyConsecutive(body, access))
    form = NearlyConsecutive;
  else if (canUseQuads(body, access))
    form = Quads;
  const bool isLoadedByLane = form == Consecutive && !mask && !holds && isa<IntegerType>(type) &&
                              isIndexOfUpdates(load.getResult(), body.shapes(), body.updates());
  static constexpr StringLiteral words[] = {"one load for all lanes",
                                            "consecutive",
                                            "vectors of all memory between lanes",
                                            "one window and a permute",
                                            "consecutive if a check passes",
                                            "four lanes at a time",
                                            "one load for each lane"};
  explainForm(load, where, words[form]);
  auto read = [&]() -> Vectors {
    auto one = [&] { return gather(body, access, info); };
    switch (form) {
    case Uniform:
      return b.splatVectors(LLVM::LoadOp::create(b, type, body.lane0(pointer), access.alignment));
    case Consecutive:
      return isLoadedByLane ? one() : loadConsecutive(body, access);
    case Spanned:
      return {loadSpanned(body, access, spanned)};
    case Window:
      return {permuteLoad(body, access, count, [&] { return one()[0]; })};
    case NearlyConsecutive:
      return {loadNearlyConsecutive(body, access, [&] { return one()[0]; })};
    case Quads:
      return loadQuads(body, access, one);
    case EachLane:
      break;
    }
    return one();
  };
  if (form == Window)
    body.note("loads one window for all work-items if their addresses are close together, else one element each");
  else if (form == NearlyConsecutive)
    body.note("loads one vector if the addresses of the work-items are consecutive, else one element each");
  else if (form != Consecutive && form != Uniform && form != Spanned)
    body.note("each work-item loads from its own address" + distance(info));
  if (!holds)
    return body.setVectors(load.getResult(), read());
  SmallVector<Type> types(b.vectorCount(type), b.wide(b.laneType(type)));
  auto branch = scf::IfOp::create(b, types, holds, /*addThenBlock=*/true, /*addElseBlock=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, read());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loadInLoop(body, access, recomputeHere(body, pointer)));
  }
  body.setVectors(load.getResult(), Vectors(branch.getResults()));
}

void widenStore(VectorBody &body, LLVM::StoreOp store, Value mask) {
  VectorBuilder &b = body.builder();
  if (const AccessGroup *group = body.groups().of(store))
    return group->insertionPoint == store ? storeGroup(body, *group, mask) : void();
  const Value pointer = store.getAddr(), value = store.getValue();
  const Type type = value.getType();
  if (const ScatteredUpdate *update = body.updateOf(store)) {
    explainForm(store, body.shape(pointer), "one load, change and store for each lane");
    body.note("each work-item changes memory at its own address");
    return updateLanes(body, *update, std::min(alignmentOf(store, type, body.dataLayout()), DummySlot::Alignment),
                       mask);
  }
  const LaneShape where = body.shape(pointer);
  const MemoryAccess access{pointer, type, alignmentOf(store, type, body.dataLayout()), mask};
  if (where.isUniform() && body.shape(value).isUniform())
    return copyForLane0(body, store, mask); // some lane is active
  const auto [holds, passed] = body.checks().checkGuards(where);
  const std::optional<StrideInfo> info = where.strideInfo(passed);
  const int64_t spanned = spannedStrideOf(body, access, info, /*isStore=*/true);
  enum { Consecutive, Spanned, Quads, EachLane } form = EachLane;
  if (isConsecutive(body, info, type))
    form = Consecutive;
  else if (spanned)
    form = Spanned;
  else if (canUseQuads(body, access))
    form = Quads;
  static constexpr StringLiteral words[] = {"consecutive", "vectors of all memory between lanes",
                                            "four lanes at a time", "one store for each lane"};
  explainForm(store, where, words[form]);
  auto emit = [&] {
    auto one = [&] { scatter(body, access, value, info); };
    switch (form) {
    case Consecutive:
      return storeConsecutive(body, access, value);
    case Spanned:
      return storeSpanned(body, access, value, spanned);
    case Quads:
      return storeQuads(body, access, value, one);
    case EachLane:
      return one();
    }
  };
  if (form == Quads || form == EachLane)
    body.note("each work-item stores to its own address" + distance(info));
  if (!holds)
    return emit();
  body.vectors(value); // emitted before the branch, for both of its regions
  auto branch = scf::IfOp::create(b, TypeRange(), holds, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emit();
  scf::YieldOp::create(b);
  b.setInsertionPointToStart(branch.elseBlock());
  storeInLoop(body, access, recomputeHere(body, pointer), value);
  scf::YieldOp::create(b);
}

} // namespace kiln
