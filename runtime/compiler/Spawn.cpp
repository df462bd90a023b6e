// Creates two processes: the first has no exit signal, so it neither raises SIGCHLD nor is found by a plain wait(); it
// creates the second, which executes the program. Because execve restores the exit signal, one process would not do.
// The first ends at once, and init adopts the program. (If the application is init or a subreaper, it adopts the
// program like any orphan.) Both share our memory until execve, so nothing is copied however large the application is,
// and they report errors in a struct of ours. Until then they may only make system calls, because other threads may
// hold locks.
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
constexpr int FirstFreeDescriptor = 10; // descriptors from here on do not collide with the program's

struct Job {
  const char *program;
  char *const *arguments;
  char *const *environment;
  int socket, errors;
  char *innerStack;
  volatile int failure;
};

/// clone() without the bookkeeping of the C library or a sanitizer, which do not support a process that shares memory.
int cloneOnStack(int (*function)(void *), void *stack, int flags, void *argument) {
#if defined(__x86_64__)
  long result;
  register long fourth __asm__("r10") = 0;
  register int (*entry)(void *) __asm__("r12") = function;
  register void *passed __asm__("r13") = argument;
  __asm__ volatile("syscall\n"
                   "test %%rax, %%rax\n"
                   "jnz 1f\n"
                   "xor %%ebp, %%ebp\n"
                   "mov %%r13, %%rdi\n"
                   "call *%%r12\n"
                   "mov %%eax, %%edi\n"
                   "mov %[exit], %%eax\n"
                   "syscall\n"
                   "1:\n"
                   : "=a"(result)
                   : "0"(SYS_clone), "D"(flags), "S"(stack), "d"(0), "r"(fourth), "r"(entry),
                     "r"(passed), [exit] "i"(SYS_exit_group)
                   : "rcx", "r11", "memory");
  if (result >= 0)
    return static_cast<int>(result);
  errno = static_cast<int>(-result);
  return -1;
#else
  return clone(function, stack, flags, argument);
#endif
}

void closeFrom(unsigned first) {
  if (syscall(SYS_close_range, first, ~0u, 0) == 0)
    return;
  for (long descriptor = first, last = sysconf(_SC_OPEN_MAX); descriptor < last; ++descriptor)
    syscall(SYS_close, descriptor);
}

// The next two functions run on shared memory. They make only system calls, without sanitizer instrumentation.
#if defined(__clang__)
#define KILN_BARE __attribute__((no_sanitize("address", "thread", "undefined")))
#else
#define KILN_BARE __attribute__((no_sanitize_address, no_sanitize_thread))
#endif

KILN_BARE int becomeProgram(void *argument) {
  Job &job = *static_cast<Job *>(argument);
  const char defaults[64] = {}; // zeros: the default signal action, and an empty signal set
  constexpr int SignalSetBytes = 8;
  for (int number = 1; number < NSIG; ++number)
    syscall(SYS_rt_sigaction, number, defaults, nullptr, SignalSetBytes);
  syscall(SYS_setsid);
  long null = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR);
  if (null >= 0 && null < FirstFreeDescriptor)
    null = syscall(SYS_fcntl, null, F_DUPFD, FirstFreeDescriptor);
  syscall(SYS_dup3, null, STDIN_FILENO, 0);
  syscall(SYS_dup3, null, STDOUT_FILENO, 0);
  syscall(SYS_dup3, job.errors >= 0 ? job.errors : null, STDERR_FILENO, 0);
  syscall(SYS_dup3, job.socket, SpawnedSocket, 0);
  closeFrom(SpawnedSocket + 1);
  syscall(SYS_chdir, "/"); // do not keep the application's folder busy
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, defaults, nullptr, SignalSetBytes);
  syscall(SYS_execve, job.program, job.arguments, job.environment);
  job.failure = errno;
  return 127;
}

KILN_BARE int makeProgram(void *argument) {
  Job &job = *static_cast<Job *>(argument);
  if (cloneOnStack(becomeProgram, job.innerStack, CLONE_VM | CLONE_VFORK | SIGCHLD, &job) < 0)
    job.failure = errno;
  return 0;
}

/// The application's environment without variables that load its libraries into the program.
std::vector<char *> environmentWithoutPreload() {
  std::vector<char *> kept;
  for (char **variable = environ; variable && *variable; ++variable)
    if (strncmp(*variable, "LD_PRELOAD=", 11) != 0 && strncmp(*variable, "LD_AUDIT=", 9) != 0)
      kept.push_back(*variable);
  kept.push_back(nullptr);
  return kept;
}

} // namespace

int spawnDetached(const std::string &program, const std::string &argument, int socket, int errors) {
  std::vector<char *> environment = environmentWithoutPreload();
  char *arguments[] = {const_cast<char *>(program.c_str()), const_cast<char *>(argument.c_str()), nullptr};
  void *stacks = mmap(nullptr, 2 * StackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stacks == MAP_FAILED)
    return errno;
  Job job{program.c_str(), arguments, environment.data(), -1, -1, nullptr, 0};
  job.innerStack = static_cast<char *>(stacks) + StackBytes;
  job.socket = fcntl(socket, F_DUPFD_CLOEXEC, FirstFreeDescriptor);
  job.errors = errors < 0 ? -1 : fcntl(errors, F_DUPFD_CLOEXEC, FirstFreeDescriptor);

  // A signal handler of the application must not run in a process that shares its memory.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  int process =
      job.socket < 0 ? -1 : cloneOnStack(makeProgram, job.innerStack + StackBytes, CLONE_VM | CLONE_VFORK, &job);
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
