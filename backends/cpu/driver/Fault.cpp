#include "backends/cpu/driver/Fault.h"
#include "backends/cpu/driver/CodeBounds.h"
#include "backends/cpu/driver/GrowingList.h"
#include "backends/cpu/driver/SignalContext.h"
#include "base/abi/ImageAbi.h"
#include "base/support/FileSizeLimit.h"
#include "base/support/Futex.h"
#include "base/support/Log.h"
#include "base/support/Options.h"
#include "base/support/Thread.h"
#include "base/support/ThreadEnd.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <new>
#include <sched.h>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace kiln::cpu::fault {
namespace {

constexpr int Signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr const char *NameOfSignal[] = {"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL"};
constexpr uintptr_t NullPage = 4096;   // an offset from a null pointer is smaller
constexpr unsigned MaxLines = 16;      // an application's handler may go on after a fault
constexpr unsigned MaxSpins = 1 << 23; // some tenths of a second

pid_t thisThread() { return pid_t(syscall(SYS_gettid)); }

/// A line of bounded length, made without memory of the heap.
class Line {
public:
  std::string_view text() const { return {text_, size_}; }
  Line &operator<<(std::string_view text) {
    const size_t part = std::min(text.size(), sizeof text_ - size_);
    std::memcpy(text_ + size_, text.data(), part);
    size_ += part;
    return *this;
  }
  Line &operator<<(uint64_t number) { return add(number, 10); }
  Line &hexadecimal(uint64_t number) { return (*this << "0x").add(number, 16); }
  void write() {
    size_ = std::min(size_, sizeof text_ - 1);
    text_[size_++] = '\n';
    FileSizeLimit noSignal;
    [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, text_, size_);
  }

private:
  Line &add(uint64_t number, unsigned base) {
    char digits[24];
    size_t at = sizeof digits;
    do
      digits[--at] = "0123456789abcdef"[number % base];
    while (number /= base);
    return *this << std::string_view(digits + at, sizeof digits - at);
  }
  char text_[1024];
  size_t size_ = 0;
};

std::vector<Kernel::Pointer> pointersOf(const KernelInfo &info) {
  static_assert(offsetof(abi::Image, pixels) == 0);
  std::vector<Kernel::Pointer> pointers;
  for (uint32_t i = 0; i < info.args.size(); ++i)
    if (const ArgInfo &argument = info.args[i]; argument.kind == ArgKind::Global ||
                                                argument.kind == ArgKind::Constant || argument.kind == ArgKind::Image ||
                                                argument.kind == ArgKind::Pipe)
      pointers.push_back({i, argument.offset, argument.name});
  return pointers;
}

} // namespace

Kernel::Kernel(const KernelInfo &info) : name(info.name), pointers(pointersOf(info)) {}

// ---- what the handler reads ----------------------------------------------------------------------------------------

/// A range of code; free for another one if `begin` is 0.
struct CodeRange::Node {
  std::atomic<uintptr_t> begin{0}, end{0};
  Node *next = nullptr;
  static constinit std::atomic<Node *> first;
};
constinit std::atomic<CodeRange::Node *> CodeRange::Node::first{nullptr};

/// A thread that runs kernels; free for another one if `thread` is 0.
struct Running::Slot {
  std::atomic<pid_t> thread{0};
  std::atomic<Running *> running{nullptr};
  std::atomic<const Report *> report{nullptr}; // running's, for threads that may not access it
  std::atomic<bool> isOwn{false};              // one of Kiln's threads
  Slot *next = nullptr;

  static constinit std::atomic<Slot *> first;
  static constinit thread_local Slot *mine;
  static constinit thread_local bool isOwnThread;

  static Slot *ofThisThread() noexcept { return mine ? mine : make(); }

private:
  static Slot *make() noexcept;
  static Slot *find(pid_t thread) noexcept;
  static void release(void *) {
    mine->running.store(nullptr);
    std::exchange(mine, nullptr)->thread.store(0, std::memory_order_release);
  }
};
constinit std::atomic<Running::Slot *> Running::Slot::first{nullptr};
constinit thread_local Running::Slot *Running::Slot::mine = nullptr;
constinit thread_local bool Running::Slot::isOwnThread = false;

/// The memory of all buffers. A thread that runs a kernel does not hold the lock, so the handler may wait for it.
struct MemoryRange::List {
  std::atomic<bool> isLocked{false};
  uint32_t process = 0; // counts forks
  MemoryRange *first = nullptr;

  static constinit List all;

  bool tryLock(unsigned spins) {
    for (; isLocked.exchange(true, std::memory_order_acquire); cpuRelax())
      if (!spins--)
        return false;
    return true;
  }
  void lock() {
    while (!tryLock(1000))
      sched_yield();
  }
  void unlock() { isLocked.store(false, std::memory_order_release); }
};
constinit MemoryRange::List MemoryRange::List::all{};

namespace {

/// The actions that were there before Kiln's.
struct sigaction previous[std::size(Signals)];

int indexOf(int signal) {
  for (int i = 0; i < int(std::size(Signals)); ++i)
    if (Signals[i] == signal)
      return i;
  return -1;
}

} // namespace

// ---- the handler ---------------------------------------------------------------------------------------------------

class Handler {
public:
  static void onSignal(int signal, siginfo_t *info, void *context) {
    const int before = errno;
    if (isEndMark(*info)) {
      leaveIfEnding(*info, context);
      errno = before;
      return;
    }
    const bool isFault = info->si_code > 0; // else kill, raise or sigqueue has sent it
    const Running::Slot *slot = slotHere();
    if (isFault && isInKernel(programCounter(context))) {
      Running *running = slot ? slot->running.load(std::memory_order_relaxed) : nullptr;
      if (running && !belongsToApplication(signal, *info))
        leave(*running, signal, *info, context);
      describeOnce(running, signal, *info, context);
    }
    errno = before;
    if (!isFault && slot && slot->isOwn.load())
      return passToApplication(signal, *info, context);
    forward(signal, info, context);
  }

  /// Installs the handlers on the first call. Returns false if Kiln leaves the signals alone.
  static bool install() {
    static std::once_flag once;
    std::call_once(once, [] {
      if (options().signals)
        installAll();
    });
    return isInstalled.load(std::memory_order_acquire);
  }
  static constinit std::atomic<bool> isInstalled;

  /// Sends the signal of Report::end to the threads that run the report's launch.
  static void interrupt(const Report &report) {
    const int signal = signalOfKiln();
    if (!signal)
      return;
    siginfo_t info{};
    info.si_signo = signal;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = endMark();
    for (const Running::Slot *slot = Running::Slot::first.load(std::memory_order_acquire); slot; slot = slot->next)
      if (slot->report.load(std::memory_order_acquire) == &report)
        syscall(SYS_rt_tgsigqueueinfo, getpid(), slot->thread.load(), signal, &info);
  }

private:
  /// Only this process can send a pointer to this.
  static void *endMark() { return &isInstalled; }
  static bool isEndMark(const siginfo_t &info) {
    return info.si_code == SI_QUEUE && info.si_pid == getpid() && info.si_value.sival_ptr == endMark();
  }
  /// Returns a signal whose handler the application has not replaced; 0 if there is none.
  static int signalOfKiln() {
    for (const int signal : {SIGILL, SIGFPE, SIGBUS, SIGSEGV})
      if (struct sigaction now; isInstalled.load(std::memory_order_acquire) && sigaction(signal, nullptr, &now) == 0 &&
                                now.sa_flags & SA_SIGINFO && now.sa_sigaction == onSignal)
        return signal;
    return 0;
  }
  /// The thread may run another launch by now, or be elsewhere.
  static void leaveIfEnding(const siginfo_t &info, void *context) {
    const Running::Slot *slot = slotHere();
    Running *running = slot ? slot->running.load(std::memory_order_relaxed) : nullptr;
    if (running && running->report_.isEnding_.load(std::memory_order_acquire) && isInKernel(programCounter(context)))
      leave(*running, info.si_signo, info, context);
  }

  static void installAll() {
    for (int i = 0; i < int(std::size(Signals)); ++i) {
      if (sigaction(Signals[i], nullptr, &previous[i]) != 0)
        continue;
      // The system prepares the handler's stack and mask as it did for the previous one.
      struct sigaction action = previous[i];
      action.sa_flags = (action.sa_flags & (SA_ONSTACK | SA_NODEFER | SA_RESTART)) | SA_SIGINFO;
      if (isDefault(previous[i]) || isIgnored(previous[i]))
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
      action.sa_sigaction = onSignal;
      sigaction(Signals[i], &action, nullptr);
    }
    isInstalled.store(true, std::memory_order_release);
  }

  static bool isDefault(const struct sigaction &action) {
    return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
  }
  static bool isIgnored(const struct sigaction &action) {
    return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN;
  }

  static bool isInKernel(uintptr_t counter) {
    for (CodeRange::Node *node = CodeRange::Node::first.load(std::memory_order_acquire); node; node = node->next) {
      const uintptr_t begin = node->begin.load(std::memory_order_acquire);
      if (begin && counter >= begin && counter < node->end.load(std::memory_order_relaxed))
        return true;
    }
    return false;
  }

  static const Running::Slot *slotHere() {
    const pid_t thread = thisThread();
    for (const Running::Slot *slot = Running::Slot::first.load(std::memory_order_acquire); slot; slot = slot->next)
      if (slot->thread.load(std::memory_order_acquire) == thread)
        return slot;
    return nullptr;
  }

  /// Ends the kernel of this thread.
  [[noreturn]] static void leave(Running &running, int signal, const siginfo_t &info, void *context) {
    if (!running.report_.isTaken_.exchange(true)) {
      Line line;
      describe(line, &running, signal, info, context);
      const std::string_view text = line.text();
      running.report_.fault_ = {true, signal, accessedAddress(info), running.first_, running.end_};
      running.report_.size_ = text.copy(running.report_.text_, sizeof running.report_.text_);
    }
    pthread_sigmask(SIG_SETMASK, &static_cast<ucontext_t *>(context)->uc_sigmask, nullptr);
    siglongjmp(running.back_, 1);
  }

  /// Returns true if the application has a handler, and the access was to memory of a buffer.
  static bool belongsToApplication(int signal, const siginfo_t &info) {
    const struct sigaction &action = previous[indexOf(signal)];
    if ((signal != SIGSEGV && signal != SIGBUS) || isDefault(action) || isIgnored(action))
      return false;
    const auto address = uintptr_t(info.si_addr);
    const Nearest found = nearest(address);
    return address >= found.begin && address - found.begin < found.size;
  }

  static void describeOnce(const Running *running, int signal, const siginfo_t &info, const void *context) {
    static constinit std::atomic<unsigned> lines{0};
    if (!log::enabled(log::Level::Error, log::Group::Device) ||
        lines.fetch_add(1, std::memory_order_relaxed) >= MaxLines)
      return;
    Line line;
    line << "kiln: error: device: ";
    describe(line, running, signal, info, context);
    line.write();
  }

  static void describe(Line &line, const Running *running, int signal, const siginfo_t &info, const void *context) {
    line << "kernel " << (running ? std::string_view(running->call_.kernel.name) : "of unknown name") << ": "
         << NameOfSignal[indexOf(signal)];
    if (signal == SIGILL)
      line << ", a trap or an invalid instruction";
    else if (signal == SIGFPE)
      line << ", an arithmetic trap";
    else
      describeAddress(line, info, running ? &running->call_ : nullptr);
    (line << "; the code is at ").hexadecimal(programCounter(context));
    if (running) {
      line << ", in work-group" << (running->end_ - running->first_ > 1 ? "s " : " ") << running->first_;
      if (running->end_ - running->first_ > 1)
        line << " to " << running->end_ - 1;
    }
  }

public:
  /// `call` may be null.
  static void describeAddress(Line &line, const siginfo_t &info, const KernelCall *call) {
    const auto address = uintptr_t(info.si_addr);
    if (info.si_code == SI_KERNEL && !address) { // x86's general protection fault has no address
      line << ": an access at an address that is no multiple of its size, or that no memory can have";
      return;
    }
    (line << " at address ").hexadecimal(address);
    if (address < NullPage) {
      line << ", a null pointer";
      if (call)
        describeNulls(line, *call);
      return;
    }
    describeNearest(line, address, call);
  }

private:
  static uintptr_t valueOf(const KernelCall &call, const Kernel::Pointer &pointer) {
    uintptr_t value = 0;
    std::memcpy(&value, static_cast<const char *>(call.arguments) + pointer.offset, sizeof value);
    return value;
  }
  static Line &nameOf(Line &line, const Kernel::Pointer &pointer) {
    line << "argument " << pointer.index;
    return pointer.name.empty() ? line : line << " (" << pointer.name << ")";
  }

  static void describeNulls(Line &line, const KernelCall &call) {
    bool isFirst = true;
    for (const Kernel::Pointer &pointer : call.kernel.pointers)
      if (!valueOf(call, pointer)) {
        nameOf(line << (isFirst ? "; null is " : ", "), pointer);
        isFirst = false;
      }
  }

  /// Memory of a buffer; of none if `begin` is 0.
  struct Nearest {
    uintptr_t begin = 0;
    size_t size = 0;
  };
  static Nearest nearest(uintptr_t address) {
    MemoryRange::List &list = MemoryRange::List::all;
    Nearest found;
    if (!list.tryLock(MaxSpins))
      return found;
    uintptr_t distance = UINTPTR_MAX;
    for (const MemoryRange *one = list.first; one; one = one->next_) {
      const uintptr_t end = one->begin_ + one->size_;
      const uintptr_t away = address < one->begin_ ? one->begin_ - address : address >= end ? address - end : 0;
      if (away < distance)
        distance = away, found = {one->begin_, one->size_};
    }
    list.unlock();
    return found;
  }

  static void describeNearest(Line &line, uintptr_t address, const KernelCall *call) {
    const auto [begin, size] = nearest(address);
    if (!begin) {
      line << ", and there is no buffer";
      return;
    }
    if (address < begin)
      line << ", " << begin - address << " bytes before ";
    else if (address >= begin + size)
      line << ", " << address - (begin + size) << " bytes after the end of ";
    else
      line << ", byte " << address - begin << " of ";
    const Kernel::Pointer *found = nullptr;
    if (call)
      for (const Kernel::Pointer &pointer : call->kernel.pointers)
        if (const uintptr_t value = valueOf(*call, pointer); !found && value >= begin && value - begin < size)
          found = &pointer;
    if (found)
      (nameOf(line << "the buffer of ", *found) << ", which has " << size << " bytes at ").hexadecimal(begin);
    else
      (line << "a buffer of " << size << " bytes at ").hexadecimal(begin);
  }

  /// The signal was sent to the process, and this thread of Kiln has been chosen because it does not block it.
  static void passToApplication(int signal, siginfo_t &info, void *context) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    sigaddset(&static_cast<ucontext_t *>(context)->uc_sigmask, signal); // after the return
    pthread_sigmask(SIG_BLOCK, &one, nullptr);                          // until then
    if (syscall(SYS_rt_sigqueueinfo, getpid(), signal, &info) != 0)
      kill(getpid(), signal); // of kill: a thread that is not the first may not repeat the sender's number
  }

  static void forward(int signal, siginfo_t *info, void *context) {
    const struct sigaction action = previous[indexOf(signal)];
    const bool isFault = info->si_code > 0;
    if (isIgnored(action) && !isFault)
      return;
    if (isDefault(action) || isIgnored(action)) { // a fault ends the process even if it is ignored
      struct sigaction byDefault{};
      byDefault.sa_handler = SIG_DFL;
      sigaction(signal, &byDefault, nullptr);
      // A fault occurs again when this handler returns. A signal that was sent is sent to this thread again.
      if (!isFault && syscall(SYS_rt_tgsigqueueinfo, getpid(), thisThread(), signal, info) != 0)
        syscall(SYS_tgkill, getpid(), thisThread(), signal);
      return;
    }
    if (action.sa_flags & int(SA_RESETHAND)) {
      struct sigaction byDefault{};
      byDefault.sa_handler = SIG_DFL;
      sigaction(signal, &byDefault, nullptr);
    }
    if (action.sa_flags & SA_SIGINFO)
      action.sa_sigaction(signal, info, context);
    else
      action.sa_handler(signal);
  }
};

constinit std::atomic<bool> Handler::isInstalled{false};

// ---- what the handler reads: changes -------------------------------------------------------------------------------

Running::Slot *Running::Slot::find(pid_t thread) noexcept {
  for (const pid_t wanted : {thread, 0}) // a thread whose slot was not released may have had the same number
    for (Slot *slot = first.load(std::memory_order_acquire); slot; slot = slot->next)
      if (pid_t found = wanted; slot->thread.compare_exchange_strong(found, thread))
        return slot;
  auto *slot = new (std::nothrow) Slot;
  if (slot) {
    slot->thread.store(thread);
    push(first, slot);
  }
  return slot;
}

Running::Slot *Running::Slot::make() noexcept {
  // In the child of a fork, the one thread keeps its slot, and the others' are free.
  static constinit ForkHandler keepMine{[] {
    for (Slot *slot = first.load(); slot; slot = slot->next)
      slot->thread.store(slot == mine ? thisThread() : 0);
  }};
  onFork(keepMine);
  mine = find(thisThread());
  if (!mine)
    return nullptr;
  mine->running.store(nullptr);
  mine->isOwn.store(isOwnThread);
  if (!atThreadEnd<release>(mine)) {
    release(mine);
    return nullptr;
  }
  if (isOwnThread && Handler::isInstalled.load(std::memory_order_acquire)) {
    sigset_t faults;
    sigemptyset(&faults);
    for (int signal : Signals)
      sigaddset(&faults, signal);
    pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
  }
  return mine;
}

uint64_t accessedAddress(const siginfo_t &info) {
  const bool isAccess = info.si_signo == SIGSEGV || info.si_signo == SIGBUS;
  return isAccess && info.si_code != SI_KERNEL ? uint64_t(uintptr_t(info.si_addr)) : 0;
}

std::string describeAccess(const KernelCall &call, const siginfo_t &info) {
  Line line;
  Handler::describeAddress(line, info, &call);
  return std::string(line.text());
}

void declareOwnThread() noexcept { Running::declareOwnThread(); }
bool isOwnThread() noexcept { return Running::isOwnThread(); }

void Running::declareOwnThread() noexcept { Slot::isOwnThread = true; }
bool Running::isOwnThread() noexcept { return Slot::isOwnThread; }

Running::Running(const Kernel &kernel, const void *arguments, uint64_t first, uint64_t end, Report &report) noexcept
    : call_{kernel, arguments}, first_(first), end_(end), report_(report), slot_(Slot::ofThisThread()) {
  if (slot_) {
    slot_->running.store(this, std::memory_order_relaxed);
    slot_->report.store(&report, std::memory_order_release);
  }
  std::atomic_signal_fence(std::memory_order_release); // this thread's handler reads it
}

Running::~Running() {
  std::atomic_signal_fence(std::memory_order_release);
  if (slot_) {
    slot_->report.store(nullptr, std::memory_order_relaxed);
    slot_->running.store(nullptr, std::memory_order_relaxed);
  }
}

void Report::end(std::string_view text) noexcept {
  if (!isTaken_.exchange(true))
    size_ = text.copy(text_, sizeof text_);
  isEnding_.store(true, std::memory_order_release);
  Handler::interrupt(*this);
}

CodeRange::CodeRange(void *handle) {
  const CodeBounds bounds = Handler::install() ? boundsOf(handle) : CodeBounds();
  if (!bounds.begin)
    return;
  for (node_ = Node::first.load(std::memory_order_acquire); node_; node_ = node_->next)
    if (uintptr_t none = 0; node_->begin.compare_exchange_strong(none, bounds.begin))
      break;
  const bool isNew = !node_;
  if (isNew) {
    node_ = new Node;
    node_->begin.store(bounds.begin);
  }
  node_->end.store(bounds.end, std::memory_order_release);
  if (isNew)
    push(Node::first, node_);
}

CodeRange::~CodeRange() {
  if (!node_)
    return;
  node_->end.store(0);
  node_->begin.store(0, std::memory_order_release);
}

MemoryRange::MemoryRange(const void *begin, size_t size) : begin_(uintptr_t(begin)), size_(size) {
  // In the child of a fork, another thread of the parent may have been changing the list.
  static constinit ForkHandler startAnew{[] {
    List::all.first = nullptr;
    ++List::all.process;
    List::all.unlock();
  }};
  onFork(startAnew);
  List &list = List::all;
  list.lock();
  process_ = list.process;
  next_ = list.first;
  if (next_)
    next_->previous_ = this;
  list.first = this;
  list.unlock();
}

MemoryRange::~MemoryRange() {
  List &list = List::all;
  list.lock();
  if (process_ == list.process) {
    (previous_ ? previous_->next_ : list.first) = next_;
    if (next_)
      next_->previous_ = previous_;
  }
  list.unlock();
}

} // namespace kiln::cpu::fault
