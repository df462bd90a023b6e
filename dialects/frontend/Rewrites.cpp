#include "dialects/frontend/Rewrites.h"
#include "base/abi/TrapName.h"
#include "dialects/frontend/Generation.h"
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <unordered_map>

namespace kiln::frontend {
namespace {

// Returns true if the constant uses `used`, directly or through other constants.
bool reaches(const llvm::Constant *constant, const llvm::GlobalVariable *used) {
  if (constant == used)
    return true;
  if (llvm::isa<llvm::GlobalValue>(constant))
    return false;
  return llvm::any_of(constant->operands(), [&](const llvm::Use &use) {
    auto *part = llvm::dyn_cast<llvm::Constant>(use);
    return part && reaches(part, used);
  });
}

// Expands the constant expressions in a function that use `used` to instructions.
void expandUses(llvm::Function &function, llvm::GlobalVariable &used) {
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &ins : llvm::make_early_inc_range(block))
      for (llvm::Use &use : ins.operands())
        if (auto *expression = llvm::dyn_cast<llvm::ConstantExpr>(use); expression && reaches(expression, &used))
          expandOperand(ins, *expression);
}

// Replaces the uses of `from` in a function by `to`, which is at the start of its entry block.
void replaceIn(llvm::Function &function, llvm::GlobalVariable &from, llvm::Instruction &to) {
  expandUses(function, from);
  for (llvm::Use &use : llvm::make_early_inc_range(from.uses()))
    if (auto *ins = llvm::dyn_cast<llvm::Instruction>(use.getUser()); ins && ins->getFunction() == &function)
      use.set(&to);
}

// Returns the mangled name of an atomic compare-and-exchange on float or double with integers in their place; empty for
// other functions.
std::string integerName(llvm::StringRef name) {
  const size_t atomic = name.find("U7_Atomic");
  if (!startsWith(name, "_Z") || !name.contains("atomic_compare_exchange_") || atomic == llvm::StringRef::npos)
    return {};
  const size_t at = atomic + strlen("U7_Atomic");
  const char compared = at < name.size() ? name[at] : 0;
  if (compared != 'f' && compared != 'd')
    return {};
  const char integer = compared == 'f' ? 'i' : 'l';
  std::string made = name.str();
  made[at] = integer; // then the pointer to the expected value, and the desired value: PU3AS4ff
  for (size_t next = at + 1; next < made.size() && made[next] != '1'; ++next)
    if (made[next] == compared)
      made[next] = integer;
  return made;
}

// Returns the type with one element in each empty array.
llvm::Type *withElements(llvm::Type *type) {
  auto *array = llvm::dyn_cast<llvm::ArrayType>(type);
  if (!array)
    return type;
  return llvm::ArrayType::get(withElements(array->getElementType()), std::max<uint64_t>(array->getNumElements(), 1));
}

// Replaces the uses of `from` by `to`, a pointer to the same variable with elements.
void moveUsers(llvm::Value &from, llvm::Value &to) {
  for (llvm::User *user : llvm::make_early_inc_range(from.users())) {
    auto *ins = llvm::dyn_cast<llvm::Instruction>(user);
    if (!ins)
      continue;
    llvm::IRBuilder<> b(ins);
    llvm::Value *made = nullptr;
    if (auto *step = llvm::dyn_cast<llvm::GetElementPtrInst>(ins))
      made = b.CreateGEP(withElements(step->getSourceElementType()), &to,
                         llvm::SmallVector<llvm::Value *>(step->indices()), "", step->isInBounds());
    else if (llvm::isa<llvm::AddrSpaceCastInst>(ins))
      made = b.CreateAddrSpaceCast(&to, inAddressSpace(to.getType(), ins->getType()->getPointerAddressSpace()));
    else if (llvm::isa<llvm::BitCastInst>(ins))
      made = b.CreateBitCast(&to, ins->getType());
    else
      continue;
    moveUsers(*ins, *made);
    if (made->getType() == ins->getType())
      ins->replaceAllUsesWith(made);
    if (ins->use_empty())
      ins->eraseFromParent();
  }
}

} // namespace

void giveEmptyVariablesElements(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &ins : llvm::make_early_inc_range(block))
        if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&ins))
          if (llvm::Type *type = withElements(variable->getAllocatedType()); type != variable->getAllocatedType()) {
            llvm::AllocaInst *made = llvm::IRBuilder<>(variable).CreateAlloca(type, nullptr, variable->getName());
            made->setAlignment(variable->getAlign());
            moveUsers(*variable, *made);
            if (made->getType() == variable->getType()) // an opaque pointer
              variable->replaceAllUsesWith(made);
            if (variable->use_empty())
              variable->eraseFromParent();
          }
  for (llvm::GlobalVariable &variable : llvm::make_early_inc_range(module.globals())) {
    llvm::Type *type = withElements(variable.getValueType());
    if (type == variable.getValueType() || !variable.hasLocalLinkage() || !variable.hasInitializer())
      continue;
    llvm::Constant *value = llvm::isa<llvm::UndefValue>(variable.getInitializer()) ? llvm::UndefValue::get(type)
                                                                                   : llvm::Constant::getNullValue(type);
    auto *made = new llvm::GlobalVariable(module, type, variable.isConstant(), variable.getLinkage(), value, "",
                                          &variable, variable.getThreadLocalMode(), variable.getAddressSpace());
    made->takeName(&variable);
    made->setAlignment(variable.getAlign());
    for (llvm::Function &function : module)
      expandUses(function, variable);
    moveUsers(variable, *made);
    if (made->getType() == variable.getType()) // an opaque pointer
      variable.replaceAllUsesWith(made);
    variable.removeDeadConstantUsers();
    if (variable.use_empty())
      variable.eraseFromParent();
  }
}

void moveLiteralsIntoFunctions(llvm::Module &module) {
  for (llvm::GlobalVariable &literal : llvm::make_early_inc_range(module.globals())) {
    if (literal.getAddressSpace() != 0 || !literal.hasInitializer() || !literal.hasLocalLinkage() ||
        startsWith(literal.getName(), "llvm."))
      continue;
    for (llvm::Function &function : module) {
      if (function.isDeclaration())
        continue;
      auto usesLiteral = [&](llvm::Instruction &ins) {
        return llvm::any_of(ins.operands(), [&](llvm::Use &use) {
          auto *constant = llvm::dyn_cast<llvm::Constant>(use);
          return constant && reaches(constant, &literal);
        });
      };
      if (llvm::none_of(function, [&](llvm::BasicBlock &block) { return llvm::any_of(block, usesLiteral); }))
        continue;
      llvm::IRBuilder<> b(&*function.getEntryBlock().getFirstInsertionPt());
      llvm::AllocaInst *own = b.CreateAlloca(literal.getValueType(), nullptr, literal.getName());
      own->setAlignment(literal.getAlign().valueOrOne());
      replaceIn(function, literal, *own);
      llvm::Instruction *last = own; // in SPIR-V, variables precede other instructions
      for (llvm::Instruction &ins : function.getEntryBlock())
        if (llvm::isa<llvm::AllocaInst>(ins))
          last = &ins;
      b.SetInsertPoint(last->getNextNode());
      b.CreateAlignedStore(literal.getInitializer(), own, literal.getAlign());
    }
    literal.removeDeadConstantUsers();
    if (literal.use_empty())
      literal.eraseFromParent();
  }
}

void exchangeFloatsAsIntegers(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    const std::string name = function.isDeclaration() ? integerName(function.getName()) : std::string();
    if (name.empty() || function.arg_size() < 3)
      continue;
    llvm::SmallVector<llvm::Type *> types(function.getFunctionType()->params().begin(),
                                          function.getFunctionType()->params().end());
    llvm::Type *integer = llvm::Type::getIntNTy(module.getContext(), types[2]->getPrimitiveSizeInBits());
    types[0] = pointerTo(integer, types[0]->getPointerAddressSpace());
    types[1] = pointerTo(integer, types[1]->getPointerAddressSpace());
    types[2] = integer;
    llvm::FunctionCallee callee =
        module.getOrInsertFunction(name, llvm::FunctionType::get(function.getReturnType(), types, false));
    if (auto *made = llvm::dyn_cast<llvm::Function>(callee.getCallee()))
      made->setCallingConv(function.getCallingConv());
    for (llvm::User *user : llvm::make_early_inc_range(function.users())) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(user);
      if (!call || call->getCalledFunction() != &function)
        continue;
      llvm::IRBuilder<> b(call);
      llvm::SmallVector<llvm::Value *> arguments(call->args());
      for (unsigned at : {0u, 1u, 2u})
        arguments[at] = b.CreateBitCast(arguments[at], types[at]);
      llvm::CallInst *made = b.CreateCall(callee, arguments);
      made->setCallingConv(call->getCallingConv());
      call->replaceAllUsesWith(made);
      call->eraseFromParent();
    }
  }
}

// ---- null handles -------------------------------------------------------------------------------------------------

constexpr llvm::StringLiteral NullFunction = "kiln.null."; // followed by the handle's name

void trapsToCalls(llvm::Module &module) {
  llvm::Function *trap = module.getFunction("llvm.trap");
  if (!trap)
    return;
  trap->setName(llvm::StringRef(abi::TrapName.data(), abi::TrapName.size()));
  trap->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  for (llvm::User *user : trap->users())
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(user))
      call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
}

void nullsToCalls(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &ins : llvm::make_early_inc_range(block))
        for (llvm::Use &use : ins.operands()) {
          auto *null = llvm::dyn_cast<llvm::Constant>(use);
          const std::string handle = null && null->isNullValue() ? handleName(*null->getType()) : std::string();
          if (handle != "queue_t" && handle != "clk_event_t")
            continue;
          llvm::FunctionCallee callee = module.getOrInsertFunction((NullFunction + handle).str(),
                                                                   llvm::FunctionType::get(null->getType(), false));
          llvm::cast<llvm::Function>(callee.getCallee())->setCallingConv(llvm::CallingConv::SPIR_FUNC);
          auto *phi = llvm::dyn_cast<llvm::PHINode>(&ins);
          llvm::IRBuilder<> b(phi ? phi->getIncomingBlock(use)->getTerminator() : &ins);
          llvm::CallInst *call = b.CreateCall(callee);
          call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
          use.set(call);
        }
}

spirv::Words withNulls(const spirv::Words &words) {
  std::unordered_map<uint32_t, bool> functions;
  spirv::Words constants;
  spirv::each(words, [&](spirv::Instruction ins) {
    if (auto name = spirv::linkageName(ins); name && name->starts_with(NullFunction))
      functions[ins[1]] = true;
    if (spirv::opcode(ins) == spv::Op::FunctionCall && functions.count(ins[3]))
      constants.insert(constants.end(), {spirv::head(spv::Op::ConstantNull, 3), ins[1], ins[2]});
  });
  if (functions.empty())
    return words;
  spirv::Words made(words.begin(), words.begin() + spirv::HeaderWords);
  bool isFirst = true, inDeclaration = false;
  spirv::each(words, [&](spirv::Instruction ins) {
    const spv::Op opcode = spirv::opcode(ins);
    if (opcode == spv::Op::Function && isFirst) {
      isFirst = false;
      spirv::append(made, constants);
    }
    inDeclaration |= opcode == spv::Op::Function && functions.count(ins[2]);
    if (inDeclaration || ((opcode == spv::Op::Name || opcode == spv::Op::Decorate) && functions.count(ins[1])))
      inDeclaration &= opcode != spv::Op::FunctionEnd;
    else if (opcode != spv::Op::FunctionCall || !functions.count(ins[3]))
      spirv::append(made, ins);
  });
  return made;
}

} // namespace kiln::frontend
