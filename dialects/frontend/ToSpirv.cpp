#include "dialects/frontend/ToSpirv.h"
#include "dialects/frontend/Assembly.h"
#include "dialects/frontend/CircularAddresses.h"
#include "dialects/frontend/Generation.h"
#include "dialects/frontend/Matrices.h"
#include "dialects/frontend/NonAscii.h"
#include "dialects/frontend/PrivateVariables.h"
#include "dialects/frontend/Rewrites.h"
#include "dialects/frontend/Samplers.h"
#include "dialects/frontend/SpirvFixups.h"
#include "dialects/spirv/Interfaces.h"
#include <LLVMSPIRVLib.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <sstream>

namespace kiln::frontend {
namespace {

SPIRV::TranslatorOpts settings(SPIRV::VersionNumber version) {
  using Extension = SPIRV::ExtensionID;
  SPIRV::TranslatorOpts::ExtensionsStatusMap extensions = {
      {Extension::SPV_KHR_no_integer_wrap_decoration, true}, // for nsw and nuw
      {Extension::SPV_KHR_linkonce_odr, true},
      {Extension::SPV_KHR_expect_assume, true},
      {Extension::SPV_KHR_bit_instructions, true},
      {Extension::SPV_KHR_integer_dot_product, true},
      {Extension::SPV_KHR_subgroup_rotate, true},
      {Extension::SPV_KHR_uniform_group_instructions, true},
      {Extension::SPV_KHR_float_controls, true},
      {Extension::SPV_EXT_shader_atomic_float_add, true},
      {Extension::SPV_EXT_shader_atomic_float_min_max, true}};
  if (hasMatrices()) // vectors of any length, which withMatrices replaces
    extensions[Extension::SPV_INTEL_vector_compute] = true;
  allowMore(extensions);
  SPIRV::TranslatorOpts options(version, extensions);
  options.setPreserveOCLKernelArgTypeMetadataThroughString(true);
  options.setGenKernelArgNameMDEnabled(true);
  return options;
}

// The maximum length of a SPIR-V instruction in words, including its first word.
constexpr size_t MaxWords = 65535;
// The maximum length of an asm statement's text, which becomes part of an instruction.
constexpr size_t MaxAssembly = 1 << 16;

/// Returns the number of elements of a constant's largest composite, each of which is an operand in SPIR-V.
size_t largestComposite(const llvm::Constant &whole) {
  size_t largest = 0;
  llvm::SmallPtrSet<const llvm::Constant *, 8> seen{&whole};
  llvm::SmallVector<const llvm::Constant *> left{&whole};
  while (!left.empty()) {
    const llvm::Constant *constant = left.pop_back_val();
    if (auto *data = llvm::dyn_cast<llvm::ConstantDataSequential>(constant))
      largest = std::max<size_t>(largest, data->getNumElements());
    else if (llvm::isa<llvm::ConstantAggregate>(constant))
      largest = std::max<size_t>(largest, constant->getNumOperands());
    for (const llvm::Use &use : constant->operands())
      if (auto *part = llvm::dyn_cast<llvm::Constant>(use); part && !llvm::isa<llvm::GlobalValue>(part))
        if (seen.insert(part).second)
          left.push_back(part);
  }
  return largest;
}

/// Returns a message if SPIR-V has no instruction for this one, or only a shorter one; else an empty string.
std::string findUnsupported(const llvm::Instruction &instruction, bool assembly) {
  const std::string where = " in '" + instruction.getFunction()->getName().str() + "'";
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && call->isInlineAsm()) {
    if (!assembly)
      return "asm statement" + where + ": the device does not support assembly";
    if (!llvm::isa<llvm::CallInst>(call))
      return "asm statement" + where + " with labels, which SPIR-V does not have";
    if (llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString().size() > MaxAssembly)
      return "asm statement" + where + " has more than " + std::to_string(MaxAssembly) + " characters";
  }
  if (auto *choice = llvm::dyn_cast<llvm::SwitchInst>(&instruction)) {
    const size_t words = choice->getCondition()->getType()->getIntegerBitWidth() > 32 ? 3 : 2,
                 most = (MaxWords - 3) / words;
    if (choice->getNumCases() > most)
      return "a switch" + where + " has " + std::to_string(choice->getNumCases()) + " cases, must have at most " +
             std::to_string(most) + " to be an instruction of SPIR-V";
  }
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction); phi && phi->getNumIncomingValues() > (MaxWords - 3) / 2)
    return "a block" + where + " has " + std::to_string(phi->getNumIncomingValues()) +
           " predecessors, must have at most " + std::to_string((MaxWords - 3) / 2) + " to be an instruction of SPIR-V";
  return {};
}

bool hasNoElements(const llvm::Type &type) {
  auto *array = llvm::dyn_cast<llvm::ArrayType>(&type);
  return array && (array->getNumElements() == 0 || hasNoElements(*array->getElementType()));
}

/// Returns a message if the module has something that the translator would drop or end the process for; else an empty
/// string.
std::string findUnsupported(const llvm::Module &module, bool assembly) {
  if (!module.getModuleInlineAsm().empty())
    return "asm at file scope: a kernel has no place for it";
  if (!module.ifunc_empty())
    return "'" + module.ifunc_begin()->getName().str() + "' has the attribute ifunc, which SPIR-V cannot express";
  for (const llvm::StructType *record : module.getIdentifiedStructTypes())
    for (const llvm::Type *member : record->elements())
      if (hasNoElements(*member))
        return "'" + record->getName().str() + "' has an array without elements, which OpenCL C does not support";
  for (const llvm::GlobalVariable &variable : module.globals())
    if (const size_t size = variable.hasInitializer() ? largestComposite(*variable.getInitializer()) : 0;
        size > MaxWords - 3)
      return "the initial value of '" + variable.getName().str() + "' has " + std::to_string(size) +
             " elements in one aggregate, must have at most " + std::to_string(MaxWords - 3) +
             " to be an instruction of SPIR-V, or be all zero";
  for (const llvm::Function &function : module)
    for (const llvm::BasicBlock &block : function)
      for (const llvm::Instruction &instruction : block)
        if (std::string found = findUnsupported(instruction, assembly); !found.empty())
          return found;
  return {};
}

/// Makes functions with C99's `inline` without `extern` internal. Their definition would be in another module, which
/// SPIR-V cannot express for a function with a body, and OpenCL C programs have no such module.
void keepInlineBodies(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (function.hasAvailableExternallyLinkage())
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
}

/// Replaces memory flags, orders and scopes that are not constants by the strongest, which is always legal: the
/// translator ends the process for them.
void fixOrders(llvm::Module &module) {
  constexpr uint64_t SeqCst = 5, AllDevices = 3, AllMemory = 7; // as in the base header
  for (llvm::Function &function : module) {
    llvm::StringRef name = function.getName();
    bool hasOrder = name.contains("12memory_order");
    bool isFence = false; // the first argument is the memory flags
    for (const char *fence : {"_Z22atomic_work_item_fencej", "_Z7barrierj", "_Z18work_group_barrierj",
                              "_Z17sub_group_barrierj", "_Z9mem_fencej", "_Z14read_mem_fencej", "_Z15write_mem_fencej"})
      isFence |= startsWith(name, fence);
    if (!function.isDeclaration() || !startsWith(name, "_Z") || !(isFence || hasOrder))
      continue;
    unsigned scopes = name.contains("12memory_scope");
    unsigned orders = !hasOrder ? 0 : name.contains("atomic_compare_exchange") ? 2 : 1;
    if (function.arg_size() < scopes + orders)
      continue;
    const unsigned scopeAt = unsigned(function.arg_size()) - scopes, orderAt = scopeAt - orders;
    for (llvm::User *user : function.users()) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(user);
      if (!call || call->getCalledFunction() != &function)
        continue;
      for (unsigned i = isFence ? 0 : orderAt; i < call->arg_size(); ++i)
        if (llvm::Value *argument = call->getArgOperand(i);
            !llvm::isa<llvm::ConstantInt>(argument) && argument->getType()->isIntegerTy())
          call->setArgOperand(i, llvm::ConstantInt::get(argument->getType(), i < orderAt   ? AllMemory
                                                                             : i < scopeAt ? SeqCst
                                                                                           : AllDevices));
    }
  }
}

/// Defines dot_4x8packed_su_int(a, b) and similar functions, which the translator does not support, as
/// dot(as_char4(a), as_uchar4(b)), which it supports.
void definePackedDots(llvm::Module &module) {
  llvm::SmallVector<llvm::Function *> packed;
  for (llvm::Function &function : module)
    if (function.isDeclaration() && startsWith(function.getName(), "_Z") && function.getName().contains("_4x8packed_"))
      packed.push_back(&function);
  for (llvm::Function *function : packed) {
    llvm::StringRef name = function->getName(); // _Z20dot_4x8packed_su_intjj
    unsigned length;
    name.consume_front("_Z");
    if (name.consumeInteger(10, length) || length > name.size())
      continue;
    llvm::StringRef types = name.drop_front(length);
    name = name.take_front(length);
    bool adds = name.consume_front("dot_acc_sat_4x8packed_");
    if (!adds && !name.consume_front("dot_4x8packed_"))
      continue;
    llvm::StringRef signs = name.take_front(2);
    bool isUnsigned = signs == "uu";
    if ((signs != "uu" && signs != "ss" && signs != "us" && signs != "su") ||
        name.drop_front(2) != (isUnsigned ? "_uint" : "_int") || types != (adds ? (isUnsigned ? "jjj" : "jji") : "jj"))
      continue;
    auto letter = [&](char sign) { return sign == 'u' ? "h" : "c"; };
    std::string vectors = std::string("Dv4_") + letter(signs[0]);
    vectors += signs[0] == signs[1] ? "S_" : std::string("Dv4_") + letter(signs[1]);
    std::string known = adds ? "_Z11dot_acc_sat" + vectors + (isUnsigned ? "j" : "i") : "_Z3dot" + vectors;

    llvm::IRBuilder<> b(llvm::BasicBlock::Create(module.getContext(), "", function));
    auto *bytes = llvm::FixedVectorType::get(b.getInt8Ty(), 4);
    llvm::SmallVector<llvm::Value *> arguments;
    llvm::SmallVector<llvm::Type *> parameters;
    for (llvm::Argument &argument : function->args()) {
      arguments.push_back(argument.getArgNo() < 2 ? b.CreateBitCast(&argument, bytes) : &argument);
      parameters.push_back(arguments.back()->getType());
    }
    llvm::FunctionCallee callee =
        module.getOrInsertFunction(known, llvm::FunctionType::get(b.getInt32Ty(), parameters, false));
    llvm::CallInst *call = b.CreateCall(callee, arguments);
    if (auto *target = llvm::dyn_cast<llvm::Function>(callee.getCallee()))
      target->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    b.CreateRet(call);
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
}

bool isOneLane(const llvm::Type &type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  return vector && vector->getNumElements() == 1;
}

/// Returns true if a constant contains a one-component vector. Iterative, because constants nest to any depth and share
/// operands.
bool containsOneLane(const llvm::Constant &whole) {
  llvm::SmallPtrSet<const llvm::Constant *, 8> seen{&whole};
  llvm::SmallVector<const llvm::Constant *> left{&whole};
  while (!left.empty()) {
    const llvm::Constant *constant = left.pop_back_val();
    if (isOneLane(*constant->getType()))
      return true;
    for (const llvm::Use &use : constant->operands())
      if (auto *part = llvm::dyn_cast<llvm::Constant>(use); part && !llvm::isa<llvm::GlobalValue>(part))
        if (seen.insert(part).second)
          left.push_back(part);
  }
  return false;
}

/// Folds constants with one-component vectors, which SPIR-V does not have: Clang writes `as_float2(1L)` as a bitcast of
/// one. They fold with the module's data layout.
void foldOneLane(llvm::Module &module) {
  const llvm::DataLayout &layout = module.getDataLayout();
  std::vector<llvm::Use *> uses;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        for (llvm::Use &use : instruction.operands())
          if (auto *constant = llvm::dyn_cast<llvm::Constant>(use);
              constant && !llvm::isa<llvm::GlobalValue>(constant) && containsOneLane(*constant))
            uses.push_back(&use);
  for (llvm::Use *use : uses)
    use->set(llvm::ConstantFoldConstant(llvm::cast<llvm::Constant>(use->get()), layout));
}

/// Replaces CLK_NULL_RESERVE_ID, CLK_NULL_EVENT and CLK_NULL_QUEUE, which the base header defines as integers cast to
/// pointers, by null constants. In SPIR-V their types are not pointers.
void nullHandles(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        for (llvm::Use &use : instruction.operands())
          if (auto *constant = llvm::dyn_cast<llvm::Constant>(use); constant && isNumberAsHandle(*constant))
            use.set(llvm::Constant::getNullValue(constant->getType()));
}

/// Returns the OpenCL C spelling of a vec_type_hint's type, for example "uint4"; empty for invalid types.
std::string hintedType(const llvm::Type &type, bool isSigned) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  const llvm::Type &element = vector ? *vector->getElementType() : type;
  std::string count = vector ? std::to_string(vector->getNumElements()) : "";
  if (element.isHalfTy() || element.isFloatTy() || element.isDoubleTy())
    return (element.isHalfTy() ? "half" : element.isFloatTy() ? "float" : "double") + count;
  for (auto [bits, name] : {std::pair(8, "char"), {16, "short"}, {32, "int"}, {64, "long"}})
    if (element.isIntegerTy(bits))
      return (isSigned ? "" : "u") + std::string(name) + count;
  return {};
}

/// Returns the text for CL_KERNEL_ATTRIBUTES. SPIR-V's execution modes do not distinguish signed from unsigned types.
std::string attributesOf(const llvm::Function &kernel) {
  std::string text;
  auto describe = [&](const std::string &more) { text += (text.empty() ? "" : " ") + more; };
  for (const char *name : {"reqd_work_group_size", "work_group_size_hint", "intel_reqd_sub_group_size"}) {
    std::string sizes;
    if (const llvm::MDNode *node = kernel.getMetadata(name))
      for (const llvm::MDOperand &operand : node->operands())
        if (auto *size = llvm::mdconst::dyn_extract<llvm::ConstantInt>(operand))
          sizes += (sizes.empty() ? "" : ",") + std::to_string(size->getZExtValue());
    if (!sizes.empty())
      describe(std::string(name) + "(" + sizes + ")");
  }
  const llvm::MDNode *hint = kernel.getMetadata("vec_type_hint");
  if (!hint || hint->getNumOperands() != 2)
    return text;
  auto *type = llvm::dyn_cast<llvm::ValueAsMetadata>(hint->getOperand(0));
  auto *isSigned = llvm::mdconst::dyn_extract<llvm::ConstantInt>(hint->getOperand(1));
  std::string name = type && isSigned ? hintedType(*type->getType(), !isSigned->isZero()) : "";
  if (!name.empty())
    describe("vec_type_hint(" + name + ")");
  return text;
}

/// The mangled name of the function by which opencl-c-kiln.h reads a clock.
constexpr char ReadClock[] = "_Z20__spirv_ReadClockKHRj";

/// Replaces calls of `ReadClock`, which the translator does not support, by OpReadClockKHR.
spirv::Words withClocks(const spirv::Words &words) {
  constexpr std::string_view Extension = "SPV_KHR_shader_clock";
  uint32_t function = 0;
  spirv::each(words, [&](spirv::Instruction ins) {
    if (spirv::linkageName(ins) == ReadClock)
      function = ins[1];
  });
  if (!function)
    return words;
  spirv::Words made(words.begin(), words.begin() + spirv::HeaderWords);
  bool capabilities = true, inside = false; // in the capability section; in the declaration of ReadClock
  spirv::each(words, [&](spirv::Instruction ins) {
    const spv::Op opcode = spirv::opcode(ins);
    if (capabilities && opcode != spv::Op::Capability) {
      capabilities = false;
      made.insert(made.end(), {spirv::head(spv::Op::Capability, 2), uint32_t(spv::Capability::ShaderClockKHR)});
      made.push_back(spirv::head(spv::Op::Extension, 1 + Extension.size() / 4 + 1));
      spirv::append(made, Extension);
    }
    inside |= opcode == spv::Op::Function && ins[2] == function;
    if (inside || ((opcode == spv::Op::Name || opcode == spv::Op::Decorate) && ins[1] == function))
      inside &= opcode != spv::Op::FunctionEnd;
    else if (opcode == spv::Op::FunctionCall && ins[3] == function)
      made.insert(made.end(), {spirv::head(spv::Op::ReadClockKHR, 4), ins[1], ins[2], ins[4]});
    else
      spirv::append(made, ins);
  });
  return made;
}

/// Adds an OpString for each text, as the translator does for argument info, and the mode Finalizer to the kernel of
/// that name.
spirv::Words withStrings(spirv::Words words, const std::vector<std::string> &texts, const std::string &finalizer) {
  ptrdiff_t behind = spirv::HeaderWords; // after the modes, where strings are allowed
  spirv::Words added;
  spirv::each(words, [&](spirv::Instruction ins) {
    switch (spirv::opcode(ins)) {
    case spv::Op::EntryPoint:
      if (!finalizer.empty() && spirv::text(ins, 3) == finalizer)
        added = {spirv::head(spv::Op::ExecutionMode, 3), ins[2], uint32_t(spv::ExecutionMode::Finalizer)};
      [[fallthrough]];
    case spv::Op::MemoryModel:
    case spv::Op::ExecutionMode:
    case spv::Op::ExecutionModeId:
      behind = &*ins.end() - words.data();
      break;
    default:
      break;
    }
  });
  for (const std::string &text : texts) {
    added.insert(added.end(), {spirv::head(spv::Op::String, 2 + text.size() / 4 + 1), words[spirv::Bound]++});
    spirv::append(added, text);
  }
  words.insert(words.begin() + behind, added.begin(), added.end());
  return words;
}

/// Returns true if a loop has an unroll count, which needs SPIR-V 1.4. Other modules use an older version, which more
/// consumers accept.
bool hasUnrollCount(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    for (const llvm::BasicBlock &block : function)
      if (const llvm::MDNode *loop = block.getTerminator()->getMetadata(llvm::LLVMContext::MD_loop))
        for (const llvm::MDOperand &operand : llvm::drop_begin(loop->operands()))
          if (auto *hint = llvm::dyn_cast<llvm::MDNode>(operand); hint && hint->getNumOperands() == 2)
            if (auto *name = llvm::dyn_cast<llvm::MDString>(hint->getOperand(0)))
              if (name->getString() == "llvm.loop.unroll.count")
                return true;
  return false;
}

} // namespace

bool toSpirv(llvm::Module &module, const TranslationOptions &options, std::string &spirv, std::string &error) {
  error = findUnsupported(module, options.assembly);
  if (error.empty())
    error = prepareMatrices(module);
  if (!error.empty())
    return false;
  if (!options.keepsPrivateVariables)
    promotePrivateVariables(module);
  assemblyToCalls(module);
  trapsToCalls(module);
  prepareForTranslator(module);
  if (!storeCircularAddresses(module, error))
    return false;
  keepInlineBodies(module);
  definePackedDots(module);
  fixOrders(module);
  foldOneLane(module);
  nullHandles(module);
  nullsToCalls(module);
  giveEmptyVariablesElements(module);
  rewriteForTranslator(module);
  const bool samplers = prepareSamplers(module);
  splatConditions(module);
  foldOutOfRangeQueries(module);
  bool linesOnly = module.debug_compile_units_begin() != module.debug_compile_units_end() &&
                   module.debug_compile_units_begin()->getEmissionKind() == llvm::DICompileUnit::LineTablesOnly;
  const llvm::Function *clock = module.getFunction(ReadClock);
  bool clocks = clock && clock->isDeclaration();
  std::vector<std::string> attributes;
  for (const llvm::Function &function : module)
    if (function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL)
      if (std::string text = attributesOf(function); !text.empty())
        attributes.push_back("kernel_attributes." + function.getName().str() + "." + text);
  const auto version = hasUnrollCount(module) ? SPIRV::VersionNumber::SPIRV_1_4 : SPIRV::VersionNumber::SPIRV_1_3;
  const bool nonAscii = escapeNonAscii(module);
  std::ostringstream out;
  if (!llvm::writeSpirv(&module, settings(version), out, error))
    return false;
  spirv::Words words = spirv::wordsOf(out.str());
  if (nonAscii)
    words = withNonAscii(words);
  words = withNulls(withUniqueMergeBlocks(repaired(words)));
  if (linesOnly)
    words = withoutDebugInstructions(words);
  words = withoutLinesAfterMerges(words);
  words = withStrings(words, attributes, options.finalizer);
  if (clocks)
    words = withClocks(words);
  if (samplers)
    words = withOneSamplerType(words);
  words = withMatrices(words);
  if (words[spirv::Version] >= spirv::Version14)
    words = spirv::withFullInterfaces(words);
  spirv = spirv::bytesOf(words);
  return true;
}

} // namespace kiln::frontend
