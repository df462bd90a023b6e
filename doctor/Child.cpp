#include "doctor/Child.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln::doctor {
namespace {

std::string contentOf(int file) {
  std::string text;
  char part[4096];
  for (ssize_t count; (count = pread(file, part, sizeof part, off_t(text.size()))) > 0;)
    text.append(part, size_t(count));
  return text;
}

} // namespace

ChildResult inChild(const std::function<std::string()> &function, unsigned seconds) {
  const int output = memfd_create("output", MFD_CLOEXEC), errors = memfd_create("errors", MFD_CLOEXEC);
  if (output < 0 || errors < 0)
    return {{}, {}, std::string("cannot be checked: ") + strerror(errno)};
  fflush(nullptr);
  const pid_t child = fork();
  if (!child) {
    alarm(seconds);
    dup2(errors, STDERR_FILENO);
    const std::string text = function();
    (void)!write(output, text.data(), text.size());
    _exit(0);
  }
  int status = 0;
  ChildResult result;
  if (child < 0)
    result.failure = std::string("cannot be checked: ") + strerror(errno);
  else
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  if (child > 0 && WIFSIGNALED(status))
    result.failure = WTERMSIG(status) == SIGALRM ? "did not end in " + std::to_string(seconds) + " seconds"
                                                 : "ended with signal " + std::to_string(WTERMSIG(status));
  else if (child > 0 && WEXITSTATUS(status))
    result.failure = "ended with status " + std::to_string(WEXITSTATUS(status));
  result.output = contentOf(output);
  result.errors = contentOf(errors);
  close(output);
  close(errors);
  return result;
}

} // namespace kiln::doctor
