// PTX to machine code as kilnc does it, by the fake assembler.
#include "backends/kilnc/compiler/Compile.h"
#include "tests/backends/cuda/FakeMachineCode.h"
#include <cstdlib>
#include <gtest/gtest.h>

namespace kiln {
namespace {

constexpr std::string_view Ptx = ".version 8.1\n.target sm_90\n.visible .entry k()\n{\n\tret;\n}\n";

protocol::BuildRequest requestOf(std::string_view code) {
  protocol::BuildRequest request;
  request.task = protocol::Task::Assemble;
  request.modules.emplace_back(code.begin(), code.end());
  request.target = "nvptx:sm_90";
  request.assembler = {KILN_FAKE_PTX_COMPILER, 12, 8};
  return request;
}

protocol::BuildReply assemble(const protocol::BuildRequest &request) {
  CompileInput input;
  input.request = request;
  return compile(input);
}

std::string codeOf(const protocol::BuildReply &reply) { return {reply.code.begin(), reply.code.end()}; }

} // namespace

TEST(AssemblePtx, CodeAndMessages) {
  const protocol::BuildReply reply = assemble(requestOf(Ptx));
  EXPECT_TRUE(reply.ok && reply.hasAssembler) << reply.log;
  EXPECT_EQ(codeOf(reply), std::string(fake::MachineCode) + std::string(Ptx) + "\n// --gpu-name=sm_90\n");
  EXPECT_EQ(reply.log, "ptxas info    : assembled by the fake\n");
}

TEST(AssemblePtx, Options) {
  protocol::BuildRequest request = requestOf(std::string(Ptx) + "\t.loc\t1 7 0\n");
  request.forLargestGroups = true;
  request.target = "nvptx:sm_80";
  EXPECT_TRUE(
      codeOf(assemble(request)).ends_with("\n// --gpu-name=sm_80\n// --generate-line-info\n// --maxrregcount=64\n"));
}

TEST(AssemblePtx, RejectedCode) {
  const protocol::BuildReply reply = assemble(requestOf("this is not PTX"));
  EXPECT_FALSE(reply.ok);
  EXPECT_TRUE(reply.hasAssembler);
  EXPECT_TRUE(reply.code.empty());
  EXPECT_EQ(reply.log, "ptxas application ptx input, line 1; fatal   : the fake rejects it\n"
                       "error: NVIDIA's assembler rejects the code\n");
}

// A failure inside of the library is the code's if the library assembles other code.
TEST(AssemblePtx, FailureInside) {
  const std::string code = std::string(Ptx) + ".visible .entry fail_inside()\n{\n\tret;\n}\n";
  protocol::BuildReply reply = assemble(requestOf(code));
  EXPECT_TRUE(!reply.ok && reply.hasAssembler);
  EXPECT_NE(reply.log.find("error: NVIDIA's assembler rejects the code: error 4\n"), std::string::npos) << reply.log;
  setenv("KILN_FAKE_ASSEMBLER", "12 8 broken", 1);
  reply = assemble(requestOf(Ptx));
  EXPECT_FALSE(reply.ok || reply.hasAssembler);
  EXPECT_NE(reply.log.find("cannot be used: " KILN_FAKE_PTX_COMPILER " fails: error 4\n"), std::string::npos)
      << reply.log;
  unsetenv("KILN_FAKE_ASSEMBLER");
}

TEST(AssemblePtx, LibrariesThatCannotBeUsed) {
  protocol::BuildRequest request = requestOf(Ptx);
  auto expectUnusable = [&](const std::string &reason) {
    const protocol::BuildReply reply = assemble(request);
    EXPECT_FALSE(reply.ok || reply.hasAssembler);
    EXPECT_TRUE(reply.code.empty());
    EXPECT_NE(reply.log.find(reason), std::string::npos) << reply.log;
  };
  request.assembler.minor = 7;
  expectUnusable("has version 12.8, must be 12.7");
  request.assembler = {"", 12, 8};
  expectUnusable("no library is given");
  request.assembler.path = "/nowhere/libnvidia-ptxjitcompiler.so.1";
  expectUnusable("cannot open shared object file");
  request.assembler.path = "libm.so.6";
  expectUnusable("libm.so.6 has no nvPTXCompilerGetVersion");
  request.assembler = {KILN_FAKE_PTX_COMPILER};
  EXPECT_TRUE(assemble(request).ok) << "any version";
}

TEST(AssemblePtx, TargetWithoutAssembler) {
  protocol::BuildRequest request = requestOf(Ptx);
  request.target = "cpu";
  EXPECT_NE(assemble(request).log.find("the target's code is machine code"), std::string::npos);
  request.target = "nvptx:sm_90";
  request.modules.clear();
  EXPECT_NE(assemble(request).log.find("the request has 0 modules, must be 1"), std::string::npos);
}

} // namespace kiln
