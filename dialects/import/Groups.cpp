// Collectives: votes, broadcasts, reductions and scans, ballots, shuffles.
//
// All of them become `ocl` operations combine, shuffle and ballot. Shuffles up, down, xor and rotate compute the source
// lane first; other ballot instructions are arithmetic on the ballot's 128 bits.
#include "dialects/import/BodyImporter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::import {
namespace {

struct Combining {
  ocl::CombiningKind kind;
  bool ofBooleans = false;
};

std::optional<Combining> combining(spv::Op op) {
  using ocl::CombiningKind;
  switch (op) {
  case spv::Op::GroupIAdd:
  case spv::Op::GroupNonUniformIAdd:
    return Combining{CombiningKind::add};
  case spv::Op::GroupFAdd:
  case spv::Op::GroupNonUniformFAdd:
    return Combining{CombiningKind::fadd};
  case spv::Op::GroupIMulKHR:
  case spv::Op::GroupNonUniformIMul:
    return Combining{CombiningKind::mul};
  case spv::Op::GroupFMulKHR:
  case spv::Op::GroupNonUniformFMul:
    return Combining{CombiningKind::fmul};
  case spv::Op::GroupSMin:
  case spv::Op::GroupNonUniformSMin:
    return Combining{CombiningKind::smin};
  case spv::Op::GroupUMin:
  case spv::Op::GroupNonUniformUMin:
    return Combining{CombiningKind::umin};
  case spv::Op::GroupFMin:
  case spv::Op::GroupNonUniformFMin:
    return Combining{CombiningKind::fmin};
  case spv::Op::GroupSMax:
  case spv::Op::GroupNonUniformSMax:
    return Combining{CombiningKind::smax};
  case spv::Op::GroupUMax:
  case spv::Op::GroupNonUniformUMax:
    return Combining{CombiningKind::umax};
  case spv::Op::GroupFMax:
  case spv::Op::GroupNonUniformFMax:
    return Combining{CombiningKind::fmax};
  case spv::Op::GroupBitwiseAndKHR:
  case spv::Op::GroupNonUniformBitwiseAnd:
    return Combining{CombiningKind::and_};
  case spv::Op::GroupBitwiseOrKHR:
  case spv::Op::GroupNonUniformBitwiseOr:
    return Combining{CombiningKind::or_};
  case spv::Op::GroupBitwiseXorKHR:
  case spv::Op::GroupNonUniformBitwiseXor:
    return Combining{CombiningKind::xor_};
  case spv::Op::GroupLogicalAndKHR:
  case spv::Op::GroupNonUniformLogicalAnd:
    return Combining{CombiningKind::and_, true};
  case spv::Op::GroupLogicalOrKHR:
  case spv::Op::GroupNonUniformLogicalOr:
    return Combining{CombiningKind::or_, true};
  case spv::Op::GroupLogicalXorKHR:
  case spv::Op::GroupNonUniformLogicalXor:
    return Combining{CombiningKind::xor_, true};
  default:
    return std::nullopt;
  }
}

bool isNonUniform(spv::Op op) {
  return (op >= spv::Op::GroupNonUniformElect && op <= spv::Op::GroupNonUniformLogicalXor) ||
         op == spv::Op::GroupNonUniformRotateKHR;
}

bool isBallot(Value value) {
  auto vector = llvm::dyn_cast<VectorType>(value.getType());
  return vector && vector.getNumElements() == 4 && vector.getElementType().isInteger(32);
}
} // namespace

ImportResult BodyImporter::importGroup(const Instruction &ins) {
  std::optional<Combining> combined = combining(ins.op);
  switch (ins.op) {
  case spv::Op::SubgroupShuffleINTEL:
  case spv::Op::SubgroupShuffleDownINTEL:
  case spv::Op::SubgroupShuffleUpINTEL:
  case spv::Op::SubgroupShuffleXorINTEL:
    return importResult(intelShuffle(ins));
  case spv::Op::SubgroupBlockReadINTEL:
    return importResult(intelBlock(ins, ins.args[0], ins.type));
  case spv::Op::SubgroupBlockWriteINTEL: {
    const Instruction *data = module.typeOf(ins.args[1]);
    return data ? importResult(intelBlock(ins, ins.args[0], data->result)) : importResult(mismatch(ins));
  }
  case spv::Op::GroupAll:
  case spv::Op::GroupAny:
  case spv::Op::GroupBroadcast:
    break;
  default:
    if (!combined && !isNonUniform(ins.op))
      return ImportResult::NotHandled;
  }
  if (!module.integer(ins.args[0]))
    return error(ins) << "has an Execution scope that is not a constant, which is not supported", ImportResult::Failure;
  ocl::Scope scope = this->scope(ins.args[0]);
  if (scope != ocl::Scope::sub_group && (scope != ocl::Scope::work_group || isNonUniform(ins.op)))
    return error(ins) << "has an unsupported Execution scope, must be "
                      << (isNonUniform(ins.op) ? "Subgroup" : "Workgroup or Subgroup"),
           ImportResult::Failure;
  if (combined)
    return importResult(groupArithmetic(ins, combined->kind, combined->ofBooleans, scope));
  switch (ins.op) {
  case spv::Op::GroupAll:
  case spv::Op::GroupAny:
  case spv::Op::GroupNonUniformElect:
  case spv::Op::GroupNonUniformAll:
  case spv::Op::GroupNonUniformAny:
  case spv::Op::GroupNonUniformAllEqual:
    return importResult(groupVote(ins, scope));
  case spv::Op::GroupNonUniformBallot:
  case spv::Op::GroupNonUniformInverseBallot:
  case spv::Op::GroupNonUniformBallotBitExtract:
  case spv::Op::GroupNonUniformBallotBitCount:
  case spv::Op::GroupNonUniformBallotFindLSB:
  case spv::Op::GroupNonUniformBallotFindMSB:
    return importResult(groupBallot(ins));
  default:
    return importResult(groupShuffle(ins, scope));
  }
}

Value BodyImporter::combineOver(ocl::Scope scope, ocl::CombiningKind kind, Value value, bool isUniform,
                                ocl::GroupOperation operation, IntegerAttr cluster) {
  return ocl::CombineOp::create(builder, loc, value.getType(), operation, kind, scope, value, cluster, isUniform);
}

Value BodyImporter::laneId() {
  return ocl::LinearQueryOp::create(builder, loc, builder.getI32Type(), ocl::LinearQuery::sub_group_local_id);
}

/// Reads the optional ClusterSize operand. Returns false, with a diagnostic, if it is not a constant power of two.
bool BodyImporter::clusterSize(const Instruction &ins, size_t index, IntegerAttr &size) {
  if (ins.args.size() <= index)
    return true;
  std::optional<uint64_t> number = module.integer(ins.args[index]);
  if (!number || !llvm::isPowerOf2_64(*number) || *number > 1u << 30)
    return error(ins) << "has a ClusterSize that is not a constant power of two", false;
  size = builder.getI32IntegerAttr(*number);
  return true;
}

LogicalResult BodyImporter::groupArithmetic(const Instruction &ins, ocl::CombiningKind kind, bool ofBooleans,
                                            ocl::Scope scope) {
  Value in = value(ins.args[2], ins);
  if (!in)
    return failure();
  Type element = getElementTypeOrSelf(in.getType());
  bool wantsFloat = kind >= ocl::CombiningKind::fadd;
  if (wantsFloat ? !llvm::isa<FloatType>(element)
                 : !llvm::isa<IntegerType>(element) || element.isInteger(1) != ofBooleans)
    return mismatch(ins);
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
      return error(ins) << "is a clustered reduction without a ClusterSize";
    operation = ocl::GroupOperation::reduce;
    if (!clusterSize(ins, 3, cluster))
      return failure();
    break;
  default:
    return error(ins) << "has a group operation that is not supported";
  }
  return define(ins, combineOver(scope, kind, in, !isNonUniform(ins.op), operation, cluster));
}

LogicalResult BodyImporter::groupVote(const Instruction &ins, ocl::Scope scope) {
  if (ins.op == spv::Op::GroupNonUniformElect) { // the first active lane
    Value lane = laneId();
    Value first = combineOver(scope, ocl::CombiningKind::umin, lane);
    return define(ins, make<arith::CmpIOp>(arith::CmpIPredicate::eq, lane, first));
  }
  Value in = value(ins.args[1], ins);
  if (!in)
    return failure();
  if (ins.op == spv::Op::GroupNonUniformAllEqual) { // compares with the first active lane
    Type element = getElementTypeOrSelf(in.getType());
    if (!llvm::isa<FloatType, IntegerType>(element))
      return mismatch(ins);
    Value first = combineOver(scope, ocl::CombiningKind::umin, laneId());
    Value other = ocl::ShuffleOp::create(builder, loc, scope, in, first, /*uniform=*/false);
    Value same = llvm::isa<FloatType>(element) ? make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, in, other)
                                               : make<arith::CmpIOp>(arith::CmpIPredicate::eq, in, other);
    if (llvm::isa<VectorType>(same.getType()))
      same = make<vector::ReductionOp>(vector::CombiningKind::AND, same);
    return define(ins, combineOver(scope, ocl::CombiningKind::and_, same));
  }
  if (!in.getType().isInteger(1))
    return mismatch(ins);
  bool all = ins.op == spv::Op::GroupAll || ins.op == spv::Op::GroupNonUniformAll;
  return define(ins, combineOver(scope, all ? ocl::CombiningKind::and_ : ocl::CombiningKind::or_, in,
                                 /*isUniform=*/!isNonUniform(ins.op)));
}

LogicalResult BodyImporter::groupShuffle(const Instruction &ins, ocl::Scope scope) {
  Value in = value(ins.args[1], ins);
  if (!in)
    return failure();
  if (!llvm::isa<FloatType, IntegerType>(getElementTypeOrSelf(in.getType())))
    return mismatch(ins);
  auto shuffle = [&](Value lane) {
    return define(ins, ocl::ShuffleOp::create(builder, loc, scope, in, lane, /*uniform=*/!isNonUniform(ins.op)));
  };
  Type i32 = builder.getI32Type();
  if (ins.op == spv::Op::GroupNonUniformBroadcastFirst)
    return shuffle(combineOver(scope, ocl::CombiningKind::umin, laneId()));
  Value id = value(ins.args[2], ins);
  if (!id)
    return failure();
  if (scope == ocl::Scope::work_group) {
    Value item = linearLocalId(id);
    return item ? shuffle(item) : mismatch(ins);
  }
  if (!llvm::isa<IntegerType>(id.getType()))
    return mismatch(ins);
  id = resize(id, i32);
  switch (ins.op) {
  case spv::Op::GroupNonUniformShuffleXor:
    return shuffle(make<arith::XOrIOp>(laneId(), id));
  case spv::Op::GroupNonUniformShuffleUp:
    return shuffle(make<arith::SubIOp>(laneId(), id));
  case spv::Op::GroupNonUniformShuffleDown:
    return shuffle(make<arith::AddIOp>(laneId(), id));
  case spv::Op::GroupNonUniformRotateKHR: {
    IntegerAttr cluster;
    if (!clusterSize(ins, 3, cluster))
      return failure();
    // Rotates within the largest sub-group of the launch, whose size need not be a power of two, or within a cluster,
    // which is not larger. OpenCL C's delta is an int.
    Value self = laneId(), size = maxSubGroupSize();
    if (cluster)
      size = make<arith::MinUIOp>(size, constantInt(i32, cluster.getInt()));
    Value inside = make<arith::RemUIOp>(self, size);
    Value start = make<arith::SubIOp>(self, inside);
    Value delta = make<arith::AddIOp>(make<arith::RemSIOp>(id, size), size);
    Value target = make<arith::RemUIOp>(make<arith::AddIOp>(inside, delta), size);
    return shuffle(make<arith::AddIOp>(start, target));
  }
  default: // broadcast, and shuffle
    return shuffle(id);
  }
}

// ---- SPV_INTEL_subgroups -------------------------------------------------------------------------------------------

Value BodyImporter::maxSubGroupSize() {
  return ocl::LinearQueryOp::create(builder, loc, builder.getI32Type(), ocl::LinearQuery::max_sub_group_size);
}

/// Shuffle down and up shift the concatenation of two values.
LogicalResult BodyImporter::intelShuffle(const Instruction &ins) {
  Values in;
  if (!operands(ins, in, ins.args.size()))
    return failure();
  const Type type = in.front().getType();
  const bool isShift = in.size() == 3;
  if (!llvm::isa<FloatType, IntegerType>(getElementTypeOrSelf(type)) || (isShift && in[1].getType() != type) ||
      !llvm::isa<IntegerType>(in.back().getType()))
    return mismatch(ins);
  auto shuffle = [&](Value value, Value lane) -> Value {
    return ocl::ShuffleOp::create(builder, loc, ocl::Scope::sub_group, value, lane, /*uniform=*/false);
  };
  Value number = resize(in.back(), builder.getI32Type());
  if (ins.op == spv::Op::SubgroupShuffleINTEL)
    return define(ins, shuffle(in[0], number));
  if (ins.op == spv::Op::SubgroupShuffleXorINTEL)
    return define(ins, shuffle(in[0], make<arith::XOrIOp>(laneId(), number)));
  Value size = maxSubGroupSize(), self = laneId();
  const bool isDown = ins.op == spv::Op::SubgroupShuffleDownINTEL; // else of (previous, current)
  // The index in the concatenation.
  Value place = make<arith::AddIOp>(self, isDown ? number : make<arith::SubIOp>(size, number));
  Value ofFirst = make<arith::CmpIOp>(arith::CmpIPredicate::ult, place, size);
  Value first = shuffle(in[0], place);
  Value second = shuffle(in[1], make<arith::SubIOp>(place, size));
  return define(ins, make<arith::SelectOp>(ofFirst, first, second));
}

/// Block loads and stores: component c of all work-items of the sub-group is contiguous in memory.
LogicalResult BodyImporter::intelBlock(const Instruction &ins, uint32_t pointerId, uint32_t typeId) {
  constexpr uint64_t MinAlignment = 4; // of a block, for any element type
  Value pointer = value(pointerId, ins);
  const TypeInfo *info = pointer ? module.memoryType(typeId, ins) : nullptr;
  if (!info)
    return failure();
  const bool isWrite = ins.op == spv::Op::SubgroupBlockWriteINTEL;
  Value data = isWrite ? value(ins.args[1], ins) : Value();
  if (isWrite && !data)
    return failure();
  const auto vector = llvm::dyn_cast<VectorType>(info->type);
  const auto element = llvm::dyn_cast<IntegerType>(getElementTypeOrSelf(info->type));
  const TypeInfo *pointee = module.typeInfo(module.pointeeOf(pointerId));
  if (!llvm::isa<LLVM::LLVMPointerType>(pointer.getType()) || !element || element.getWidth() < 8 || !pointee ||
      pointee->type != element || (data && data.getType() != info->type))
    return mismatch(ins);
  const unsigned align = unsigned(std::min<uint64_t>(element.getWidth() / 8, MinAlignment));
  Type i64 = builder.getI64Type();
  Value lane = resize(laneId(), i64), size = resize(maxSubGroupSize(), i64);
  SmallVector<Value> components;
  for (int64_t i = 0; i < (vector ? vector.getNumElements() : 1); ++i) {
    Value index = make<arith::AddIOp>(lane, make<arith::MulIOp>(size, constantInt(i64, uint64_t(i))));
    Value address = LLVM::GEPOp::create(builder, loc, pointer.getType(), element, pointer, ValueRange{index});
    if (isWrite)
      LLVM::StoreOp::create(builder, loc, vector ? make<vector::ExtractOp>(data, i) : data, address, align);
    else
      components.push_back(LLVM::LoadOp::create(builder, loc, element, address, align));
  }
  if (isWrite)
    return success();
  return define(ins,
                vector ? Value(vector::FromElementsOp::create(builder, loc, vector, components)) : components.front());
}

/// Returns the linear id of a local id with one to three dimensions, limited to 32 bits; null for other types.
Value BodyImporter::linearLocalId(Value id) {
  auto element = llvm::dyn_cast<IntegerType>(getElementTypeOrSelf(id.getType()));
  auto vector = llvm::dyn_cast<VectorType>(id.getType());
  if (!element || element.getWidth() > 64 || (vector && vector.getNumElements() > 3))
    return {};
  Type i64 = builder.getI64Type();
  Value linear;
  for (int64_t dim = vector ? vector.getNumElements() - 1 : 0; dim >= 0; --dim) {
    Value part = resize(vector ? make<vector::ExtractOp>(id, dim) : id, i64);
    if (linear) {
      Value size = query(ocl::Query::local_size, constantInt(builder.getI32Type(), dim), i64);
      part = make<arith::AddIOp>(make<arith::MulIOp>(linear, size), part);
    }
    linear = part;
  }
  return resize(make<arith::MinUIOp>(linear, constantInt(i64, ~0u)), builder.getI32Type());
}

// ---- ballots: an i128 ----------------------------------------------------------------------------------------------

/// Returns a mask of the lanes that compare to this work-item's lane as `which` says; bit n is lane n.
Value BodyImporter::laneMask(LaneMask which) {
  Type bits = builder.getIntegerType(128);
  Value one = constantInt(bits, 1), ones = constantInt(bits, llvm::APInt::getAllOnes(128));
  auto complement = [&](Value x) { return make<arith::XOrIOp>(x, ones); };
  if (which == LaneMask::All) { // all lanes of the largest sub-group: the upper 128 - size bits are 0
    Value size = maxSubGroupSize();
    Value above = make<arith::SubIOp>(constantInt(bits, 128), resize(size, bits));
    return make<arith::ShRUIOp>(ones, mask(above, bits));
  }
  Value self = make<arith::ShLIOp>(one, mask(laneId(), bits));
  if (which == LaneMask::Equal)
    return self;
  Value below = make<arith::SubIOp>(self, one);
  switch (which) {
  case LaneMask::Less:
    return below;
  case LaneMask::LessEqual:
    return make<arith::OrIOp>(below, self);
  case LaneMask::GreaterEqual:
    return make<arith::AndIOp>(laneMask(LaneMask::All), complement(below));
  default:
    return make<arith::AndIOp>(laneMask(LaneMask::All), complement(make<arith::OrIOp>(below, self)));
  }
}

Value BodyImporter::ballotOf(Value bits) {
  return LLVM::BitcastOp::create(builder, loc, VectorType::get(4, builder.getI32Type()), bits);
}

LogicalResult BodyImporter::groupBallot(const Instruction &ins) {
  Type result = resultType(ins);
  Value in = value(ins.op == spv::Op::GroupNonUniformBallotBitCount ? ins.args[2] : ins.args[1], ins);
  if (!result || !in)
    return failure();
  if (ins.op == spv::Op::GroupNonUniformBallot) {
    if (!in.getType().isInteger(1))
      return mismatch(ins);
    return define(ins, ocl::BallotOp::create(builder, loc, VectorType::get(4, builder.getI32Type()), in));
  }
  if (!isBallot(in))
    return mismatch(ins);
  Type number = builder.getIntegerType(128);
  Value bits = LLVM::BitcastOp::create(builder, loc, number, in);
  auto bitAt = [&](Value index) {
    return make<arith::TruncIOp>(builder.getI1Type(), make<arith::ShRUIOp>(bits, mask(index, number)));
  };
  if (ins.op == spv::Op::GroupNonUniformInverseBallot)
    return define(ins, bitAt(laneId()));
  if (ins.op == spv::Op::GroupNonUniformBallotBitExtract) {
    Value index = value(ins.args[2], ins);
    if (!index)
      return failure();
    return llvm::isa<IntegerType>(index.getType()) ? define(ins, bitAt(index)) : mismatch(ins);
  }
  if (!llvm::isa<IntegerType>(result) || result.isInteger(1))
    return mismatch(ins);
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
      return error(ins) << "has a group operation that is not supported";
    }
  bits = make<arith::AndIOp>(bits, laneMask(lanes));
  Value found;
  if (ins.op == spv::Op::GroupNonUniformBallotBitCount)
    found = make<math::CtPopOp>(bits);
  else if (ins.op == spv::Op::GroupNonUniformBallotFindLSB)
    found = make<math::CountTrailingZerosOp>(bits);
  else
    found = make<arith::SubIOp>(constantInt(number, 127), make<math::CountLeadingZerosOp>(bits));
  return define(ins, resize(found, result));
}

} // namespace kiln::import
