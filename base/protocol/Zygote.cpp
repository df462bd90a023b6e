#include "base/protocol/Zygote.h"
#include "KilnBuildId.h"
#include "base/protocol/Libraries.h"
#include "base/protocol/SocketMessages.h"
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <fcntl.h>
#include <list>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <utility>

namespace kiln::zygote {
namespace {

constexpr int OutOfMemory = 77; // exit status of a child whose operator new failed
constexpr int OutOfStack = 78;  // exit status of a child that overflowed its stack
constexpr uint64_t StackBytes = 64ull << 20;
constexpr int64_t IdleBeforeWarmUpMilliseconds = 100; // idle time before the warm-up build
constexpr int MaxColdBuilds = 2;                      // builds before the warm-up build

int64_t nowMilliseconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000ll + time.tv_nsec / 1000000;
}

void limit(int resource, uint64_t soft, uint64_t hard) {
  rlimit current;
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &current) != 0)
    return;
  current.rlim_max = std::min<rlim_t>(current.rlim_max, hard);
  current.rlim_cur = std::min<rlim_t>(soft, current.rlim_max);
  setrlimit(static_cast<__rlimit_resource_t>(resource), &current);
}

/// The size of this process's mappings: libraries, and with a sanitizer terabytes of shadow.
uint64_t mappedBytes() {
  unsigned long pages = 0;
  if (FILE *file = fopen("/proc/self/statm", "re")) {
    if (fscanf(file, "%lu", &pages) != 1)
      pages = 0;
    fclose(file);
  }
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

struct sigaction actionBefore;

/// SIGSEGV near the stack pointer is a stack overflow. Others get the earlier action.
void onSegmentationFault(int, siginfo_t *info, void *context) {
  uintptr_t stack = 0;
#if defined(__x86_64__)
  stack = static_cast<uintptr_t>(static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  stack = static_cast<ucontext_t *>(context)->uc_mcontext.sp;
#endif
  constexpr uintptr_t Near = 64 << 10; // size of a large frame
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (info->si_code > 0 && stack && address + Near > stack && address < stack + Near)
    _exit(OutOfStack);
  sigaction(SIGSEGV, &actionBefore, nullptr); // the instruction faults again; a sent signal is raised again
  if (info->si_code <= 0)
    raise(SIGSEGV);
}

void reportStackOverflow() {
  static char memory[64 << 10];
  stack_t other{};
  other.ss_sp = memory;
  other.ss_size = sizeof memory;
  struct sigaction action{};
  action.sa_sigaction = onSegmentationFault;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  if (sigaltstack(&other, nullptr) == 0)
    sigaction(SIGSEGV, &action, &actionBefore);
}

constexpr int64_t LeftBehindMilliseconds = 60'000; // for a build whose client has ended
constexpr int LowestPriority = 19;
/// The byte that is locked while a build goes on after its client. Above the offsets of BuildTurn.cpp.
constexpr off_t LeftBehindOffset = off_t(1) << 62;

struct Build {
  pid_t process = -1;
  Descriptor turn;   // empty if the build ends with its client
  Descriptor status; // pipe to the client for the cause of the child's death
  Descriptor errors; // the child's stderr; empty if memfd is not available
  int64_t deadline = 0;
  int64_t stoppedUntil = INT64_MAX;                  // a stopped build ends then
  enum : uint8_t { Runs, Late, Stopped } end = Runs; // why the zygote has ended it
};

class Server {
public:
  Server(const Invocation &invocation, const Handler &handler, const Keep &keep)
      : limits_(invocation.limits), handler_(handler), keep_(keep), control_(invocation.socket) {}

  int run(const WarmUp &warmUp) {
    if (!start())
      return 1;
    if (warmUp.prepare)
      warmUp.prepare();
    warmUpBuild_ = warmUp.warmUpBuild;
    idleSince_ = nowMilliseconds();
    while (!ended_)
      step();
    endBuildsButOne();
    while (!builds_.empty()) {
      pollfd waiting{signals_.get(), POLLIN, 0};
      poll(&waiting, 1, untilNextEnd());
      reap();
      stopLateBuilds();
    }
    return 0;
  }

private:
  bool start() {
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, nullptr);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); // a write beyond RLIMIT_FSIZE fails, in the children too
    signals_ = Descriptor(signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
    fcntl(control_.get(), F_SETFD, FD_CLOEXEC);
    // A forked child of the application may hold the other end of the control socket, so watch the process too.
    ucred client{};
    socklen_t size = sizeof client;
    if (getsockopt(control_.get(), SOL_SOCKET, SO_PEERCRED, &client, &size) == 0 && client.pid > 0)
      client_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, client.pid, 0)));
    return signals_ && send(control_.get(), KILN_BUILD_ID, strlen(KILN_BUILD_ID), MSG_NOSIGNAL) > 0;
  }

  void step() {
    int64_t now = nowMilliseconds(), until = -1;
    if (builds_.empty())
      until = idleSince_ + static_cast<int64_t>(limits_.idleSeconds) * 1000;
    if (builds_.empty() && until <= now) {
      ended_ = true;
      return;
    }
    if (warmUpBuild_ && builds_.empty()) {
      int64_t quiet = idleSince_ + IdleBeforeWarmUpMilliseconds;
      if (quiet <= now)
        return warmUpBuild();
      until = std::min(until, quiet);
    }
    pollfd waiting[] = {{control_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}, {client_.get(), POLLIN, 0}};
    const int left = until < 0 ? untilNextEnd() : static_cast<int>(std::clamp<int64_t>(until - now, 0, 1 << 30));
    if (poll(waiting, 3, left) < 0 && errno != EINTR)
      ended_ = true;
    if (waiting[1].revents)
      reap();
    stopLateBuilds();
    if (waiting[2].revents)
      ended_ = true;
    if (waiting[0].revents)
      acceptAll();
  }

  /// The milliseconds until a build is late; -1 without one.
  int untilNextEnd() const {
    int64_t next = INT64_MAX;
    for (const Build &build : builds_)
      if (build.end == Build::Runs)
        next = std::min({next, build.deadline, build.stoppedUntil});
    return next == INT64_MAX ? -1 : static_cast<int>(std::clamp<int64_t>(next - nowMilliseconds(), 0, 1 << 30));
  }

  /// The client has gone.
  void endBuildsButOne() {
    for (Build &build : builds_)
      if (build.turn && keep_ && !leftBehind_ && (leftBehind_ = lockLeftBehind(build.turn.get()))) {
        setpriority(PRIO_PGRP, 0, LowestPriority); // its processes are those that are left of the session
        build.deadline = std::min(build.deadline, nowMilliseconds() + LeftBehindMilliseconds);
      } else {
        kill(build.process, SIGKILL);
      }
  }

  /// Returns nothing if another zygote has the lock. Opens the file again, because the client's children may share the
  /// description that it was opened with.
  static Descriptor lockLeftBehind(int turn) {
    Descriptor file(open(("/proc/self/fd/" + std::to_string(turn)).c_str(), O_RDWR | O_CLOEXEC));
    struct flock range{};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    range.l_start = LeftBehindOffset;
    range.l_len = 1;
    return file && fcntl(file.get(), F_OFD_SETLK, &range) == 0 ? std::move(file) : Descriptor();
  }

  void acceptAll() {
    while (!ended_) {
      char byte;
      iovec data{&byte, 1};
      alignas(cmsghdr) char ancillary[CMSG_SPACE(MaxDescriptors * sizeof(int))];
      msghdr message{};
      message.msg_iov = &data, message.msg_iovlen = 1;
      message.msg_control = ancillary, message.msg_controllen = sizeof ancillary;
      ssize_t size = recvmsg(control_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
      if (size < 0 && errno == EINTR)
        continue;
      if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return;
      if (size <= 0) {
        ended_ = true;
        return;
      }
      cmsghdr *header = CMSG_FIRSTHDR(&message);
      if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
        continue;
      int descriptors[MaxDescriptors] = {-1, -1, -1};
      memcpy(descriptors, CMSG_DATA(header), std::min<size_t>(sizeof descriptors, header->cmsg_len - CMSG_LEN(0)));
      Descriptor stream(descriptors[0]), status(descriptors[1]), turn(descriptors[2]);
      if (!stream || !status)
        continue;
      if (warmUpBuild_ && ++launched_ > MaxColdBuilds)
        warmUpBuild();
      launch(std::move(stream), std::move(status), std::move(turn));
    }
  }

  void warmUpBuild() { std::exchange(warmUpBuild_, nullptr)(); }

  void launch(Descriptor stream, Descriptor status, Descriptor turn) {
    Build build;
    build.status = std::move(status), build.turn = std::move(turn);
    build.errors = Descriptor(memfd_create("kiln-stderr", MFD_CLOEXEC));
    build.deadline = nowMilliseconds() + static_cast<int64_t>(limits_.wallSeconds) * 1000;
    pid_t zygote = getpid();
    build.process = fork();
    if (build.process == 0)
      child(zygote, std::move(stream), build);
    if (build.process < 0)
      report(build, std::string("cannot create a process for the build: ") + strerror(errno));
    else
      builds_.push_back(std::move(build));
  }

  [[noreturn]] void child(pid_t zygote, Descriptor stream, Build &build) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != zygote)
      _exit(1);
    // Close the descriptors of other builds, or their clients would wait for this child's end.
    for (Build &other : builds_)
      other.status.reset(), other.errors.reset(), other.turn.reset();
    const bool mayStay = std::exchange(build.turn, Descriptor()) && keep_;
    build.status.reset(), control_.reset(), signals_.reset();
    if (!mayStay)
      client_.reset();
    if (build.errors)
      dup2(build.errors.get(), STDERR_FILENO);
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    limit(RLIMIT_CORE, 0, RLIM_INFINITY);
    limit(RLIMIT_CPU, limits_.processorSeconds, limits_.processorSeconds + 5);
    limit(RLIMIT_STACK, StackBytes, RLIM_INFINITY);
    uint64_t mapped = mappedBytes();
    limit(RLIMIT_AS, mapped + std::min(limits_.memoryBytes, RLIM_INFINITY - 1 - mapped), RLIM_INFINITY);
    std::set_new_handler([] { _exit(OutOfMemory); });
    reportStackOverflow();

    wire::Bytes place, message;
    if ((mayStay && stream::receive(stream.get(), place, -1, nowMilliseconds) != stream::IoStatus::Done) ||
        stream::receive(stream.get(), message, -1, nowMilliseconds) != stream::IoStatus::Done)
      _exit(1);
    try {
      message = handler_(std::move(message));
    } catch (const std::bad_alloc &) {
      _exit(OutOfMemory);
    } catch (const std::exception &error) {
      fprintf(stderr, "%s\n", error.what());
      _exit(1);
    }
    pollfd client{client_.get(), POLLIN, 0};
    const bool clientEnded = mayStay && client_ && poll(&client, 1, 0) > 0;
    if (!clientEnded && stream::send(stream.get(), message, -1, nowMilliseconds) == stream::IoStatus::Done)
      _exit(0);
    if (mayStay)
      keep_(place, std::move(message));
    _exit(1);
  }

  void reap() {
    signalfd_siginfo ignored;
    while (read(signals_.get(), &ignored, sizeof ignored) > 0) {
    }
    int status = 0;
    for (pid_t process; (process = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0;)
      for (auto build = builds_.begin(); build != builds_.end(); ++build)
        if (build->process == process) {
          if (WIFSTOPPED(status) || WIFCONTINUED(status)) {
            build->stoppedUntil = WIFSTOPPED(status) ? nowMilliseconds() + StoppedMilliseconds : INT64_MAX;
            break;
          }
          report(*build, causeOfDeath(*build, status));
          builds_.erase(build);
          break;
        }
    idleSince_ = nowMilliseconds();
  }

  void stopLateBuilds() {
    int64_t now = nowMilliseconds();
    for (Build &build : builds_)
      if (build.end == Build::Runs && (build.deadline <= now || build.stoppedUntil <= now)) {
        build.end = build.deadline <= now ? Build::Late : Build::Stopped;
        kill(build.process, SIGKILL);
      }
  }

  std::string causeOfDeath(const Build &build, int status) const {
    std::string errors = lastErrors(build);
    auto contains = [&](const char *words) { return errors.find(words) != std::string::npos; };
    std::string memory =
        "the compiler ran out of memory (the limit is " + std::to_string(limits_.memoryBytes >> 20) + " MiB)";
    std::string sentence;
    if (WIFSIGNALED(status)) {
      int number = WTERMSIG(status);
      const char *name = sigabbrev_np(number);
      std::string signal = name ? std::string("SIG") + name : "signal " + std::to_string(number);
      if (build.end == Build::Stopped)
        sentence = "the compiler was stopped by a signal for " + std::to_string(StoppedMilliseconds / 1000) + " s";
      else if (build.end == Build::Late)
        sentence = "the compiler took longer than " + std::to_string(limits_.wallSeconds) + " s";
      else if (number == SIGXCPU)
        sentence = "the compiler took longer than " + std::to_string(limits_.processorSeconds) + " s of processor time";
      else if (number == SIGABRT && (contains("out of memory") || contains("out-of-memory") || contains("bad_alloc")))
        return memory;
      else if (number == SIGKILL)
        sentence = "the compiler was killed (SIGKILL), as the system does when memory runs out";
      else
        sentence = "the compiler crashed (" + signal + ")";
    } else if (WEXITSTATUS(status) == OutOfMemory) {
      return memory;
    } else if (WEXITSTATUS(status) == OutOfStack) {
      return "the compiler used up its stack of " + std::to_string(StackBytes >> 20) +
             " MiB: the program is nested too deeply, such as an expression of very many terms";
    } else if (WEXITSTATUS(status) == 0) {
      sentence = "the compiler ended without a reply";
    } else {
      sentence = "the compiler stopped (exit status " + std::to_string(WEXITSTATUS(status)) + ")";
    }
    if (errors.empty())
      return sentence + fileSizeLimit();
    return sentence + "\n" + errors;
  }

  /// The limit that may have prevented the child's output.
  static std::string fileSizeLimit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
      return {};
    return "; files are limited to " + std::to_string(limit.rlim_cur) + " bytes (RLIMIT_FSIZE)";
  }

  /// The end of the child's stderr output.
  static std::string lastErrors(const Build &build) {
    std::string text(4096, '\0');
    off_t size = build.errors ? lseek(build.errors.get(), 0, SEEK_END) : 0;
    off_t begin = std::max<off_t>(0, size - static_cast<off_t>(text.size()));
    ssize_t count = size > 0 ? pread(build.errors.get(), text.data(), text.size(), begin) : 0;
    text.resize(static_cast<size_t>(std::max<ssize_t>(0, count)));
    return text;
  }

  static void report(const Build &build, const std::string &sentence) {
    // Fits in an empty pipe. The client may be gone.
    [[maybe_unused]] ssize_t written = write(build.status.get(), sentence.data(), sentence.size());
  }

  const Limits limits_;
  const Handler &handler_;
  const Keep &keep_;
  Descriptor control_, signals_, client_;
  std::list<Build> builds_;
  Descriptor leftBehind_;             // has the lock of the build that goes on
  std::function<void()> warmUpBuild_; // null when it is done
  int launched_ = 0;                  // builds before it
  int64_t idleSince_ = 0;
  bool ended_ = false;
};

/// Calls `body` on a stack of StackBytes if RLIMIT_STACK does not allow the process's stack to grow as far. Processes
/// that `body` forks keep that stack. Without memory for it, `body` runs on the current stack.
void onLargeStack(const std::function<void()> &body) {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_max >= StackBytes)
    return body();
  void *memory =
      mmap(nullptr, StackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return body();
  mprotect(memory, static_cast<size_t>(sysconf(_SC_PAGESIZE)), PROT_NONE); // guard page
  static const std::function<void()> *called;
  called = &body;
  static ucontext_t here, there;
  getcontext(&there);
  there.uc_stack.ss_sp = memory;
  there.uc_stack.ss_size = StackBytes;
  there.uc_link = &here;
  makecontext(&there, [] { (*called)(); }, 0);
  swapcontext(&here, &there);
  munmap(memory, StackBytes);
}

constexpr char Flag[] = "--serve=";

} // namespace

std::string argument(const Invocation &invocation) {
  const Limits &limits = invocation.limits;
  std::string text = Flag + std::to_string(invocation.socket);
  for (uint64_t value : {limits.processorSeconds, limits.wallSeconds, limits.memoryBytes, limits.idleSeconds})
    text += "," + std::to_string(value);
  return text;
}

std::optional<Invocation> invocation(int argc, char **argv) {
  if (argc != 2 || strncmp(argv[1], Flag, strlen(Flag)) != 0)
    return std::nullopt;
  uint64_t values[5];
  const char *next = argv[1] + strlen(Flag), *end = next + strlen(next);
  for (uint64_t &value : values) {
    auto [stop, error] = std::from_chars(next, end, value);
    if (error != std::errc() || (stop != end && *stop != ','))
      return std::nullopt;
    next = stop == end ? end : stop + 1;
  }
  return Invocation{static_cast<int>(values[0]), {values[1], values[2], values[3], values[4]}};
}

const std::string &libraries() {
  static const std::string found = mappedLibraries();
  return found;
}

int serve(const Invocation &invocation, const Handler &handler, const WarmUp &warmUp, const Keep &keep) {
  libraries(); // before the files may change
  int status = 1;
  onLargeStack([&] { status = Server(invocation, handler, keep).run(warmUp); });
  return status;
}

} // namespace kiln::zygote
