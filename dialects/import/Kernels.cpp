// Entry points: records the attributes that the OpenCL API reports about a kernel and its arguments, and those that the
// kernel plan needs.
//
// Names and qualifiers come from decorations and OpName, and from OpString: with -cl-kernel-arg-info the translator
// writes "kernel_arg_type.<kernel>.<t1>,<t2>,", the front end "kernel_attributes.<kernel>.<text>". The translator's
// entry point is a wrapper whose parameters have no names; these are taken from the function that is exported under the
// kernel's name.
#include "dialects/import/Body.h"
#include "dialects/import/Link.h"

using namespace mlir;

namespace kiln::import {
namespace {
// Values of CL_KERNEL_ARG_TYPE_*, as in base/abi/ProgramInfo.h.
enum Qualifier : int32_t { Const = 1, Restrict = 2, Volatile = 4, Pipe = 8 };
enum Access : int32_t { ReadOnly = 1, WriteOnly = 2, ReadWrite = 3 };

int32_t parseQualifiers(llvm::StringRef text) {
  int32_t bits = 0;
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ' ', -1, false);
  for (llvm::StringRef word : words)
    bits |= word == "const"      ? Const
            : word == "restrict" ? Restrict
            : word == "volatile" ? Volatile
            : word == "pipe"     ? Pipe
                                 : 0;
  return bits;
}
} // namespace

LogicalResult ModuleImporter::finishKernels() {
  IdSet seen;
  for (const EntryPoint &entry : entryPoints_) {
    func::FuncOp op = functions_[entry.function].op;
    if (!seen.insert(entry.function).second) { // a second entry point for one function
      func::FuncOp twin = op.clone();
      twin.setSymName(entry.name);
      for (llvm::StringLiteral attribute :
           {ocl::RequiredSizeAttr, ocl::SizeHintAttr, ocl::SubGroupSizeAttr, ocl::SubGroupCountAttr,
            ocl::AttributesAttr, ocl::InitializerAttr, ocl::FinalizerAttr})
        twin->removeAttr(attribute);
      twin->removeAttr(ExportAttr);
      module_->push_back(twin);
      op = twin;
    }
    if (!op.getFunctionType().getResults().empty())
      return error(*entry.head) << "names a function that returns a value";
    if (failed(describeKernel(entry, op)))
      return failure();
  }
  return success();
}

LogicalResult ModuleImporter::describeKernel(const EntryPoint &entry, func::FuncOp op) {
  op->setAttr(ocl::KernelAttr, UnitAttr::get(&context_));
  if (failed(executionModes(entry, op)) || failed(checkInitFini(entry, op)))
    return failure();
  if (std::optional<llvm::StringRef> text = stringAbout("kernel_attributes", entry.name))
    op->setAttr(ocl::AttributesAttr, StringAttr::get(&context_, *text));
  const Function &function = functions_[entry.function];
  for (const Instruction *param : function.params) {
    const TypeInfo *value = typeInfo(param->type), *pointee = typeInfo(pointeeOf(param->result));
    if ((value && value->hasMatrix) || (pointee && pointee->hasMatrix)) // as a struct by value
      return error(*param) << "is a kernel's, and has a cooperative matrix";
  }
  describeArguments(entry, function, op);
  return success();
}

LogicalResult ModuleImporter::executionModes(const EntryPoint &entry, func::FuncOp op) {
  Builder b(&context_);
  auto threeSizes = [&](const Instruction &ins, llvm::StringLiteral attribute, ArrayRef<uint32_t> ids,
                        ArrayRef<uint32_t> literals) -> LogicalResult {
    SmallVector<int64_t> sizes;
    for (uint32_t literal : literals)
      sizes.push_back(literal);
    for (uint32_t id : ids)
      sizes.push_back(static_cast<int64_t>(integer(id).value_or(0)));
    if (sizes.size() != 3 || llvm::any_of(sizes, [](int64_t size) { return size <= 0 || size > INT32_MAX; }))
      return error(ins) << "has sizes that are not three positive constants";
    op->setAttr(attribute, b.getDenseI64ArrayAttr(sizes));
    return success();
  };
  auto subGroupCount = [&](const Instruction &ins, uint64_t count) -> LogicalResult {
    if (!count || count > INT32_MAX)
      return error(ins) << "has a number of sub-groups that is not a positive constant";
    op->setAttr(ocl::SubGroupCountAttr, b.getI64IntegerAttr(int64_t(count)));
    return success();
  };
  for (const Instruction *mode : entry.modes) {
    ArrayRef<uint32_t> values = mode->args.drop_front(2);
    LogicalResult result = success();
    switch (static_cast<spv::ExecutionMode>(mode->args[1])) {
    case spv::ExecutionMode::LocalSize:
      result = threeSizes(*mode, ocl::RequiredSizeAttr, {}, values);
      break;
    case spv::ExecutionMode::LocalSizeId:
      result = threeSizes(*mode, ocl::RequiredSizeAttr, values, {});
      break;
    case spv::ExecutionMode::LocalSizeHint:
      result = threeSizes(*mode, ocl::SizeHintAttr, {}, values);
      break;
    case spv::ExecutionMode::LocalSizeHintId:
      result = threeSizes(*mode, ocl::SizeHintAttr, values, {});
      break;
    case spv::ExecutionMode::SubgroupSize:
      if (values.size() != 1 || !values[0] || values[0] > INT32_MAX)
        return error(*mode) << "has a SubgroupSize that is not a positive constant";
      op->setAttr(ocl::SubGroupSizeAttr, b.getI64IntegerAttr(values[0])); // the target checks the size
      break;
    case spv::ExecutionMode::SubgroupsPerWorkgroup:
      result = subGroupCount(*mode, values.size() == 1 ? values[0] : 0);
      break;
    case spv::ExecutionMode::SubgroupsPerWorkgroupId:
      result = subGroupCount(*mode, values.size() == 1 ? integer(values[0]).value_or(0) : 0);
      break;
    case spv::ExecutionMode::Initializer:
      op->setAttr(ocl::InitializerAttr, b.getUnitAttr());
      break;
    case spv::ExecutionMode::Finalizer:
      op->setAttr(ocl::FinalizerAttr, b.getUnitAttr());
      break;
    case spv::ExecutionMode::VecTypeHint:
    case spv::ExecutionMode::ContractionOff: // handled by decideContraction
    case spv::ExecutionMode::DenormPreserve: // this and the next two are Kiln's default
    case spv::ExecutionMode::RoundingModeRTE:
    case spv::ExecutionMode::SignedZeroInfNanPreserve:
      break;
    default:
      return error(*mode) << "sets mode " << mode->args[1] << ", which is not supported";
    }
    if (failed(result))
      return failure();
  }
  return success();
}

/// Checks initialisers and finalisers: the runtime launches them without arguments, as one work-item.
LogicalResult ModuleImporter::checkInitFini(const EntryPoint &entry, func::FuncOp op) const {
  const bool initialises = op->hasAttr(ocl::InitializerAttr), finalises = op->hasAttr(ocl::FinalizerAttr);
  if (!initialises && !finalises)
    return success();
  if (initialises && finalises)
    return error(*entry.head) << "has both modes Initializer and Finalizer";
  if (op.getNumArguments())
    return error(*entry.head) << "is an Initializer or Finalizer with arguments";
  auto required = op->getAttrOfType<DenseI64ArrayAttr>(ocl::RequiredSizeAttr);
  if (required && llvm::any_of(required.asArrayRef(), [](int64_t size) { return size != 1; }))
    return error(*entry.head) << "is an Initializer or Finalizer with a LocalSize other than 1, 1, 1";
  return success();
}

/// Returns the function that has the names of a kernel's parameters.
const Function *ModuleImporter::named(const EntryPoint &entry, const Function &function) {
  if (llvm::any_of(function.params, [&](const Instruction *param) { return !name(param->result).empty(); }))
    return &function;
  for (uint32_t id : functionIds_) {
    Function &other = functions_[id];
    auto exported = other.op->getAttrOfType<StringAttr>(ExportAttr);
    if (exported && exported.getValue() == entry.name && other.params.size() == function.params.size())
      return &other;
  }
  return &function;
}

std::optional<llvm::StringRef> ModuleImporter::stringAbout(llvm::StringRef prefix, llvm::StringRef kernel) const {
  std::string start = (prefix + "." + kernel + ".").str();
  for (const auto &[id, text] : strings_)
    if (llvm::StringRef rest = text; rest.consume_front(start))
      return rest;
  return std::nullopt;
}

std::vector<std::string> ModuleImporter::argumentStrings(llvm::StringRef prefix, llvm::StringRef kernel,
                                                         size_t count) const {
  std::vector<std::string> parts;
  llvm::StringRef rest = stringAbout(prefix, kernel).value_or("");
  while (parts.size() < count) {
    auto [part, behind] = rest.split(',');
    parts.push_back(part.str());
    rest = behind;
  }
  return parts;
}

void ModuleImporter::describeArguments(const EntryPoint &entry, const Function &function, func::FuncOp op) {
  Builder b(&context_);
  size_t count = function.params.size();
  std::vector<std::string> typeNames = argumentStrings("kernel_arg_type", entry.name, count);
  std::vector<std::string> qualifierTexts = argumentStrings("kernel_arg_type_qual", entry.name, count);
  const Function *names = named(entry, function);
  for (size_t i = 0; i < count; ++i) {
    uint32_t param = function.params[i]->result;
    if (llvm::StringRef text = name(names->params[i]->result); !text.empty())
      op.setArgAttr(i, ocl::ArgNameAttr, b.getStringAttr(text));
    if (!typeNames[i].empty())
      op.setArgAttr(i, ocl::ArgTypeNameAttr, b.getStringAttr(typeNames[i]));

    int32_t qualifiers = parseQualifiers(qualifierTexts[i]);
    const Instruction *type = typeOf(param);
    if (type && type->op == spv::Op::TypeQueue)
      op.setArgAttr(i, ocl::ArgKindAttr, b.getStringAttr("queue"));
    if (type && type->op == spv::Op::TypePipe) {
      op.setArgAttr(i, ocl::ArgKindAttr, b.getStringAttr("pipe"));
      bool reads = static_cast<spv::AccessQualifier>(type->args[0]) == spv::AccessQualifier::ReadOnly;
      op.setArgAttr(i, ocl::ArgAccessAttr, b.getI32IntegerAttr(reads ? ReadOnly : WriteOnly));
      qualifiers |= Pipe;
    }
    if (type && type->op == spv::Op::TypeSampler)
      op.setArgAttr(i, ocl::ArgKindAttr, b.getStringAttr("sampler"));
    if (type && type->op == spv::Op::TypeImage) {
      op.setArgAttr(i, ocl::ArgKindAttr, b.getStringAttr("image"));
      op.setArgAttr(i, ocl::ArgByValueAttr, TypeAttr::get(imageArgument()));
      if (const uint32_t depth = type->args[2]; depth < 2) { // 2: unknown
        op.setArgAttr(i, ocl::ArgImageTypeAttr, b.getI32IntegerAttr(imageObject(*type)));
        if (depth)
          op.setArgAttr(i, ocl::ArgDepthAttr, b.getUnitAttr());
      }
      const auto access =
          type->args.size() > 7 ? static_cast<spv::AccessQualifier>(type->args[7]) : spv::AccessQualifier::ReadOnly;
      op.setArgAttr(i, ocl::ArgAccessAttr,
                    b.getI32IntegerAttr(access == spv::AccessQualifier::ReadOnly    ? ReadOnly
                                        : access == spv::AccessQualifier::WriteOnly ? WriteOnly
                                                                                    : ReadWrite));
      continue;
    }
    bool noWrite = false, noRead = false;
    for (const Instruction *attribute : decorations(param, spv::Decoration::FuncParamAttr)) {
      if (attribute->args.size() < 3)
        continue;
      switch (static_cast<spv::FunctionParameterAttribute>(attribute->args[2])) {
      case spv::FunctionParameterAttribute::NoAlias:
        qualifiers |= Restrict;
        break;
      case spv::FunctionParameterAttribute::NoWrite:
        qualifiers |= Const;
        noWrite = true;
        break;
      case spv::FunctionParameterAttribute::NoReadWrite:
        noWrite = noRead = true;
        break;
      default:
        break;
      }
    }
    if (decoration(param, spv::Decoration::Constant))
      qualifiers |= Const;
    if (decoration(param, spv::Decoration::Volatile))
      qualifiers |= Volatile;
    auto pointer = llvm::dyn_cast<LLVM::LLVMPointerType>(op.getArgumentTypes()[i]);
    bool isValue = op.getArgAttr(i, ocl::ArgByValueAttr) != nullptr;
    if (pointer && pointer.getAddressSpace() == ocl::Constant)
      qualifiers |= Const;
    if (qualifiers && pointer && !isValue)
      op.setArgAttr(i, ocl::ArgQualifiersAttr, b.getI32IntegerAttr(qualifiers));
    if (!pointer)
      continue;
    if (noWrite)
      op.setArgAttr(i, ocl::ArgNoWriteAttr, b.getUnitAttr());
    if (noRead)
      op.setArgAttr(i, ocl::ArgNoReadAttr, b.getUnitAttr());
    uint64_t align = declaredAlignment(param);
    if (const TypeInfo *pointee = typeInfo(pointeeOf(param)); pointee && pointee->size)
      align = std::max<uint64_t>(align, pointee->align);
    if (auto most = decorationValue(param, spv::Decoration::MaxByteOffset))
      op.setArgAttr(i, ocl::ArgMaxBytesAttr, b.getI64IntegerAttr(*most));
    if (align > 1)
      op.setArgAttr(i, ocl::ArgPointeeAlignAttr, b.getI64IntegerAttr(static_cast<int64_t>(align)));
  }
}

} // namespace kiln::import
