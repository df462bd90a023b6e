#include "dialects/frontend/ToSpirv.h"
#include <LLVMSPIRVLib.h>
#include <llvm/IR/Constants.h>
#include <sstream>

namespace kiln::frontend {
namespace {

SPIRV::TranslatorOpts settings(SPIRV::VersionNumber version) {
  using Extension = SPIRV::ExtensionID;
  SPIRV::TranslatorOpts options(version, {{Extension::SPV_KHR_no_integer_wrap_decoration, true}, // else nsw is lost
                                          {Extension::SPV_KHR_linkonce_odr, true},
                                          {Extension::SPV_KHR_expect_assume, true},
                                          {Extension::SPV_KHR_bit_instructions, true},
                                          {Extension::SPV_KHR_integer_dot_product, true},
                                          {Extension::SPV_KHR_subgroup_rotate, true},
                                          {Extension::SPV_KHR_uniform_group_instructions, true},
                                          {Extension::SPV_KHR_float_controls, true},
                                          {Extension::SPV_EXT_shader_atomic_float_add, true},
                                          {Extension::SPV_EXT_shader_atomic_float_min_max, true}});
  options.setPreserveOCLKernelArgTypeMetadataThroughString(true);
  options.setGenKernelArgNameMDEnabled(true);
  return options;
}

/// Keeps OpLine, and drops the instruction set that describes scopes and types: SPIRV-Tools refuses what the translator
/// makes of it, and Kiln's lines come from OpLine alone.
std::string withoutDebugInstructions(const std::string &spirv) {
  constexpr size_t HeaderWords = 5;
  constexpr uint32_t OpExtInstImport = 11, OpExtInst = 12;
  std::vector<uint32_t> words(spirv.size() / 4);
  memcpy(words.data(), spirv.data(), words.size() * 4);
  std::string kept = spirv.substr(0, HeaderWords * 4);
  uint32_t set = 0;
  for (size_t at = HeaderWords, count; at < words.size(); at += count) {
    count = std::max<size_t>(1, words[at] >> 16);
    uint32_t opcode = words[at] & 0xffff;
    if (opcode == OpExtInstImport && llvm::StringRef(spirv.data() + at * 4 + 8).startswith("OpenCL.DebugInfo"))
      set = words[at + 1];
    else if (opcode != OpExtInst || !set || words[at + 3] != set)
      kept.append(spirv, at * 4, count * 4);
  }
  return kept;
}

/// SPIR-V's VecTypeHint does not say whether integers are signed: a string does, of the form in which the translator
/// writes down the types of arguments. One for each kernel whose hint is unsigned.
std::vector<std::string> unsignedHints(const llvm::Module &module) {
  std::vector<std::string> strings;
  for (const llvm::Function &function : module) {
    const llvm::MDNode *hint = function.getMetadata("vec_type_hint"); // a value of the type, and whether it is signed
    if (!hint || hint->getNumOperands() != 2)
      continue;
    auto *type = llvm::dyn_cast<llvm::ValueAsMetadata>(hint->getOperand(0));
    auto *isSigned = llvm::mdconst::dyn_extract<llvm::ConstantInt>(hint->getOperand(1));
    if (type && isSigned && type->getType()->isIntOrIntVectorTy() && isSigned->isZero())
      strings.push_back("kernel_vec_type_hint." + function.getName().str() + ".unsigned");
  }
  return strings;
}

/// Adds an OpString for each, where the module's layout wants them: behind the execution modes.
std::string withStrings(const std::string &spirv, const std::vector<std::string> &strings) {
  constexpr size_t HeaderWords = 5, Bound = 3;
  constexpr uint32_t OpString = 7, OpExtension = 10, OpExtInstImport = 11, OpMemoryModel = 14, OpEntryPoint = 15,
                     OpExecutionMode = 16, OpCapability = 17;
  if (strings.empty())
    return spirv;
  std::vector<uint32_t> words(spirv.size() / 4), added;
  memcpy(words.data(), spirv.data(), words.size() * 4);
  size_t at = HeaderWords;
  auto isBefore = [](uint32_t opcode) {
    return opcode == OpCapability || opcode == OpExtension || opcode == OpExtInstImport || opcode == OpMemoryModel ||
           opcode == OpEntryPoint || opcode == OpExecutionMode;
  };
  while (at < words.size() && isBefore(words[at] & 0xffff))
    at += std::max<size_t>(1, words[at] >> 16);
  for (const std::string &string : strings) {
    std::vector<uint32_t> text(string.size() / 4 + 1); // with a zero at the end
    memcpy(text.data(), string.data(), string.size());
    added.push_back(uint32_t(text.size() + 2) << 16 | OpString);
    added.push_back(words[Bound]++);
    added.insert(added.end(), text.begin(), text.end());
  }
  words.insert(words.begin() + std::ptrdiff_t(std::min(at, words.size())), added.begin(), added.end());
  return std::string(reinterpret_cast<const char *>(words.data()), words.size() * 4);
}

/// A variable whose initial value leads back to itself by addresses: in SPIR-V, a constant's parts stand before it.
const llvm::GlobalVariable *circular(const llvm::Module &module) {
  struct Frame {
    const llvm::Constant *constant;
    unsigned next = 0; // operand
  };
  llvm::DenseMap<const llvm::Constant *, bool> isDone; // absent: not yet seen
  std::vector<Frame> stack;                            // of our own: a list is as long as its author likes
  for (const llvm::GlobalVariable &root : module.globals()) {
    if (isDone.count(&root))
      continue;
    isDone[&root] = false;
    for (stack.push_back({&root}); !stack.empty();) {
      Frame &top = stack.back();
      if (top.next == top.constant->getNumOperands()) {
        isDone[top.constant] = true;
        stack.pop_back();
        continue;
      }
      auto *part = llvm::dyn_cast<llvm::Constant>(top.constant->getOperand(top.next++));
      if (!part || llvm::isa<llvm::Function>(part))
        continue;
      auto [known, isNew] = isDone.try_emplace(part, false);
      if (isNew)
        stack.push_back({part});
      else if (!known->second)
        return &root;
    }
  }
  return nullptr;
}

/// What the translator would end the process over, as a sentence; empty where there is nothing.
std::string obstacle(const llvm::Module &module) {
  if (module.getFunction("__cxa_atexit"))
    return "a variable at program scope has a destructor";
  if (const llvm::GlobalVariable *variable = circular(module))
    return "the initial value of '" + variable->getName().str() +
           "' leads to a variable that holds its own address, or to several that hold each other's: SPIR-V has no such "
           "constants";
  return {};
}

/// C99's `inline` without `extern`: the body is there for inlining, the function itself is said to lie elsewhere, which
/// SPIR-V cannot say of a function with a body. In OpenCL C nobody writes that other definition: the body is the
/// function.
void keepInlineBodies(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (function.hasAvailableExternallyLinkage())
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
}

} // namespace

bool toSpirv(llvm::Module &module, std::string &spirv, std::string &error) {
  error = obstacle(module);
  if (!error.empty())
    return false;
  keepInlineBodies(module);
  bool lines = module.getNamedMetadata("llvm.dbg.cu");
  const std::vector<std::string> strings = unsignedHints(module);
  std::ostringstream out;
  if (!llvm::writeSpirv(&module, settings(SPIRV::VersionNumber::SPIRV_1_3), out, error))
    return false;
  spirv = withStrings(lines ? withoutDebugInstructions(out.str()) : out.str(), strings);
  return true;
}

} // namespace kiln::frontend
