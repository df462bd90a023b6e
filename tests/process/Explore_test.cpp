// KILN_EXPLORE: the pages of programs that are rebuilt, of processes that fork or share a folder, and of builds that
// are near the compiler's limits (runtime/explore).
#include "tests/process/CommandBuffer.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln::test {
namespace {

struct Explore : ProcessTest {
  void run(const std::function<void(App &)> &situation, Environment more = {},
           cl_device_type device = CL_DEVICE_TYPE_CPU) {
    more.emplace_back("KILN_EXPLORE", pages());
    more.emplace_back("KILN_LOG", "warn");
    inNewProcessWithErrors(
        [&] {
          App app(device);
          situation(app);
        },
        more);
  }
  std::string pages() const { return folder + "/pages"; }
  /// The pages' contents, in the order of their names.
  std::vector<std::string> written() const {
    std::vector<std::string> paths, contents;
    if (std::filesystem::exists(pages()))
      for (const auto &entry : std::filesystem::directory_iterator(pages()))
        paths.push_back(entry.path());
    std::ranges::sort(paths);
    for (const std::string &path : paths)
      contents.push_back(contentOf(path));
    return contents;
  }
  static size_t count(const std::string &text, const std::string &words) {
    size_t found = 0;
    for (size_t at = 0; (at = text.find(words, at)) != std::string::npos; ++at)
      ++found;
    return found;
  }
};

constexpr const char *Plain = "kernel void k(global int *p) { p[get_global_id(0)] = VALUE; }";

TEST_F(Explore, ARebuiltProgramHasOnePage) {
  run([](App &app) {
    Program program = app.source(Plain);
    EXPECT_EQ(app.build(program, "-DVALUE=12345"), CL_SUCCESS);
    EXPECT_EQ(app.run(program, 1), std::vector<int>{12345});
    EXPECT_EQ(app.build(program, "-DVALUE="), CL_BUILD_PROGRAM_FAILURE);
    EXPECT_EQ(app.build(program, "-DVALUE=54321"), CL_SUCCESS);
    EXPECT_EQ(app.run(program, 1), std::vector<int>{54321});
  });
  ASSERT_EQ(written().size(), 1u) << errors;
  const std::string page = written()[0];
  EXPECT_EQ(count(page, "\"target\":\"cpu\",\"variant\":\"generic\""), 1u);
  EXPECT_EQ(count(page, "54321 : i32") > 0, true) << "the variant is that of the last build";
  EXPECT_EQ(count(page, "12345 : i32"), 0u);
  EXPECT_EQ(count(page, "{\"kernel\":\"k\",\"device\":"), 1u);
  EXPECT_NE(page.find("\"count\":2,"), std::string::npos) << "launches of both builds";
}

// Each launch has its own time, on the CPU and on an emulated GPU.
TEST_F(Explore, LaunchesOfCommandBuffers) {
  PROVES("X-E14");
  for (const bool onGpu : {false, true}) {
    std::filesystem::remove_all(pages());
    run(
        [](App &app) {
          Program program = app.source(Plain);
          EXPECT_EQ(app.build(program, "-DVALUE=1"), CL_SUCCESS) << app.log(program);
          Kernel kernel = clCreateKernel(program, "k", nullptr);
          Mem memory = clCreateBuffer(app.context, 0, 4096 * sizeof(int), nullptr, nullptr);
          EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), memory.address()), CL_SUCCESS);
          RecordedLaunches commands(app);
          commands.add(kernel, 4096);
          commands.fill(memory, 7, 4096);
          commands.add(kernel, 64);
          commands.add(kernel, 4096);
          commands.execute(3);
        },
        onGpu ? Environment{{"KILN_DEVICES", "hip"}, {"KILN_HIP_LIBRARY", KILN_EMULATOR}} : Environment(),
        onGpu ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU);
    ASSERT_EQ(written().size(), 1u) << errors;
    const std::string page = written()[0];
    const std::regex launches(R"("global":\[(\d+),1,1\],"local":\[\d+,1,1\],"count":(\d+),)");
    std::map<std::string, std::string> counts;
    for (std::sregex_iterator found(page.begin(), page.end(), launches), end; found != end; ++found)
      counts[found->str(1)] = found->str(2);
    EXPECT_EQ(counts, (std::map<std::string, std::string>{{"4096", "6"}, {"64", "3"}}));
    EXPECT_EQ(page.find("\"sum\":0}"), std::string::npos) << "launches take time";
  }
}

TEST_F(Explore, AForkedProcessWritesOnlyItsOwnPrograms) {
  run([](App &app) {
    Program program = app.source(Plain);
    EXPECT_EQ(app.build(program, "-DVALUE=1"), CL_SUCCESS);
    const pid_t child = fork();
    if (!child) {
      int failed = 0;
      {
        App own;
        Program other = own.source("kernel void of_the_child(global int *p) { *p = 7; }");
        failed = own.build(other);
      }
      exit(failed); // runs the functions of atexit, as a program does
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  });
  const std::vector<std::string> all = written();
  ASSERT_EQ(all.size(), 2u) << errors;
  const size_t ofChild = all[0].find("of_the_child") != std::string::npos ? 0 : 1;
  EXPECT_NE(all[ofChild].find("of_the_child"), std::string::npos);
  EXPECT_EQ(all[1 - ofChild].find("of_the_child"), std::string::npos);
  EXPECT_EQ(all[ofChild].find("VALUE"), std::string::npos);
}

// Containers that share a folder may have processes with one id.
TEST_F(Explore, APageOfAnotherProcessIsKept) {
  run([&](App &app) {
    const std::string taken = pages() + "/program-" + std::to_string(getpid()) + "-1";
    std::filesystem::create_directories(pages());
    for (const char *ending : {".html", "-2.html"})
      std::ofstream(taken + ending) << "of another process";
    Program program = app.source(Plain);
    EXPECT_EQ(app.build(program, "-DVALUE=1"), CL_SUCCESS);
  });
  const std::vector<std::string> all = written();
  ASSERT_EQ(all.size(), 3u) << errors;
  EXPECT_EQ(std::ranges::count(all, "of another process"), 2);
  EXPECT_EQ(std::ranges::count_if(all, [](const std::string &page) { return page.find("VALUE") != std::string::npos; }),
            1);
}

/// A program whose compilation takes time.
std::string program(unsigned kernels) {
  std::string text;
  for (unsigned i = 0; i < kernels; ++i) {
    text += "kernel void k";
    text += std::to_string(i);
    text += "(global float *p, int n) { float s = n; for (int j = 0; j < n; ++j) s = s * p[(j * 3 + "
            "get_global_id(0)) % n] + sin(s); p[get_global_id(0)] = s; }\n";
  }
  return text;
}

// The description takes about three times as long as the build, so some number of kernels exceeds the limit only with
// it.
TEST_F(Explore, ABuildNearItsLimitsSucceeds) {
  for (unsigned kernels = 20; kernels < 1000; kernels += kernels) {
    run(
        [&](App &app) {
          Program made = app.source(program(kernels));
          EXPECT_EQ(app.build(made), CL_SUCCESS) << app.log(made);
        },
        {{"KILN_BUILD_SECONDS", "2"}});
    if (errors.find("the explorer's page leaves out a variant for cpu: ") != std::string::npos)
      return;
    EXPECT_EQ(errors, "");
  }
  ADD_FAILURE() << "no build exceeded its limit";
}

TEST_F(Explore, AFolderThatCannotBeWrittenFailsNoBuild) {
  std::ofstream(pages()) << "a file";
  run([](App &app) { EXPECT_TRUE(app.works(1)); });
  EXPECT_NE(errors.find("cannot be written: "), std::string::npos) << errors;
}

// The numbers are those of the fake driver for each kernel.
TEST_F(Explore, RegistersOfMachineCode) {
  run(
      [](App &app) {
        Program program = app.source(Plain);
        EXPECT_EQ(app.build(program, "-DVALUE=1"), CL_SUCCESS) << app.log(program);
      },
      {{"KILN_DEVICES", "cuda"}, {"KILN_CUDA_LIBRARY", KILN_FAKE_CUDA}}, CL_DEVICE_TYPE_GPU);
  ASSERT_EQ(written().size(), 1u) << errors;
  EXPECT_NE(written()[0].find("\"variant\":\"generic\",\"numbers\":[[\"registers per work-item\",73],"
                              "[\"bytes of spills and private arrays per work-item\",48]]"),
            std::string::npos);
}

} // namespace
} // namespace kiln::test
