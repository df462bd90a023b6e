// Walks over a module. Reads annotations first, in any position, so that types, constants and variables can be lifted
// in one pass in the module's order. Then declares all functions, and then imports their bodies, so calls need no
// order.
#include "dialects/import/ModuleImporter.h"
#include "base/abi/AssemblyName.h"
#include "dialects/import/FunctionImporter.h"
#include "dialects/import/Inspect.h"
#include "dialects/import/Link.h"
#include "dialects/import/LlvmFunctions.h"
#include "dialects/import/Supported.h"
#include "dialects/import/Validate.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace kiln::import {

ModuleImporter::ModuleImporter(MLIRContext &context, const Binary &binary, const Options &options)
    : context_(context), binary_(binary), options_(options), module_(ModuleOp::create(UnknownLoc::get(&context))) {}

OwningOpRef<ModuleOp> ModuleImporter::run() {
  setLayout();
  if (failed(collect()) || failed(rejectRecursion()) || failed(declareFunctions()) || failed(importBodies()) ||
      failed(finishKernels()))
    return nullptr;
  eraseReplacedFunctions();
  if (failed(mlir::verify(*module_)))
    return nullptr;
  return std::move(module_);
}

LogicalResult ModuleImporter::collect() {
  for (const Instruction &ins : binary_.code) {
    if (ins.op == spv::Op::Function)
      break;
    annotate(ins);
  }
  for (size_t i = 0; i < binary_.code.size(); ++i) {
    const Instruction &ins = binary_.code[i];
    if (ins.op == spv::Op::Function)
      return failed(initialiseVariables()) ? failure() : collectFunctions(i);
    if (failed(moduleLevel(ins)))
      return failure();
  }
  return initialiseVariables();
}

/// Records names and decorations, in any order.
void ModuleImporter::annotate(const Instruction &ins) {
  switch (ins.op) {
  case spv::Op::Name:
    names_.try_emplace(ins.args[0], readString(ins.args.drop_front())->first);
    break;
  case spv::Op::String:
    strings_.try_emplace(ins.result, readString(ins.args)->first);
    break;
  case spv::Op::Decorate:
  case spv::Op::DecorateId:
    if (ins.args.size() >= 2)
      decorations_[{ins.args[0], ins.args[1]}].push_back(&ins);
    break;
  case spv::Op::GroupDecorate:
    for (uint32_t target : ins.args.drop_front())
      groupsOf_[target].push_back(ins.args[0]);
    break;
  default:
    break;
  }
}

LogicalResult ModuleImporter::moduleLevel(const Instruction &ins) {
  switch (ins.op) {
  // A declared capability need not be used: an unsupported one is only mentioned in the error about an instruction.
  case spv::Op::Capability:
    if (!isSupportedCapability(ins.args[0]))
      unsupported_.push_back("capability " + std::to_string(ins.args[0]));
    return success();
  case spv::Op::Extension:
    if (std::string name = readString(ins.args)->first; !isSupportedExtension(name))
      unsupported_.push_back(name);
    return success();
  case spv::Op::Source:
  case spv::Op::SourceContinued:
  case spv::Op::SourceExtension:
  case spv::Op::ModuleProcessed:
  case spv::Op::Name:
  case spv::Op::MemberName:
  case spv::Op::String:
  case spv::Op::Line:
  case spv::Op::NoLine:
  case spv::Op::Nop:
  case spv::Op::Decorate:
  case spv::Op::DecorateId:
  case spv::Op::DecorateString:
  case spv::Op::MemberDecorate:
  case spv::Op::MemberDecorateString:
  case spv::Op::DecorationGroup:
  case spv::Op::GroupDecorate:
  case spv::Op::GroupMemberDecorate:
  case spv::Op::AliasDomainDeclINTEL: // hints, like the decorations and memory operands that refer to them
  case spv::Op::AliasScopeDeclINTEL:
  case spv::Op::AliasScopeListDeclINTEL:
    return success();
  case spv::Op::ExtInstImport: {
    std::string set = readString(ins.args)->first;
    if (set == "OpenCL.std")
      standardSets_.insert(ins.result);
    else if (isDebugSetName(set))
      debugSets_.insert(ins.result);
    return success(); // using an instruction of an unsupported set is an error
  }
  case spv::Op::ExtInst:
    return isDebugSet(ins.args[0]) ? success() : unsupported(ins);
  case spv::Op::MemoryModel:
    return memoryModel(ins);
  case spv::Op::EntryPoint:
    if (static_cast<spv::ExecutionModel>(ins.args[0]) != spv::ExecutionModel::Kernel)
      return error(ins) << "has an Execution Model other than Kernel";
    entryPoints_.push_back({&ins, ins.args[1], readString(ins.args.drop_front(2))->first, {}});
    return success();
  case spv::Op::ExecutionMode:
  case spv::Op::ExecutionModeId: {
    bool found = false;
    for (EntryPoint &entry : entryPoints_)
      if (entry.function == ins.args[0]) {
        entry.modes.push_back(&ins);
        found = true;
      }
    return found ? success() : error(ins) << "has an Entry Point operand that is not an entry point";
  }
  case spv::Op::Variable:
    return declareVariable(ins);
  default:
    if (isConstant(ins.op))
      return declareConstant(ins);
    return declareType(ins);
  }
}

LogicalResult ModuleImporter::memoryModel(const Instruction &ins) {
  if (static_cast<spv::AddressingModel>(ins.args[0]) != spv::AddressingModel::Physical64)
    return error(ins) << "has an addressing model other than Physical64, which does not match CL_DEVICE_ADDRESS_BITS";
  if (static_cast<spv::MemoryModel>(ins.args[1]) != spv::MemoryModel::OpenCL)
    return error(ins) << "has a memory model other than OpenCL";
  return success();
}

LogicalResult ModuleImporter::collectFunctions(size_t first) {
  Function *current = nullptr;
  for (size_t i = first; i < binary_.code.size(); ++i) {
    const Instruction &ins = binary_.code[i];
    if (ins.op == spv::Op::Function) {
      const Instruction *type = definition(ins.args[1]);
      if (current)
        return error(ins) << "is inside another function";
      if (!type || type->op != spv::Op::TypeFunction || type->args[0] != ins.type)
        return error(ins) << "has a Function Type that does not match its Result Type";
      current = &functions_[ins.result];
      *current = Function{};
      current->head = &ins;
      current->type = type;
      current->begin = i + 1;
      functionIds_.push_back(ins.result);
    } else if (ins.op == spv::Op::Line || ins.op == spv::Op::NoLine) {
      continue;
    } else if (!current) {
      if (ins.op != spv::Op::ExtInst || !isDebugSet(ins.args[0]))
        return error(ins) << "is outside of a function";
    } else if (ins.op == spv::Op::FunctionParameter) {
      if (i != current->begin)
        return error(ins) << "is not at the start of its function";
      current->params.push_back(&ins);
      current->begin = i + 1;
    } else if (ins.op == spv::Op::FunctionEnd) {
      current->end = i;
      if (current->params.size() + 1 != current->type->args.size())
        return error(*current->head) << "has " << current->params.size() << " parameters, its type "
                                     << current->type->args.size() - 1;
      current = nullptr;
    }
  }
  if (current)
    return error(*current->head) << "has no OpFunctionEnd";
  return success();
}

LogicalResult ModuleImporter::importBodies() {
  for (uint32_t id : functionIds_) {
    Function &function = functions_[id];
    if (function.begin != function.end && failed(FunctionImporter(*this, function).run()))
      return failure();
  }
  return success();
}

void ModuleImporter::eraseReplacedFunctions() {
  for (uint32_t id : functionIds_)
    if (func::FuncOp op = functions_[id].op; auto name = op->getAttrOfType<StringAttr>(ImportAttr))
      if (llvmFunction(name, op.getFunctionType()) || isTrap(name, op.getFunctionType()) ||
          abi::assemblyOf(name.getValue()))
        op.erase();
}

const Instruction *ModuleImporter::definition(uint32_t id) const { return binary_.definition(id); }

const Instruction *ModuleImporter::typeOf(uint32_t valueId) const {
  const Instruction *value = definition(valueId);
  return value && value->type ? definition(value->type) : nullptr;
}

uint32_t ModuleImporter::pointeeOf(uint32_t valueId) const {
  const Instruction *type = typeOf(valueId);
  return type && type->op == spv::Op::TypePointer ? type->args[1] : 0;
}

SmallVector<const Instruction *> ModuleImporter::decorations(uint32_t id, spv::Decoration kind) const {
  SmallVector<const Instruction *> found;
  auto add = [&](uint32_t target) {
    auto it = decorations_.find({target, static_cast<uint32_t>(kind)});
    if (it != decorations_.end())
      found.append(it->second.begin(), it->second.end());
  };
  add(id);
  if (auto groups = groupsOf_.find(id); groups != groupsOf_.end())
    for (uint32_t group : groups->second)
      add(group);
  return found;
}

const Instruction *ModuleImporter::decoration(uint32_t id, spv::Decoration kind) const {
  SmallVector<const Instruction *> found = decorations(id, kind);
  return found.empty() ? nullptr : found.front();
}

std::optional<uint32_t> ModuleImporter::decorationValue(uint32_t id, spv::Decoration kind) const {
  const Instruction *found = decoration(id, kind);
  if (!found || found->args.size() < 3)
    return std::nullopt;
  return found->args[2];
}

uint64_t ModuleImporter::declaredAlignment(uint32_t id) const {
  std::optional<uint32_t> stated = decorationValue(id, spv::Decoration::Alignment);
  return stated && llvm::isPowerOf2_32(*stated) && *stated <= (1u << 30) ? *stated : 1;
}

llvm::StringRef ModuleImporter::name(uint32_t id) const {
  auto it = names_.find(id);
  return it == names_.end() ? llvm::StringRef() : llvm::StringRef(it->second);
}

std::optional<std::string> ModuleImporter::string(uint32_t id) const {
  auto it = strings_.find(id);
  return it == strings_.end() ? std::nullopt : std::optional(it->second);
}

Function *ModuleImporter::function(uint32_t id) {
  auto it = functions_.find(id);
  return it == functions_.end() ? nullptr : &it->second;
}

InFlightDiagnostic ModuleImporter::error(const Instruction &ins) const {
  return emitError(UnknownLoc::get(&context_)) << "SPIR-V: " << opcodeName(ins.op) << " at word " << ins.offset << " ";
}

InFlightDiagnostic ModuleImporter::unsupported(const Instruction &ins) const {
  InFlightDiagnostic diagnostic = error(ins);
  diagnostic << "is not supported";
  if (!unsupported_.empty())
    diagnostic << "; the module declares " << llvm::join(unsupported_, ", ") << ", which Kiln does not support";
  return diagnostic;
}

Location ModuleImporter::location(const Instruction &line) const {
  auto file = string(line.args[0]);
  return FileLineColLoc::get(&context_, file ? llvm::StringRef(*file) : llvm::StringRef("-"), line.args[1],
                             line.args[2]);
}

/// Returns a unique symbol: the wanted name, with a numeric suffix if it is in use.
std::string ModuleImporter::uniqueSymbol(llvm::StringRef wanted) {
  std::string base = wanted.empty() ? "anonymous" : wanted.str();
  std::string symbol = base;
  while (!symbols_.try_emplace(symbol, 0).second)
    symbol = base + "." + std::to_string(++symbols_[base]);
  return symbol;
}

void loadDialects(MLIRContext &context) {
  context.loadDialect<ocl::OclDialect, arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                      LLVM::LLVMDialect, math::MathDialect, vector::VectorDialect, ub::UBDialect, DLTIDialect>();
}

OwningOpRef<ModuleOp> importSpirv(ArrayRef<uint8_t> bytes, MLIRContext &context, const Options &options) {
  loadDialects(context);
  std::optional<Binary> binary = decode(bytes, context);
  if (!binary || failed(validate(*binary, context)))
    return nullptr;
  if (options.specConstantDecls)
    *options.specConstantDecls = specConstantsOf(*binary);
  return ModuleImporter(context, *binary, options).run();
}

} // namespace kiln::import
