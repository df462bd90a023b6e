#include "backends/cuda/codegen/ReplaceAssembly.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

namespace kiln {
namespace {

/// An instruction whose first operand is the statement's only result.
struct Known {
  llvm::StringRef name;
  llvm::SmallVector<llvm::Value *, 4> sources; // 32-bit integers
};

/// Returns the value of `$1` or of a number; null if it is neither.
llvm::Value *sourceOf(llvm::StringRef text, const llvm::CallInst &call) {
  unsigned number = 0;
  if (text.consume_front("$"))
    return !text.getAsInteger(10, number) && number >= 1 && number <= call.arg_size() ? call.getArgOperand(number - 1)
                                                                                      : nullptr;
  return text.getAsInteger(0, number) ? nullptr
                                      : llvm::ConstantInt::get(llvm::Type::getInt32Ty(call.getContext()), number);
}

/// Returns the statement's instruction; without a name if there are several, or operands of other types.
Known knownOf(const llvm::CallInst &call) {
  auto *assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  if (!assembly || !call.getType()->isIntegerTy(32))
    return {};
  llvm::StringRef text = assembly->getAsmString();
  text = text.trim();
  text.consume_back(";");
  llvm::StringRef name = text.take_until(llvm::isSpace);
  llvm::SmallVector<llvm::StringRef, 5> words;
  text.drop_front(name.size()).split(words, ',');
  if (text.contains(';') || words.front().trim() != "$0")
    return {};
  Known known{name, {}};
  for (llvm::StringRef word : llvm::drop_begin(words)) {
    llvm::Value *source = sourceOf(word.trim(), call);
    if (!source || !source->getType()->isIntegerTy(32))
      return {};
    known.sources.push_back(source);
  }
  return known;
}

/// The function of two bits with this table, of which bit 2 * y + z is the result.
llvm::Value *ofTwo(llvm::IRBuilder<> &b, llvm::Value *y, llvm::Value *z, unsigned table) {
  const unsigned none = table & 1, onlyZ = none ^ (table >> 1 & 1), onlyY = none ^ (table >> 2 & 1);
  const unsigned both = none ^ onlyZ ^ onlyY ^ (table >> 3 & 1);
  llvm::Value *result = b.getInt32(none ? ~0u : 0);
  if (onlyZ)
    result = b.CreateXor(result, z);
  if (onlyY)
    result = b.CreateXor(result, y);
  return both ? b.CreateXor(result, b.CreateAnd(y, z)) : result;
}

llvm::Value *replacementOf(llvm::CallInst &call) {
  const Known known = knownOf(call);
  llvm::IRBuilder<> b(&call);
  if (known.name == "lop3.b32" && known.sources.size() == 4)
    if (auto *table = llvm::dyn_cast<llvm::ConstantInt>(known.sources[3])) {
      const auto bits = unsigned(table->getZExtValue() & 0xff), ifClear = bits & 0xf;
      auto [x, y, z] = std::tuple(known.sources[0], known.sources[1], known.sources[2]);
      return b.CreateXor(ofTwo(b, y, z, ifClear), b.CreateAnd(x, ofTwo(b, y, z, ifClear ^ bits >> 4)));
    }
  const bool isRight = known.name == "shf.r.wrap.b32";
  if ((isRight || known.name == "shf.l.wrap.b32") && known.sources.size() == 3)
    return b.CreateIntrinsic(isRight ? llvm::Intrinsic::fshr : llvm::Intrinsic::fshl, {b.getInt32Ty()},
                             {known.sources[1], known.sources[0], known.sources[2]});
  return nullptr;
}

} // namespace

void replaceAssembly(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(block))
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
          if (llvm::Value *replacement = replacementOf(*call)) {
            call->replaceAllUsesWith(replacement);
            call->eraseFromParent();
          }
}

} // namespace kiln
