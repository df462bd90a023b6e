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
template <typename Enumerant, size_t N>
uint32_t translated(const llvm::CallInst &call, unsigned operand, const Enumerant (&table)[N], Enumerant standard) {
  auto *value = operand < call.arg_size() ? llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(operand)) : nullptr;
  return uint32_t(value && value->getZExtValue() < N ? table[value->getZExtValue()] : standard);
}

} // namespace

void addHalvesByCalls(llvm::Module &module) {
  // By memory_order and memory_scope of the base header. Functions without them are sequentially consistent among the
  // device's work-items.
  using enum spv::MemorySemantics;
  using enum spv::Scope;
  constexpr spv::MemorySemantics Semantics[] = {Relaxed,
                                                Acquire, // memory_order_consume
                                                Acquire, Release, AcquireRelease, SequentiallyConsistent};
  constexpr spv::Scope Scopes[] = {Invocation, Workgroup, Device, CrossDevice, Subgroup};
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
  constexpr std::string_view Extension = "SPV_EXT_shader_atomic_float16_add";
  std::unordered_set<uint32_t> functions;
  spirv::each(words, [&](spirv::Instruction ins) {
    if (auto name = spirv::linkageName(ins); name && name->starts_with(AddFunction))
      functions.insert(ins[1]);
  });
  if (functions.empty())
    return words;
  spirv::Words made(words.begin(), words.begin() + spirv::HeaderWords);
  bool inCapabilities = true, inDeclaration = false;
  spirv::each(words, [&](spirv::Instruction ins) {
    const spv::Op opcode = spirv::opcode(ins);
    if (inCapabilities && opcode != spv::Op::Capability) {
      inCapabilities = false;
      made.insert(made.end(), {spirv::head(spv::Op::Capability, 2), uint32_t(spv::Capability::AtomicFloat16AddEXT),
                               spirv::head(spv::Op::Extension, 1 + Extension.size() / 4 + 1)});
      spirv::append(made, Extension);
    }
    inDeclaration |= opcode == spv::Op::Function && functions.count(ins[2]);
    if (inDeclaration || ((opcode == spv::Op::Name || opcode == spv::Op::Decorate) && functions.count(ins[1])))
      inDeclaration &= opcode != spv::Op::FunctionEnd;
    // Operands: pointer, value, scope, semantics. A program's own function of this name may have others.
    else if (opcode == spv::Op::FunctionCall && ins.size() == 8 && functions.count(ins[3]))
      made.insert(made.end(), {spirv::head(spv::Op::AtomicFAddEXT, 7), ins[1], ins[2], ins[4], ins[6], ins[7], ins[5]});
    else
      spirv::append(made, ins);
  });
  return made;
}

} // namespace kiln::frontend
