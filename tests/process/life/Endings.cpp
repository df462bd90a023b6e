#include "tests/process/life/Endings.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kiln::life {
namespace {

using std::chrono::milliseconds;

/// Runs a function when static objects are destroyed: those of before `main` after nearly everything else.
struct AtDestruction {
  std::function<void()> body;
  ~AtDestruction() {
    if (body)
      body();
  }
};
AtDestruction early; // NOLINT: its destructor is what is tested

Application *used = nullptr; // by handlers
constexpr int Threads = 3;

/// Threads that use OpenCL until the process ends.
void startDetached(Application &application, void (Application::*use)()) {
  for (int i = 0; i < Threads; ++i)
    std::thread([&application, use] {
      for (;;)
        (application.*use)();
    }).detach();
  std::this_thread::sleep_for(milliseconds(5));
}

void pauseFor(Application &application, int count) {
  application.requestVariants();
  std::this_thread::sleep_for(milliseconds(count));
}

void atExit(void (*handler)()) {
  if (std::atexit(handler))
    _exit(3);
}

/// Ends the process from another thread after a moment, while the calling one is inside of a call of OpenCL.
void exitFromThread(int afterMilliseconds) {
  std::thread([afterMilliseconds] {
    std::this_thread::sleep_for(milliseconds(afterMilliseconds));
    endBegins();
    std::exit(0);
  }).detach();
}

[[noreturn]] void sleepForever() {
  for (;;)
    pause();
}

pid_t forked() {
  const pid_t child = fork();
  if (child < 0)
    _exit(3);
  return child;
}

/// Waits for the child; another end than exit(0) is this process's failure.
void waitFor(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child || status)
    _exit(4);
}

std::atomic<bool> ends = false; // a callback has begun to end the process

void CL_CALLBACK exitInCallback(cl_event, cl_int, void *) {
  ends = true;
  endBegins();
  std::exit(0);
}
void CL_CALLBACK useInCallback(cl_event, cl_int, void *self) { static_cast<Application *>(self)->useBuffers(); }
void CL_CALLBACK ignoreBuild(cl_program, void *) {}

void addCallbacks(Application &application, void(CL_CALLBACK *function)(cl_event, cl_int, void *)) {
  static const size_t items = 64;
  for (cl_kernel kernel : application.kernels) {
    cl_event event = nullptr;
    if (application.cl.clEnqueueNDRangeKernel(application.queue, kernel, 1, nullptr, &items, &items, 0, nullptr,
                                              &event)) {
      if (ends)
        return; // the callback of an earlier launch: commands may fail from now on
      _exit(3);
    }
    application.cl.clSetEventCallback(event, CL_COMPLETE, function, &application);
  }
  application.cl.clFlush(application.queue);
}

void noCore() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

/// Worker threads that a static object joins, as the pool of an application does.
struct Workers {
  std::atomic<bool> over = false;
  std::vector<std::thread> threads;
  void start(Application &application, void (Application::*use)()) {
    for (int i = 0; i < Threads; ++i)
      threads.emplace_back([this, &application, use] {
        while (!over)
          (application.*use)();
      });
    std::this_thread::sleep_for(milliseconds(5));
  }
  ~Workers() {
    over = true;
    for (std::thread &thread : threads)
      thread.join();
  }
};
Workers workers; // NOLINT: its destructor is what is tested

constexpr Ending All[] = {
    {Preparation, "waits until it is killed",
     [](Application &a) {
       for (;;) {
         a.launch();
         a.finish();
         std::this_thread::sleep_for(milliseconds(20));
       }
     },
     SIGKILL},
    // Return from main, at each stage.
    {"unused", "OpenCL is not used", [](Application &) {}},
    {"loaded", "the loader is opened", [](Application &a) { a.load(); }},
    {"platform", "devices are listed", [](Application &a) { a.platform(); }},
    {"context", "a context and a queue are never released", [](Application &a) { a.context(); }},
    {"source", "a program is not built", [](Application &a) { a.source(); }},
    {"build", "a program is built", [](Application &a) { a.build(); }, 0, true},
    {"building", "an asynchronous build runs",
     [](Application &a) {
       a.source();
       a.cl.clBuildProgram(a.program, 1, &a.device, "", ignoreBuild, nullptr);
     },
     0, true},
    {"unflushed", "commands are enqueued, not flushed",
     [](Application &a) {
       a.build();
       a.use();
       a.readLater();
     }},
    {"pending", "launches are pending", [](Application &a) { a.launch(); }},
    {"finished", "commands are finished",
     [](Application &a) {
       a.launch();
       a.finish();
     }},
    {"variant", "variants have been requested", [](Application &a) { a.requestVariants(); }, 0, true},
    {"variant-finished", "variants have been requested, commands are finished",
     [](Application &a) {
       a.requestVariants();
       a.finish();
     },
     0, true},
    {"variant-20", "20 ms later", [](Application &a) { pauseFor(a, 20); }, 0, true},
    {"variant-60", "60 ms later", [](Application &a) { pauseFor(a, 60); }, 0, true},
    {"variant-120", "120 ms later", [](Application &a) { pauseFor(a, 120); }, 0, true},
    {"variant-250", "250 ms later", [](Application &a) { pauseFor(a, 250); }, 0, true},
    {"variant-500", "500 ms later", [](Application &a) { pauseFor(a, 500); }, 0, true},
    {"cached-variant", "variants have been requested, which the cache has",
     [](Application &a) { a.requestVariants(); }},
    {"cached-variant-20", "20 ms later", [](Application &a) { pauseFor(a, 20); }},
    {"cached-variant-60", "60 ms later", [](Application &a) { pauseFor(a, 60); }},
    {"cached-variant-120", "120 ms later", [](Application &a) { pauseFor(a, 120); }},
    {"cached-variant-250", "250 ms later", [](Application &a) { pauseFor(a, 250); }},
    {"reading", "a large read is pending",
     [](Application &a) {
       a.launch();
       a.readLater();
     }},
    {"user-event", "commands wait for an event that is never complete",
     [](Application &a) {
       a.build();
       a.enqueueBehindUserEvent();
     }},
    {"released", "all objects are released",
     [](Application &a) {
       a.launch();
       a.finish();
       a.release();
     }},
    {"released-pending", "all objects are released while variants and launches are pending",
     [](Application &a) {
       a.requestVariants();
       a.release();
     },
     0, true},
    {"unload-compiler", "clUnloadPlatformCompiler while variants are compiled",
     [](Application &a) {
       a.requestVariants();
       a.cl.clUnloadPlatformCompiler(a.kiln);
     },
     0, true},
    // Ends that run no exit handlers, or other ones.
    {"_exit", "_exit with pending launches and variants",
     [](Application &a) {
       a.requestVariants();
       endBegins();
       _exit(0);
     },
     0, true},
    {"quick_exit", "quick_exit with pending launches and variants",
     [](Application &a) {
       a.requestVariants();
       endBegins();
       std::quick_exit(0);
     },
     0, true},
    {"quick_exit-handler", "a handler of quick_exit uses OpenCL",
     [](Application &a) {
       used = &a;
       std::at_quick_exit([] { used->use(); });
       a.requestVariants();
       endBegins();
       std::quick_exit(0);
     }},
    {"exec", "another program with pending launches and variants",
     [](Application &a) {
       a.requestVariants();
       endBegins();
       execl("/bin/true", "true", nullptr);
     },
     0, true},
    {"abort", "abort",
     [](Application &a) {
       noCore();
       a.requestVariants();
       endBegins();
       std::abort();
     },
     SIGABRT},
    {"exception", "an exception that is not caught in a thread",
     [](Application &a) {
       noCore();
       a.requestVariants();
       endBegins();
       std::thread([] { throw std::runtime_error("of the application"); }).join();
     },
     SIGABRT},
    {"exception-in-destructor", "an exception in the destructor of a static object",
     [](Application &a) {
       noCore();
       early.body = [] { throw std::runtime_error("of the application"); };
       a.requestVariants();
     },
     SIGABRT, true},
    {"terminated", "SIGTERM",
     [](Application &a) {
       a.requestVariants();
       endBegins();
       kill(getpid(), SIGTERM);
       sleepForever();
     },
     SIGTERM, true},
    {"killed", "SIGKILL",
     [](Application &a) {
       a.requestVariants();
       endBegins();
       kill(getpid(), SIGKILL);
       sleepForever();
     },
     SIGKILL, true},
    {"exit-in-signal-handler", "a handler of SIGTERM calls exit while the thread waits",
     [](Application &a) {
       signal(SIGTERM, [](int) {
         endBegins();
         std::exit(0);
       });
       a.requestVariants();
       kill(getpid(), SIGTERM);
       sleepForever();
     },
     0, true},
    {"_exit-in-signal-handler", "a handler of SIGTERM calls _exit while the thread waits for commands",
     [](Application &a) {
       signal(SIGTERM, [](int) {
         endBegins();
         _exit(0);
       });
       a.requestVariants();
       std::thread([] { kill(getpid(), SIGTERM); }).detach();
       a.finish();
       sleepForever();
     }},
    // Exit handlers and destructors of the application that use OpenCL.
    {"handler-before", "an exit handler of before the first use",
     [](Application &a) {
       used = &a;
       atExit([] {
         used->use();
         used->release();
       });
       a.requestVariants();
     }},
    {"handler-after", "an exit handler of after the last use",
     [](Application &a) {
       a.requestVariants();
       used = &a;
       atExit([] {
         used->use();
         used->release();
       });
     }},
    {"handlers-around", "exit handlers between all steps",
     [](Application &a) {
       used = &a;
       constexpr auto Use = [] { used->use(); };
       atExit(Use);
       a.platform();
       atExit(Use);
       a.context();
       atExit(Use);
       a.build();
       atExit(Use);
       a.requestVariants();
       atExit(Use);
     }},
    {"handler-builds", "an exit handler builds a program",
     [](Application &a) {
       used = &a;
       a.launch();
       atExit([] { used->buildAgain(); });
     },
     0, true},
    {"handler-starts-thread", "an exit handler of before the first use joins a thread that uses OpenCL",
     [](Application &a) {
       used = &a;
       atExit([] { std::thread([] { used->use(); }).join(); });
       a.launch();
     }},
    {"destructor-before", "the destructor of an object that is older than the use",
     [](Application &a) {
       early.body = [&a] {
         a.use();
         a.useBuffers();
         a.release();
       };
       a.requestVariants();
     }},
    {"destructor-after", "the destructor of an object that is younger than the use",
     [](Application &a) {
       a.requestVariants();
       static AtDestruction late;
       late.body = [&a] {
         a.use();
         a.useBuffers();
         a.release();
       };
     }},
    {"destructor-builds", "the destructor of an old object builds a program",
     [](Application &a) {
       early.body = [&a] { a.buildAgain(); };
       a.launch();
     },
     0, true},
    // Other threads.
    {"exit-in-finish", "a thread calls exit while the main thread is inside of clFinish",
     [](Application &a) {
       a.requestVariants();
       exitFromThread(0);
       for (;;)
         a.use();
     }},
    {"exit-in-build", "a thread calls exit while the main thread is inside of clBuildProgram",
     [](Application &a) {
       a.build();
       exitFromThread(20);
       for (;;)
         a.buildAgain();
     },
     0, true},
    {"exit-in-load", "a thread calls exit while the main thread loads the code of a program",
     [](Application &a) {
       a.build();
       exitFromThread(150);
       for (;;)
         a.buildAgain();
     },
     0, true},
    {"exit-in-wait", "a thread calls exit while the main thread waits for a user event",
     [](Application &a) {
       a.build();
       a.enqueueBehindUserEvent();
       exitFromThread(5);
       a.cl.clFinish(a.queue);
     }},
    {"exit-in-callback", "the callback of an event calls exit",
     [](Application &a) {
       a.build();
       addCallbacks(a, exitInCallback);
       a.cl.clFinish(a.queue);
       sleepForever();
     }},
    {"callbacks", "callbacks of events are pending, which use OpenCL",
     [](Application &a) {
       a.build();
       addCallbacks(a, useInCallback);
     }},
    {"detached-launches", "detached threads launch and wait",
     [](Application &a) {
       a.requestVariants();
       startDetached(a, &Application::use);
     }},
    {"detached-buffers", "detached threads create, write, map and release buffers",
     [](Application &a) {
       a.context();
       startDetached(a, &Application::useBuffers);
     }},
    {"detached-builds", "detached threads build programs",
     [](Application &a) {
       a.build();
       startDetached(a, &Application::buildAgain);
     },
     0, true},
    {"joined-launches", "a static object joins threads that launch and wait",
     [](Application &a) {
       a.requestVariants();
       workers.start(a, &Application::use);
     }},
    {"joined-buffers", "a static object joins threads that use buffers",
     [](Application &a) {
       a.context();
       workers.start(a, &Application::useBuffers);
     }},
    {"main-thread-ends", "the main thread ends before the one that calls exit",
     [](Application &a) {
       a.requestVariants();
       exitFromThread(20);
       pthread_exit(nullptr);
     }},
    // Libraries.
    {"dlclose", "the loader is closed",
     [](Application &a) {
       a.launch();
       a.finish();
       a.release();
       a.unload();
     }},
    {"dlclose-pending", "the loader is closed while variants and launches are pending, nothing is released",
     [](Application &a) {
       a.requestVariants();
       a.unload();
     },
     0, true},
    // Other processes.
    {"fork", "the child of a fork exits, then its parent",
     [](Application &a) {
       a.requestVariants();
       const pid_t child = forked();
       if (!child)
         std::exit(0);
       waitFor(child);
     },
     0, true},
    // Commands of the CPU that are in progress never end in the child of a fork, so there are none.
    {"fork-uses", "the child of a fork uses what it inherited, and exits",
     [](Application &a) {
       a.requestVariants();
       a.finish();
       const pid_t child = forked();
       if (!child) {
         a.use();
         a.useBuffers();
         a.release();
         std::exit(0);
       }
       waitFor(child);
     }},
    {"fork-threads", "forks while threads use OpenCL; the children exit",
     [](Application &a) {
       a.launch();
       startDetached(a, &Application::use);
       for (int i = 0; i < 5; ++i) {
         const pid_t child = forked();
         if (!child)
           std::exit(0);
         waitFor(child);
       }
     }},
    {"fork-orphan", "the parent exits before the child of a fork",
     [](Application &a) {
       a.requestVariants();
       if (forked())
         return;
       std::this_thread::sleep_for(milliseconds(30));
     },
     0, true},
    {"daemon", "a process that has left its parent and session uses OpenCL",
     [](Application &a) {
       if (forked())
         _exit(0);
       setsid();
       if (forked())
         _exit(0);
       a.requestVariants();
     },
     0, true},
    {"daemon-late", "a process leaves its parent after it has used OpenCL",
     [](Application &a) {
       a.requestVariants();
       if (forked())
         _exit(0);
       setsid();
       a.release();
     }},
};

} // namespace

std::span<const Ending> endings() { return std::span(All).subspan(1); }
const Ending &preparation() { return All[0]; }

} // namespace kiln::life
