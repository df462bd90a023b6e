#include "dialects/frontend/Generation.h"
#include "clang/Frontend/CompilerInvocation.h"
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/ReplaceConstant.h>

namespace kiln::frontend {

#if LLVM_VERSION_MAJOR < 17

const std::vector<std::string> &argumentsOfGeneration() {
  static const std::vector<std::string> arguments = {"-no-opaque-pointers"};
  return arguments;
}

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

llvm::PointerType *inAddressSpace(llvm::Type *pointer, unsigned space) {
  return llvm::PointerType::getWithSamePointeeType(llvm::cast<llvm::PointerType>(pointer), space);
}

void expandOperand(llvm::Instruction &ins, llvm::ConstantExpr &expression) {
  llvm::convertConstantExprsToInstructions(&ins, &expression);
}

#else

const std::vector<std::string> &argumentsOfGeneration() {
  static const std::vector<std::string> arguments;
  return arguments;
}

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

llvm::PointerType *inAddressSpace(llvm::Type *pointer, unsigned space) {
  return llvm::PointerType::get(pointer->getContext(), space);
}

void expandOperand(llvm::Instruction &, llvm::ConstantExpr &expression) {
  llvm::convertUsersOfConstantsToInstructions(&expression);
}

#endif

} // namespace kiln::frontend
