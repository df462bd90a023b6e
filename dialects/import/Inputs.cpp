// Variables of storage class Input are the NDRange's facts: loading one, or a component of it, is a query.
//
//   %v = OpLoad %v3ulong %gl_GlobalInvocationID      %x = ocl.query global_id[%c0] : i64
//   %x = OpCompositeExtract %ulong %v 0        ==>
//
// The loaded vector is built from three queries; extracting from it gives the query again (Composites.cpp), and an
// index that is known at run time only becomes the query's dimension, with OpenCL's answer for dimensions past 2.
#include "dialects/import/BodyImporter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::import {
namespace {
std::optional<ocl::Query> vectorQuery(spv::BuiltIn builtin) {
  switch (builtin) {
  case spv::BuiltIn::GlobalInvocationId:
    return ocl::Query::global_id;
  case spv::BuiltIn::LocalInvocationId:
    return ocl::Query::local_id;
  case spv::BuiltIn::WorkgroupId:
    return ocl::Query::group_id;
  case spv::BuiltIn::GlobalOffset:
    return ocl::Query::global_offset;
  case spv::BuiltIn::GlobalSize:
    return ocl::Query::global_size;
  case spv::BuiltIn::WorkgroupSize:
    return ocl::Query::local_size;
  case spv::BuiltIn::EnqueuedWorkgroupSize:
    return ocl::Query::enqueued_local_size;
  case spv::BuiltIn::NumWorkgroups:
    return ocl::Query::num_groups;
  default:
    return std::nullopt;
  }
}

std::optional<ocl::LinearQuery> scalarQuery(spv::BuiltIn builtin) {
  switch (builtin) {
  case spv::BuiltIn::WorkDim:
    return ocl::LinearQuery::work_dim;
  case spv::BuiltIn::GlobalLinearId:
    return ocl::LinearQuery::global_linear_id;
  case spv::BuiltIn::LocalInvocationIndex:
    return ocl::LinearQuery::local_linear_id;
  case spv::BuiltIn::SubgroupSize:
    return ocl::LinearQuery::sub_group_size;
  case spv::BuiltIn::SubgroupMaxSize:
    return ocl::LinearQuery::max_sub_group_size;
  case spv::BuiltIn::NumSubgroups:
    return ocl::LinearQuery::num_sub_groups;
  case spv::BuiltIn::NumEnqueuedSubgroups:
    return ocl::LinearQuery::enqueued_num_sub_groups;
  case spv::BuiltIn::SubgroupId:
    return ocl::LinearQuery::sub_group_id;
  case spv::BuiltIn::SubgroupLocalInvocationId:
    return ocl::LinearQuery::sub_group_local_id;
  default:
    return std::nullopt;
  }
}

bool isQueryType(Type type) { return type.isInteger(32) || type.isInteger(64); }
} // namespace

std::optional<InputPointer> BodyImporter::input(uint32_t id) {
  if (auto it = inputs_.find(id); it != inputs_.end())
    return it->second;
  const Instruction *definition = module.definition(id);
  if (!definition || definition->op != spv::Op::Variable)
    return std::nullopt;
  const auto storage = static_cast<spv::StorageClass>(definition->args[0]);
  const auto builtin = module.decorationValue(id, spv::Decoration::BuiltIn);
  if (storage != spv::StorageClass::Input && !(builtin && storage == spv::StorageClass::UniformConstant))
    return std::nullopt;
  // Without a decoration the number is no built-in's, and the load says so.
  return InputPointer{static_cast<spv::BuiltIn>(builtin.value_or(~0u)), Value(), module.pointeeOf(id)};
}

/// An access chain on an Input variable: one index, a component.
LogicalResult BodyImporter::inputAccess(const Instruction &ins, const InputPointer &pointer) {
  ArrayRef<uint32_t> indices = ins.args.drop_front();
  if (ins.op == spv::Op::PtrAccessChain || ins.op == spv::Op::InBoundsPtrAccessChain) {
    if (indices.empty() || module.integer(indices[0]) != 0)
      return error(ins) << "leaves a built-in variable";
    indices = indices.drop_front();
  }
  if (indices.empty()) {
    inputs_[ins.result] = pointer;
    return success();
  }
  const Instruction *vector = module.definition(pointer.pointee);
  if (indices.size() != 1 || pointer.dim || !vector || vector->op != spv::Op::TypeVector)
    return error(ins) << "has indices that a built-in variable does not have";
  Value dim = value(indices[0], ins);
  if (!dim)
    return failure();
  if (!llvm::isa<IntegerType>(dim.getType()))
    return mismatch(ins);
  inputs_[ins.result] = {pointer.builtin, dim, vector->args[0]};
  return success();
}

LogicalResult BodyImporter::loadInput(const Instruction &ins, const InputPointer &pointer) {
  Type type = resultType(ins);
  if (!type)
    return failure();
  if (pointer.pointee != ins.type)
    return mismatch(ins);
  Type element = getElementTypeOrSelf(type);
  auto vector = llvm::dyn_cast<VectorType>(type);
  if (auto kind = vectorQuery(pointer.builtin); kind && isQueryType(element)) {
    if (!vector && pointer.dim)
      return define(ins, query(*kind, pointer.dim, type));
    if (!vector || vector.getNumElements() != 3)
      return mismatch(ins);
    SmallVector<Value> components;
    for (uint64_t dim = 0; dim < 3; ++dim)
      components.push_back(query(*kind, constantInt(builder.getI32Type(), dim), element));
    return define(ins, vector::FromElementsOp::create(builder, loc, vector, components));
  }
  if (auto kind = scalarQuery(pointer.builtin); kind && isQueryType(type))
    return define(ins, ocl::LinearQueryOp::create(builder, loc, type, *kind));
  switch (pointer.builtin) {
  case spv::BuiltIn::SubgroupEqMask:
    return define(ins, ballotOf(laneMask(LaneMask::Equal)));
  case spv::BuiltIn::SubgroupGeMask:
    return define(ins, ballotOf(laneMask(LaneMask::GreaterEqual)));
  case spv::BuiltIn::SubgroupGtMask:
    return define(ins, ballotOf(laneMask(LaneMask::Greater)));
  case spv::BuiltIn::SubgroupLeMask:
    return define(ins, ballotOf(laneMask(LaneMask::LessEqual)));
  case spv::BuiltIn::SubgroupLtMask:
    return define(ins, ballotOf(laneMask(LaneMask::Less)));
  default:
    break;
  }
  return error(ins) << "reads a built-in variable that is not supported";
}

/// `dim` of any width: a dimension that 32 bits cannot hold must not become one that exists.
Value BodyImporter::query(ocl::Query kind, Value dim, Type type) {
  Type i32 = builder.getI32Type();
  unsigned width = dim.getType().getIntOrFloatBitWidth();
  if (width < 32)
    dim = make<arith::ExtUIOp>(i32, dim);
  if (width > 32) {
    Value limited = make<arith::MinUIOp>(dim, constantInt(dim.getType(), 3));
    dim = make<arith::TruncIOp>(i32, limited);
  }
  return make<ocl::QueryOp>(type, ocl::QueryAttr::get(builder.getContext(), kind), dim);
}

/// Component `index` of a vector that was loaded from an Input variable, as a query; null for other vectors.
Value BodyImporter::queryComponent(Value vector, Value index, Type type) {
  auto built = vector.getDefiningOp<vector::FromElementsOp>();
  if (!built || built.getElements().size() != 3 || !llvm::isa<IntegerType>(index.getType()))
    return {};
  std::optional<ocl::Query> kind;
  for (auto [dim, element] : llvm::enumerate(built.getElements())) {
    auto component = element.getDefiningOp<ocl::QueryOp>();
    llvm::APInt known;
    if (!component || component.getType() != type || (kind && *kind != component.getKind()) ||
        !matchPattern(component.getDim(), m_ConstantInt(&known)) || known != dim)
      return {};
    kind = component.getKind();
  }
  return query(*kind, index, type);
}

} // namespace kiln::import
