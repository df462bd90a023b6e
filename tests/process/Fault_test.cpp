// A fault in a kernel on the CPU is an error of its launch. The process lives, and its own signals are as before.
#include "tests/process/FaultTest.h"
#include <atomic>
#include <cfenv>
#include <csetjmp>
#include <thread>

namespace kiln::test {
namespace {

constexpr const char *Store = "kernel void store(global int *first, long index, global int *out) {\n"
                              "  if (get_global_id(0) == 5) out[index] = first ? first[0] : 1;\n}\n";

struct Fault : FaultTest {
  /// Stores to out[index], and returns the status of the launch. `first` is null if `withFirst` is false.
  static cl_int store(App &app, cl_mem out, long index, bool withFirst = false, size_t items = 64) {
    Program program = app.source(Store);
    EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
    Kernel kernel = clCreateKernel(program, "store", nullptr);
    Mem first = clCreateBuffer(app.context, CL_MEM_READ_WRITE, 64, nullptr, nullptr);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), withFirst ? first.address() : nullptr), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof index, &index), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 2, sizeof(cl_mem), out ? &out : nullptr), CL_SUCCESS);
    return statusOf(app, kernel, items);
  }
  /// A store that faults, and a kernel after it that does not.
  static void fault() {
    App app;
    Mem out = guardedBuffer(app, Page);
    EXPECT_EQ(store(app, out, 1024), CL_OUT_OF_RESOURCES);
    EXPECT_TRUE(app.works(9));
  }
};

volatile sig_atomic_t caught;

void faultOfTheApplication() { *static_cast<volatile int *>(guarded(Page) + 1024) = 1; }

void install(int signal, void (*handler)(int, siginfo_t *, void *), struct sigaction *before = nullptr) {
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  sigaction(signal, &action, before);
}

// ---- the line ------------------------------------------------------------------------------------------------------

TEST_F(Fault, NullPointer) {
  expectExit(0, statusOf([] {
               App app;
               EXPECT_EQ(store(app, nullptr, 3), CL_OUT_OF_RESOURCES);
               EXPECT_TRUE(app.works(1));
             }));
  EXPECT_EQ(lines(), 1u) << errors;
  EXPECT_TRUE(says("kiln: error: device: kernel store failed with -5: device ")) << errors;
  EXPECT_TRUE(
      says("kernel store: SIGSEGV at address 0xc, a null pointer; null is argument 0 (first), argument 2 (out);"))
      << errors;
  EXPECT_TRUE(says("; enqueued at kiln-process-tests+0x")) << errors;
}

TEST_F(Fault, TheContextsCallbackIsToldTheSame) {
  expectExit(0, statusOf([] {
               App app;
               static std::string messages;
               app.context = clCreateContext(
                   nullptr, 1, &app.device, [](const char *text, const void *, size_t, void *) { messages += text; },
                   nullptr, nullptr);
               app.queue = clCreateCommandQueueWithProperties(app.context, app.device, nullptr, nullptr);
               Mem out = guardedBuffer(app, Page);
               EXPECT_EQ(store(app, out, 1024), CL_OUT_OF_RESOURCES);
               EXPECT_NE(messages.find("0 bytes after the end of the buffer of argument 2 (out)"), std::string::npos)
                   << messages;
             }));
}

// Each form of a kernel, and many work-groups on all threads.
TEST_F(Fault, OfEveryForm) {
  for (const char *width : {"1", "0"})
    expectExit(0, statusOf(
                      [] {
                        App app;
                        Program program =
                            app.source("kernel void every(global int *out, long at) {\n"
                                       "  local int tile[64]; const int i = get_local_id(0);\n"
                                       "  tile[i] = i; barrier(CLK_LOCAL_MEM_FENCE);\n"
                                       "  out[get_global_id(0)] = tile[63 - i] + out[at + get_global_id(0)];\n}");
                        ASSERT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
                        Kernel kernel = clCreateKernel(program, "every", nullptr);
                        const size_t items = 1 << 16;
                        Mem out = guardedBuffer(app, items * 4);
                        EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), out.address()), CL_SUCCESS);
                        for (const long at : {1L << 16, 0L, 1L << 16}) {
                          EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof at, &at), CL_SUCCESS);
                          EXPECT_EQ(statusOf(app, kernel, items), at ? CL_OUT_OF_RESOURCES : CL_COMPLETE);
                        }
                      },
                      {{"KILN_CPU_MACHINE_WIDTH", width}}));
}

// The queue's next command, and those of another queue.
TEST_F(Fault, OtherCommandsGoOn) {
  expectExit(0, statusOf([] {
               App app;
               Mem out = guardedBuffer(app, Page);
               Program program = app.source(Store);
               ASSERT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
               Kernel kernel = clCreateKernel(program, "store", nullptr);
               const long far = 1024, near = 7;
               const size_t items = 64;
               Queue other = clCreateCommandQueueWithProperties(app.context, app.device, nullptr, nullptr);
               clSetKernelArg(kernel, 0, sizeof(cl_mem), nullptr);
               clSetKernelArg(kernel, 2, sizeof(cl_mem), out.address());
               for (int round = 0; round < 100; ++round)
                 for (cl_command_queue queue : {app.queue.get(), other.get()})
                   for (const long *index : {&far, &near}) {
                     clSetKernelArg(kernel, 1, sizeof *index, index);
                     EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
                               CL_SUCCESS);
                   }
               clFinish(app.queue);
               clFinish(other);
               int found = 0;
               EXPECT_EQ(clEnqueueReadBuffer(app.queue, out, CL_TRUE, 28, 4, &found, 0, nullptr, nullptr), CL_SUCCESS);
               EXPECT_EQ(found, 1);
             }));
  EXPECT_EQ(lines(), 200u) << errors;
}

TEST_F(Fault, BehindABuffer) {
  expectExit(0, statusOf(fault));
  EXPECT_EQ(lines(), 1u) << errors;
  EXPECT_TRUE(says(", 0 bytes after the end of the buffer of argument 2 (out), which has 4096 bytes at 0x")) << errors;
  EXPECT_TRUE(says("in work-group")) << errors;
}

TEST_F(Fault, BeforeABuffer) {
  expectExit(0, statusOf([] {
               App app;
               Mem out = guardedBuffer(app, Page);
               EXPECT_EQ(store(app, out, -2, true), CL_OUT_OF_RESOURCES);
             }));
  EXPECT_EQ(lines(), 1u) << errors;
  EXPECT_TRUE(says(", 8 bytes before the buffer of argument 2 (out)")) << errors;
}

// Memory that the application has mapped without access, or unmapped.
TEST_F(Fault, InsideOfABuffer) {
  expectExit(0, statusOf([] {
               App app;
               int *memory = guarded(2 * Page);
               Mem out = clCreateBuffer(app.context, CL_MEM_USE_HOST_PTR, 2 * Page, memory, nullptr);
               mprotect(memory + 1024, Page, PROT_NONE);
               EXPECT_EQ(store(app, out, 1030), CL_OUT_OF_RESOURCES);
             }));
  EXPECT_TRUE(says(", byte 4120 of the buffer of argument 2 (out), which has 8192 bytes")) << errors;
}

// An application may give memory when it is accessed: its handler gets the fault, and the kernel goes on.
TEST_F(Fault, InsideOfABufferThatTheApplicationProtects) {
  static char *page = nullptr;
  expectExit(0, statusOf([] {
               int *memory = guarded(2 * Page);
               page = reinterpret_cast<char *>(memory + 1024);
               mprotect(page, Page, PROT_NONE);
               install(SIGSEGV, [](int, siginfo_t *info, void *) {
                 if (info->si_addr < page || info->si_addr >= page + Page)
                   _exit(43);
                 mprotect(page, Page, PROT_READ | PROT_WRITE);
                 caught = caught + 1;
               });
               App app;
               Mem out = clCreateBuffer(app.context, CL_MEM_USE_HOST_PTR, 2 * Page, memory, nullptr);
               EXPECT_EQ(store(app, out, 1030), CL_COMPLETE);
               EXPECT_EQ(memory[1030], 1);
               EXPECT_EQ(caught, 1);
             }));
  EXPECT_EQ(lines(), 1u) << errors;
}

TEST_F(Fault, AddressThatNoMemoryCanHave) {
  expectExit(0, statusOf([] {
               App app;
               Mem out = guardedBuffer(app, Page);
               EXPECT_EQ(store(app, out, 1L << 60), CL_OUT_OF_RESOURCES);
             }));
  EXPECT_EQ(lines(), 1u) << errors;
  EXPECT_TRUE(says("kernel store: SIGSEGV")) << errors;
}

// A file that became shorter than its mapping.
TEST_F(Fault, BehindTheEndOfAFile) {
  expectExit(0, statusOf([&] {
               App app;
               const int file = open((folder + "/file").c_str(), O_CREAT | O_RDWR, 0600);
               ASSERT_EQ(ftruncate(file, 2 * Page), 0);
               void *memory = mmap(nullptr, 2 * Page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
               Mem out = clCreateBuffer(app.context, CL_MEM_USE_HOST_PTR, 2 * Page, memory, nullptr);
               ASSERT_EQ(ftruncate(file, Page), 0);
               EXPECT_EQ(store(app, out, 1024), CL_OUT_OF_RESOURCES);
             }));
  EXPECT_EQ(lines(), 1u) << errors;
  EXPECT_TRUE(says("kernel store: SIGBUS at address 0x") && says(", byte 4096 of the buffer of argument 2 (out)"))
      << errors;
}

TEST_F(Fault, OnAThreadOfKiln) {
  expectExit(0, statusOf([] {
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
               cl_event event = nullptr;
               EXPECT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, &event),
                         CL_SUCCESS);
               const Event held = event;
               clFlush(app.queue);
               cl_int status = CL_QUEUED;
               for (int i = 0; i < 30'000 && status > CL_COMPLETE; ++i) { // without a wait, in which it would help
                 usleep(1000);
                 clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
               }
               EXPECT_EQ(status, CL_OUT_OF_RESOURCES);
             }));
  EXPECT_EQ(lines(), 1u) << errors;
  EXPECT_TRUE(says("kernel far: SIGSEGV")) << errors;
}

TEST_F(Fault, SwitchedOff) {
  expectSignal(SIGSEGV, statusOf(
                            [] {
                              App app;
                              EXPECT_TRUE(app.works(1));
                              struct sigaction now{};
                              sigaction(SIGSEGV, nullptr, &now);
                              EXPECT_EQ(now.sa_handler, SIG_DFL);
                              if (HasFailure())
                                _exit(1);
                              fault();
                            },
                            {{"KILN_SIGNALS", "off"}}));
  EXPECT_EQ(errors, "");
  expectExit(0, statusOf(fault, {{"KILN_LOG", "off"}}));
  EXPECT_EQ(errors, "");
}

// ---- the application's own signals ---------------------------------------------------------------------------------

// A fault of the application's own goes to its handler, a kernel's does not.
TEST_F(Fault, HandlerFromBefore) {
  expectExit(42, statusOf([] {
               install(SIGSEGV, [](int signal, siginfo_t *info, void *) {
                 _exit(signal == SIGSEGV && info->si_code > 0 && info->si_addr ? 42 : 43);
               });
               fault();
               faultOfTheApplication();
             }));
  EXPECT_EQ(lines(), 1u) << errors;
}

TEST_F(Fault, HandlerOfOneArgument) {
  expectExit(42, statusOf([] {
               signal(SIGSEGV, [](int signal) { _exit(signal == SIGSEGV ? 42 : 43); });
               fault();
               faultOfTheApplication();
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
                 faultOfTheApplication();
               }));
  EXPECT_EQ(lines(), 1u) << errors;
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
  expectExit(0, statusOf([] {
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

// Faults of kernels while other threads of the application handle faults of their own.
TEST_F(Fault, BesideFaultsOfTheApplication) {
  expectExit(0, statusOf([] {
               static thread_local sigjmp_buf home;
               install(SIGSEGV, [](int, siginfo_t *, void *) { siglongjmp(home, 1); });
               App app;
               Mem out = guardedBuffer(app, Page);
               std::atomic<bool> ends{false};
               std::atomic<int> handled{0};
               std::vector<std::thread> threads;
               for (int i = 0; i < 3; ++i)
                 threads.emplace_back([&] {
                   volatile int *memory = guarded(Page) + 1024;
                   while (!ends)
                     if (!sigsetjmp(home, 1))
                       *memory = 1;
                     else
                       ++handled;
                 });
               for (int i = 0; i < 50; ++i) {
                 EXPECT_EQ(store(app, out, 1024), CL_OUT_OF_RESOURCES);
                 EXPECT_EQ(store(app, out, 5), CL_COMPLETE);
               }
               ends = true;
               for (std::thread &thread : threads)
                 thread.join();
               EXPECT_GT(handled, 0);
             }));
  EXPECT_EQ(lines(), 50u) << errors;
}

// A kernel's thread has the floating-point state and the signal mask of before.
TEST_F(Fault, StateOfTheThread) {
  expectExit(0, statusOf([] {
               sigset_t before, after;
               sigemptyset(&before);
               sigaddset(&before, SIGUSR1);
               sigprocmask(SIG_SETMASK, &before, nullptr);
               fesetround(FE_UPWARD);
               refuse(Refusal::Threads); // the application's thread runs the kernel
               fault();
               EXPECT_EQ(fegetround(), FE_UPWARD);
               sigprocmask(SIG_SETMASK, nullptr, &after);
               for (const int signal : {SIGSEGV, SIGBUS, SIGUSR1})
                 EXPECT_EQ(sigismember(&after, signal), signal == SIGUSR1);
             }));
}

TEST_F(Fault, OfTheApplicationItself) {
  expectSignal(SIGSEGV, statusOf([] {
                 App app;
                 EXPECT_TRUE(app.works(1));
                 faultOfTheApplication();
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
                 faultOfTheApplication();
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
                 _exit(HasFailure() ? 1 : 0);
               }
               int status = 1;
               waitpid(child, &status, 0);
               EXPECT_EQ(status, 0);
               EXPECT_TRUE(app->works(3));
             }));
  EXPECT_EQ(lines(), 1u) << errors;
  EXPECT_TRUE(says("0 bytes after the end of the buffer of argument 2 (out), which has 4096 bytes")) << errors;
}

// Faults of many threads at once: each line is whole.
TEST_F(Fault, OfManyThreads) {
  expectExit(0, statusOf([] {
               std::vector<std::thread> threads;
               for (int i = 0; i < 8; ++i)
                 threads.emplace_back(fault);
               for (std::thread &thread : threads)
                 thread.join();
             }));
  EXPECT_EQ(lines(), 8u) << errors;
}

} // namespace
} // namespace kiln::test
