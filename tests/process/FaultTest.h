// A test of kernels that fault. It runs each in a new process, and reads what the process writes to standard error.
#pragma once
#include "tests/process/ProcessTest.h"
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln::test {

inline constexpr size_t Page = 4096;

/// Bytes that end at a page without access.
inline int *guarded(size_t bytes) {
  const size_t pages = (bytes + Page - 1) / Page * Page;
  auto *begin =
      static_cast<char *>(mmap(nullptr, pages + 2 * Page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(begin, Page, PROT_NONE);
  mprotect(begin + Page + pages, Page, PROT_NONE);
  return reinterpret_cast<int *>(begin + Page + pages - bytes);
}

struct FaultTest : ProcessTest {
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
      fflush(stdout); // failed expectations
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
    for (size_t at = 0; (at = errors.find(": SIG", at)) != std::string::npos; ++at)
      ++count;
    return count;
  }
  bool says(const std::string &words) const { return errors.find(words) != std::string::npos; }

  static cl_int statusOf(App &app, cl_kernel kernel, size_t items) {
    cl_event event = nullptr;
    EXPECT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, &event), CL_SUCCESS);
    const Event held = event;
    clWaitForEvents(1, &event);
    cl_int status = 1;
    EXPECT_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), CL_SUCCESS);
    return status;
  }
  static Mem guardedBuffer(App &app, size_t bytes) {
    return clCreateBuffer(app.context, CL_MEM_USE_HOST_PTR, bytes, guarded(bytes), nullptr);
  }
};

} // namespace kiln::test
