// Collectives: votes, broadcasts, reductions and scans, ballots, shuffles.
//
// All of them become `ocl` operations combine, shuffle and ballot. Shuffles up, down, xor and rotate compute the source
// lane first; other ballot instructions are arithmetic on the ballot's 128 bits.
#include "dialects/import/Groups.h"
#include "dialects/import/Bits.h"
#include "dialects/import/BuiltInVariables.h"
#include "dialects/import/Instructions.h"
#include "dialects/import/Sync.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::import {
namespace {
bool isNonUniform(spv::Op op) {
  return (op >= spv::Op::GroupNonUniformElect && op <= spv::Op::GroupNonUniformLogicalXor) ||
         op == spv::Op::GroupNonUniformRotateKHR;
}

bool isBallot(Value value) {
  auto vector = llvm::dyn_cast<VectorType>(value.getType());
  return vector && vector.getNumElements() == 4 && vector.getElementType().isInteger(32);
}

Value combineOver(Body &body, ocl::Scope scope, ocl::CombiningKind kind, Value value, bool isUniform = false,
                  ocl::GroupOperation operation = ocl::GroupOperation::reduce, IntegerAttr cluster = {}) {
  return ocl::CombineOp::create(body.builder, body.loc, value.getType(), operation, kind, scope, value, cluster,
                                isUniform);
}

/// Reads the optional ClusterSize operand. Returns false, with a diagnostic, if it is not a constant power of two.
bool clusterSize(Body &body, const Instruction &ins, size_t index, IntegerAttr &size) {
  if (ins.args.size() <= index)
    return true;
  std::optional<uint64_t> number = body.module.integer(ins.args[index]);
  if (!number || !llvm::isPowerOf2_64(*number) || *number > 1u << 30)
    return body.error(ins) << "has a ClusterSize that is not a constant power of two", false;
  size = body.builder.getI32IntegerAttr(*number);
  return true;
}

Value laneId(Body &body) {
  return ocl::LinearQueryOp::create(body.builder, body.loc, body.builder.getI32Type(),
                                    ocl::LinearQuery::sub_group_local_id);
}

Value maxSubGroupSize(Body &body) {
  return ocl::LinearQueryOp::create(body.builder, body.loc, body.builder.getI32Type(),
                                    ocl::LinearQuery::max_sub_group_size);
}

/// Returns the linear id of a local id with one to three dimensions, limited to 32 bits; null for other types.
Value linearLocalId(Body &body, Value id) {
  auto element = llvm::dyn_cast<IntegerType>(getElementTypeOrSelf(id.getType()));
  auto vector = llvm::dyn_cast<VectorType>(id.getType());
  if (!element || element.getWidth() > 64 || (vector && vector.getNumElements() > 3))
    return {};
  Type i64 = body.builder.getI64Type();
  Value linear;
  for (int64_t dim = vector ? vector.getNumElements() - 1 : 0; dim >= 0; --dim) {
    Value part = resize(body, vector ? body.make<vector::ExtractOp>(id, dim) : id, i64);
    if (linear) {
      Value size = query(body, ocl::Query::local_size, body.constantInt(body.builder.getI32Type(), dim), i64);
      part = body.make<arith::AddIOp>(body.make<arith::MulIOp>(linear, size), part);
    }
    linear = part;
  }
  return resize(body, body.make<arith::MinUIOp>(linear, body.constantInt(i64, ~0u)), body.builder.getI32Type());
}

/// Shuffle down and up shift the concatenation of two values.
LogicalResult intelShuffle(Body &body, const Instruction &ins) {
  Values in;
  if (!body.operands(ins, in, ins.args.size()))
    return failure();
  const Type type = in.front().getType();
  const bool isShift = in.size() == 3;
  if (!llvm::isa<FloatType, IntegerType>(getElementTypeOrSelf(type)) || (isShift && in[1].getType() != type) ||
      !llvm::isa<IntegerType>(in.back().getType()))
    return body.mismatch(ins);
  auto shuffle = [&](Value value, Value lane, ocl::LaneLimit limit = ocl::LaneLimit::group) -> Value {
    return ocl::ShuffleOp::create(body.builder, body.loc, ocl::Scope::sub_group, value, lane, /*uniform=*/false, limit);
  };
  Value number = resize(body, in.back(), body.builder.getI32Type());
  if (ins.op == spv::Op::SubgroupShuffleINTEL)
    return body.define(ins, shuffle(in[0], number));
  if (ins.op == spv::Op::SubgroupShuffleXorINTEL)
    return body.define(ins, shuffle(in[0], body.make<arith::XOrIOp>(laneId(body), number)));
  Value size = maxSubGroupSize(body), self = laneId(body);
  const bool isDown = ins.op == spv::Op::SubgroupShuffleDownINTEL; // else of (previous, current)
  // The index in the concatenation.
  Value place = body.make<arith::AddIOp>(self, isDown ? number : body.make<arith::SubIOp>(size, number));
  Value ofFirst = body.make<arith::CmpIOp>(arith::CmpIPredicate::ult, place, size);
  Value first = shuffle(in[0], place, ocl::LaneLimit::pair);
  Value second = shuffle(in[1], body.make<arith::SubIOp>(place, size), ocl::LaneLimit::none);
  return body.define(ins, body.make<arith::SelectOp>(ofFirst, first, second));
}

/// Block loads and stores: component c of all work-items of the sub-group is contiguous in memory.
LogicalResult intelBlock(Body &body, const Instruction &ins, uint32_t pointerId, uint32_t typeId) {
  constexpr uint64_t MinAlignment = 4; // of a block, for any element type
  Value pointer = body.value(pointerId, ins);
  const TypeInfo *info = pointer ? body.module.memoryType(typeId, ins) : nullptr;
  if (!info)
    return failure();
  const bool isWrite = ins.op == spv::Op::SubgroupBlockWriteINTEL;
  Value data = isWrite ? body.value(ins.args[1], ins) : Value();
  if (isWrite && !data)
    return failure();
  const auto vector = llvm::dyn_cast<VectorType>(info->type);
  const auto element = llvm::dyn_cast<IntegerType>(getElementTypeOrSelf(info->type));
  const TypeInfo *pointee = body.module.typeInfo(body.module.pointeeOf(pointerId));
  if (!llvm::isa<LLVM::LLVMPointerType>(pointer.getType()) || !element || element.getWidth() < 8 || !pointee ||
      pointee->type != element || (data && data.getType() != info->type))
    return body.mismatch(ins);
  const unsigned align = unsigned(std::min<uint64_t>(element.getWidth() / 8, MinAlignment));
  Type i64 = body.builder.getI64Type();
  Value lane = resize(body, laneId(body), i64), size = resize(body, maxSubGroupSize(body), i64);
  SmallVector<Value> components;
  for (int64_t i = 0; i < (vector ? vector.getNumElements() : 1); ++i) {
    Value index = body.make<arith::AddIOp>(lane, body.make<arith::MulIOp>(size, body.constantInt(i64, uint64_t(i))));
    Value address = LLVM::GEPOp::create(body.builder, body.loc, pointer.getType(), element, pointer, ValueRange{index});
    if (isWrite)
      LLVM::StoreOp::create(body.builder, body.loc, vector ? body.make<vector::ExtractOp>(data, i) : data, address,
                            align);
    else
      components.push_back(LLVM::LoadOp::create(body.builder, body.loc, element, address, align));
  }
  if (isWrite)
    return success();
  return body.define(ins, vector ? Value(vector::FromElementsOp::create(body.builder, body.loc, vector, components))
                                 : components.front());
}

LogicalResult intelBlockRead(Body &body, const Instruction &ins) {
  return intelBlock(body, ins, ins.args[0], ins.type);
}

LogicalResult intelBlockWrite(Body &body, const Instruction &ins) {
  const Instruction *data = body.module.typeOf(ins.args[1]);
  return data ? intelBlock(body, ins, ins.args[0], data->result) : body.mismatch(ins);
}

/// Returns the Execution scope; nullopt, with a diagnostic, if it is not supported.
std::optional<ocl::Scope> executionScope(Body &body, const Instruction &ins) {
  if (!body.module.integer(ins.args[0]))
    return body.error(ins) << "has an Execution scope that is not a constant, which is not supported", std::nullopt;
  ocl::Scope scope = scopeOf(body, ins.args[0]);
  if (scope != ocl::Scope::sub_group && (scope != ocl::Scope::work_group || isNonUniform(ins.op)))
    return body.error(ins) << "has an unsupported Execution scope, must be "
                           << (isNonUniform(ins.op) ? "Subgroup" : "Workgroup or Subgroup"),
           std::nullopt;
  return scope;
}

/// Calls a handler with the Execution scope.
template <LogicalResult (*handler)(Body &, const Instruction &, ocl::Scope)>
LogicalResult inScope(Body &body, const Instruction &ins) {
  std::optional<ocl::Scope> scope = executionScope(body, ins);
  return scope ? handler(body, ins, *scope) : failure();
}

LogicalResult groupArithmetic(Body &body, const Instruction &ins, ocl::CombiningKind kind, bool ofBooleans,
                              ocl::Scope scope) {
  Value in = body.value(ins.args[2], ins);
  if (!in)
    return failure();
  Type element = getElementTypeOrSelf(in.getType());
  bool wantsFloat = kind >= ocl::CombiningKind::fadd;
  if (wantsFloat ? !llvm::isa<FloatType>(element)
                 : !llvm::isa<IntegerType>(element) || element.isInteger(1) != ofBooleans)
    return body.mismatch(ins);
  IntegerAttr cluster;
  ocl::GroupOperation operation;
  switch (static_cast<spv::GroupOperation>(ins.args[1])) {
  case spv::GroupOperation::Reduce:
    operation = ocl::GroupOperation::reduce;
    break;
  case spv::GroupOperation::InclusiveScan:
    operation = ocl::GroupOperation::inclusive_scan;
    break;
  case spv::GroupOperation::ExclusiveScan:
    operation = ocl::GroupOperation::exclusive_scan;
    break;
  case spv::GroupOperation::ClusteredReduce:
    if (!isNonUniform(ins.op) || ins.args.size() < 4)
      return body.error(ins) << "is a clustered reduction without a ClusterSize";
    operation = ocl::GroupOperation::reduce;
    if (!clusterSize(body, ins, 3, cluster))
      return failure();
    break;
  default:
    return body.error(ins) << "has a group operation that is not supported";
  }
  return body.define(ins, combineOver(body, scope, kind, in, !isNonUniform(ins.op), operation, cluster));
}

template <ocl::CombiningKind kind, bool ofBooleans = false>
LogicalResult groupCombine(Body &body, const Instruction &ins, ocl::Scope scope) {
  return groupArithmetic(body, ins, kind, ofBooleans, scope);
}

LogicalResult groupVote(Body &body, const Instruction &ins, ocl::Scope scope) {
  if (ins.op == spv::Op::GroupNonUniformElect) { // the first active lane
    Value lane = laneId(body);
    Value first = combineOver(body, scope, ocl::CombiningKind::umin, lane);
    return body.define(ins, body.make<arith::CmpIOp>(arith::CmpIPredicate::eq, lane, first));
  }
  Value in = body.value(ins.args[1], ins);
  if (!in)
    return failure();
  if (ins.op == spv::Op::GroupNonUniformAllEqual) { // compares with the first active lane
    Type element = getElementTypeOrSelf(in.getType());
    if (!llvm::isa<FloatType, IntegerType>(element))
      return body.mismatch(ins);
    Value first = combineOver(body, scope, ocl::CombiningKind::umin, laneId(body));
    Value other =
        ocl::ShuffleOp::create(body.builder, body.loc, scope, in, first, /*uniform=*/false, ocl::LaneLimit::none);
    Value same = llvm::isa<FloatType>(element) ? body.make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, in, other)
                                               : body.make<arith::CmpIOp>(arith::CmpIPredicate::eq, in, other);
    if (llvm::isa<VectorType>(same.getType()))
      same = body.make<vector::ReductionOp>(vector::CombiningKind::AND, same);
    return body.define(ins, combineOver(body, scope, ocl::CombiningKind::and_, same));
  }
  if (!in.getType().isInteger(1))
    return body.mismatch(ins);
  bool all = ins.op == spv::Op::GroupAll || ins.op == spv::Op::GroupNonUniformAll;
  return body.define(ins, combineOver(body, scope, all ? ocl::CombiningKind::and_ : ocl::CombiningKind::or_, in,
                                      /*isUniform=*/!isNonUniform(ins.op)));
}

LogicalResult groupShuffle(Body &body, const Instruction &ins, ocl::Scope scope) {
  Value in = body.value(ins.args[1], ins);
  if (!in)
    return failure();
  if (!llvm::isa<FloatType, IntegerType>(getElementTypeOrSelf(in.getType())))
    return body.mismatch(ins);
  auto shuffle = [&](Value lane, ocl::LaneLimit limit = ocl::LaneLimit::group) {
    return body.define(
        ins, ocl::ShuffleOp::create(body.builder, body.loc, scope, in, lane, /*uniform=*/!isNonUniform(ins.op), limit));
  };
  Type i32 = body.builder.getI32Type();
  if (ins.op == spv::Op::GroupNonUniformBroadcastFirst)
    return shuffle(combineOver(body, scope, ocl::CombiningKind::umin, laneId(body)), ocl::LaneLimit::none);
  Value id = body.value(ins.args[2], ins);
  if (!id)
    return failure();
  if (scope == ocl::Scope::work_group) {
    Value item = linearLocalId(body, id);
    return item ? shuffle(item) : body.mismatch(ins);
  }
  if (!llvm::isa<IntegerType>(id.getType()))
    return body.mismatch(ins);
  id = resize(body, id, i32);
  switch (ins.op) {
  case spv::Op::GroupNonUniformShuffleXor:
    return shuffle(body.make<arith::XOrIOp>(laneId(body), id));
  case spv::Op::GroupNonUniformShuffleUp:
    return shuffle(body.make<arith::SubIOp>(laneId(body), id));
  case spv::Op::GroupNonUniformShuffleDown:
    return shuffle(body.make<arith::AddIOp>(laneId(body), id));
  case spv::Op::GroupNonUniformRotateKHR: {
    IntegerAttr cluster;
    if (!clusterSize(body, ins, 3, cluster))
      return failure();
    // Rotates within the largest sub-group of the launch, whose size need not be a power of two, or within a cluster,
    // which is not larger. OpenCL C's delta is an int.
    Value self = laneId(body), size = maxSubGroupSize(body);
    if (cluster)
      size = body.make<arith::MinUIOp>(size, body.constantInt(i32, cluster.getInt()));
    Value inside = body.make<arith::RemUIOp>(self, size);
    Value start = body.make<arith::SubIOp>(self, inside);
    Value delta = body.make<arith::AddIOp>(body.make<arith::RemSIOp>(id, size), size);
    Value target = body.make<arith::RemUIOp>(body.make<arith::AddIOp>(inside, delta), size);
    return shuffle(body.make<arith::AddIOp>(start, target), ocl::LaneLimit::none);
  }
  default: // broadcast, and shuffle
    return shuffle(id);
  }
}

LogicalResult groupBallot(Body &body, const Instruction &ins, ocl::Scope) {
  Type result = body.resultType(ins);
  Value in = body.value(ins.op == spv::Op::GroupNonUniformBallotBitCount ? ins.args[2] : ins.args[1], ins);
  if (!result || !in)
    return failure();
  if (ins.op == spv::Op::GroupNonUniformBallot) {
    if (!in.getType().isInteger(1))
      return body.mismatch(ins);
    return body.define(
        ins, ocl::BallotOp::create(body.builder, body.loc, VectorType::get(4, body.builder.getI32Type()), in));
  }
  if (!isBallot(in))
    return body.mismatch(ins);
  Type number = body.builder.getIntegerType(128);
  Value bits = LLVM::BitcastOp::create(body.builder, body.loc, number, in);
  auto bitAt = [&](Value index) {
    return body.make<arith::TruncIOp>(body.builder.getI1Type(),
                                      body.make<arith::ShRUIOp>(bits, mask(body, index, number)));
  };
  if (ins.op == spv::Op::GroupNonUniformInverseBallot)
    return body.define(ins, bitAt(laneId(body)));
  if (ins.op == spv::Op::GroupNonUniformBallotBitExtract) {
    Value index = body.value(ins.args[2], ins);
    if (!index)
      return failure();
    return llvm::isa<IntegerType>(index.getType()) ? body.define(ins, bitAt(index)) : body.mismatch(ins);
  }
  if (!llvm::isa<IntegerType>(result) || result.isInteger(1))
    return body.mismatch(ins);
  LaneMask lanes = LaneMask::All; // ignores bits beyond the largest sub-group
  if (ins.op == spv::Op::GroupNonUniformBallotBitCount)
    switch (static_cast<spv::GroupOperation>(ins.args[1])) {
    case spv::GroupOperation::Reduce:
      break;
    case spv::GroupOperation::InclusiveScan:
      lanes = LaneMask::LessEqual;
      break;
    case spv::GroupOperation::ExclusiveScan:
      lanes = LaneMask::Less;
      break;
    default:
      return body.error(ins) << "has a group operation that is not supported";
    }
  bits = body.make<arith::AndIOp>(bits, laneMask(body, lanes));
  Value found;
  if (ins.op == spv::Op::GroupNonUniformBallotBitCount)
    found = body.make<math::CtPopOp>(bits);
  else if (ins.op == spv::Op::GroupNonUniformBallotFindLSB)
    found = body.make<math::CountTrailingZerosOp>(bits);
  else
    found = body.make<arith::SubIOp>(body.constantInt(number, 127), body.make<math::CountLeadingZerosOp>(bits));
  return body.define(ins, resize(body, found, result));
}
} // namespace

/// Returns a mask of the lanes that compare to this work-item's lane as `which` says; bit n is lane n.
Value laneMask(Body &body, LaneMask which) {
  Type bits = body.builder.getIntegerType(128);
  Value one = body.constantInt(bits, 1), ones = body.constantInt(bits, llvm::APInt::getAllOnes(128));
  auto complement = [&](Value x) { return body.make<arith::XOrIOp>(x, ones); };
  if (which == LaneMask::All) { // all lanes of the largest sub-group: the upper 128 - size bits are 0
    Value size = maxSubGroupSize(body);
    Value above = body.make<arith::SubIOp>(body.constantInt(bits, 128), resize(body, size, bits));
    return body.make<arith::ShRUIOp>(ones, mask(body, above, bits));
  }
  Value self = body.make<arith::ShLIOp>(one, mask(body, laneId(body), bits));
  if (which == LaneMask::Equal)
    return self;
  Value below = body.make<arith::SubIOp>(self, one);
  switch (which) {
  case LaneMask::Less:
    return below;
  case LaneMask::LessEqual:
    return body.make<arith::OrIOp>(below, self);
  case LaneMask::GreaterEqual:
    return body.make<arith::AndIOp>(laneMask(body, LaneMask::All), complement(below));
  default:
    return body.make<arith::AndIOp>(laneMask(body, LaneMask::All), complement(body.make<arith::OrIOp>(below, self)));
  }
}

Value ballotOf(Body &body, Value bits) {
  return LLVM::BitcastOp::create(body.builder, body.loc, VectorType::get(4, body.builder.getI32Type()), bits);
}

void addGroups(InstructionTable &table) {
  using ocl::CombiningKind;
  table.add({spv::Op::SubgroupShuffleINTEL, spv::Op::SubgroupShuffleDownINTEL, spv::Op::SubgroupShuffleUpINTEL,
             spv::Op::SubgroupShuffleXorINTEL},
            intelShuffle);
  table.add(spv::Op::SubgroupBlockReadINTEL, intelBlockRead);
  table.add(spv::Op::SubgroupBlockWriteINTEL, intelBlockWrite);
  table.add({spv::Op::GroupAll, spv::Op::GroupAny, spv::Op::GroupNonUniformElect, spv::Op::GroupNonUniformAll,
             spv::Op::GroupNonUniformAny, spv::Op::GroupNonUniformAllEqual},
            inScope<groupVote>);
  table.add({spv::Op::GroupNonUniformBallot, spv::Op::GroupNonUniformInverseBallot,
             spv::Op::GroupNonUniformBallotBitExtract, spv::Op::GroupNonUniformBallotBitCount,
             spv::Op::GroupNonUniformBallotFindLSB, spv::Op::GroupNonUniformBallotFindMSB},
            inScope<groupBallot>);
  table.add({spv::Op::GroupBroadcast, spv::Op::GroupNonUniformBroadcast, spv::Op::GroupNonUniformBroadcastFirst,
             spv::Op::GroupNonUniformShuffle, spv::Op::GroupNonUniformShuffleXor, spv::Op::GroupNonUniformShuffleUp,
             spv::Op::GroupNonUniformShuffleDown, spv::Op::GroupNonUniformRotateKHR},
            inScope<groupShuffle>);
  table.add({spv::Op::GroupIAdd, spv::Op::GroupNonUniformIAdd}, inScope<groupCombine<CombiningKind::add>>);
  table.add({spv::Op::GroupFAdd, spv::Op::GroupNonUniformFAdd}, inScope<groupCombine<CombiningKind::fadd>>);
  table.add({spv::Op::GroupIMulKHR, spv::Op::GroupNonUniformIMul}, inScope<groupCombine<CombiningKind::mul>>);
  table.add({spv::Op::GroupFMulKHR, spv::Op::GroupNonUniformFMul}, inScope<groupCombine<CombiningKind::fmul>>);
  table.add({spv::Op::GroupSMin, spv::Op::GroupNonUniformSMin}, inScope<groupCombine<CombiningKind::smin>>);
  table.add({spv::Op::GroupUMin, spv::Op::GroupNonUniformUMin}, inScope<groupCombine<CombiningKind::umin>>);
  table.add({spv::Op::GroupFMin, spv::Op::GroupNonUniformFMin}, inScope<groupCombine<CombiningKind::fmin>>);
  table.add({spv::Op::GroupSMax, spv::Op::GroupNonUniformSMax}, inScope<groupCombine<CombiningKind::smax>>);
  table.add({spv::Op::GroupUMax, spv::Op::GroupNonUniformUMax}, inScope<groupCombine<CombiningKind::umax>>);
  table.add({spv::Op::GroupFMax, spv::Op::GroupNonUniformFMax}, inScope<groupCombine<CombiningKind::fmax>>);
  table.add({spv::Op::GroupBitwiseAndKHR, spv::Op::GroupNonUniformBitwiseAnd},
            inScope<groupCombine<CombiningKind::and_>>);
  table.add({spv::Op::GroupBitwiseOrKHR, spv::Op::GroupNonUniformBitwiseOr}, inScope<groupCombine<CombiningKind::or_>>);
  table.add({spv::Op::GroupBitwiseXorKHR, spv::Op::GroupNonUniformBitwiseXor},
            inScope<groupCombine<CombiningKind::xor_>>);
  table.add({spv::Op::GroupLogicalAndKHR, spv::Op::GroupNonUniformLogicalAnd},
            inScope<groupCombine<CombiningKind::and_, true>>);
  table.add({spv::Op::GroupLogicalOrKHR, spv::Op::GroupNonUniformLogicalOr},
            inScope<groupCombine<CombiningKind::or_, true>>);
  table.add({spv::Op::GroupLogicalXorKHR, spv::Op::GroupNonUniformLogicalXor},
            inScope<groupCombine<CombiningKind::xor_, true>>);
}

} // namespace kiln::import
