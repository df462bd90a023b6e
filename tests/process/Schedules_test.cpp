// Schedules of the user: pass pipelines of single kernels in the folder of KILN_SCHEDULES. The pass `misbehave` turns
// 41 into 42 in kernels whose names start with off_by_one, so a result shows which passes compiled a kernel
// (Schedules.h, ScheduledKernel.h). The names of files with a hash check KernelHash.h.
#include "tests/process/ProcessTest.h"
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace kiln::test {
namespace {

constexpr const char *Sources = R"(
kernel void off_by_one(global int *p) { p[get_global_id(0)] = 41; }
kernel void off_by_one_too(global int *p) { p[get_global_id(0)] = 41 + get_global_id(0); }
)";
const std::string Marked = "builtin.module(misbehave,kiln-common,kiln-group,kiln-cpu)";

struct Schedules : ProcessTest {
  void SetUp() override {
    ProcessTest::SetUp();
    schedules = folder + "/schedules";
    std::filesystem::create_directories(schedules);
  }
  void write(const std::string &name, const std::string &text) { std::ofstream(schedules + "/" + name) << text; }
  void run(const std::function<void(App &)> &situation, const std::string &where = {}) {
    inNewProcess(
        [&] {
          App app;
          situation(app);
        },
        {{"KILN_PASS_PLUGINS", KILN_MISBEHAVE}, {"KILN_SCHEDULES", where.empty() ? schedules : where}});
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

// A schedule with the local size's name is compiled for each size in use. Without it, no variant replaces the schedule.
TEST_F(Schedules, VariantsForLocalSizes) {
  const std::string sized = "builtin.module(misbehave,kiln-common,kiln-group,wg-merge-regions{local-size=$local_size},"
                            "wg-vectorize{vector-width=8 local-size=$local_size},convert-scf-to-cf,"
                            "wg-lower-parallel{local-size=$local_size},ocl-to-llvm,convert-to-llvm,"
                            "reconcile-unrealized-casts)";
  const char *source = R"(
kernel void off_by_one(global int *p) {
  local int t[32];
  int l = get_local_id(0);
  t[l] = 41;
  barrier(CLK_LOCAL_MEM_FENCE);
  p[get_global_id(0)] = t[31 - l] + get_local_size(0);
})";
  for (const std::string &text : {Marked, sized}) {
    write("off_by_one.cpu.pipeline", text);
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
TEST_F(Schedules, AMissingFolderFailsTheBuild) {
  expectError("error: KILN_SCHEDULES is /none/here: No such file or directory", "/none/here");
}

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
  inNewProcess(
      [&] {
        const int file = open((folder + "/errors").c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);
        dup2(file, STDERR_FILENO);
        App app;
        Program program = app.source(Sources);
        EXPECT_EQ(app.build(program), CL_SUCCESS);
        (void)app.run(program, 1, "off_by_one");
      },
      {{"KILN_PASS_PLUGINS", KILN_MISBEHAVE}, {"KILN_SCHEDULES", schedules}, {"KILN_CROSSCHECK", "1"}});
  std::ifstream file(folder + "/errors");
  const std::string errors{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(errors.find("form schedule, by " + schedules + "/off_by_one.cpu.pipeline: argument 0"), std::string::npos)
      << errors;
}

// A captured launch is repeated with its schedule.
TEST_F(Schedules, ACaptureKeepsTheSchedule) {
  write("off_by_one.cpu.pipeline", Marked);
  inNewProcess(
      [&] {
        App app;
        Program program = app.source(Sources);
        EXPECT_EQ(app.build(program), CL_SUCCESS);
        EXPECT_EQ(app.run(program, 1, "off_by_one"), (std::vector<int>{42}));
      },
      {{"KILN_PASS_PLUGINS", KILN_MISBEHAVE},
       {"KILN_SCHEDULES", schedules},
       {"KILN_CAPTURE", "off_by_one"},
       {"KILN_CAPTURE_DIR", folder + "/bundles"}});
  for (const auto &bundle : std::filesystem::directory_iterator(folder + "/bundles"))
    EXPECT_EQ(shell(KILN_REPLAY " " + bundle.path().string()), 0) << printed();
  EXPECT_FALSE(std::filesystem::is_empty(folder + "/bundles"));
}

} // namespace
} // namespace kiln::test
