#include "backends/cpu/driver/FaultReplay.h"
#include "backends/cpu/driver/CpuLaunch.h"
#include "backends/cpu/driver/ThreadArena.h"
#include "base/abi/AccessNote.h"
#include "base/support/Log.h"
#include "base/support/Trace.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln::cpu {
namespace {

constexpr int Signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr long ShortestPause = 50'000, LongestPause = 5'000'000; // between looks at the copy, in nanoseconds

/// Memory of both processes.
struct Shared {
  enum class State : uint32_t { Running, Faulted };
  std::atomic<State> state{State::Running};
  siginfo_t signal{};
  abi::AccessNote note; // where the code is
  char site[1024]{};    // of the note, at the fault
  alignas(64) std::byte handlerStack[64 << 10];

  static Shared *make() {
    void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : new (memory) Shared;
  }
};
struct Unmap {
  void operator()(Shared *shared) const { munmap(shared, sizeof *shared); }
};

// ---- in the copy ----------------------------------------------------------------------------------------------------

constinit Shared *ofThisCopy = nullptr; // set only there

[[noreturn]] void end() {
  while (true)
    syscall(SYS_exit_group, 0);
}

void onFault(int, siginfo_t *info, void *) {
  Shared &shared = *ofThisCopy;
  shared.signal = *info;
  // A wild store may have overwritten the note. This signal is blocked here, so a second fault ends the process, and
  // the state is not set.
  if (const char *site = reinterpret_cast<const char *>(shared.note.site))
    for (size_t i = 0; i + 1 < sizeof shared.site && site[i]; ++i)
      shared.site[i] = site[i];
  shared.state.store(Shared::State::Faulted, std::memory_order_release);
  end();
}

void handleFaults(Shared &shared) {
  ofThisCopy = &shared;
  stack_t stack{};
  stack.ss_sp = shared.handlerStack;
  stack.ss_size = sizeof shared.handlerStack;
  sigaltstack(&stack, nullptr);
  sigset_t mask;
  sigfillset(&mask);
  struct sigaction action{};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  action.sa_mask = mask;
  for (const int signal : Signals) {
    sigdelset(&mask, signal);
    sigaction(signal, &action, nullptr);
  }
  sigprocmask(SIG_SETMASK, &mask, nullptr);
}

template <typename Call> [[noreturn]] void runInCopy(Shared &shared, pid_t parent, const Call &call) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_DUMPABLE, 0);
  if (syscall(SYS_getppid) != parent)
    end();
#ifdef SYS_close_range
  syscall(SYS_close_range, 0, ~0u, 0);
#endif
  handleFaults(shared);
  call();
  end();
}

// ---- in this process ------------------------------------------------------------------------------------------------

/// Waits until the copy has ended, and ends it after `limit` nanoseconds.
void await(pid_t copy, uint64_t limit) {
  const uint64_t begin = nowNanoseconds();
  timespec pause{0, ShortestPause};
  int flags = WNOHANG;
  while (true) {
    const pid_t ended = waitpid(copy, nullptr, __WALL | flags);
    if (ended == copy || (ended < 0 && errno != EINTR)) // the application may have waited for every process
      return;
    if (flags && nowNanoseconds() - begin > limit) {
      kill(copy, SIGKILL);
      flags = 0;
    }
    if (flags)
      nanosleep(&pause, nullptr);
    pause.tv_nsec = std::min(2 * pause.tv_nsec, LongestPause);
  }
}

/// Returns true if this process has a page that the copy lacked, as one with MADV_DONTFORK.
bool isMappedHere(uint64_t address) {
  const uint64_t page = uint64_t(sysconf(_SC_PAGESIZE));
  unsigned char isResident;
  return mincore(reinterpret_cast<void *>(address / page * page), 1, &isResident) == 0;
}

} // namespace

std::optional<FaultPlace> replayFault(const Launch &launch, const LaunchFault &fault, uint64_t limit) {
  const std::unique_ptr<Shared, Unmap> shared(Shared::make());
  CpuCall call;
  if (!shared || !call.describe(launch).ok())
    return {};
  call.info.accessNote = reinterpret_cast<uint64_t>(&shared->note);
  const auto &function = static_cast<const CpuFunction &>(*launch.function);
  const ThreadArena &arena = ThreadArena::ofThisThread();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); // the copy runs no handler of the application
  const pid_t parent = getpid(), copy = pid_t(syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
  if (copy == 0)
    runInCopy(*shared, parent, [&] {
      function.entry(launch.arguments, &call.info, fault.firstGroup, fault.endGroup, arena.local(), arena.items());
    });
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (copy < 0) {
    KILN_LOG(Info, Device, "the fault of kernel ", function.kernel.name, " is not replayed: clone: ", strerror(error));
    return {};
  }
  await(copy, limit);
  const siginfo_t &signal = shared->signal;
  if (shared->state.load(std::memory_order_acquire) != Shared::State::Faulted || signal.si_signo != fault.signal ||
      (signal.si_signo == SIGSEGV && signal.si_code == SEGV_MAPERR &&
       isMappedHere(uint64_t(uintptr_t(signal.si_addr)))))
    return {};
  shared->site[sizeof shared->site - 1] = 0;
  FaultPlace place;
  place.site = shared->site;
  place.isItem = shared->note.isItem != 0;
  std::ranges::copy(place.isItem ? shared->note.globalId : shared->note.groupId, place.id.begin());
  place.address = fault::accessedAddress(signal);
  place.access = fault::describeAccess({function.kernel, launch.arguments}, signal);
  return place;
}

} // namespace kiln::cpu
