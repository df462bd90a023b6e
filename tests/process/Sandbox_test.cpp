// Restricted processes: no exec, caches that are read-only or not executable, one processor.
#include "tests/process/ProcessTest.h"
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kiln::test {
namespace {

constexpr const char *BarrierSource = R"(
kernel void k(global int *p) {
  local int room[64];
  int i = get_local_id(0), n = get_local_size(0);
  room[i] = get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  p[get_global_id(0)] = room[n - 1 - i];
})";

struct Sandbox : ProcessTest {
  static bool fillsCache(const App &app) {
    Program barriers = app.source(BarrierSource);
    EXPECT_EQ(app.build(barriers), CL_SUCCESS) << app.log(barriers);
    return app.works(1) && !app.run(barriers).empty();
  }
  /// Cached code runs; other builds fail with a log that has the reason, and leave the context usable.
  void expectCachedCodeRuns(Refusal refusal, const std::string &reason) {
    inNewProcess([] { EXPECT_TRUE(fillsCache(App())); });
    inNewProcess([&] {
      leaveAtOnce();
      refuse(refusal);
      App app;
      EXPECT_TRUE(app.works(1));
      Program barriers = app.source(BarrierSource);
      EXPECT_EQ(app.build(barriers), CL_SUCCESS) << app.log(barriers);
      // Enough launches to request a variant for the local size, which cannot be built.
      std::vector<int> first = app.run(barriers);
      for (int i = 0; i < 5; ++i)
        EXPECT_EQ(app.run(barriers), first);
      Program unknown = app.source(sourceOf(2));
      EXPECT_EQ(app.build(unknown), CL_BUILD_PROGRAM_FAILURE);
      EXPECT_NE(app.log(unknown).find(reason), std::string::npos) << app.log(unknown);
      EXPECT_TRUE(app.works(1));
    });
  }
};

TEST_F(Sandbox, NoExec) { expectCachedCodeRuns(Refusal::Exec, "cannot be started: Operation not permitted"); }
TEST_F(Sandbox, NoProcesses) { expectCachedCodeRuns(Refusal::Processes, "cannot be started: Operation not permitted"); }
TEST_F(Sandbox, ExecIsDeadly) { expectCachedCodeRuns(Refusal::ExecKills, "kiln-clc ended before it was ready"); }

// A running compiler needs no further exec.
TEST_F(Sandbox, NoExecAfterTheFirstBuild) {
  inNewProcess([] {
    leaveAtOnce();
    App app;
    EXPECT_TRUE(app.works(1));
    refuse(Refusal::Processes);
    EXPECT_TRUE(app.works(2));
  });
}

// Files may not grow, in-memory files included: a write fails, and no signal ends the application or stays pending.
// Cached code runs.
TEST_F(Sandbox, FilesOfNoSize) {
  inNewProcess([] { EXPECT_TRUE(fillsCache(App())); });
  inNewProcess(
      [&] {
        const int words = open((folder + "/log").c_str(), O_CREAT | O_WRONLY, 0600), before = dup(STDERR_FILENO);
        rlimit limit{};
        ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
        limit.rlim_cur = 0;
        ASSERT_EQ(dup2(words, STDERR_FILENO), STDERR_FILENO); // captures the log
        ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
        App app;
        const bool works = app.works(1);
        Program unknown = app.source(sourceOf(2));
        const cl_int code = app.build(unknown);
        const std::string log = app.log(unknown);
        const bool worksStill = app.works(1);
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_FSIZE, &limit);
        dup2(before, STDERR_FILENO);
        EXPECT_TRUE(works && worksStill);
        EXPECT_EQ(code, CL_BUILD_PROGRAM_FAILURE);
        EXPECT_TRUE(log.find("RLIMIT_FSIZE") != std::string::npos || log.find("File too large") != std::string::npos)
            << log;
        EXPECT_EQ(std::filesystem::file_size(folder + "/log"), 0u);
        sigset_t signals;
        sigpending(&signals);
        EXPECT_EQ(sigismember(&signals, SIGXFSZ), 0);
        pthread_sigmask(SIG_SETMASK, nullptr, &signals);
        EXPECT_EQ(sigismember(&signals, SIGXFSZ), 0);
        struct sigaction action{};
        sigaction(SIGXFSZ, nullptr, &action);
        EXPECT_EQ(action.sa_handler, SIG_DFL);
      },
      {{"KILN_LOG", "debug"}, {"KILN_TRACE", folder + "/trace"}});
}

// The compilers inherit the limit and use a separate stack.
TEST_F(Sandbox, StackOf64KiB) {
  inNewProcess([] {
    const rlimit limit{64 << 10, 64 << 10};
    ASSERT_EQ(setrlimit(RLIMIT_STACK, &limit), 0);
    App app;
    EXPECT_TRUE(app.works(1));
    std::string sum = "0";
    for (int i = 0; i < 200; ++i)
      sum = "(" + sum + " + p[" + std::to_string(i % 64) + "])";
    Program deep = app.source("kernel void k(global int *p) { p[get_global_id(0)] = " + sum + "; }");
    EXPECT_EQ(app.build(deep), CL_SUCCESS) << app.log(deep);
  });
}

// Without threads of Kiln the application's threads do all work, even if one of them waits for another. Callbacks
// cannot run, so setting one is an error.
TEST_F(Sandbox, NoThreads) {
  PROVES("API-5.11d API-5.11f R14");
  inNewProcess([] {
    leaveAtOnce();
    App app;
    cl_int code = 1;
    Event gate = clCreateUserEvent(app.context, &code), filled;
    std::atomic<bool> go{false};
    std::thread opener([&] {
      while (!go)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(50)); // the other thread sleeps by then
      EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    });
    refuse(Refusal::Threads);
    EXPECT_TRUE(app.works(1));
    Mem buffer = clCreateBuffer(app.context, 0, 64, nullptr, &code);
    Queue outOfOrder = clCreateCommandQueue(app.context, app.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    int value = 7, found = 0;
    EXPECT_EQ(clEnqueueFillBuffer(outOfOrder, buffer, &value, 4, 0, 64, 1, gate.address(), filled.out()), CL_SUCCESS);
    go = true;
    EXPECT_EQ(clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, 0, 4, &found, 1, filled.address(), nullptr), CL_SUCCESS);
    EXPECT_EQ(found, 7);
    opener.join();

    EXPECT_EQ(clSetEventCallback(filled, CL_COMPLETE, [](cl_event, cl_int, void *) {}, nullptr), CL_OUT_OF_RESOURCES);
    EXPECT_EQ(query<cl_uint>(clGetEventInfo, filled.get(), CL_EVENT_REFERENCE_COUNT), 1u);
    static std::atomic<int> built;
    Program program = app.source(sourceOf(1));
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, [](cl_program, void *) { ++built; }, nullptr), CL_SUCCESS);
    EXPECT_EQ(built, 1);
    EXPECT_EQ(app.run(program), resultsOf(1));
  });
}

// ---- cache folders -------------------------------------------------------------------------------------------------

/// Mounts a file system at `at` for the lifetime of the object.
struct Mounted {
  Mounted(std::string at, unsigned long flags) : at(std::move(at)) {
    std::filesystem::create_directories(this->at);
    works = mount("none", this->at.c_str(), "tmpfs", flags, "mode=0700") == 0;
  }
  ~Mounted() {
    if (works)
      umount2(at.c_str(), MNT_DETACH);
  }
  const std::string at;
  bool works;
};

TEST_F(Sandbox, CacheFolderWithoutExecution) {
  Mounted mounted(folder + "/cache", MS_NOEXEC);
  if (!mounted.works)
    GTEST_SKIP() << "no file system can be mounted here: " << strerror(errno);
  inNewProcess([] { EXPECT_TRUE(fillsCache(App())); });
  inNewProcess([&] {
    leaveAtOnce();
    refuse(Refusal::Processes); // so that it comes from the cache
    App app;
    EXPECT_TRUE(app.works(1));
  });
}

TEST_F(Sandbox, CacheFolderOnAReadOnlyFileSystem) {
  Mounted mounted(folder + "/cache", 0);
  if (!mounted.works)
    GTEST_SKIP() << "no file system can be mounted here: " << strerror(errno);
  inNewProcess([] { EXPECT_TRUE(App().works(1)); });
  ASSERT_EQ(mount("none", mounted.at.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  inNewProcess([] {
    App app;
    EXPECT_TRUE(app.works(1));
    EXPECT_TRUE(app.works(2));
  });
  inNewProcess([&] {
    leaveAtOnce();
    refuse(Refusal::Processes);
    EXPECT_TRUE(App().works(1));
  });
}

TEST_F(Sandbox, CacheFolderThatMayNotBeWrittenTo) {
  inNewProcess([] { EXPECT_TRUE(App().works(1)); });
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder + "/cache"))
    if (entry.is_directory())
      chmod(entry.path().c_str(), 0500);
  chmod((folder + "/cache").c_str(), 0500);
  // Permissions do not restrict root, so root becomes another user.
  inNewProcess([&] {
    if (geteuid() == 0) {
      for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
        ASSERT_EQ(lchown(entry.path().c_str(), 65534, 65534), 0);
      ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
      ASSERT_EQ(setgid(65534), 0);
      ASSERT_EQ(setuid(65534), 0);
      if (access(KILN_LIBRARY, R_OK) != 0)
        GTEST_SKIP() << "another user may not read the build";
    }
    App app;
    EXPECT_TRUE(app.works(1));
    EXPECT_TRUE(app.works(2));
  });
}

TEST_F(Sandbox, CacheFolderThatCannotBe) {
  inNewProcess(
      [] {
        App app;
        EXPECT_TRUE(app.works(1));
      },
      {{"KILN_CACHE_DIR", "/proc/none/of/this"}});
}

TEST_F(Sandbox, NoHomeFolder) {
  inNewProcess([] {
    unsetenv("KILN_CACHE_DIR");
    unsetenv("HOME");
    unsetenv("XDG_CACHE_HOME");
    EXPECT_TRUE(App().works(1));
  });
}

// ---- processors ----------------------------------------------------------------------------------------------------

void expectOneProcessor() {
  App app;
  EXPECT_EQ(query<cl_uint>(clGetDeviceInfo, app.device, CL_DEVICE_MAX_COMPUTE_UNITS), 1u);
  EXPECT_TRUE(app.works(1));
  Program program = app.source(sourceOf(9));
  EXPECT_EQ(app.build(program), CL_SUCCESS);
  EXPECT_EQ(app.run(program, 1 << 20), resultsOf(9, 1 << 20));
}

TEST_F(Sandbox, OneProcessorInTheMask) {
  inNewProcess([] {
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
    int processor = 0;
    while (!CPU_ISSET(processor, &mask))
      ++processor;
    CPU_ZERO(&mask);
    CPU_SET(processor, &mask);
    ASSERT_EQ(sched_setaffinity(0, sizeof mask, &mask), 0);
    expectOneProcessor();
  });
}

/// A control group limited to one processor's time; empty if none can be created.
std::string makeGroup(std::string name) {
  for (const std::string &line : linesOf("/proc/mounts")) {
    std::string device, at, kind, options;
    std::istringstream(line) >> device >> at >> kind >> options;
    std::string group = at + "/" + name;
    if (kind == "cgroup" && (options + ",").find(",cpu,") != std::string::npos && mkdir(group.c_str(), 0755) == 0) {
      if (std::ofstream(group + "/cpu.cfs_period_us") << 100000 << std::flush &&
          std::ofstream(group + "/cpu.cfs_quota_us") << 100000 << std::flush)
        return group;
      rmdir(group.c_str());
    }
    if (kind == "cgroup2" && mkdir(group.c_str(), 0755) == 0) {
      if (std::ofstream(group + "/cpu.max") << "100000 100000" << std::flush)
        return group;
      rmdir(group.c_str());
    }
  }
  return {};
}

TEST_F(Sandbox, OneProcessorInTheControlGroup) {
  std::string group = makeGroup("kiln-process-" + std::to_string(getpid()));
  if (group.empty())
    GTEST_SKIP() << "no control group with a processor quota can be made here";
  inNewProcess([&] {
    ASSERT_TRUE(std::ofstream(group + "/cgroup.procs") << getpid() << std::flush);
    expectOneProcessor();
    clUnloadPlatformCompiler(platform());
  });
  // The compilers were in it too and end soon.
  for (int i = 0; i < 200 && rmdir(group.c_str()) != 0; ++i)
    usleep(10000);
}

} // namespace
} // namespace kiln::test
