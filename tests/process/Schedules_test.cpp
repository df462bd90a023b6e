// Schedules of the user: pass pipelines of single kernels in the folder of KILN_SCHEDULES. The pass `misbehave` turns
// 41 into 42 in kernels whose names start with off_by_one, so a result shows which passes compiled a kernel
// (Schedules.h, ScheduledKernel.h). The names of files with a hash check KernelHash.h.
#include "tests/process/ProcessTest.h"
#include <filesystem>
#include <fstream>
#include <numeric>
#include <unistd.h>

namespace kiln::test {
namespace {

constexpr const char *Sources = R"(
kernel void off_by_one(global int *p) { p[get_global_id(0)] = 41; }
kernel void off_by_one_too(global int *p) { p[get_global_id(0)] = 41 + get_global_id(0); }
)";
/// A schedule in the transform dialect (kilnc/compiler/TransformSchedule), with `middle` between Kiln's passes and the
/// lowering of `last`.
std::string transform(const std::string &middle, const std::string &last = "%vectors") {
  return R"(module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%program: !transform.any_op {transform.consumed}) {
    %marked = transform.apply_registered_pass "misbehave" to %program : (!transform.any_op) -> !transform.any_op
    %ocl = transform.apply_registered_pass "kiln-common" to %marked : (!transform.any_op) -> !transform.any_op
    %wg = transform.apply_registered_pass "kiln-group" to %ocl : (!transform.any_op) -> !transform.any_op
)" + middle +
         R"(
    %graph = transform.apply_registered_pass "convert-scf-to-cf" to )" +
         last + R"( : (!transform.any_op) -> !transform.any_op
    %groups = transform.apply_registered_pass "wg-lower-parallel" to %graph
        : (!transform.any_op) -> !transform.any_op
    %lowered = transform.apply_registered_pass "ocl-to-llvm" to %groups : (!transform.any_op) -> !transform.any_op
    %llvm = transform.apply_registered_pass "convert-to-llvm" to %lowered : (!transform.any_op) -> !transform.any_op
    %end = transform.apply_registered_pass "reconcile-unrealized-casts" to %llvm
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
)";
}
const std::string Vectors = R"(    %vectors = transform.apply_registered_pass "wg-vectorize"
        with options = {"machine-width" = 8} to %wg : (!transform.any_op) -> !transform.any_op)";
/// Unrolls the loops of the vector code.
std::string unrolling(uint64_t factor) {
  const std::string middle = Vectors + R"(
    %counted = transform.apply_registered_pass "wg-count-loops" to %vectors : (!transform.any_op) -> !transform.any_op
    %loops = transform.structured.match ops{["scf.for"]} in %counted : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %loops {factor = )" +
                             std::to_string(factor) + "} : !transform.any_op";
  return transform(middle, "%counted");
}
const std::string Marked = "builtin.module(misbehave,kiln-common,kiln-group,kiln-cpu)";

struct Schedules : ProcessTest {
  void SetUp() override {
    ProcessTest::SetUp();
    schedules = folder + "/schedules";
    std::filesystem::create_directories(schedules);
  }
  void write(const std::string &name, const std::string &text) { std::ofstream(schedules + "/" + name) << text; }
  void run(const std::function<void(App &)> &situation, const std::string &where = {}, Environment more = {}) {
    more.push_back({"KILN_PASS_PLUGINS", KILN_MISBEHAVE});
    more.push_back({"KILN_SCHEDULES", where.empty() ? schedules : where});
    inNewProcess(
        [&] {
          App app;
          situation(app);
        },
        more);
  }
  void expectError(const std::string &words, const std::string &where = {}) {
    run(
        [&](App &app) {
          Program program = app.source(Sources);
          EXPECT_EQ(app.build(program), CL_BUILD_PROGRAM_FAILURE);
          EXPECT_NE(app.log(program).find(words), std::string::npos) << app.log(program);
          cl_int code = 1;
          EXPECT_EQ(clCreateKernel(program, "off_by_one", &code), nullptr);
          EXPECT_EQ(code, CL_INVALID_PROGRAM_EXECUTABLE);
        },
        where);
  }
  /// The hash of a kernel, from the build log of a program.
  std::string hashOf(const std::string &kernel, const char *source = Sources) {
    const std::string file = folder + "/hash";
    run([&](App &app) {
      Program program = app.source(source);
      EXPECT_EQ(app.build(program), CL_SUCCESS);
      const std::string log = app.log(program), words = "note: kernel " + kernel + " has the hash ";
      const size_t at = log.find(words);
      ASSERT_NE(at, std::string::npos) << log;
      std::ofstream(file) << log.substr(at + words.size(), 16);
    });
    std::string hash;
    std::ifstream(file) >> hash;
    return hash;
  }

  std::string schedules;
};

TEST_F(Schedules, OneKernelByName) {
  write("off_by_one.cpu.pipeline", "# comment\n" + Marked.substr(0, 25) + "\n" + Marked.substr(25) + "\n");
  write("off_by_one_too.nvptx.pipeline", "nonsense"); // of another target
  run([&](App &app) {
    Program program = app.source(Sources);
    EXPECT_EQ(app.build(program), CL_SUCCESS);
    EXPECT_NE(app.log(program).find("and the schedule " + schedules + "/off_by_one.cpu.pipeline\n"), std::string::npos)
        << app.log(program);
    EXPECT_NE(app.log(program).find("and no schedule\n"), std::string::npos);
    EXPECT_EQ(app.run(program, 64, "off_by_one"), std::vector<int>(64, 42));
    EXPECT_EQ(app.run(program, 2, "off_by_one_too"), (std::vector<int>{41, 42}));
  });
}

TEST_F(Schedules, OneKernelByHash) {
  const std::string hash = hashOf("off_by_one_too");
  ASSERT_EQ(hash.size(), 16u);
  EXPECT_NE(hash, hashOf("off_by_one"));
  write(hash + ".cpu.pipeline", Marked);
  write("off_by_one_too.cpu.pipeline", "nonsense"); // the hash is preferred
  run([&](App &app) {
    Program program = app.source(Sources);
    EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
    EXPECT_EQ(app.run(program, 2, "off_by_one_too"), (std::vector<int>{42, 43}));
    EXPECT_EQ(app.run(program, 1, "off_by_one"), (std::vector<int>{41}));
  });
}

TEST_F(Schedules, TheHashIsThatOfTheKernelsCode) {
  const std::string hash = hashOf("k", "kernel void k(global int *p) { p[get_global_id(0)] = 1; }");
  EXPECT_EQ(hash, hashOf("k", "kernel void other(global int *q) { *q = 2; }\n"
                              "kernel void k(global int *p) {\n  /* a comment */ p[get_global_id(0)] = 1;\n}"));
  EXPECT_NE(hash, hashOf("k", "kernel void k(global int *p) { p[get_global_id(0)] = 2; }"));
  EXPECT_NE(hash, hashOf("k", "void set(global int *p, int n) { p[get_global_id(0)] = n; }\n"
                              "kernel void k(global int *p) { set(p, 1); }"));
}

TEST_F(Schedules, AChangeNeedsNoRebuild) {
  auto expect = [&](int number) {
    run([&](App &app) {
      Program program = app.source(Sources);
      EXPECT_EQ(app.build(program), CL_SUCCESS);
      EXPECT_EQ(app.run(program, 1, "off_by_one"), (std::vector<int>{number}));
    });
  };
  expect(41);
  write("off_by_one.cpu.pipeline", Marked);
  expect(42); // code of the cache is not used for another schedule
  write("off_by_one.cpu.pipeline", "builtin.module(kiln-common,kiln-group,kiln-cpu)");
  expect(41);
}

// A schedule is compiled for each local size in use where Kiln's own passes are.
TEST_F(Schedules, VariantsForLocalSizes) {
  const std::string sized =
      "builtin.module(misbehave,kiln-common,kiln-group,wg-merge-regions,"
      "wg-vectorize{machine-width=8},convert-scf-to-cf,wg-lower-parallel,ocl-to-llvm,convert-to-llvm,"
      "reconcile-unrealized-casts)";
  const char *source = R"(
kernel void off_by_one(global int *p) {
  local int t[32];
  int l = get_local_id(0);
  t[l] = 41;
  barrier(CLK_LOCAL_MEM_FENCE);
  p[get_global_id(0)] = t[31 - l] + get_local_size(0);
})";
  for (const auto &[ending, text] :
       {std::pair("pipeline", Marked), std::pair("pipeline", sized), std::pair("mlir", transform(Vectors))}) {
    std::filesystem::remove(schedules + "/off_by_one.cpu.pipeline");
    write(std::string("off_by_one.cpu.") + ending, text);
    run([&](App &app) {
      Program program = app.source(source);
      ASSERT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
      cl_int code = CL_SUCCESS;
      Kernel kernel{clCreateKernel(program, "off_by_one", &code)};
      Mem buffer{clCreateBuffer(app.context, CL_MEM_READ_WRITE, 64 * sizeof(int), nullptr, &code)};
      cl_mem memory = buffer;
      ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
      const size_t global = 64, local = 32;
      for (int launch = 0; launch < 50; ++launch) {
        std::vector<int> values(64);
        ASSERT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
                  CL_SUCCESS);
        ASSERT_EQ(
            clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, 0, 64 * sizeof(int), values.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
        ASSERT_EQ(values, std::vector<int>(64, 42 + 32)) << launch;
        usleep(10000); // a variant is compiled in the background
      }
    });
  }
}

TEST_F(Schedules, AWrongPipelineFailsTheBuild) {
  write("off_by_one.cpu.pipeline", "builtin.module(no-such-pass)");
  expectError("error: schedule " + schedules +
              "/off_by_one.cpu.pipeline of kernel off_by_one: error: pass pipeline "
              "'builtin.module(no-such-pass)': ");
}
TEST_F(Schedules, APipelineThatStopsEarlyFailsTheBuild) {
  write("off_by_one.cpu.pipeline", "builtin.module(kiln-common)");
  expectError("/off_by_one.cpu.pipeline of kernel off_by_one: ");
}
TEST_F(Schedules, AFileWithoutATargetFailsTheBuild) {
  write("off_by_one.pipeline", Marked);
  expectError("/off_by_one.pipeline: the name must be KERNEL.TARGET.pipeline or HASH.TARGET.pipeline");
}
TEST_F(Schedules, AFileWithAnotherEndingFailsTheBuild) {
  write("off_by_one.cpu.pipline", Marked);
  expectError("/off_by_one.cpu.pipline: the name must be KERNEL.TARGET.pipeline");
}
TEST_F(Schedules, AnEmptyFileFailsTheBuild) {
  write("off_by_one.cpu.pipeline", "# nothing\n\n");
  expectError("/off_by_one.cpu.pipeline: the file has no pipeline");
}
TEST_F(Schedules, ABuildOptionNamesTheFolderOfOneProgram) {
  write("off_by_one.cpu.pipeline", Marked);
  const std::string option = "-kiln-schedules=\"" + schedules + "\"";
  inNewProcess(
      [&] {
        App app;
        Program plain = app.source(Sources), scheduled = app.source(Sources);
        EXPECT_EQ(app.build(plain), CL_SUCCESS);
        EXPECT_EQ(app.build(scheduled, option.c_str()), CL_SUCCESS) << app.log(scheduled);
        EXPECT_EQ(app.run(plain, 64, "off_by_one"), std::vector<int>(64, 41));
        EXPECT_EQ(app.run(scheduled, 64, "off_by_one"), std::vector<int>(64, 42));
        EXPECT_NE(app.log(scheduled).find("and the schedule " + schedules), std::string::npos) << app.log(scheduled);
        Program missing = app.source(Sources);
        EXPECT_EQ(app.build(missing, "-kiln-schedules=/none/here"), CL_BUILD_PROGRAM_FAILURE);
        EXPECT_NE(app.log(missing).find("error: folder of schedules /none/here: "), std::string::npos)
            << app.log(missing);
      },
      {{"KILN_PASS_PLUGINS", KILN_MISBEHAVE}});
}
TEST_F(Schedules, AMissingFolderFailsTheBuild) {
  expectError("error: folder of schedules /none/here: No such file or directory", "/none/here");
}

// ---- the transform dialect
// -------------------------------------------------------------------------------------------

/// A loop that vector code keeps.
constexpr const char *Summing = R"(
kernel void off_by_one(global int *p) {
  int sum = 0, count = p[64];
  for (int i = 0; i < count; ++i)
    sum += p[65 + i] + get_global_id(0);
  p[get_global_id(0)] = sum + 41;
})";
/// 41 + the sum of 9 numbers and the id.
std::vector<int> sums(App &app, Program &program) {
  std::vector<int> values(65 + 9);
  values[64] = 9;
  std::iota(values.begin() + 65, values.end(), 100);
  cl_int code = CL_SUCCESS;
  Kernel kernel{clCreateKernel(program, "off_by_one", &code)};
  const size_t bytes = values.size() * sizeof(int), global = 64, local = 32;
  Mem buffer{clCreateBuffer(app.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, values.data(), &code)};
  cl_mem memory = buffer;
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
  EXPECT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, 0, bytes, values.data(), 0, nullptr, nullptr), CL_SUCCESS);
  values.resize(64);
  return values;
}

TEST_F(Schedules, ATransformUnrollsALoop) {
  std::vector<int> expected(64);
  for (int i = 0; i < 64; ++i)
    expected[size_t(i)] = 42 + 9 * i + 9 * 100 + 36;
  for (uint64_t factor : {1, 4, 16}) {
    write("off_by_one.cpu.mlir", unrolling(factor));
    run([&](App &app) {
      Program program = app.source(Summing);
      ASSERT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
      EXPECT_EQ(sums(app, program), expected) << factor;
    });
  }
}

TEST_F(Schedules, ATransformOfOneKernelByHash) {
  const std::string hash = hashOf("off_by_one_too");
  write(hash + ".cpu.mlir", transform(Vectors));
  write("off_by_one_too.cpu.pipeline", "nonsense"); // the hash is preferred
  run([&](App &app) {
    Program program = app.source(Sources);
    EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
    EXPECT_NE(app.log(program).find("and the schedule " + schedules + "/" + hash + ".cpu.mlir\n"), std::string::npos);
    EXPECT_EQ(app.run(program, 2, "off_by_one_too"), (std::vector<int>{42, 43}));
    EXPECT_EQ(app.run(program, 1, "off_by_one"), (std::vector<int>{41}));
  });
}

TEST_F(Schedules, AWrongTransformNamesItsLine) {
  const std::string start = "error: schedule " + schedules + "/off_by_one.cpu.mlir of kernel off_by_one: " + schedules +
                            "/off_by_one.cpu.mlir:";
  write("off_by_one.cpu.mlir", transform("    %0 = transform.no_such_op %wg\n"));
  expectError(start + "6:10: error: custom op 'transform.no_such_op' is unknown");
  write("off_by_one.cpu.mlir", transform("    %vectors = transform.apply_registered_pass \"no-such-pass\" to %wg : "
                                         "(!transform.any_op) -> !transform.any_op\n"));
  expectError(start + "6:16: error: unknown pass or pass pipeline: no-such-pass");
  write("off_by_one.cpu.mlir", R"(module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%program: !transform.any_op {transform.readonly}) {
    transform.yield
  }
})");
  expectError(start + "3:5: error: function 'off_by_one");
  write("off_by_one.cpu.mlir", R"(module attributes {transform.with_named_sequence} {
  transform.named_sequence @another(%program: !transform.any_op {transform.readonly}) {
    transform.yield
  }
})");
  expectError(start + "1:1: error: the file has no transform.named_sequence @__transform_main with a body");
  write("off_by_one.cpu.mlir", R"(module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main() {
    transform.yield
  }
})");
  expectError(start + "2:3: error: @__transform_main has 0 arguments, must have one: the program");
}

TEST_F(Schedules, AFileOfTheOtherKindFailsTheBuild) {
  write("off_by_one.cpu.mlir", Marked);
  expectError("/off_by_one.cpu.mlir: the file has no transform.named_sequence");
  std::filesystem::remove(schedules + "/off_by_one.cpu.mlir");
  write("off_by_one.cpu.pipeline", transform(Vectors));
  expectError("/off_by_one.cpu.pipeline: the file has no pipeline");
}

TEST_F(Schedules, TwoSchedulesOfAKernelFailTheBuild) {
  write("off_by_one.cpu.mlir", transform(Vectors));
  write("off_by_one.cpu.pipeline", Marked);
  expectError(" is for the same kernel and target");
}

// The compiler's process ends, and the application goes on: with the schedule mended, its next build succeeds.
TEST_F(Schedules, AHostileTransformEndsOnlyItsBuild) {
  write("off_by_one.cpu.mlir", unrolling(1000000000));
  run(
      [&](App &app) {
        Program program = app.source(Summing);
        EXPECT_EQ(app.build(program), CL_BUILD_PROGRAM_FAILURE);
        EXPECT_NE(app.log(program).find("/off_by_one.cpu.mlir of kernel off_by_one: "), std::string::npos)
            << app.log(program);
        write("off_by_one.cpu.mlir", unrolling(2));
        EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
        EXPECT_EQ(sums(app, program)[0], 42 + 9 * 100 + 36);
      },
      {}, {{"KILN_BUILD_SECONDS", "20"}, {"KILN_BUILD_MEMORY", "600M"}});
}

// ---- the rest of the program
// -----------------------------------------------------------------------------------------

// Program variables keep their places: the schedule's kernel and the others share them.
TEST_F(Schedules, ProgramVariablesAreShared) {
  write("off_by_one.cpu.pipeline", Marked);
  run([](App &app) {
    Program program = app.source("global int first = 7, shared_one = 1;\n"
                                 "kernel void set(global int *p) { first = 8; shared_one = 5; p[0] = first; }\n"
                                 "kernel void off_by_one(global int *p) { p[0] = shared_one + 41; }\n");
    ASSERT_EQ(app.build(program, "-cl-std=CL3.0"), CL_SUCCESS) << app.log(program);
    EXPECT_EQ(app.run(program, 1, "set"), (std::vector<int>{8}));
    EXPECT_EQ(app.run(program, 1, "off_by_one"), (std::vector<int>{47}));
  });
}

// printf's formats have numbers in the program. A kernel that is compiled alone would number them anew.
TEST_F(Schedules, OtherFormatsOfPrintfFailTheBuild) {
  write("off_by_one.cpu.pipeline", Marked);
  run([&](App &app) {
    Program program = app.source("kernel void other(global int *p) { printf(\"other\"); }\n"
                                 "kernel void off_by_one(global int *p) { printf(\"%d\", p[0]); }\n");
    EXPECT_EQ(app.build(program), CL_BUILD_PROGRAM_FAILURE);
    EXPECT_NE(app.log(program).find("the formats of printf differ from those of the program"), std::string::npos)
        << app.log(program);
  });
}

// The cross-check compares a schedule with Kiln's own passes.
TEST_F(Schedules, TheCrossCheckNamesASchedule) {
  write("off_by_one.cpu.pipeline", Marked);
  inNewProcessWithErrors(
      [&] {
        App app;
        Program program = app.source(Sources);
        EXPECT_EQ(app.build(program), CL_SUCCESS);
        (void)app.run(program, 1, "off_by_one");
      },
      {{"KILN_PASS_PLUGINS", KILN_MISBEHAVE}, {"KILN_SCHEDULES", schedules}, {"KILN_CROSSCHECK", "1"}});
  EXPECT_NE(errors.find("variant schedule, by " + schedules + "/off_by_one.cpu.pipeline: argument 0"),
            std::string::npos)
      << errors;
}

// A captured launch is repeated with its schedule.
TEST_F(Schedules, ACaptureKeepsTheSchedule) {
  for (const bool isTransform : {false, true}) {
    std::filesystem::remove(schedules + "/off_by_one.cpu.pipeline");
    write(isTransform ? "off_by_one.cpu.mlir" : "off_by_one.cpu.pipeline", isTransform ? transform(Vectors) : Marked);
    run(
        [&](App &app) {
          Program program = app.source(Sources);
          EXPECT_EQ(app.build(program), CL_SUCCESS);
          EXPECT_EQ(app.run(program, 1, "off_by_one"), (std::vector<int>{42}));
        },
        {}, {{"KILN_CAPTURE", "off_by_one"}, {"KILN_CAPTURE_DIR", folder + (isTransform ? "/transform" : "/bundles")}});
  }
  for (const char *name : {"/bundles", "/transform"})
    for (const auto &bundle : std::filesystem::directory_iterator(folder + name))
      EXPECT_EQ(shell(KILN_REPLAY " --passes " + bundle.path().string()), 0) << printed();
  for (const char *name : {"/bundles", "/transform"})
    EXPECT_FALSE(std::filesystem::is_empty(folder + name));
}

} // namespace
} // namespace kiln::test
