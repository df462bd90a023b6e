// Loads of vectors become shuffles of what was stored before, if stores of at most two values cover all their lanes.
#include "backends/cpu/codegen/ForwardStores.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

namespace kiln {
namespace {

struct ForwardStores : testing::Test {
  /// Runs the pass on a function of two vectors of four numbers and two pointers, with this body.
  std::string forwarded(const std::string &body) {
    llvm::SMDiagnostic error;
    const std::string text =
        "declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)\n"
        "declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, <4 x i1>)\n"
        "define <4 x i32> @f(<4 x i32> %a, <4 x i32> %b, ptr noalias %p, ptr %q, ptr %r, <4 x i1> %some) {\n" +
        body + "  ret <4 x i32> %v\n}\n";
    llvm::LLVMContext context;
    const auto module = llvm::parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str() << text;
    if (!module)
      return "";
    llvm::PassBuilder builder;
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager callGraph;
    llvm::ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(callGraph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, callGraph, modules);
    llvm::Function &function = *module->getFunction("f");
    ForwardStoresPass().run(function, functions);
    EXPECT_FALSE(llvm::verifyFunction(function, &llvm::errs()));
    std::string result;
    llvm::raw_string_ostream stream(result);
    function.print(stream);
    return result;
  }
  bool isForwarded(const std::string &body) { return forwarded(body).find("load") == std::string::npos; }
};

const std::string Both = "  store <4 x i32> %a, ptr %p\n"
                         "  %p16 = getelementptr i8, ptr %p, i64 16\n"
                         "  store <4 x i32> %b, ptr %p16\n";
const std::string LoadAt12 = "  %p12 = getelementptr i8, ptr %p, i64 12\n"
                             "  %v = load <4 x i32>, ptr %p12\n";

TEST_F(ForwardStores, TwoVectors) {
  const std::string got = forwarded(Both + LoadAt12);
  EXPECT_EQ(got.find("load"), std::string::npos) << got;
  EXPECT_NE(got.find("<4 x i32> %b, <4 x i32> <i32 poison, i32 4, i32 5, i32 6>"), std::string::npos) << got;
}

TEST_F(ForwardStores, LaterStoresHideEarlierOnes) {
  const std::string got = forwarded(Both + "  store <4 x i32> %b, ptr %p\n" + LoadAt12);
  EXPECT_EQ(got.find("load"), std::string::npos) << got;
  EXPECT_EQ(got.find("shufflevector <4 x i32> %a"), std::string::npos) << got;
  EXPECT_EQ(got.find("poison, <4 x i32> %a"), std::string::npos) << got;
}

TEST_F(ForwardStores, MaskedLanesAreNotLoaded) {
  const std::string got =
      forwarded("  store <4 x i32> %a, ptr %p\n"
                "  %before = getelementptr i8, ptr %p, i64 -4\n"
                "  %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %before, <4 x i1> <i1 false, i1 true, i1 true, "
                "i1 true>, <4 x i32> zeroinitializer)\n");
  EXPECT_EQ(got.find("call"), std::string::npos) << got;
  EXPECT_NE(got.find("select <4 x i1> <i1 false, i1 true, i1 true, i1 true>"), std::string::npos) << got;
}

TEST_F(ForwardStores, MaskedStoresCoverTheirLanes) {
  const std::string masked =
      "  call void @llvm.masked.store.v4i32.p0(<4 x i32> %b, ptr %p, <4 x i1> <i1 true, i1 false, i1 "
      "true, i1 false>)\n";
  EXPECT_TRUE(isForwarded("  store <4 x i32> %a, ptr %p\n" + masked + "  %v = load <4 x i32>, ptr %p\n"));
  EXPECT_FALSE(isForwarded(masked + "  %v = load <4 x i32>, ptr %p\n"));
}

TEST_F(ForwardStores, NumbersAndShorterVectors) {
  EXPECT_TRUE(isForwarded("  store i32 7, ptr %p\n"
                          "  %p4 = getelementptr i8, ptr %p, i64 4\n"
                          "  store <4 x i32> %a, ptr %p4\n"
                          "  %v = load <4 x i32>, ptr %p\n"));
  EXPECT_TRUE(isForwarded("  %low = shufflevector <4 x i32> %a, <4 x i32> poison, <2 x i32> <i32 0, i32 1>\n"
                          "  store <2 x i32> %low, ptr %p\n"
                          "  %p8 = getelementptr i8, ptr %p, i64 8\n"
                          "  store <4 x i32> %b, ptr %p8\n"
                          "  %v = load <4 x i32>, ptr %p\n"));
}

TEST_F(ForwardStores, LongerVectors) {
  const std::string got =
      forwarded("  %all = shufflevector <4 x i32> %a, <4 x i32> %b, <8 x i32> <i32 7, i32 6, i32 5, i32 4, "
                "i32 3, i32 2, i32 1, i32 0>\n"
                "  store <8 x i32> %all, ptr %p\n" +
                LoadAt12);
  EXPECT_EQ(got.find("load"), std::string::npos) << got;
  EXPECT_NE(got.find("<8 x i32> %all, <8 x i32> poison, <4 x i32> <i32 3, i32 4, i32 5, i32 6>"), std::string::npos)
      << got;
}

TEST_F(ForwardStores, StoresInTheOnlyBlockBefore) {
  EXPECT_TRUE(isForwarded(Both + "  br label %next\nnext:\n" + LoadAt12));
  EXPECT_FALSE(isForwarded(
      Both + "  br label %next\nnext:\n  %n = phi i32 [0, %0], [%m, %next]\n" + LoadAt12 +
      "  %m = add i32 %n, 1\n  %more = icmp ult i32 %m, 9\n  br i1 %more, label %next, label %end\nend:\n"));
}

TEST_F(ForwardStores, WhatRemainsALoad) {
  EXPECT_FALSE(isForwarded("  store <4 x i32> %a, ptr %p\n" + LoadAt12)) << "lanes that no store covers";
  EXPECT_FALSE(isForwarded(Both + "  %p14 = getelementptr i8, ptr %p, i64 14\n  %v = load <4 x i32>, ptr %p14\n"))
      << "parts of lanes";
  EXPECT_FALSE(isForwarded(Both + "  %p13 = getelementptr i8, ptr %p, i64 13\n  store i8 1, ptr %p13\n" + LoadAt12))
      << "a store to a part of a lane";
  EXPECT_FALSE(isForwarded(Both + "  call void @llvm.masked.store.v4i32.p0(<4 x i32> %a, ptr %p16, <4 x i1> %some)\n" +
                           LoadAt12))
      << "a mask that is not known";
  EXPECT_FALSE(isForwarded(Both + "  %p20 = getelementptr i8, ptr %p, i64 20\n  store i32 1, ptr %p20\n" + LoadAt12))
      << "three values";
  EXPECT_FALSE(
      isForwarded(Both + "  %p12 = getelementptr i8, ptr %p, i64 12\n  %v = load volatile <4 x i32>, ptr %p12\n"));
  EXPECT_FALSE(isForwarded("  %q16 = getelementptr i8, ptr %q, i64 16\n  store <4 x i32> %a, ptr %q\n"
                           "  store <4 x i32> %b, ptr %q16\n  store i32 1, ptr %r\n"
                           "  %q12 = getelementptr i8, ptr %q, i64 12\n  %v = load <4 x i32>, ptr %q12\n"))
      << "another pointer that may be the same";
  EXPECT_FALSE(isForwarded(Both + "  fence seq_cst\n" + LoadAt12));
}

TEST_F(ForwardStores, OtherPointersDoNotMatter) {
  EXPECT_TRUE(isForwarded(Both + "  store i32 1, ptr %r\n" + LoadAt12));
}

} // namespace
} // namespace kiln
