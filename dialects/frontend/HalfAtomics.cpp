#include "dialects/frontend/HalfAtomics.h"
#include "dialects/frontend/Generation.h"
#include <llvm/IR/IRBuilder.h>
#include <unordered_set>

namespace kiln::frontend {
namespace {

constexpr llvm::StringLiteral AddFunction = "kiln.add_half."; // followed by the address space

enum class Kind { Other, Add, Subtract };

/// Returns what a function with this mangled name does to a half.
Kind kindOf(llvm::StringRef name) {
  unsigned length;
  if (!name.consume_front("_Z") || name.consumeInteger(10, length) || length > name.size() ||
      !name.drop_front(length).contains("U7_AtomicDh"))
    return Kind::Other;
  const llvm::StringRef function = name.take_front(length);
  if (function == "atomic_fetch_add" || function == "atomic_fetch_add_explicit")
    return Kind::Add;
  return function == "atomic_fetch_sub" || function == "atomic_fetch_sub_explicit" ? Kind::Subtract : Kind::Other;
}

/// Returns the value at an index of the table for a constant operand; `standard` if there is no such operand.
template <size_t N>
uint32_t translated(const llvm::CallInst &call, unsigned operand, const uint32_t (&table)[N], uint32_t standard) {
  auto *value = operand < call.arg_size() ? llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(operand)) : nullptr;
  return value && value->getZExtValue() < N ? table[value->getZExtValue()] : standard;
}

} // namespace

void addHalvesByCalls(llvm::Module &module) {
  // By memory_order and memory_scope of the base header. Functions without them are sequentially consistent among the
  // device's work-items.
  constexpr uint32_t SequentiallyConsistent = 16, Device = 1;
  constexpr uint32_t Semantics[] = {0, 2, 2, 4, 8, SequentiallyConsistent}; // relaxed, consume, acquire, release, both
  constexpr uint32_t Scopes[] = {4, 2, Device, 0, 3}; // work-item, work-group, device, all devices, sub-group
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    const Kind kind = function.isDeclaration() ? kindOf(function.getName()) : Kind::Other;
    if (kind == Kind::Other || function.arg_size() < 2)
      continue;
    llvm::Type *pointer = function.getArg(0)->getType(), *half = function.getReturnType(),
               *word = llvm::Type::getInt32Ty(module.getContext());
    llvm::FunctionCallee callee =
        module.getOrInsertFunction((AddFunction + std::to_string(pointer->getPointerAddressSpace())).str(),
                                   llvm::FunctionType::get(half, {pointer, half, word, word}, false));
    if (auto *made = llvm::dyn_cast<llvm::Function>(callee.getCallee()))
      made->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    for (llvm::User *user : llvm::make_early_inc_range(function.users())) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(user);
      if (!call || call->getCalledFunction() != &function)
        continue;
      llvm::IRBuilder<> b(call);
      llvm::Value *value = call->getArgOperand(1);
      if (kind == Kind::Subtract)
        value = b.CreateFNeg(value);
      llvm::CallInst *made =
          b.CreateCall(callee, {call->getArgOperand(0), value, b.getInt32(translated(*call, 3, Scopes, Device)),
                                b.getInt32(translated(*call, 2, Semantics, SequentiallyConsistent))});
      made->setCallingConv(llvm::CallingConv::SPIR_FUNC);
      call->replaceAllUsesWith(made);
      call->eraseFromParent();
    }
  }
}

spirv::Words withHalfAdditions(const spirv::Words &words) {
  constexpr uint32_t OpName = 5, OpExtension = 10, OpCapability = 17, OpFunction = 54, OpFunctionEnd = 56,
                     OpFunctionCall = 57, OpDecorate = 71, OpAtomicFAddEXT = 6035, AtomicFloat16AddEXT = 6095,
                     LinkageAttributes = 41;
  constexpr std::string_view Extension = "SPV_EXT_shader_atomic_float16_add";
  std::unordered_set<uint32_t> functions;
  spirv::each(words, [&](spirv::Instruction ins) {
    if (spirv::opcode(ins) == OpDecorate && ins.size() > 3 && ins[2] == LinkageAttributes &&
        spirv::text(ins, 3).starts_with(AddFunction))
      functions.insert(ins[1]);
  });
  if (functions.empty())
    return words;
  spirv::Words made(words.begin(), words.begin() + spirv::HeaderWords);
  bool inCapabilities = true, inDeclaration = false;
  spirv::each(words, [&](spirv::Instruction ins) {
    const uint32_t opcode = spirv::opcode(ins);
    if (inCapabilities && opcode != OpCapability) {
      inCapabilities = false;
      made.insert(made.end(), {spirv::head(OpCapability, 2), AtomicFloat16AddEXT,
                               spirv::head(OpExtension, 1 + Extension.size() / 4 + 1)});
      spirv::append(made, Extension);
    }
    inDeclaration |= opcode == OpFunction && functions.count(ins[2]);
    if (inDeclaration || ((opcode == OpName || opcode == OpDecorate) && functions.count(ins[1])))
      inDeclaration &= opcode != OpFunctionEnd;
    // Operands: pointer, value, scope, semantics. A program's own function of this name may have others.
    else if (opcode == OpFunctionCall && ins.size() == 8 && functions.count(ins[3]))
      made.insert(made.end(), {spirv::head(OpAtomicFAddEXT, 7), ins[1], ins[2], ins[4], ins[6], ins[7], ins[5]});
    else
      spirv::append(made, ins);
  });
  return made;
}

} // namespace kiln::frontend
