// Two processes are made: one without an exit signal, which therefore neither raises SIGCHLD nor shows in a plain
// wait(), and from it the program. Execution gives a process its exit signal back, so the first one alone would not do;
// it ends at once and leaves the program to init. (Where the application is init, or a subreaper, it inherits the
// program, as it does any orphan.) Both share our memory until the program runs, so nothing is copied, however large the
// application is, and they tell what went wrong by writing to a struct of ours. Until then they may only make
// system calls: other threads hold locks.
#include "runtime/compiler/Spawn.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace kiln {
namespace {

constexpr size_t StackBytes = 64 << 10;
constexpr int OutOfTheWay = 10; // descriptors from here on do not collide with those that the program gets

struct Job {
  const char *program;
  char *const *arguments;
  char *const *environment;
  int socket, errors;
  char *innerStack;
  volatile int failure;
};

void closeFrom(unsigned first) {
  if (syscall(SYS_close_range, first, ~0u, 0) == 0)
    return;
  int last = static_cast<int>(sysconf(_SC_OPEN_MAX));
  for (int descriptor = static_cast<int>(first); descriptor < last; ++descriptor)
    close(descriptor);
}

int becomeProgram(void *argument) {
  Job &job = *static_cast<Job *>(argument);
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number)
    sigaction(number, &usual, nullptr);
  setsid();
  int nowhere = open("/dev/null", O_RDWR);
  if (nowhere >= 0 && nowhere < OutOfTheWay)
    nowhere = fcntl(nowhere, F_DUPFD, OutOfTheWay);
  dup2(nowhere, STDIN_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  dup2(job.errors >= 0 ? job.errors : nowhere, STDERR_FILENO);
  dup2(job.socket, SpawnedSocket);
  closeFrom(SpawnedSocket + 1);
  [[maybe_unused]] int ignored = chdir("/"); // hold on to no folder of the application's
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(job.program, job.arguments, job.environment);
  job.failure = errno;
  _exit(127);
}

int makeProgram(void *argument) {
  Job &job = *static_cast<Job *>(argument);
  if (clone(becomeProgram, job.innerStack, CLONE_VM | CLONE_VFORK | SIGCHLD, &job) < 0)
    job.failure = errno;
  _exit(0);
}

/// The application's environment, without what would load its libraries into our program.
std::vector<char *> environmentWithoutPreload() {
  std::vector<char *> kept;
  for (char **variable = environ; variable && *variable; ++variable)
    if (strncmp(*variable, "LD_PRELOAD=", 11) != 0 && strncmp(*variable, "LD_AUDIT=", 9) != 0)
      kept.push_back(*variable);
  kept.push_back(nullptr);
  return kept;
}

} // namespace

int spawnUnseen(const std::string &program, const std::string &argument, int socket, int errors) {
  std::vector<char *> environment = environmentWithoutPreload();
  char *arguments[] = {const_cast<char *>(program.c_str()), const_cast<char *>(argument.c_str()), nullptr};
  void *stacks = mmap(nullptr, 2 * StackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stacks == MAP_FAILED)
    return errno;
  Job job{program.c_str(), arguments, environment.data(), -1, -1, nullptr, 0};
  job.innerStack = static_cast<char *>(stacks) + StackBytes;
  job.socket = fcntl(socket, F_DUPFD_CLOEXEC, OutOfTheWay);
  job.errors = errors < 0 ? -1 : fcntl(errors, F_DUPFD_CLOEXEC, OutOfTheWay);

  // A handler of the application's must not run in a process that shares its memory.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  int process = job.socket < 0 ? -1 : clone(makeProgram, job.innerStack + StackBytes, CLONE_VM | CLONE_VFORK, &job);
  int failure = process < 0 ? errno : job.failure;
  if (process > 0)
    while (waitpid(process, nullptr, __WCLONE) < 0 && errno == EINTR) {
    }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  munmap(stacks, 2 * StackBytes);
  if (job.socket >= 0)
    close(job.socket);
  if (job.errors >= 0)
    close(job.errors);
  return failure;
}

} // namespace kiln
