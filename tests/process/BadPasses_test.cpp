// A misbehaving user pass fails its build with a message. Parallel builds, on other threads and by the same two
// compiler processes, succeed.
#include "tests/process/ProcessTest.h"
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace kiln::test {
namespace {

struct BadPasses : ProcessTest {
  Environment withPass(const char *seconds, const char *memory) {
    return {{"KILN_PASS_PLUGINS", KILN_MISBEHAVE},
            {"KILN_PIPELINE_CPU", "builtin.module(misbehave,kiln-common,kiln-group,kiln-cpu)"},
            {"KILN_BUILD_SECONDS", seconds},
            {"KILN_BUILD_MEMORY", memory}};
  }
  static void expectFailure(const App &app, const std::string &name, const std::string &words) {
    Program program = app.source("kernel void " + name + "(global int *p) { p[get_global_id(0)] = 1; }");
    EXPECT_EQ(app.build(program), CL_BUILD_PROGRAM_FAILURE) << name;
    EXPECT_EQ(query<cl_build_status>(clGetProgramBuildInfo, program.get(), app.device, CL_PROGRAM_BUILD_STATUS),
              CL_BUILD_ERROR);
    EXPECT_NE(app.log(program).find(words), std::string::npos) << name << ": " << app.log(program);
    cl_int code = 1;
    EXPECT_EQ(clCreateKernel(program, name.c_str(), &code), nullptr);
    EXPECT_EQ(code, CL_INVALID_PROGRAM_EXECUTABLE);
  }
  void expectFailureAndGoOn(const std::string &name, const std::string &words, const char *seconds = "60",
                            const char *memory = "4G") {
    inNewProcess(
        [&] {
          App app;
          expectFailure(app, name, words);
          EXPECT_TRUE(app.works(1));
          expectFailure(app, name, words); // failures are not cached
          EXPECT_TRUE(app.works(2));
        },
        withPass(seconds, memory));
  }
};

TEST_F(BadPasses, CrashFailsItsBuild) { expectFailureAndGoOn("crash", "crashed (SIGSEGV)"); }
TEST_F(BadPasses, AbortFailsItsBuild) { expectFailureAndGoOn("give_up", "crashed (SIGABRT)"); }
TEST_F(BadPasses, EndlessRecursionFailsItsBuild) { expectFailureAndGoOn("recurse", "used up its stack"); }
TEST_F(BadPasses, EndlessLoopFailsItsBuild) { expectFailureAndGoOn("spin", "took longer than", "1"); }
TEST_F(BadPasses, MemoryHogFailsItsBuild) {
  expectFailureAndGoOn("eat_with_new", "ran out of memory (the limit is 512 MiB)", "60", "512M");
}
// The pass does not check for null, so the failure is a crash at address 0.
TEST_F(BadPasses, MemoryHogThatDoesNotLookFailsItsBuild) {
  expectFailureAndGoOn("eat_with_malloc", "the compiler ", "60", "512M");
}
TEST_F(BadPasses, DiagnosticIsInTheLog) { expectFailureAndGoOn("refuse", "this pass takes no kernel of that name"); }

// The plug-in and the pipeline of the failed build are part of the kept input.
TEST_F(BadPasses, TheInputOfACrashIsKeptAndRepeated) {
  inNewProcess(
      [&] {
        App app;
        expectFailure(app, "crash", "note: the compiler's input is in " + folder + "/kept/crash-");
        expectFailure(app, "refuse", "this pass takes no kernel of that name"); // an error, not a crash
        EXPECT_TRUE(app.works(1));
      },
      withPass("60", "4G"));
  std::vector<std::string> kept;
  for (const auto &entry : std::filesystem::directory_iterator(folder + "/kept"))
    kept.push_back(entry.path());
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(kept[0] + "/module-0.spv"));
  // They are code, so a user has to ask for them.
  EXPECT_EQ(shell(KILN_REPLAY " " + kept[0]), 2) << printed();
  EXPECT_NE(printed().find("the request names passes, which are code: "), std::string::npos) << printed();
  EXPECT_EQ(shell(KILN_REPLAY " --passes " + kept[0]), 0) << printed();
  EXPECT_NE(printed().find("crashed (SIGSEGV)"), std::string::npos) << printed();
  EXPECT_NE(printed().find("the compiler crashes again"), std::string::npos) << printed();

  std::ofstream(kept[0] + "/request.bin") << "not a request";
  EXPECT_EQ(shell(KILN_REPLAY " " + kept[0]), 2) << printed();
  EXPECT_NE(printed().find("request.bin is not a request of this build of Kiln"), std::string::npos) << printed();
  EXPECT_EQ(shell(KILN_REPLAY " --compilers=/none " + kept[0]), 2) << printed();
  EXPECT_NE(printed().find("/none/kilnc cannot be started"), std::string::npos) << printed();
}

TEST_F(BadPasses, AtMostEightInputsAreKept) {
  inNewProcess(
      [&] {
        App app;
        for (int i = 0; i < 9; ++i)
          expectFailure(app, "crash", i < 8 ? "note: the compiler's input" : "crashed (SIGSEGV)");
      },
      withPass("60", "4G"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder + "/kept"), {}), 8);
}

TEST_F(BadPasses, BuildsBesideThemFinish) {
  inNewProcess(
      [] {
        App app;
        std::vector<std::thread> threads;
        std::pair<const char *, const char *> bad[] = {
            {"crash", "crashed (SIGSEGV)"}, {"spin", "took longer than"}, {"eat_with_new", "ran out of memory"}};
        std::atomic<int> failed = 0, done = 0;
        for (auto [name, words] : bad)
          threads.emplace_back([&app, &failed, name = name, words = words] {
            expectFailure(app, name, words);
            ++failed;
          });
        for (int thread = 0; thread < 2; ++thread)
          threads.emplace_back([&, thread] {
            for (int i = 0; i < 5 || (failed < 3 && i < 500); ++i)
              done += app.works(1000 * thread + i);
          });
        for (std::thread &thread : threads)
          thread.join();
        EXPECT_GE(done, 10);
        EXPECT_TRUE(app.works(-1));
      },
      withPass("2", "512M"));
}

TEST_F(BadPasses, InvalidPluginIsInTheLog) {
  inNewProcess(
      [] {
        App app;
        expectFailure(app, "k", "pass plug-in");
      },
      {{"KILN_PASS_PLUGINS", "/nowhere/libNone.so"}});
}

TEST_F(BadPasses, InvalidPipelineIsInTheLog) {
  inNewProcess(
      [] {
        App app;
        expectFailure(app, "k", "no-such-pass");
      },
      {{"KILN_PIPELINE_CPU", "builtin.module(no-such-pass)"}});
}

} // namespace
} // namespace kiln::test
