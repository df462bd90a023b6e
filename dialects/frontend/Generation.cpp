#include "dialects/frontend/Generation.h"
#include "dialects/frontend/HalfAtomics.h"
#include "dialects/frontend/Rewrites.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/CompilerInvocation.h"
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/ReplaceConstant.h>
#include <unordered_map>
#include <unordered_set>

namespace kiln::frontend {

#if LLVM_VERSION_MAJOR < 17

const std::vector<std::string> &argumentsOfGeneration() {
  static const std::vector<std::string> arguments = {"-no-opaque-pointers"};
  return arguments;
}

void chooseMessages(clang::DiagnosticOptions &options) { options.ShowColors = false; }

void choosePointers(llvm::LLVMContext &context) { context.setOpaquePointers(false); }

const clang::LangOptions &languageOf(const clang::CompilerInvocation &invocation) { return *invocation.getLangOpts(); }

std::string handleName(const llvm::Type &type) {
  auto *pointer = llvm::dyn_cast<llvm::PointerType>(&type);
  auto *handle = pointer ? llvm::dyn_cast<llvm::StructType>(pointer->getNonOpaquePointerElementType()) : nullptr;
  if (!handle || !handle->isOpaque() || !handle->hasName())
    return {};
  llvm::StringRef name = handle->getName();
  return name.consume_front("opencl.") ? name.str() : std::string();
}

bool isNumberAsHandle(const llvm::Constant &constant) {
  auto *cast = llvm::dyn_cast<llvm::ConstantExpr>(constant.stripPointerCasts());
  return !handleName(*constant.getType()).empty() && cast && cast->getOpcode() == llvm::Instruction::IntToPtr;
}

const bool pointersHaveElementTypes = true;

llvm::PointerType *pointerTo(llvm::Type *element, unsigned space) { return llvm::PointerType::get(element, space); }

llvm::PointerType *inAddressSpace(llvm::Type *pointer, unsigned space) {
  return llvm::PointerType::getWithSamePointeeType(llvm::cast<llvm::PointerType>(pointer), space);
}

void prepareForTranslator(llvm::Module &) {}

void rewriteForTranslator(llvm::Module &module) {
  moveLiteralsIntoFunctions(module);
  exchangeFloatsAsIntegers(module);
  addHalvesByCalls(module);
}

void allowMore(SPIRV::TranslatorOpts::ExtensionsStatusMap &) {}

spirv::Words repaired(const spirv::Words &words) { return withHalfAdditions(words); }

void expandOperand(llvm::Instruction &ins, llvm::ConstantExpr &expression) {
  llvm::convertConstantExprsToInstructions(&ins, &expression);
}

#else

const std::vector<std::string> &argumentsOfGeneration() {
  // Clang's IR for handles is not valid: it compares them as integers, and casts integers to them. The rewrites fix it.
  static const std::vector<std::string> arguments = {"-disable-llvm-verifier"};
  return arguments;
}

void chooseMessages(clang::DiagnosticOptions &options) { options.ShowColors = options.ShowLineNumbers = false; }

void choosePointers(llvm::LLVMContext &) {}

const clang::LangOptions &languageOf(const clang::CompilerInvocation &invocation) { return invocation.getLangOpts(); }

std::string handleName(const llvm::Type &type) {
  auto *handle = llvm::dyn_cast<llvm::TargetExtType>(&type);
  if (!handle)
    return {};
  for (auto [spirv, opencl] : {std::pair("spirv.Sampler", "sampler_t"),
                               {"spirv.Queue", "queue_t"},
                               {"spirv.DeviceEvent", "clk_event_t"},
                               {"spirv.ReserveId", "reserve_id_t"},
                               {"spirv.Event", "event_t"}})
    if (handle->getName() == spirv)
      return opencl;
  return {};
}

bool isNumberAsHandle(const llvm::Constant &constant) {
  return !handleName(*constant.getType()).empty() && llvm::isa<llvm::ConstantExpr>(constant);
}

const bool pointersHaveElementTypes = false;

llvm::PointerType *pointerTo(llvm::Type *element, unsigned space) {
  return llvm::PointerType::get(element->getContext(), space);
}

llvm::PointerType *inAddressSpace(llvm::Type *pointer, unsigned space) {
  return llvm::PointerType::get(pointer->getContext(), space);
}

namespace {

constexpr llvm::StringLiteral NumberFunction = "kiln.number."; // followed by the handle's name

/// Makes the format of printf a pointer to its first character, as SPIR-V requires. The translator would write Clang's
/// pointer to the array.
void pointToLetters(llvm::Function &printf) {
  for (llvm::User *user : llvm::make_early_inc_range(printf.users()))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(user); call && call->getCalledFunction() == &printf)
      if (auto *format = llvm::dyn_cast<llvm::GlobalVariable>(call->getArgOperand(0))) {
        llvm::Value *zero = llvm::ConstantInt::get(llvm::Type::getInt64Ty(printf.getContext()), 0);
        call->setArgOperand(0, llvm::GetElementPtrInst::CreateInBounds(format->getValueType(), format, {zero, zero}, "",
                                                                       call->getIterator())); // never folded
      }
}

/// Clang 21 moves a kernel's body to a function of another name, which the kernel calls. Moves it back, unless other
/// functions call it as well.
void joinKernels(llvm::Module &module) {
  for (llvm::Function &body : llvm::make_early_inc_range(module)) {
    llvm::StringRef name = body.getName();
    llvm::Function *kernel = name.consume_front("__clang_ocl_kern_imp_") ? module.getFunction(name) : nullptr;
    if (!kernel || kernel->size() != 1 || body.isDeclaration() || !body.hasOneUse())
      continue;
    auto *call = llvm::dyn_cast<llvm::CallInst>(body.user_back());
    if (!call || call->getFunction() != kernel)
      continue;
    for (auto [parameter, value] : llvm::zip(body.args(), call->args()))
      parameter.replaceAllUsesWith(value);
    llvm::BasicBlock &start = kernel->front(), &entry = body.front();
    start.getTerminator()->eraseFromParent();
    call->eraseFromParent();
    for (llvm::Instruction &ins : start)
      ins.setDebugLoc({});
    entry.replaceSuccessorsPhiUsesWith(&entry, &start);
    start.splice(start.end(), &entry);
    entry.eraseFromParent();
    kernel->splice(kernel->end(), &body);
    kernel->setSubprogram(body.getSubprogram());
    body.eraseFromParent();
  }
}

/// Clang compares handles as integers, which is not valid LLVM IR. Converts them by calls to `NumberFunction` first.
void compareAsNumbers(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module))
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &ins : llvm::make_early_inc_range(block)) {
        auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&ins);
        const std::string handle = compare ? handleName(*compare->getOperand(0)->getType()) : std::string();
        if (handle.empty())
          continue;
        llvm::IRBuilder<> b(compare);
        llvm::FunctionCallee number = module.getOrInsertFunction((NumberFunction + handle).str(), b.getInt64Ty(),
                                                                 compare->getOperand(0)->getType());
        llvm::cast<llvm::Function>(number.getCallee())->setCallingConv(llvm::CallingConv::SPIR_FUNC);
        llvm::Value *sides[2];
        for (unsigned side : {0u, 1u}) {
          llvm::Value *operand = compare->getOperand(side);
          if (auto *constant = llvm::dyn_cast<llvm::Constant>(operand); constant && isNumberAsHandle(*constant))
            operand = llvm::Constant::getNullValue(operand->getType());
          llvm::CallInst *call = b.CreateCall(number, operand);
          call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
          sides[side] = call;
        }
        compare->replaceAllUsesWith(b.CreateICmp(compare->getPredicate(), sides[0], sides[1]));
        compare->eraseFromParent();
      }
}

/// Replaces the calls of `NumberFunction` by OpConvertPtrToU.
spirv::Words withNumbers(const spirv::Words &words) {
  std::unordered_set<uint32_t> functions;
  spirv::each(words, [&](spirv::Instruction ins) {
    if (auto name = spirv::linkageName(ins); name && name->starts_with(NumberFunction))
      functions.insert(ins[1]);
  });
  if (functions.empty())
    return words;
  spirv::Words made(words.begin(), words.begin() + spirv::HeaderWords);
  bool inDeclaration = false;
  spirv::each(words, [&](spirv::Instruction ins) {
    const spv::Op opcode = spirv::opcode(ins);
    inDeclaration |= opcode == spv::Op::Function && functions.count(ins[2]);
    if (inDeclaration || ((opcode == spv::Op::Name || opcode == spv::Op::Decorate) && functions.count(ins[1])))
      inDeclaration &= opcode != spv::Op::FunctionEnd;
    else if (opcode == spv::Op::FunctionCall && functions.count(ins[3]))
      made.insert(made.end(), {spirv::head(spv::Op::ConvertPtrToU, 4), ins[1], ins[2], ins[4]});
    else
      spirv::append(made, ins);
  });
  return made;
}

/// Adds an OpName for each kernel without one: LLVM 22's translator writes the name only in OpEntryPoint. Earlier
/// translators make another, unnamed function the entry point, and write the kernel's OpName.
spirv::Words withKernelNames(const spirv::Words &words) {
  std::unordered_map<uint32_t, std::string> kernels; // those without an OpName, by id
  spirv::each(words, [&](spirv::Instruction ins) {
    if (spirv::opcode(ins) == spv::Op::EntryPoint)
      kernels[ins[2]] = spirv::text(ins, 3);
    else if (spirv::opcode(ins) == spv::Op::Name)
      std::erase_if(kernels, [&](const auto &kernel) { return kernel.second == spirv::text(ins, 2); });
  });
  spirv::Words made(words.begin(), words.begin() + spirv::HeaderWords);
  spirv::each(words, [&](spirv::Instruction ins) {
    if (spirv::opcode(ins) == spv::Op::Name)
      for (auto it = kernels.begin(); it != kernels.end(); it = kernels.erase(it)) {
        spirv::Words name;
        spirv::append(name, it->second);
        made.insert(made.end(), {spirv::head(spv::Op::Name, 2 + name.size()), it->first});
        spirv::append(made, name);
      }
    spirv::append(made, ins);
  });
  return made;
}

/// In initial values of variables, the translator writes element offsets of one type from a pointer to another type
/// (`getelementptr (i8, @array, 4)`). Casts that pointer to a pointer to the elements.
spirv::Words withTypedSteps(const spirv::Words &words) {
  std::unordered_map<uint32_t, uint32_t> elements, types; // by pointer type, by value
  spirv::Words made(words.begin(), words.begin() + spirv::HeaderWords);
  bool isGlobal = true;
  spirv::each(words, [&](spirv::Instruction ins) {
    const spv::Op opcode = spirv::opcode(ins);
    isGlobal &= opcode != spv::Op::Function;
    if (isGlobal && opcode == spv::Op::TypePointer)
      elements[ins[1]] = ins[3];
    if (isGlobal && (opcode == spv::Op::Variable || opcode == spv::Op::SpecConstantOp))
      types[ins[2]] = ins[1];
    const size_t at = made.size();
    spirv::append(made, ins);
    if (!isGlobal || opcode != spv::Op::SpecConstantOp || ins.size() != 6 ||
        (spv::Op(ins[3]) != spv::Op::PtrAccessChain && spv::Op(ins[3]) != spv::Op::InBoundsPtrAccessChain))
      return;
    auto base = types.find(ins[4]);
    if (base == types.end() || elements[base->second] == elements[ins[1]])
      return;
    const uint32_t cast = made[spirv::Bound]++;
    made[at + 4] = cast;
    const uint32_t bitcast[] = {spirv::head(spv::Op::SpecConstantOp, 5), ins[1], cast, uint32_t(spv::Op::Bitcast),
                                ins[4]};
    made.insert(made.begin() + ptrdiff_t(at), std::begin(bitcast), std::end(bitcast));
  });
  return made;
}

} // namespace

void prepareForTranslator(llvm::Module &module) {
  // The translator replaces built-in functions only if the source language is OpenCL C.
  if (llvm::NamedMDNode *version = module.getNamedMetadata("opencl.cxx.version"))
    version->eraseFromParent();
  joinKernels(module);
  // The translator does not match the mangled name of C++ for OpenCL.
  if (llvm::Function *printf = module.getFunction("_Z6printfPU3AS2Kcz"); printf && !module.getFunction("printf"))
    printf->setName("printf");
  if (llvm::Function *printf = module.getFunction("printf"))
    pointToLetters(*printf);
  compareAsNumbers(module);
}

void rewriteForTranslator(llvm::Module &) {} // Clang copies compound literals, and the translator compares floats

void allowMore(SPIRV::TranslatorOpts::ExtensionsStatusMap &extensions) {
  extensions[SPIRV::ExtensionID::SPV_KHR_shader_clock] = true;              // this translator writes OpReadClockKHR
  extensions[SPIRV::ExtensionID::SPV_EXT_shader_atomic_float16_add] = true; // and additions of half
}

spirv::Words repaired(const spirv::Words &words) { return withTypedSteps(withKernelNames(withNumbers(words))); }

void expandOperand(llvm::Instruction &ins, llvm::ConstantExpr &expression) {
  auto *phi = llvm::dyn_cast<llvm::PHINode>(&ins);
  for (llvm::Use &use : ins.operands()) {
    if (use != &expression)
      continue;
    llvm::Instruction *made = expression.getAsInstruction();
    made->insertBefore((phi ? phi->getIncomingBlock(use)->getTerminator() : &ins)->getIterator());
    use.set(made);
    for (llvm::Use &inner : made->operands())
      if (auto *part = llvm::dyn_cast<llvm::ConstantExpr>(inner))
        expandOperand(*made, *part);
  }
}

#endif

} // namespace kiln::frontend
