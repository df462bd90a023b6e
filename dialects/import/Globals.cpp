// Module-scope variables. Workgroup variables have no initial value; UniformConstant variables are their initial value;
// CrossWorkgroup variables start with it, or with zero if there is none. Input variables are queries
// (BuiltInVariables.cpp) and need no storage. Initial values are set after all variables are declared, because linkers
// do not sort variables by their references.
#include "dialects/import/Body.h"
#include "dialects/import/Link.h"

using namespace mlir;

namespace kiln::import {
namespace {
constexpr uint64_t MaxConstantBytes = uint64_t(1) << 28; // an initialiser is part of the code object
}

LogicalResult ModuleImporter::declareVariable(const Instruction &ins) {
  auto storage = static_cast<spv::StorageClass>(ins.args[0]);
  const Instruction *pointer = definition(ins.type);
  if (!pointer || pointer->op != spv::Op::TypePointer || pointer->args[0] != ins.args[0])
    return error(ins) << "has a Result Type that is not a pointer of its Storage Class";
  // Old versions of the translator declare built-in variables as imported constants.
  const bool isBuiltIn = decorationValue(ins.result, spv::Decoration::BuiltIn).has_value();
  if (storage == spv::StorageClass::Input || (isBuiltIn && storage == spv::StorageClass::UniformConstant))
    return success();
  bool isConstantSpace = storage == spv::StorageClass::UniformConstant;
  bool isGlobalSpace = storage == spv::StorageClass::CrossWorkgroup;
  if (!isConstantSpace && !isGlobalSpace && storage != spv::StorageClass::Workgroup)
    return error(ins) << "declares '" << name(ins.result) << "' in a storage class that is not supported";
  const TypeInfo *info = memoryType(pointer->args[1], ins);
  if (!info)
    return failure();
  if (isConstantSpace && info->size > MaxConstantBytes)
    return error(ins) << "declares '" << name(ins.result) << "' of " << info->size << " bytes, must be at most "
                      << MaxConstantBytes;
  uint64_t align = std::max<uint64_t>(info->align, 1);
  if (auto stated = decorationValue(ins.result, spv::Decoration::Alignment)) {
    if (!llvm::isPowerOf2_32(*stated) || *stated > (1u << 30))
      return error(ins) << "has an alignment of " << *stated << ", must be a power of two";
    align = *stated;
  }
  OpBuilder b = OpBuilder::atBlockEnd(module_->getBody());
  const unsigned space = isConstantSpace ? ocl::Constant : isGlobalSpace ? ocl::Global : ocl::Local;
  auto global = LLVM::GlobalOp::create(b, b.getUnknownLoc(), info->type, /*isConstant=*/isConstantSpace,
                                       LLVM::Linkage::Internal, uniqueSymbol(name(ins.result)), /*value=*/Attribute(),
                                       /*alignment=*/align, /*addrSpace=*/space);
  globals_[ins.result] = global;
  setLinkage(global, ins.result);
  if (!isConstantSpace && !isGlobalSpace)
    return success(); // OpenCL C has no initialisers in local memory; SPIR-V allows only OpConstantNull and OpUndef
  if (ins.args.size() > 1)
    initialised_.push_back({global, &ins});
  else if (global->hasAttr(ImportAttr))
    global.setLinkage(LLVM::Linkage::External);
  else if (TypedAttr number = zero(info->type))
    global.setValueAttr(number);
  else
    global.setValueAttr(LLVM::ZeroAttr::get(&context_));
  return success();
}

LogicalResult ModuleImporter::initialiseVariables() {
  for (auto [global, ins] : initialised_)
    if (failed(initialise(global, *ins)))
      return failure();
  return success();
}

LogicalResult ModuleImporter::initialise(LLVM::GlobalOp global, const Instruction &ins) {
  uint32_t id = ins.args[1];
  const Instruction *value = definition(id);
  const TypeInfo *info = value ? typeInfo(value->type) : nullptr;
  if (!info || info->type != global.getType())
    return error(ins) << "has an initialiser of another type";
  if (Attribute attribute = constant(id)) {
    global.setValueAttr(attribute);
    return success();
  }
  Block *block = &global.getInitializerRegion().emplaceBlock();
  Body body(*this, block, /*contract=*/false);
  Value result = body.value(id, ins);
  if (!result)
    return failure();
  body.builder.setInsertionPointToEnd(block);
  LLVM::ReturnOp::create(body.builder, body.loc, result);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return success();
}

/// LinkageAttributes "name" Export|Import|LinkOnceODR.
void ModuleImporter::setLinkage(Operation *op, uint32_t id) {
  const Instruction *linkage = decoration(id, spv::Decoration::LinkageAttributes);
  if (!linkage)
    return;
  auto linkName = readString(linkage->args.drop_front(2));
  if (!linkName || linkage->args.size() < 3 + linkName->second)
    return;
  auto nameAttr = StringAttr::get(&context_, linkName->first);
  switch (static_cast<spv::LinkageType>(linkage->args[2 + linkName->second])) {
  case spv::LinkageType::Import:
    op->setAttr(ImportAttr, nameAttr);
    break;
  case spv::LinkageType::LinkOnceODR:
    op->setAttr(LinkOnceAttr, UnitAttr::get(&context_));
    [[fallthrough]];
  case spv::LinkageType::Export:
    op->setAttr(ExportAttr, nameAttr);
    break;
  }
}

} // namespace kiln::import
