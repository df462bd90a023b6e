// Built-in variables: lifts a load of an Input variable, or of one of its components, to an NDRange query.
//
//   %v = OpLoad %v3ulong %gl_GlobalInvocationID      %x = ocl.query global_id[%c0] : i64
//   %x = OpCompositeExtract %ulong %v 0        ==>
//
// The loaded vector is built from three queries. Extracting a component returns its query (Composites.cpp). A dynamic
// index becomes the query's dimension, which OpenCL defines for dimensions beyond 2.
#include "dialects/import/BuiltInVariables.h"
#include "dialects/import/Groups.h"
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

std::optional<BuiltInPointer> builtInPointer(Body &body, uint32_t id) {
  if (auto it = body.builtInPointers.find(id); it != body.builtInPointers.end())
    return it->second;
  const Instruction *definition = body.module.definition(id);
  if (!definition || definition->op != spv::Op::Variable)
    return std::nullopt;
  const auto storage = static_cast<spv::StorageClass>(definition->args[0]);
  const auto builtin = body.module.decorationValue(id, spv::Decoration::BuiltIn);
  if (storage != spv::StorageClass::Input && !(builtin && storage == spv::StorageClass::UniformConstant))
    return std::nullopt;
  // Without a BuiltIn decoration the value is not a valid built-in, and the load reports the error.
  return BuiltInPointer{static_cast<spv::BuiltIn>(builtin.value_or(~0u)), Value(), body.module.pointeeOf(id)};
}

/// An access chain on a built-in variable: the only index selects a component.
LogicalResult builtInAccess(Body &body, const Instruction &ins, const BuiltInPointer &pointer) {
  ArrayRef<uint32_t> indices = ins.args.drop_front();
  if (ins.op == spv::Op::PtrAccessChain || ins.op == spv::Op::InBoundsPtrAccessChain) {
    if (indices.empty() || body.module.integer(indices[0]) != 0)
      return body.error(ins) << "has an Element operand other than 0 on a built-in variable";
    indices = indices.drop_front();
  }
  if (indices.empty()) {
    body.builtInPointers[ins.result] = pointer;
    return success();
  }
  const Instruction *vector = body.module.definition(pointer.pointee);
  if (indices.size() != 1 || pointer.dim || !vector || vector->op != spv::Op::TypeVector)
    return body.error(ins) << "has indices that do not match the built-in variable's type";
  Value dim = body.value(indices[0], ins);
  if (!dim)
    return failure();
  if (!llvm::isa<IntegerType>(dim.getType()))
    return body.mismatch(ins);
  body.builtInPointers[ins.result] = {pointer.builtin, dim, vector->args[0]};
  return success();
}

LogicalResult loadBuiltIn(Body &body, const Instruction &ins, const BuiltInPointer &pointer) {
  Type type = body.resultType(ins);
  if (!type)
    return failure();
  if (pointer.pointee != ins.type)
    return body.mismatch(ins);
  Type element = getElementTypeOrSelf(type);
  auto vector = llvm::dyn_cast<VectorType>(type);
  if (auto kind = vectorQuery(pointer.builtin); kind && isQueryType(element)) {
    if (!vector && pointer.dim)
      return body.define(ins, query(body, *kind, pointer.dim, type));
    if (!vector || vector.getNumElements() != 3)
      return body.mismatch(ins);
    SmallVector<Value> components;
    for (uint64_t dim = 0; dim < 3; ++dim)
      components.push_back(query(body, *kind, body.constantInt(body.builder.getI32Type(), dim), element));
    return body.define(ins, vector::FromElementsOp::create(body.builder, body.loc, vector, components));
  }
  if (auto kind = scalarQuery(pointer.builtin); kind && isQueryType(type))
    return body.define(ins, ocl::LinearQueryOp::create(body.builder, body.loc, type, *kind));
  switch (pointer.builtin) {
  case spv::BuiltIn::SubgroupEqMask:
    return body.define(ins, ballotOf(body, laneMask(body, LaneMask::Equal)));
  case spv::BuiltIn::SubgroupGeMask:
    return body.define(ins, ballotOf(body, laneMask(body, LaneMask::GreaterEqual)));
  case spv::BuiltIn::SubgroupGtMask:
    return body.define(ins, ballotOf(body, laneMask(body, LaneMask::Greater)));
  case spv::BuiltIn::SubgroupLeMask:
    return body.define(ins, ballotOf(body, laneMask(body, LaneMask::LessEqual)));
  case spv::BuiltIn::SubgroupLtMask:
    return body.define(ins, ballotOf(body, laneMask(body, LaneMask::Less)));
  default:
    break;
  }
  return body.error(ins) << "loads a built-in variable that is not supported";
}

/// `dim` has any width. Wider values are clamped before truncation, so that none becomes a valid dimension.
Value query(Body &body, ocl::Query kind, Value dim, Type type) {
  Type i32 = body.builder.getI32Type();
  unsigned width = dim.getType().getIntOrFloatBitWidth();
  if (width < 32)
    dim = body.make<arith::ExtUIOp>(i32, dim);
  if (width > 32) {
    Value limited = body.make<arith::MinUIOp>(dim, body.constantInt(dim.getType(), 3));
    dim = body.make<arith::TruncIOp>(i32, limited);
  }
  return body.make<ocl::QueryOp>(type, ocl::QueryAttr::get(body.builder.getContext(), kind), dim);
}

/// Returns component `index` of a vector loaded from a built-in variable as a query; null for other vectors.
Value queryComponent(Body &body, Value vector, Value index, Type type) {
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
  return query(body, *kind, index, type);
}
} // namespace kiln::import
