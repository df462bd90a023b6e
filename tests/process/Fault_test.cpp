// A fault in a kernel ends the process as it would without Kiln's handlers, after one line on standard error.
#include "tests/process/ProcessTest.h"
#include <csetjmp>
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kiln::test {
namespace {

constexpr size_t Page = 4096;
constexpr const char *Store = "kernel void store(global int *first, long index, global int *out) {\n"
                              "  if (get_global_id(0) == 5) out[index] = first ? first[0] : 1;\n}\n";

/// Bytes that end at a page without access.
int *guarded(size_t bytes) {
  const size_t pages = (bytes + Page - 1) / Page * Page;
  auto *begin =
      static_cast<char *>(mmap(nullptr, pages + 2 * Page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(begin, Page, PROT_NONE);
  mprotect(begin + Page + pages, Page, PROT_NONE);
  return reinterpret_cast<int *>(begin + Page + pages - bytes);
}

struct Fault : ProcessTest {
  /// Runs the situation in a process whose standard error goes to `errors`, and returns its status, as of waitpid.
  int statusOf(const std::function<void()> &situation, const Environment &environment = {}) {
    const std::string path = folder + "/errors";
    fflush(stdout);
    const pid_t process = fork();
    if (!process) {
      alarm(60);
      setenv("KILN_CACHE_DIR", (folder + "/cache").c_str(), 1);
      for (const auto &[name, value] : environment)
        setenv(name.c_str(), value.c_str(), 1);
      const int file = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);
      dup2(file, STDERR_FILENO);
      situation();
      _exit(HasFailure() ? 1 : 0);
    }
    int status = -1;
    EXPECT_EQ(waitpid(process, &status, 0), process);
    errors = contentOf(path);
    return status;
  }
  void expectSignal(int signal, int status) const {
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status << "\n" << errors;
  }
  void expectExit(int code, int status) const {
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == code) << status << "\n" << errors;
  }
  size_t lines() const {
    size_t count = 0;
    for (size_t at = 0; (at = errors.find("kiln: error: device: kernel ", at)) != std::string::npos; ++at)
      ++count;
    return count;
  }
  bool says(const std::string &words) const { return errors.find(words) != std::string::npos; }

  /// Stores to out[index]. `first` is null if `withFirst` is false.
  static void store(App &app, cl_mem out, long index, bool withFirst = false, size_t items = 64) {
    Program program = app.source(Store);
    EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
    Kernel kernel = clCreateKernel(program, "store", nullptr);
    Mem first = clCreateBuffer(app.context, CL_MEM_READ_WRITE, 64, nullptr, nullptr);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), withFirst ? first.address() : nullptr), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof index, &index), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 2, sizeof(cl_mem), out ? &out : nullptr), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clFinish(app.queue), CL_SUCCESS);
  }
  static Mem guardedBuffer(App &app, size_t bytes) {
    return clCreateBuffer(app.context, CL_MEM_USE_HOST_PTR, bytes, guarded(bytes), nullptr);
  }
  /// A store that faults.
  static void fault() {
    App app;
    Mem out = guardedBuffer(app, Page);
    store(app, out, 1024);
  }
};

volatile sig_atomic_t caught;
sigjmp_buf back;

void install(int signal, void (*handler)(int, siginfo_t *, void *), struct sigaction *before = nullptr) {
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  sigaction(signal, &action, before);
}

// ---- the line ------------------------------------------------------------------------------------------------------

TEST_F(Fault, NullPointer) {
  expectSignal(SIGSEGV, statusOf([] {
                 App app;
                 store(app, nullptr, 3);
               }));
  EXPECT_EQ(lines(), 1u) << errors;
  EXPECT_TRUE(
      says("kernel store: SIGSEGV at address 0xc, a null pointer; null is argument 0 (first), argument 2 (out);"))
      << errors;
}

TEST_F(Fault, BehindABuffer) {
  expectSignal(SIGSEGV, statusOf(fault));
  EXPECT_EQ(lines(), 1u) << errors;
  EXPECT_TRUE(says(", 0 bytes after the end of the buffer of argument 2 (out), which has 4096 bytes at 0x")) << errors;
  EXPECT_TRUE(says("in work-group")) << errors;
}

TEST_F(Fault, BeforeABuffer) {
  expectSignal(SIGSEGV, statusOf([] {
                 App app;
                 Mem out = guardedBuffer(app, Page);
                 store(app, out, -2, true);
               }));
  EXPECT_EQ(lines(), 1u) << errors;
  EXPECT_TRUE(says(", 8 bytes before the buffer of argument 2 (out)")) << errors;
}

// Memory that the application has mapped without access, or unmapped.
TEST_F(Fault, InsideOfABuffer) {
  expectSignal(SIGSEGV, statusOf([] {
                 App app;
                 int *memory = guarded(2 * Page);
                 Mem out = clCreateBuffer(app.context, CL_MEM_USE_HOST_PTR, 2 * Page, memory, nullptr);
                 mprotect(memory + 1024, Page, PROT_NONE);
                 store(app, out, 1030);
               }));
  EXPECT_TRUE(says(", byte 4120 of the buffer of argument 2 (out), which has 8192 bytes")) << errors;
}

TEST_F(Fault, AddressThatNoMemoryCanHave) {
  expectSignal(SIGSEGV, statusOf([] {
                 App app;
                 Mem out = guardedBuffer(app, Page);
                 store(app, out, 1L << 60);
               }));
  EXPECT_EQ(lines(), 1u) << errors;
  EXPECT_TRUE(says("kernel store: SIGSEGV")) << errors;
}

// A file that became shorter than its mapping.
TEST_F(Fault, BehindTheEndOfAFile) {
  expectSignal(SIGBUS, statusOf([&] {
                 App app;
                 const int file = open((folder + "/file").c_str(), O_CREAT | O_RDWR, 0600);
                 ASSERT_EQ(ftruncate(file, 2 * Page), 0);
                 void *memory = mmap(nullptr, 2 * Page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
                 Mem out = clCreateBuffer(app.context, CL_MEM_USE_HOST_PTR, 2 * Page, memory, nullptr);
                 ASSERT_EQ(ftruncate(file, Page), 0);
                 store(app, out, 1024);
               }));
  EXPECT_EQ(lines(), 1u) << errors;
  EXPECT_TRUE(says("kernel store: SIGBUS at address 0x") && says(", byte 4096 of the buffer of argument 2 (out)"))
      << errors;
}

TEST_F(Fault, OnAThreadOfKiln) {
  expectSignal(SIGSEGV, statusOf([] {
                 App app;
                 Program program = app.source("kernel void far(global int *out, long index) {\n"
                                              "  for (int i = 0; i < 100000; ++i) out[get_global_id(0)] += i * i;\n"
                                              "  if (get_global_id(0) == get_global_size(0) - 1) out[index] = 1;\n}");
                 EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
                 Kernel kernel = clCreateKernel(program, "far", nullptr);
                 Mem out = guardedBuffer(app, 1 << 20);
                 const long index = 1 << 20;
                 const size_t items = 1 << 18;
                 EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), out.address()), CL_SUCCESS);
                 EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof index, &index), CL_SUCCESS);
                 EXPECT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
                           CL_SUCCESS);
                 clFlush(app.queue);
                 sleep(30); // does not help
               }));
  EXPECT_EQ(lines(), 1u) << errors;
  EXPECT_TRUE(says("kernel far: SIGSEGV")) << errors;
}

TEST_F(Fault, SwitchedOff) {
  for (const ProcessTest::Environment &off :
       {ProcessTest::Environment{{"KILN_SIGNALS", "off"}}, ProcessTest::Environment{{"KILN_LOG", "off"}}}) {
    expectSignal(SIGSEGV, statusOf(
                              [] {
                                fault();
                                struct sigaction now{};
                                sigaction(SIGSEGV, nullptr, &now);
                                EXPECT_EQ(now.sa_handler, SIG_DFL);
                              },
                              off));
    EXPECT_EQ(errors, "");
  }
}

// ---- the application's own signals ---------------------------------------------------------------------------------

TEST_F(Fault, HandlerFromBefore) {
  expectExit(42, statusOf([] {
               install(SIGSEGV, [](int signal, siginfo_t *info, void *) {
                 _exit(signal == SIGSEGV && info->si_code > 0 && info->si_addr ? 42 : 43);
               });
               fault();
             }));
  EXPECT_EQ(lines(), 1u) << errors;
}

TEST_F(Fault, HandlerOfOneArgument) {
  expectExit(42, statusOf([] {
               signal(SIGSEGV, [](int signal) { _exit(signal == SIGSEGV ? 42 : 43); });
               fault();
             }));
  EXPECT_EQ(lines(), 1u) << errors;
}

TEST_F(Fault, HandlerThatIsUsedOnce) {
  expectSignal(SIGSEGV, statusOf([] {
                 struct sigaction once{};
                 once.sa_handler = [](int) {};
                 once.sa_flags = int(SA_RESETHAND);
                 sigaction(SIGSEGV, &once, nullptr);
                 fault();
               }));
  EXPECT_GE(lines(), 1u) << errors;
}

TEST_F(Fault, HandlerFromLater) {
  expectExit(42, statusOf([] {
               App app;
               EXPECT_TRUE(app.works(1));
               install(SIGSEGV, [](int, siginfo_t *, void *) { _exit(42); });
               fault();
             }));
  EXPECT_EQ(errors, "");
}

struct sigaction ofKiln;
TEST_F(Fault, HandlerFromLaterThatPassesItOn) {
  expectSignal(SIGSEGV, statusOf([] {
                 App app;
                 EXPECT_TRUE(app.works(1));
                 install(
                     SIGSEGV,
                     [](int signal, siginfo_t *info, void *context) { ofKiln.sa_sigaction(signal, info, context); },
                     &ofKiln);
                 EXPECT_TRUE(ofKiln.sa_flags & SA_SIGINFO);
                 fault();
               }));
  EXPECT_EQ(lines(), 1u) << errors;
}

// An application that goes on: the next kernel is right, and a fault of the application's own has no line. Without
// threads of Kiln, because siglongjmp leads back to the thread of the fault only.
TEST_F(Fault, HandlerThatGoesOn) {
  expectSignal(SIGSEGV, statusOf([] {
                 refuse(Refusal::Threads);
                 install(SIGSEGV, [](int, siginfo_t *, void *) { siglongjmp(back, 1); });
                 if (!sigsetjmp(back, 1))
                   fault();
                 else
                   caught = caught + 1;
                 App app;
                 EXPECT_TRUE(app.works(1));
                 EXPECT_EQ(caught, 1);
                 if (!sigsetjmp(back, 1))
                   *reinterpret_cast<volatile int *>(guarded(Page) + 1024) = 1;
                 else
                   caught = caught + 1;
                 EXPECT_EQ(caught, 2);
                 EXPECT_TRUE(app.works(2));
                 if (testing::Test::HasFailure())
                   _exit(1);
                 signal(SIGSEGV, SIG_DFL);
                 fault();
               }));
  EXPECT_EQ(lines(), 1u) << errors;
}

TEST_F(Fault, OfTheApplicationItself) {
  expectSignal(SIGSEGV, statusOf([] {
                 App app;
                 EXPECT_TRUE(app.works(1));
                 *reinterpret_cast<volatile int *>(guarded(Page) + 1024) = 1;
               }));
  EXPECT_EQ(errors, "");
}

TEST_F(Fault, SentSignals) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    expectSignal(signal, statusOf([&] {
                   App app;
                   EXPECT_TRUE(app.works(1));
                   kill(getpid(), signal);
                   sleep(30);
                 }));
    EXPECT_EQ(errors, "");
    expectExit(0, statusOf([&] {
                 ::signal(signal, SIG_IGN);
                 App app;
                 EXPECT_TRUE(app.works(1));
                 kill(getpid(), signal);
                 raise(signal);
                 EXPECT_TRUE(app.works(2));
               }));
  }
  expectSignal(SIGSEGV, statusOf([&] { // a fault is not ignored
                 signal(SIGSEGV, SIG_IGN);
                 fault();
               }));
  EXPECT_EQ(lines(), 1u) << errors;
}

// Blocked by the application's thread, such a signal stays pending: threads of Kiln pass it on.
TEST_F(Fault, SentSignalsThatTheApplicationBlocks) {
  expectExit(0, statusOf([] {
               install(SIGSEGV, [](int, siginfo_t *info, void *) {
                 caught = caught + (getpid() == gettid() && info->si_code == SI_USER ? 1 : 100);
               });
               App app;
               Program program = app.source(sourceOf(1));
               ASSERT_EQ(app.build(program), CL_SUCCESS);
               EXPECT_EQ(app.run(program, 1 << 20), resultsOf(1, 1 << 20)); // starts threads
               sigset_t segv, waiting;
               sigemptyset(&segv);
               sigaddset(&segv, SIGSEGV);
               sigprocmask(SIG_BLOCK, &segv, nullptr);
               kill(getpid(), SIGSEGV);
               EXPECT_EQ(app.run(program, 1 << 20), resultsOf(1, 1 << 20));
               for (int i = 0; i < 1000 && (sigpending(&waiting), !sigismember(&waiting, SIGSEGV)); ++i)
                 usleep(1000); // a thread may be about to pass it on
               EXPECT_EQ(sigismember(&waiting, SIGSEGV), 1);
               EXPECT_EQ(caught, 0);
               sigprocmask(SIG_UNBLOCK, &segv, nullptr);
               EXPECT_EQ(caught, 1);
             }));
  EXPECT_EQ(errors, "");
}

TEST_F(Fault, InTheChildOfAFork) {
  expectExit(0, statusOf([] {
               auto app = std::make_unique<App>();
               Mem out = guardedBuffer(*app, Page);
               store(*app, out, 0);
               const pid_t child = fork();
               if (!child) {
                 fault();
                 _exit(0);
               }
               int status = 0;
               waitpid(child, &status, 0);
               EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
               EXPECT_TRUE(app->works(3));
             }));
  EXPECT_EQ(lines(), 1u) << errors;
  EXPECT_TRUE(says("0 bytes after the end of the buffer of argument 2 (out), which has 4096 bytes")) << errors;
}

// Faults of many threads at once: each line is whole.
TEST_F(Fault, OfManyThreads) {
  expectSignal(SIGSEGV, statusOf([] {
                 std::vector<std::thread> threads;
                 for (int i = 0; i < 8; ++i)
                   threads.emplace_back(fault);
                 for (std::thread &thread : threads)
                   thread.join();
               }));
  EXPECT_GE(lines(), 1u) << errors;
}

} // namespace
} // namespace kiln::test
