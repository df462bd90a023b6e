// Entry points: what the OpenCL API tells about a kernel and its arguments, and what the plan needs to know.
//
// Names and qualifiers come from three sources. Decorations and OpName are SPIR-V's own. The translator adds strings
// ("kernel_arg_type.<kernel>.<t1>,<t2>,") when asked for argument info. And it makes a wrapper an entry point, whose
// parameters have no names: these are taken from the function that is exported under the kernel's name.
#include "dialects/import/BodyImporter.h"
#include "dialects/import/Link.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace kiln::import {
namespace {
// Values of CL_KERNEL_ARG_TYPE_*; runtime/compiler/ProgramInfo.h has them for the other half.
enum Qualifier : int32_t { Const = 1, Restrict = 2, Volatile = 4, Pipe = 8 };

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

/// The literal of VecTypeHint: components in the upper half, type in the lower. Empty where it makes no sense.
std::string vectorTypeName(uint32_t hint, bool isUnsigned) {
  static constexpr llvm::StringLiteral names[] = {"char", "short", "int", "long", "half", "float", "double"};
  uint32_t count = hint >> 16, type = hint & 0xffff;
  if (type >= std::size(names))
    return {};
  constexpr uint32_t Integers = 4; // the first ones
  return (isUnsigned && type < Integers ? "u" : "") + names[type].str() +
         (count > 1 ? std::to_string(count) : std::string());
}
} // namespace

LogicalResult ModuleImporter::finishKernels() {
  IdSet seen;
  for (const EntryPoint &entry : entryPoints_) {
    func::FuncOp op = functions_[entry.function].op;
    if (!seen.insert(entry.function).second) { // a second name for one function
      func::FuncOp twin = op.clone();
      twin.setSymName(entry.name);
      for (llvm::StringLiteral attribute : {ocl::RequiredSizeAttr, ocl::SizeHintAttr, ocl::AttributesAttr})
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
  if (failed(executionModes(entry, op)))
    return failure();
  describeArguments(entry, functions_[entry.function], op);
  return success();
}

LogicalResult ModuleImporter::executionModes(const EntryPoint &entry, func::FuncOp op) {
  Builder b(&context_);
  std::string text;
  auto describe = [&](const llvm::Twine &more) { text += (text.empty() ? "" : " ") + more.str(); };
  auto threeSizes = [&](const Instruction &ins, llvm::StringLiteral attribute, llvm::StringRef word,
                        ArrayRef<uint32_t> ids, ArrayRef<uint32_t> literals) -> LogicalResult {
    SmallVector<int64_t> sizes;
    for (uint32_t literal : literals)
      sizes.push_back(literal);
    for (uint32_t id : ids)
      sizes.push_back(static_cast<int64_t>(integer(id).value_or(0)));
    if (sizes.size() != 3 || llvm::any_of(sizes, [](int64_t size) { return size <= 0 || size > INT32_MAX; }))
      return error(ins) << "has sizes that are not three positive numbers";
    op->setAttr(attribute, b.getDenseI64ArrayAttr(sizes));
    describe(word + "(" + llvm::join(llvm::map_range(sizes, [](int64_t s) { return std::to_string(s); }), ",") + ")");
    return success();
  };
  for (const Instruction *mode : entry.modes) {
    ArrayRef<uint32_t> values = mode->args.drop_front(2);
    LogicalResult result = success();
    switch (static_cast<spv::ExecutionMode>(mode->args[1])) {
    case spv::ExecutionMode::LocalSize:
      result = threeSizes(*mode, ocl::RequiredSizeAttr, "reqd_work_group_size", {}, values);
      break;
    case spv::ExecutionMode::LocalSizeId:
      result = threeSizes(*mode, ocl::RequiredSizeAttr, "reqd_work_group_size", values, {});
      break;
    case spv::ExecutionMode::LocalSizeHint:
      result = threeSizes(*mode, ocl::SizeHintAttr, "work_group_size_hint", {}, values);
      break;
    case spv::ExecutionMode::LocalSizeHintId:
      result = threeSizes(*mode, ocl::SizeHintAttr, "work_group_size_hint", values, {});
      break;
    case spv::ExecutionMode::VecTypeHint: {
      // Which the literal does not say; Kiln's front end says it beside.
      bool isUnsigned = argumentStrings("kernel_vec_type_hint", entry.name, 1)[0] == "unsigned";
      std::string type = values.empty() ? std::string() : vectorTypeName(values[0], isUnsigned);
      if (!type.empty())
        describe("vec_type_hint(" + type + ")");
      break;
    }
    case spv::ExecutionMode::ContractionOff: // decideContraction has read it
    case spv::ExecutionMode::DenormPreserve: // the three below are how Kiln computes anyway
    case spv::ExecutionMode::RoundingModeRTE:
    case spv::ExecutionMode::SignedZeroInfNanPreserve:
      break;
    default:
      return error(*mode) << "sets mode " << mode->args[1] << ", which is not supported";
    }
    if (failed(result))
      return failure();
  }
  if (!text.empty())
    op->setAttr(ocl::AttributesAttr, b.getStringAttr(text));
  return success();
}

/// The function that has the names of a kernel's parameters.
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

std::vector<std::string> ModuleImporter::argumentStrings(llvm::StringRef prefix, llvm::StringRef kernel,
                                                         size_t count) const {
  std::string start = (prefix + "." + kernel + ".").str();
  for (const auto &[id, text] : strings_) {
    llvm::StringRef rest = text;
    if (!rest.consume_front(start))
      continue;
    std::vector<std::string> parts;
    while (parts.size() < count) {
      auto [part, behind] = rest.split(',');
      parts.push_back(part.str());
      rest = behind;
    }
    return parts;
  }
  return std::vector<std::string>(count);
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
    uint64_t align = 0;
    if (const TypeInfo *pointee = typeInfo(pointeeOf(param)); pointee && pointee->size)
      align = pointee->align;
    if (auto stated = decorationValue(param, spv::Decoration::Alignment);
        stated && llvm::isPowerOf2_32(*stated) && *stated > align)
      align = *stated;
    if (align)
      op.setArgAttr(i, ocl::ArgPointeeAlignAttr, b.getI64IntegerAttr(static_cast<int64_t>(align)));
  }
}

} // namespace kiln::import
