// Blocks of thousands of instructions become several, and stack variables stay in the entry block.
#include "backends/cpu/codegen/SplitLongBlocks.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Verifier.h"
#include <gtest/gtest.h>

namespace kiln {
namespace {

struct SplitLongBlocks : testing::Test {
  /// A function with one block: `before` additions, a stack variable, and `after` additions of what it contains.
  llvm::Function &make(unsigned before, unsigned after) {
    llvm::IRBuilder<> b(context);
    auto *type = llvm::FunctionType::get(b.getInt32Ty(), {b.getInt32Ty()}, false);
    auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module);
    b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
    llvm::Value *sum = function->getArg(0);
    auto add = [&](unsigned count) {
      for (unsigned n = 0; n < count; ++n)
        sum = b.CreateAdd(sum, function->getArg(0));
    };
    add(before);
    llvm::Value *variable = b.CreateAlloca(b.getInt32Ty());
    b.CreateStore(sum, variable);
    sum = b.CreateLoad(b.getInt32Ty(), variable);
    add(after);
    b.CreateRet(sum);
    return *function;
  }

  llvm::LLVMContext context;
  llvm::Module module{"test", context};
};

TEST_F(SplitLongBlocks, LongBlocksOfLargeFunctions) {
  llvm::Function &function = make(0, 20000);
  EXPECT_TRUE(hasLongBlock(module));
  splitLongBlocks(module);
  EXPECT_FALSE(hasLongBlock(module));
  EXPECT_FALSE(llvm::verifyFunction(function, &llvm::errs()));
  EXPECT_GE(function.size(), 5u);
  size_t instructions = 0;
  for (const llvm::BasicBlock &block : function) {
    EXPECT_LE(block.size(), 4001u); // its branch is not one of the function's
    instructions += block.size();
  }
  EXPECT_EQ(instructions, 20004 + function.size() - 1);
}

TEST_F(SplitLongBlocks, StackVariablesStayInTheEntryBlock) {
  llvm::Function &function = make(9000, 9000);
  splitLongBlocks(module);
  EXPECT_GT(function.size(), 1u);
  for (const llvm::BasicBlock &block : function)
    for (const llvm::Instruction &instruction : block)
      if (llvm::isa<llvm::AllocaInst>(instruction))
        EXPECT_TRUE(block.isEntryBlock());
  EXPECT_FALSE(llvm::verifyFunction(function, &llvm::errs()));
}

TEST_F(SplitLongBlocks, OtherFunctionsStay) {
  const llvm::Function &function = make(0, 9000); // not large
  EXPECT_FALSE(hasLongBlock(module));
  splitLongBlocks(module);
  EXPECT_EQ(function.size(), 1u);
}

} // namespace
} // namespace kiln
